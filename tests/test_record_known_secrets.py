"""A secret of the environment that the world, the prompt or the model writes is in no file and on no screen."""

import json
import os

import pytest
from click.testing import CliRunner
from loopback import Loopback, plain, stream
from recording_project import Project, record
from spoken import chat_body, chat_events, messages_body, messages_events

from harness.cli.replay import main as replay

TEXT, NUMBER = "zX9qL2mN8pRtQ", "8273645190"
WORLD = """
import os
from copy import deepcopy

K = os.environ.get("MY_TOKEN", "another value")
N = int(os.environ.get("DB_PASSWORD", "5"))
{top}

def start(tables):
    {start}
    return deepcopy(tables)


def call(s, name, arguments):
    {call}
    return s, {{"place": "Oslo"}}, False
"""
CALLS = {
    "a result": 'return s, {"k": K, "n": N, "list": [K, N]}, False',
    "a name in a result": "return s, {K: 1}, False",
    "an error": "raise ValueError(K)",
    "a table": 's[K] = {"key": "a", "rows": [{"a": K}]}',
    "a row's key": 's["parcels"]["rows"].append({"code": K})',
    "a row's key that is a number": 's["parcels"]["rows"].append({"code": N, "v": [N]})',
    "what is printed": "print(K)",
    "what is logged": "import logging; logging.getLogger('x').warning(K)",
}
BEFORE = {
    "start raises": ("", "raise ValueError(K)"),
    "start gives another shape": ("", "return K"),
    "start gives another table": ("", "return {K: K}"),
    "import raises": ("raise ValueError(K)", "pass"),
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_TOKEN", TEXT)
    monkeypatch.setenv("DB_PASSWORD", NUMBER)
    return Project(tmp_path)


def world(project, *, top="", start="pass", call="pass"):
    project.write("scenarios/find-parcel/world.py", WORLD.format(top=top, start=start, call=call))


def recorded(capsys, *answers, api="chat", options=()):
    with Loopback(*answers) as server:
        return record(capsys, "scenarios/find-parcel", "--api", api, "--base-url", server.url, *options)


def chat(arguments='{"code": "K7-11"}'):
    return plain(chat_body(None, [("x1", "find_parcel", arguments)])), plain(chat_body("It is in Oslo."))


def replayed(*words):
    done = CliRunner().invoke(replay, [*words], prog_name="fc-replay")
    return done.exit_code, done.output


def leaks(project, *texts):
    """Where a secret stands: in which file, or which of the texts."""
    everything = {**project.files(), **{f"text {at}": text.encode() for at, text in enumerate(texts)}}
    return {name for name, raw in everything.items() for one in (TEXT, NUMBER) if one.encode() in raw}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_what_the_world_does_with_a_secret_is_written_and_shown_without_it(project, capsys, monkeypatch, call):
    world(project, call=call)

    ran = recorded(capsys, *chat())
    told = [replayed("--tools", mode, *more) for mode in ("compare", "live") for more in ([], ["--json"])]
    monkeypatch.delenv("MY_TOKEN")
    monkeypatch.delenv("DB_PASSWORD")
    checked, output = replayed("check")

    assert ran.code == 0, ran.err
    assert leaks(project, ran.out, ran.err, *(text for _, text in told)) == set()
    assert [code for code, _ in told] == [6, 6, 6, 6], told
    assert checked == 0, output


@pytest.mark.parametrize(("top", "start"), BEFORE.values(), ids=list(BEFORE))
def test_a_world_that_cannot_start_tells_no_secret(project, capsys, top, start):
    world(project)
    recorded(capsys, *chat())
    world(project, top=top, start=start)

    ran = recorded(capsys, *chat())
    told = [replayed("--tools", "compare"), replayed("--tools", "live", "--json")]

    assert (ran.code, [code for code, _ in told]) == (4, [4, 4])
    assert leaks(project, ran.out, ran.err, *(text for _, text in told)) == set()


@pytest.mark.parametrize("body", ["raise ValueError(K)", "return 'prompt ' + K", "return K[:-1] + 'x'"])
def test_a_prompt_that_is_built_with_a_secret_is_not_shown(project, capsys, body):
    recorded(capsys, *chat())
    project.write("scenarios/find-parcel/p.py", f"import os\nK = os.environ['MY_TOKEN']\ndef b():\n    {body}\n")
    toml = project.scenario / "scenario.toml"
    toml.write_text('prompt = "p:b"\n' + toml.read_text())

    ran = recorded(capsys, *chat())
    told = [replayed(), replayed("--json"), replayed("check")]

    assert ran.code != 0
    assert {code for code, _ in told} <= {3, 4}
    assert leaks(project, ran.out, ran.err, *(text for _, text in told)) == set()


def answers_with(number, api, *, streamed):
    arguments = {"code": "K7-11", "pin": number, "list": [1, [number]], "deep": {"n": number}}
    if api == "chat":
        calls = [("x1", "find_parcel", json.dumps(arguments))]
        if streamed:
            return stream(*chat_events([], calls)), stream(*chat_events(["pin ", str(number)]))
        return (
            plain(chat_body(None, calls) | {"created": number}),
            plain(chat_body(f"pin {number}") | {"created": number}),
        )
    calls = [("x1", "find_parcel", arguments)]
    if streamed:
        return stream(*messages_events([], calls)), stream(*messages_events(["pin ", str(number)]))
    return plain(messages_body(None, calls)), plain(messages_body(f"pin {number}"))


@pytest.mark.parametrize(
    ("api", "option"), [(api, f"--{how}stream") for api in ("chat", "messages") for how in ("", "no-")]
)
@pytest.mark.parametrize("known", [True, False], ids=["known when replayed", "unknown when replayed"])
def test_a_secret_of_digits_is_no_number_in_any_file_and_replays(project, capsys, api, option, known):
    world(project, call='return s, {"pin": arguments["pin"], "again": [N]}, False')

    ran = recorded(
        capsys,
        *answers_with(int(NUMBER), api, streamed=option == "--stream"),
        api=api,
        options=[option],
    )
    if not known:
        del os.environ["DB_PASSWORD"]  # put back with the environment that the fixture changed
    played, output = replayed("--tools", "recorded")
    checked, told = replayed("check")

    assert ran.code == 0, ran.err
    assert leaks(project, ran.out, ran.err, output, told) == set()
    _, asked, result, said = project.loaded()[1].transcript.turns
    mark = asked.calls[0].arguments["pin"]
    assert mark.startswith("[secret:value:")
    assert asked.calls[0].arguments == {"code": "K7-11", "pin": mark, "list": [1, [mark]], "deep": {"n": mark}}
    assert json.loads(result.content[0].text) == {"pin": mark, "again": [mark]}
    assert said.content[0].text == f"pin {mark}"
    assert (played, checked) == (6, 0), output + told


def test_a_secret_that_is_a_word_of_the_protocol_is_said_and_nothing_is_written(project, capsys, monkeypatch):
    world(project)
    monkeypatch.setenv("MY_TOKEN", "tool_calls")

    ran = recorded(capsys, *chat())

    assert ran.code == 2
    assert "SECRET_IN_THE_WAY" in ran.err or "words of its own" in ran.err
    assert {*project.files()} == set()


def test_a_scenario_that_is_called_like_a_secret_is_not_recorded(project, capsys, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "find-parcel")

    ran = recorded(capsys, *chat())

    assert ran.code == 2
    assert "secret" in ran.err
    assert {*project.files()} == set()


def test_files_that_fc_record_writes_for_a_person_hold_no_secret(project, capsys):
    project.write("mine/s.txt", "You look after parcels.")
    project.write("mine/u.txt", f"My password is {TEXT}.")
    flags = ["--fixture-id", "copied", "--system-prompt-file", "mine/s.txt", "--user-message-file", "mine/u.txt"]

    copied = record(capsys, *flags, "--scenario", "t", "--base-url", "http://127.0.0.1:9", "--model", "m")
    scaffolded = record(capsys, "new", "made", "--base-url", f"http://u:{TEXT}@127.0.0.1:9", "--model", "m")

    assert (copied.code, scaffolded.code) == (2, 2)
    assert {*project.files()} == {"mine/s.txt", "mine/u.txt"}
    assert leaks(project, copied.out, copied.err, scaffolded.out, scaffolded.err) == {"mine/u.txt"}


def test_what_an_older_recording_says_is_exported_without_what_is_a_secret_now(project, capsys, monkeypatch):
    monkeypatch.delenv("MY_TOKEN")
    recorded(capsys, plain(chat_body(f"It is {TEXT}.")))
    monkeypatch.setenv("MY_TOKEN", TEXT)

    exported = record(capsys, "export", "vcr", "recordings", "--output", "out.yaml")
    words = ["--fixture-id", "find-parcel", "--title", f"about {TEXT}", "--replace"]
    promoted = record(capsys, "promote", "recordings/find-parcel.jsonl", *words)

    assert (exported.code, promoted.code) == (0, 0), exported.err + promoted.err
    assert "[secret:value:1]" in (project.root / "out.yaml").read_text()
    assert project.loaded()[1].meta.scenario == "about [secret:value:1]"
    assert "out.yaml" not in leaks(project)
