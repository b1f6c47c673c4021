"""No secret reaches the disk or the screen, whatever piece of the traffic it stands in; the live request is untouched."""

import json
import logging

import pytest
from click.testing import CliRunner
from loopback import Loopback, plain, stream
from recording_project import Project, record
from spoken import chat_body, chat_events, messages_body, messages_events

from harness.cli.recording import record_run
from harness.cli.replay import main as replay
from harness.value import digest_of

KEY = "sk-ant-api03-FAKE-SECRET-0123456789"
KNOWN = "FAKE-SECRET known by value"
BOTH = pytest.mark.parametrize("api", ["chat", "messages"])
MODES = pytest.mark.parametrize("streamed", [False, True], ids=["plain", "stream"])
WORLD = f"""\
def start(tables):
    return tables


def call(state, name, arguments):
    state["parcels"]["rows"].append({{"code": "new", "api_key": "FAKE-SECRET-11", "note": "{KEY}"}})
    return state, {{"place": "Oslo", "access_token": "FAKE-SECRET-12", "link": "https://u:FAKE-SECRET-13@a.test/?key=FAKE-SECRET-14&page=2"}}, False
"""
ARGUMENTS = {"code": "K7-11", "password": "FAKE-SECRET-15", "max_tokens": 64, "note": f"use {KEY} and {KNOWN}"}
SAID = f"Your key {KEY} and {KNOWN} are safe; where is the key to room 4?"
HEADERS = {"set-cookie": "sid=FAKE-SECRET-16; Path=/", "x-api-key": "FAKE-SECRET-17", "x-request-id": "req-keep"}


def answers(api, *, streamed):
    letters = [SAID[at : at + 3] for at in range(0, len(SAID), 3)]
    if api == "chat":
        calls = [("x1", "find_parcel", json.dumps(ARGUMENTS))]
        events, bodies = [chat_events([], calls), chat_events(letters)], [chat_body(None, calls), chat_body(SAID)]
    else:
        calls = [("x1", "find_parcel", ARGUMENTS)]
        events = [messages_events([], calls), messages_events(letters)]
        bodies = [messages_body(None, calls), messages_body(SAID)]
    if streamed:
        return [stream(*one, headers=HEADERS) for one in events]
    return [plain(one | {"access_token": "FAKE-SECRET-18"}, headers=HEADERS) for one in bodies]


@pytest.fixture
def project(tmp_path, monkeypatch):
    project = Project(tmp_path)
    project.write("scenarios/find-parcel/world.py", WORLD)
    project.write("scenarios/find-parcel/user.txt", f"My password is {KNOWN}, my key {KEY}: where is K7-11?")
    project.write(".env", f'DOOR_PASSWORD="{KNOWN}"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OTHER_TOKEN", "FAKE-SECRET-19")
    return project


def written(project):
    return {name: raw for name, raw in project.files().items() if name != ".env"}


def assert_clean(project, ran):
    everything = {**written(project), "stdout": ran.out.encode(), "stderr": ran.err.encode()}
    assert {name for name, raw in everything.items() if b"FAKE-SECRET" in raw} == set()


@BOTH
@MODES
def test_a_recording_and_its_fixture_hold_no_secret(project, capsys, api, streamed):
    with Loopback(*answers(api, streamed=streamed)) as server:
        arguments = ["--api", api, "--base-url", f"{server.url.replace('//', '//u:FAKE-SECRET-20@')}"]
        extra = [
            "--extra-body",
            '{"api_key": "FAKE-SECRET-21", "note": "FAKE-SECRET-19"}',
            "--stream" if streamed else "--no-stream",
        ]
        ran = record(capsys, "scenarios/find-parcel", *arguments, *extra)

    assert ran.code == 0, ran.err
    assert_clean(project, ran)
    text = b"".join(written(project).values()).decode()
    kept = ["max_tokens", "page=2", "where is the key to room 4?", "req-keep", "Oslo"]
    assert [word for word in kept if word not in text] == []


@BOTH
@MODES
@pytest.mark.usefixtures("project")
def test_the_live_request_is_untouched(capsys, api, streamed):
    with Loopback(*answers(api, streamed=streamed)) as server:
        record(
            capsys,
            "scenarios/find-parcel",
            "--api",
            api,
            "--base-url",
            server.url,
            "--stream" if streamed else "--no-stream",
        )

    first, second = server.requests
    assert f"My password is {KNOWN}, my key {KEY}" in first.body.decode()
    for secret in (KEY, KNOWN, "FAKE-SECRET-12", "FAKE-SECRET-14", "FAKE-SECRET-15"):
        assert secret in second.body.decode()


@BOTH
@MODES
def test_equal_secrets_stay_equal_in_the_fixture(project, capsys, api, streamed):
    with Loopback(*answers(api, streamed=streamed)) as server:
        record(
            capsys,
            "scenarios/find-parcel",
            "--api",
            api,
            "--base-url",
            server.url,
            "--stream" if streamed else "--no-stream",
        )

    recording, fixture = project.loaded()
    user, asked, result, said = fixture.transcript.turns
    key, known = "[secret:anthropic-key:1]", "[secret:value:1]"
    assert user.content[0].text == f"My password is {known}, my key {key}: where is K7-11?"
    [call] = asked.calls
    assert call.arguments == ARGUMENTS | {"password": "[secret:password:1]", "note": f"use {key} and {known}"}
    assert json.loads(result.content[0].text)["access_token"].startswith("[secret:access-token:")
    assert said.content[0].text == f"Your key {key} and {known} are safe; where is the key to room 4?"
    assert fixture.transcript.effects.changes[0].after["note"] == key
    assert recording.tools[0].arguments == call.arguments
    assert fixture.meta.user_message_hash == digest_of(user.content[0].text.encode())


@BOTH
def test_a_failure_tells_no_secret(project, capsys, api):
    refusal = plain({"error": {"message": f"bad key {KEY} for https://a.test/?key=FAKE-SECRET-22"}}, status=401)

    with Loopback(answers(api, streamed=False)[0], refusal) as server:
        url = server.url.replace("//", "//u:FAKE-SECRET-20@")
        ran = record(capsys, "scenarios/find-parcel", "--api", api, "--base-url", url)
        shown = record(capsys, "scenarios/find-parcel", "--api", api, "--base-url", url, "--json")

    assert (ran.code, shown.code) == (7, 7)
    assert "bad key [secret:anthropic-key:1]" in ran.err
    assert_clean(project, ran)
    assert_clean(project, shown)


def test_an_address_that_cannot_be_used_tells_no_secret(project, capsys):
    ran = record(capsys, "scenarios/find-parcel", "--base-url", "ftp://u:FAKE-SECRET-20@a.test/?key=FAKE-SECRET-22")

    assert ran.code == 2
    assert_clean(project, ran)


def test_the_command_to_repeat_tells_no_secret(project, capsys, monkeypatch):
    monkeypatch.setattr(record_run, "command_line", lambda: f"fc-record --param api_key={KEY} --param x=FAKE-SECRET-19")

    with Loopback(plain({}, status=500)) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert "; then fc-record --param api_key=[secret:anthropic-key:1] --param x=[secret:value:" in ran.err
    assert_clean(project, ran)


@BOTH
@pytest.mark.usefixtures("project")
def test_what_the_sdks_log_tells_no_secret(capsys, caplog, api):
    with caplog.at_level(logging.DEBUG), Loopback(*answers(api, streamed=False)) as server:
        url = server.url.replace("//", "//u:FAKE-SECRET-20@")
        record(capsys, "scenarios/find-parcel", "--api", api, "--base-url", url)

    assert caplog.text
    assert "FAKE-SECRET" not in caplog.text


def test_a_fixture_with_placeholders_replays_and_stands_up_to_its_recording(project, capsys):
    with Loopback(*answers("chat", streamed=True)) as server:
        record(capsys, "scenarios/find-parcel", "--base-url", server.url, "--stream")

    played, checked = (
        CliRunner().invoke(replay, [*words, "--json"], prog_name="fc-replay") for words in ([], ["check"])
    )

    errors = [error for result in json.loads(checked.output)["results"] for error in result["errors"]]
    assert project.loaded()[1].transcript.turns
    assert (played.exit_code, json.loads(played.output)["summary"]["errors"]) == (6, {})
    # The scenario's own files hold the secrets of this test; the fixture and its recording hold none.
    assert {error["code"] for error in errors} == {"SECRET_IN_FILE"}
    assert all(error["file"].startswith("scenarios/") for error in errors)
