"""fc-replay check where somebody edited what it goes by: no edit turns a check off."""

import json

import pytest
from click.testing import CliRunner
from recorded_run import HEADER, LAMP, chat_answer, recorded
from refund_run import write_scenario

from harness.cli.judge import main as judge
from harness.cli.replay import main as replay
from harness.fixture_derivation import fixture_of_recording
from harness.fixture_lines import lines_of_fixture
from harness.recording_lines import lines_of_recording
from harness.value import digest_of

FIXTURE = "fixtures/two-lamps.jsonl"
RECORDING = "recordings/two-lamps.jsonl"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A project whose fixture derives from its recording."""
    monkeypatch.chdir(tmp_path)
    calls = [("id-a", "set_lamp", '{"on":true}')]
    recording, _ = recorded("chat", [chat_answer("One moment.", calls), chat_answer("Done.")])
    tools = [LAMP.model_dump(exclude={"issues"})]
    write_scenario(tmp_path / "scenarios" / HEADER.id, system="Be brief.", users=["Light, please."], tools=tools)
    fixture = fixture_of_recording(recording, title="Two lamps")
    for path, raw in {RECORDING: lines_of_recording(recording), FIXTURE: lines_of_fixture(fixture)}.items():
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_bytes(raw)
    return tmp_path


def edit(path, old, new):
    raw = path.read_bytes()
    assert old in raw
    path.write_bytes(raw.replace(old, new, 1))


def edit_recording(here, old, new):
    """An edit by somebody who knows of the digest."""
    path = here / RECORDING
    edit(path, old, new)
    *lines, end = path.read_bytes().splitlines(keepends=True)
    fields = json.loads(end) | {"digest": digest_of(b"".join(lines))}
    path.write_bytes(b"".join([*lines, json.dumps(fields).encode() + b"\n"]))


def checked(*paths):
    done = CliRunner().invoke(replay, ["check", *paths, "--json"])
    errors = [error for one in json.loads(done.stdout)["results"] for error in one["errors"]]
    return done.exit_code, [(error["code"], error["file"], error["line"]) for error in errors]


def test_the_project_is_good(here):
    assert checked() == (0, [])
    assert here.exists()


def test_a_fixture_that_names_a_recording_that_is_not_there_is_stale(here):
    edit(here / FIXTURE, b'"recording":"two-lamps"', b'"recording":"two-lamp"')

    code, found = checked(FIXTURE)

    assert (code, found) == (3, [("RECORDING_LOST", FIXTURE, 1)])


def test_a_fixture_that_lost_its_recordings_name_is_not_derived(here):
    edit(here / FIXTURE, b',"recording":"two-lamps"', b"")

    assert checked() == (3, [("NOT_DERIVED", FIXTURE, 1)])


COUNTS = {
    "exchanges": (b'"exchanges":2', b'"exchanges":3'),
    "tools": (b'"tools":1,', b'"tools":0,'),
}


@pytest.mark.parametrize(("old", "new"), COUNTS.values(), ids=COUNTS)
def test_an_end_line_that_counts_other_lines_is_refused(here, old, new):
    edit_recording(here, old, new)

    assert checked(FIXTURE) == (4, [("MALFORMED_LINE", RECORDING, 7)])


def test_a_tool_line_that_was_taken_out_is_missed(here):
    path = here / RECORDING
    line = next(line for line in path.read_bytes().splitlines(keepends=True) if b'"type":"tool"' in line)

    edit_recording(here, line, b"")

    assert checked(FIXTURE) == (4, [("MALFORMED_LINE", RECORDING, 6)])


def test_a_run_did_not_end_well_whose_last_answer_broke_off(here):
    edit_recording(here, b'"number":1,', b'"number":1,"complete":false,')

    assert checked(FIXTURE) == (4, [("MALFORMED_LINE", RECORDING, 7)])


HEADS = {
    "a later version": b'"formatVersion":99',
    "a version of another kind": b'"formatVersion":"1"',
    "an origin that is none": b'"origin":"somewhere"',
    "an origin with a newline": b'"origin":"scenario\\n"',
    "an origin without a source": b'"origin":"test:"',
}


@pytest.mark.parametrize(("path", "kind"), [(FIXTURE, b'"type":"meta"'), (RECORDING, b'"type":"recording"')])
@pytest.mark.parametrize("field", HEADS.values(), ids=HEADS)
def test_a_head_that_says_what_nobody_knows_is_refused(here, path, kind, field):
    edit(here / path, b'"formatVersion":1,' if path == FIXTURE else b"", b"")
    edit(here / path, kind, kind + b"," + field)

    assert checked(path) == (4, [("MALFORMED_LINE", path, 1)])


def test_a_key_that_stands_twice_in_a_fixture_is_refused(here):
    edit(here / FIXTURE, b'"id":"call_1"', b'"id":"call_9","id":"call_1"')

    assert checked(FIXTURE) == (4, [("MALFORMED_LINE", FIXTURE, 3)])


def test_a_key_that_stands_twice_in_a_recording_is_refused(here):
    edit_recording(here, b'"position":0', b'"position":7,"position":0')

    assert checked(RECORDING) == (4, [("MALFORMED_LINE", RECORDING, 4)])


def test_a_key_that_stands_twice_in_an_assertion_is_linted(here):
    twice = b'"assertions":[{"kind":"no_tool_called","name":"set_lamp","name":"other"}]'
    edit(here / FIXTURE, b'"assertions":[]', twice)

    done = CliRunner().invoke(judge, ["lint", FIXTURE])

    assert done.exit_code == 4
    assert "a key stands twice in one object" in done.stderr
    assert checked(FIXTURE)[1] == [("MALFORMED_LINE", FIXTURE, 7)]


@pytest.mark.parametrize("words", [[], ["check"]], ids=str)
def test_a_key_that_stands_twice_in_a_scenarios_file_is_refused(here, words):
    (here / "scenarios" / "two-lamps" / "world.json").write_text('{"a": {}, "a": {"key": "id", "rows": []}}')

    done = CliRunner().invoke(replay, words)

    assert done.exit_code == 4
    assert 'not JSON: the key "a" stands twice in one object' in done.output
