"""A recording that is stopped in the middle: what was finished is kept and said, what was there before is untouched."""

import json
import signal
import threading

import pytest
from loopback import RESET, Loopback, plain, stream, until
from recording_project import Project, record, start_recording
from spoken import chat_body, chat_events, messages_body, messages_events

from harness.cli.recording.advice import advice_of
from harness.errors import LiveCallFailed
from harness.wire.clients import Endpoint

CALL = {
    "chat": plain(chat_body(calls=[("x1", "find_parcel", '{"code": "K7-11"}')])),
    "messages": plain(messages_body(calls=[("x1", "find_parcel", {"code": "K7-11"})])),
}
EVENTS = {"chat": chat_events(["One ", "two ", "three."]), "messages": messages_events(["One ", "two ", "three."])}
BOTH = pytest.mark.parametrize("api", ["chat", "messages"])


def recorded_before(project, capsys):
    """A recording and a fixture as an earlier run left them."""
    with Loopback(plain(chat_body("Before."))) as server:
        assert record(capsys, "scenarios/find-parcel", "--api", "chat", "--base-url", server.url).code == 0
    return {name: raw for name, raw in project.files().items() if not name.endswith(".partial")}


def unchanged(project, before):
    return {name: raw for name, raw in project.files().items() if not name.endswith(".partial")} == before


FAILURES = [
    ("an error", plain({"error": {"message": "no such model"}}, status=404), "HTTP 404: no such model", [(200, True), (404, True)]),
    ("a server error", plain(b"<html>bad gateway</html>", status=502), "HTTP 502", [(200, True), (502, True)]),
    ("no JSON", plain(b"<html>hello</html>"), "the answer is no JSON", [(200, True), (200, True)]),
    ("a reset", [RESET], "Connection error", [(200, True)]),
    ("silence", [3.0], "was not answered within 0.5 s", [(200, True)]),
]  # fmt: skip


@BOTH
@pytest.mark.parametrize("row", FAILURES, ids=[row[0] for row in FAILURES])
def test_a_provider_that_fails_leaves_what_was_there(tmp_path, monkeypatch, capsys, api, row):
    _, failure, said, statuses = row
    project = Project(tmp_path, api=api)
    monkeypatch.chdir(tmp_path)
    before = recorded_before(project, capsys)

    with Loopback(CALL[api], failure) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url, "--timeout", "0.5")

    [kept] = project.journal().recordings
    assert (ran.code, ran.out) == (7, "")
    assert said in ran.err
    assert (
        "in recordings/find-parcel.jsonl.partial (to look at; it may be deleted); fixtures/find-parcel.jsonl is as it was"
        in ran.err
    )
    assert [(one.status, one.complete) for one in kept.exchanges] == statuses
    assert [run.result for run in kept.tools] == ['{"place":"Oslo"}']
    assert kept.end is None
    assert unchanged(project, before)


@BOTH
def test_a_stream_that_breaks_is_kept_as_broken(tmp_path, monkeypatch, capsys, api):
    project = Project(tmp_path, api=api, stream=True)
    monkeypatch.chdir(tmp_path)

    with Loopback(CALL_STREAMS[api], stream(*EVENTS[api][:3], 0.05, RESET, ends=False)) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    [kept] = project.journal().recordings
    assert ran.code == 7
    assert (
        "kept:     1 finished exchange, 1 broken off in recordings/find-parcel.jsonl.partial (to look at; it may be deleted)\n"
        in ran.err
    )
    assert [one.complete for one in kept.exchanges] == [True, False]
    assert [chunk.text.encode() for chunk in kept.exchanges[1].chunks] == EVENTS[api][:3]
    assert not project.fixture.exists()


CALL_STREAMS = {
    "chat": stream(*chat_events(calls=[("x1", "find_parcel", '{"code": "K7-11"}')])),
    "messages": stream(*messages_events(calls=[("x1", "find_parcel", {"code": "K7-11"})])),
}


def test_nothing_answered_leaves_nothing_behind(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    with Loopback([RESET]) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert ran.code == 7
    assert "kept:     nothing, none was answered" in ran.err
    assert project.files() == {}


CHECKS = [
    ("a wrong key", plain({"error": {"message": "no"}}, status=401), "is sent no key"),
    ("no such model", plain({"error": {"message": "no"}}, status=404), "check the model's name m-asked (--model)"),
    ("a parameter", plain({"error": {"message": "no"}}, status=400), "check the parameters (--param"),
    ("a limit", plain({"error": {"message": "no"}}, status=429), "check the account's limits"),
    ("a server error", plain(b"oh", status=500), "failed by itself: look into its log"),
    ("a page", plain(b"<html>hello</html>"), "check that http"),
    ("a reset", [RESET], "check that a server listens at http"),
]


@pytest.mark.parametrize("row", CHECKS, ids=[row[0] for row in CHECKS])
def test_a_failure_says_what_to_check(tmp_path, monkeypatch, capsys, row):
    _, failure, said = row
    Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    with Loopback(failure) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url, "--retries", "0")

    assert ran.code == 7
    assert f"  next:     {'' if 'check' in said[:5] else server.url + '/v1 '}{said}" in ran.err


@pytest.mark.parametrize(("provider", "variable"), [("openai", "OPENAI_API_KEY"), ("google", "GOOGLE_API_KEY")])
def test_a_refused_key_is_named_by_its_variable(provider, variable):
    error = LiveCallFailed("HTTP 401: no")
    error.status = 401

    advice = advice_of(error, provider, Endpoint("chat", "https://a.invalid/v1", "k", 1, 0), "m")

    assert advice == f"check the key in {variable}"


def test_a_run_that_was_only_refused_leaves_no_journal(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    with Loopback(plain({"error": {"message": "no such model"}}, status=404)) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert "kept:     nothing, none was answered\n" in ran.err
    assert project.files() == {}


def test_a_world_of_another_shape_stops_the_run_at_its_first_call(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)
    project.write(
        "scenarios/find-parcel/world.py", "def start(t):\n    return t\ndef call(s, n, a):\n    return {'x': 1}\n"
    )

    with Loopback(CALL["chat"], plain(chat_body("done"))) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert (ran.code, len(server.requests)) == (4, 1)
    assert "scenarios/find-parcel/world.py: call must return (state, result, is_error)" in ran.err
    assert "  found:    {'x': 1}\n  next:     mend it, then " in ran.err
    assert "  kept:     1 finished exchange in recordings/find-parcel.jsonl.partial" in ran.err
    assert list(project.files()) == ["recordings/find-parcel.jsonl.partial"]


def test_a_failure_can_be_read_by_programs(tmp_path, monkeypatch, capsys):
    Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    with Loopback(CALL["chat"], plain({"error": {"message": "no"}}, status=400)) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url, "--json")

    said = json.loads(ran.out)
    assert said["recordings"] == []
    [error] = said["errors"]
    assert (error["code"], error["message"]) == ("LIVE_CALL_FAILED", "the live call failed: HTTP 400: no")
    assert (
        error["kept"] == "2 finished exchanges in recordings/find-parcel.jsonl.partial (to look at; it may be deleted)"
    )


def test_the_next_run_keeps_the_journal_of_the_last_one_aside(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)
    refusal = plain({"error": {"message": "no"}}, status=400)

    with Loopback(CALL["chat"], refusal, CALL["chat"], refusal, plain(chat_body("Oslo."))) as server:
        arguments = ["scenarios/find-parcel", "--base-url", server.url]
        first, second, third = (record(capsys, *arguments) for _ in range(3))

    aside = [tmp_path / f"recordings/find-parcel.{number}.jsonl.partial" for number in (1, 2)]
    assert [first.code, second.code, third.code] == [7, 7, 0]
    assert "kept as recordings/find-parcel.1.jsonl.partial" in second.err
    assert "kept as recordings/find-parcel.2.jsonl.partial" in third.err
    assert [len(project.journal(path).recordings[0].exchanges) for path in aside] == [2, 2]
    assert not project.partial.exists()


@BOTH
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminated"])
def test_a_run_that_is_asked_to_stop_keeps_what_came(tmp_path, monkeypatch, capsys, api, number):
    project = Project(tmp_path, api=api, stream=True)
    monkeypatch.chdir(tmp_path)
    before = recorded_before(project, capsys)
    never = threading.Event()

    with Loopback(CALL_STREAMS[api], stream(*EVENTS[api][:4], never)) as server:
        process = start_recording(tmp_path, "scenarios/find-parcel", "--base-url", server.url)
        until_said(process, "One two")
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        never.set()

    [kept] = project.journal().recordings
    assert (process.returncode, out) == (130, "")
    assert "interrupted; what was finished is kept" in err
    assert "next:     -c scenarios/find-parcel --base-url" in err
    assert "1 finished exchange, 1 broken off in recordings/find-parcel.jsonl.partial" in err
    assert [one.complete for one in kept.exchanges] == [True, False]
    assert unchanged(project, before)


@BOTH
def test_a_run_that_is_killed_in_mid_stream_has_its_finished_exchanges_on_the_disk(tmp_path, monkeypatch, capsys, api):
    project = Project(tmp_path, api=api, stream=True)
    monkeypatch.chdir(tmp_path)
    before = recorded_before(project, capsys)
    never = threading.Event()

    with Loopback(CALL_STREAMS[api], stream(*EVENTS[api][:4], never), stream(*EVENTS[api])) as server:
        process = start_recording(tmp_path, "scenarios/find-parcel", "--base-url", server.url)
        until_said(process, "One two")
        process.kill()
        process.communicate(timeout=20)
        never.set()
        [kept] = project.journal().recordings
        untouched = unchanged(project, before)
        again = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert [(one.number, one.complete) for one in kept.exchanges] == [(0, True)]
    assert [run.call for run in kept.tools] == ["x1"]
    assert untouched
    assert again.code == 0, again.err
    assert "kept as recordings/find-parcel.1.jsonl.partial" in again.err


def until_said(process, words):
    """Read the process's talk until it has said the words: its stream is on the way then, and not over."""
    said = ""
    while words not in said:
        piece = process.stderr.read(1)
        assert piece, said
        said += piece


def test_two_runs_of_one_scenario_do_not_write_into_each_other(tmp_path, monkeypatch, capsys):
    project = Project(tmp_path, stream=True)
    monkeypatch.chdir(tmp_path)
    never = threading.Event()

    with Loopback(stream(*EVENTS["chat"][:2], never, *EVENTS["chat"][2:]), plain({})) as server:
        process = start_recording(tmp_path, "scenarios/find-parcel", "--base-url", server.url)
        until(lambda: server.requests)
        second = record(capsys, "scenarios/find-parcel", "--base-url", server.url)
        never.set()
        _, err = process.communicate(timeout=20)

    assert second.code == 2
    assert "another run is writing this journal" in second.err
    assert process.returncode == 0, err
    assert project.loaded()[1].transcript.turns
