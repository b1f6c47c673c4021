"""A recording for which there is no place, no room or no line: said early where it can be, else the rest is kept."""

import pytest
from loopback import Loopback, plain
from recording_project import Project, record
from small_disk import a_small_disk
from spoken import chat_body

CALL = plain(chat_body(calls=[("x1", "find_parcel", '{"code": "K7-11"}')]))
SAID = plain(chat_body("Oslo."))


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


@pytest.mark.parametrize("option", ["--fixtures", "--recordings"])
def test_a_place_that_cannot_be_written_is_said_before_anything_is_paid_for(project, capsys, option):
    project.write("blocked", "a file where a directory should be")
    before = project.files()

    with Loopback(SAID) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url, option, "blocked")

    assert (ran.code, server.requests) == (2, [])
    assert "blocked/find-parcel.jsonl: could not be written: blocked is no directory" in ran.err
    assert project.files() == before


def test_a_directory_in_the_place_of_the_recording_is_said_before_anything_is_paid_for(project, capsys):
    project.recording.mkdir(parents=True)

    with Loopback(SAID) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert (ran.code, server.requests) == (2, [])
    assert "recordings/find-parcel.jsonl: could not be written: a directory stands there" in ran.err


def test_a_result_that_cannot_be_written_is_said_and_stays_in_the_journal(project, capsys):
    def block(_):
        project.write("blocked", "a file where a directory should be")
        return SAID

    with Loopback(CALL, block) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url, "--fixtures", "blocked")

    assert ran.code == 2
    assert "blocked/find-parcel.jsonl: could not be written: blocked is no directory" in ran.err
    assert "kept:     2 finished exchanges in recordings/find-parcel.jsonl.partial" in ran.err
    assert len(project.journal().recordings[0].exchanges) == 2


@pytest.mark.parametrize(("room", "exchanges", "kept"), [(100, None, "nothing"), (2_000, 1, "1 finished exchange")])
def test_a_disk_that_gets_full_leaves_a_journal_that_can_be_read(project, capsys, room, exchanges, kept):
    long = plain(chat_body("Oslo. " * 400))

    with Loopback(CALL, long) as server, a_small_disk(room):
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert (ran.code, project.fixture.exists()) == (2, False)
    assert "recordings/find-parcel.jsonl.partial: could not be written: File too large" in ran.err
    if exchanges is None:
        assert not project.partial.exists()
    else:
        assert f"kept:     {kept} in recordings/find-parcel.jsonl.partial" in ran.err
        assert len(project.journal().recordings[0].exchanges) == exchanges


def test_a_tool_result_that_no_line_can_hold_is_named_and_the_rest_is_kept(project, capsys):
    project.write("scenarios/find-parcel/world.py", WORLD_OF_HUGE_RESULTS)

    with Loopback(CALL, SAID) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert (ran.code, len(server.requests), project.fixture.exists()) == (2, 1, False)
    assert "the result of find_parcel cannot be written: it takes" in ran.err
    assert "a line holds 8388608 bytes at most" in ran.err
    assert "next:     let it be smaller: a tool that gives less, a shorter prompt or answer; then " in ran.err
    assert "kept:     1 finished exchange in recordings/find-parcel.jsonl.partial" in ran.err
    [recording] = project.journal().recordings
    assert (len(recording.exchanges), recording.tools) == (1, [])


WORLD_OF_HUGE_RESULTS = """\
def start(tables):
    return tables


def call(state, name, arguments):
    return state, "x" * (9 << 20), False
"""


def test_a_prompt_that_no_line_can_hold_is_refused_before_anything_is_paid_for(project, capsys):
    project.write("scenarios/find-parcel/system.txt", "x" * (9 << 20))

    with Loopback(SAID) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert (ran.code, server.requests) == (4, [])
    assert "system.txt: holds 9437184 bytes, and a line of a recording holds 8388608 at most" in ran.err
    assert "next:     make scenarios/find-parcel/system.txt shorter, or let a tool give what stands in it" in ran.err


def test_a_scenario_that_is_there_is_not_written_over_by_flags(project, capsys):
    other = project.write("other.txt", "Something else.")
    same = project.scenario / "system.txt"
    before = project.files() | {name: (project.scenario / name).read_bytes() for name in ("user.txt", "system.txt")}

    with Loopback(SAID) as server:
        flags = ["--fixture-id", "find-parcel", "--system-prompt-file", same, "--base-url", server.url, "--model", "m"]
        ran = record(capsys, *flags, "--user-message-file", other)
        unchanged = record(capsys, *flags, "--user-message-file", project.scenario / "user.txt")

    assert (ran.code, unchanged.code, len(server.requests)) == (2, 0, 1)
    assert "scenarios/find-parcel/user.txt: this scenario is there already and says something else" in ran.err
    assert {
        name: (project.scenario / name).read_bytes() for name in ("user.txt", "system.txt")
    }.items() <= before.items()
