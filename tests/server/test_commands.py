"""fc-record proxy and fc-replay serve, each a process of its own, with programs that know nothing of them."""

import json
import shutil
import signal
import subprocess

import pytest
from loopback import Loopback, plain, stream, until
from programs import PYTHON, PYTHON_AGENT, RAW_AGENT, RECORD, REPLAY, curl, ended, run, serving_command, started
from servers import PATHS, question
from spoken import chat_body, chat_events, messages_body, messages_events
from test_replay_server import RESPONSES_BODY

from harness.files import load_journal

KEYS = {"OPENAI_API_KEY": "a-key-for-one-api-012345", "ANTHROPIC_API_KEY": "a-key-for-another-54321"}
CANNOT_RUN = ["0 of 1 recorded exchange given, 0 requests", "cannot run no-such-program: No such file or directory"]
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not here")


def provider(request):
    """Answer in the API and the form that were asked for, with what was said last."""
    body = request.json
    if request.path.endswith("/responses"):
        return plain(RESPONSES_BODY)
    text = f"you said {body['messages'][-1]['content']}"
    whole, events = (messages_body, messages_events) if request.path.endswith("/messages") else (chat_body, chat_events)
    return stream(*events([text, "!"])) if body.get("stream") else plain(whole(text))


@pytest.fixture
def project(tmp_path):
    tmp_path.joinpath("sdks.py").write_text(PYTHON_AGENT)
    tmp_path.joinpath("agent.py").write_text(RAW_AGENT)
    return tmp_path


def record_agent(project, *program, options=()):
    """Record a program as recordings/run.jsonl."""
    with Loopback(provider) as upstream:
        arguments = ("proxy", "--upstream", upstream.url, "--id", "run", *options, "--", PYTHON, *program)
        return run(RECORD, project, *arguments, variables=KEYS)


def play(project, *program, options=()):
    return run(REPLAY, project, "serve", "run", *options, "--", PYTHON, *program)


def test_a_python_program_runs_the_same_without_its_provider(project):
    live = record_agent(project, "sdks.py")

    again = play(project, "sdks.py")

    assert (live.code, again.code) == (0, 0)
    assert again.out == live.out
    assert live.out.splitlines()[0] == "you said hi"
    assert live.err.splitlines()[-1] == "recordings/run.jsonl: 4 exchanges, 3 conversations"
    assert again.err.splitlines()[-1] == "4 of 4 recorded exchanges given, 4 requests"
    assert not any(key.encode() in (project / "recordings/run.jsonl").read_bytes() for key in KEYS.values())


def test_a_recording_says_where_it_is_from(project):
    record_agent(project, "agent.py", "one")

    [recording] = load_journal(project / "recordings/run.jsonl").recordings

    header = recording.header
    assert header.origin.startswith("proxy:http://127.0.0.1:")
    assert (header.id, header.provider, header.model, header.model_answered) == ("run", "local", "m", "m-answered")


def test_a_program_that_asks_something_else_ends_with_the_drift(project):
    record_agent(project, "agent.py", "one")

    again = play(project, "agent.py", "two", options=["--json"])

    told = json.loads(again.out.splitlines()[-1])
    assert again.code == told["code"] == 5
    assert [(drift["category"], drift["recorded"], drift["sent"]) for drift in told["drifts"]] == [
        ("CONVERSATION", "«one»", "«two»")
    ]
    assert [error["code"] for error in told["errors"]] == ["AGENT_DIVERGED", "PROGRAM_FAILED"]
    assert "recorded  «one»\n  sent      «two»" in again.err


def test_a_program_that_asks_less_leaves_something_unplayed(project):
    record_agent(project, "agent.py", "one", "two")

    again = play(project, "agent.py", "one")

    assert again.code == 5
    assert "UNPLAYED: a recorded request was never sent" in again.err
    assert "1 of 2 recorded exchanges given, 1 request" in again.err


def test_a_program_that_asks_elsewhere_is_no_good_run(project):
    record_agent(project, "agent.py", "one")

    again = play(project, "-c", "pass")

    assert again.code == 5
    assert "NOT_INTERCEPTED: no request came to this address" in again.err


def test_a_drift_that_is_allowed_passes(project):
    record_agent(project, "agent.py", "one", "two")

    again = play(project, "agent.py", "one", options=["--allow", "UNPLAYED"])

    assert again.code == 0


def test_a_changed_system_prompt_is_stale(project):
    record_agent(project, "agent.py", "Be brief.@one")

    again = play(project, "agent.py", "Be very brief.@one")

    assert (again.code, again.out) == (3, "you said one\n")
    assert "PROMPT: the system prompt is not what was recorded (answered as recorded)" in again.err
    assert "  recorded  Be «brief».\n  sent      Be «very brief»." in again.err


def test_a_program_that_fails_is_said_and_replaces_no_recording(project):
    record_agent(project, "agent.py", "one")
    before = (project / "recordings/run.jsonl").read_bytes()
    project.joinpath("agent.py").write_text(RAW_AGENT + "sys.exit(3)\n")

    failed = record_agent(project, "agent.py", "two")
    again = play(project, "agent.py", "one")

    assert (failed.code, again.code) == (1, 1)
    assert "the program ended with exit code 3" in failed.err
    assert "kept:     recordings/run.jsonl.partial" in failed.err
    assert (project / "recordings/run.jsonl").read_bytes() == before
    assert len(load_journal(project / "recordings/run.jsonl.partial").recordings[0].exchanges) == 1


def test_a_program_that_is_cut_off_leaves_the_journal(project):
    project.joinpath("agent.py").write_text(RAW_AGENT + "import time\ntime.sleep(60)\n")
    partial = project / "recordings/run.jsonl.partial"
    arguments = ["--json", "--id", "run", "--", PYTHON, "agent.py", "one"]
    with Loopback(provider) as upstream:
        process = started(RECORD, project, "proxy", "--upstream", upstream.url, *arguments, variables=KEYS)
        until(lambda: partial.exists() and b'"exchange"' in partial.read_bytes())
        ran = ended(process)

    assert ran.code == 130
    assert "kept:     recordings/run.jsonl.partial" in ran.err
    [error] = json.loads(ran.out.splitlines()[-1])["errors"]
    assert (error["code"], error["kept"]) == ("INTERRUPTED", "recordings/run.jsonl.partial")
    assert not (project / "recordings/run.jsonl").exists()


def test_a_program_that_asks_no_model_records_nothing(project):
    ran = record_agent(project, "-c", "pass")

    assert ran.code == 7
    assert "no request to a model passed the recorder: nothing was recorded" in ran.err
    assert list((project / "recordings").iterdir()) == []


def test_two_proxies_do_not_write_one_recording(project):
    with Loopback(provider) as upstream:
        arguments = ("proxy", "--upstream", upstream.url, "--id", "run")
        with serving_command(RECORD, project, *arguments):
            second = run(RECORD, project, *arguments, "--port", 0)

    assert (second.code, "another run is writing this journal" in second.err) == (2, True)


@needs_curl
def test_a_proxy_that_is_ended_in_the_middle_of_a_stream_keeps_what_came(project):
    first, *_ = chat_events(["Hel", "lo"])
    asked = ["curl", "-sSN", "--noproxy", "*", "-d", json.dumps(question("chat", stream=True))]
    partial = project / "recordings/run.jsonl.partial"
    with Loopback(stream(first, 60)) as upstream:
        with serving_command(RECORD, project, "proxy", "--upstream", upstream.url, "--id", "run") as proxy:
            client = subprocess.Popen(
                [*asked, proxy.url + PATHS["chat"]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            assert client.stdout.readline() + b"\n" == first
            ran = proxy.end()
        client.communicate()

    [recording] = load_journal(project / "recordings/run.jsonl").recordings
    assert (ran.code, [one.complete for one in recording.exchanges], partial.exists()) == (0, [False], False)


@needs_curl
def test_curl_gets_the_same_bytes_again(project):
    asked = [json.dumps(question(api, stream=stream)) for api in ("chat", "messages") for stream in (False, True)]
    paths = [PATHS[api] for api in ("chat", "messages") for _ in range(2)]

    def answers(url):
        return [curl(url + path, body) for path, body in zip(paths, asked, strict=True)]

    with Loopback(provider) as upstream:
        with serving_command(RECORD, project, "proxy", "--upstream", upstream.url, "--id", "run") as proxy:
            live = answers(proxy.url)
        assert proxy.ran.code == 0
    with serving_command(REPLAY, project, "serve", "recordings/run.jsonl") as served:
        again = answers(served.url)

    assert again == live
    assert b"data: [DONE]" in live[1]
    assert (served.ran.code, served.ran.out) == (0, "")


@needs_curl
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_server_that_is_ended_reports_what_drifted(project, number):
    record_agent(project, "agent.py", "one")

    with serving_command(REPLAY, project, "serve", "run") as served:
        body = curl(served.url + PATHS["chat"], json.dumps(question("chat", text="hello")), "-w", "%{http_code}")
        ran = served.end(number)

    assert body.endswith(b"404")
    assert b"CONVERSATION: the conversation is not the recorded one" in body
    assert ran.code == 5
    assert "CONVERSATION: the conversation is not the recorded one" in ran.err


def test_what_cannot_be_served_is_refused(project):
    record_agent(project, "agent.py", "one")
    journal = project / "recordings/cut.jsonl"
    journal.write_bytes(b"".join((project / "recordings/run.jsonl").read_bytes().splitlines(keepends=True)[:-1]))
    fixture = project / "refund.jsonl"
    fixture.write_text('{"type":"meta"}\n')

    codes = {
        name: run(REPLAY, project, "serve", name).code for name in ("nothing", str(journal), str(fixture), "agent.py")
    }

    assert codes == {"nothing": 2, str(journal): 4, str(fixture): 2, "agent.py": 2}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("--upstream", "opnai"), "nearest:  openai", id="a provider that is none"),
        pytest.param(("--upstream", "ftp://host"), "http://", id="another scheme"),
        pytest.param(("--upstream", "openai", "--id", "../x"), "--id is a kebab-case name", id="a path for a name"),
        pytest.param(("--upstream", "openai", "--host", "192.0.2.1"), "cannot listen on", id="another machine"),
    ],
)
def test_what_cannot_be_recorded_is_refused(project, arguments, said):
    ran = run(RECORD, project, "proxy", *arguments)

    assert (ran.code, said in ran.err) == (2, True)


def test_a_proxy_in_front_of_itself_is_refused(project):
    with Loopback(plain({})) as free:
        port = free.url.rpartition(":")[2]

    ran = run(RECORD, project, "proxy", "--upstream", f"http://127.0.0.1:{port}/v1", "--port", port)

    assert (ran.code, "the upstream is the proxy itself" in ran.err) == (2, True)


def test_a_recording_of_a_test_is_not_replaced_by_a_proxy(project):
    record_agent(project, "agent.py", "one")
    path = project / "recordings/run.jsonl"
    lines = path.read_bytes().replace(b'"origin":"proxy:', b'"origin":"test:').splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))

    again = record_agent(project, "agent.py", "one")

    assert (again.code, "a recording of another kind" in again.err) == (2, True)


@pytest.mark.parametrize("code", [RECORD, REPLAY], ids=["proxy", "serve"])
def test_without_its_extra_a_command_says_how_to_install_it(project, code):
    without = "import sys; sys.modules['starlette'] = None; " + code
    arguments = ("proxy", "--upstream", "openai") if code == RECORD else ("serve", "run")

    ran = run(without, project, *arguments)

    assert (ran.code, "pip install 'fc-harness[server]'" in ran.err) == (2, True)


def test_what_a_program_no_longer_asks_is_recorded_again_by_the_same_program(project):
    record_agent(project, "agent.py", "hi")

    again = play(project, "-c", "print('a b')")

    [line] = [line for line in again.err.splitlines() if line.startswith("record again: ")]
    assert line.endswith(f"--id run -- {PYTHON} -c 'print('\"'\"'a b'\"'\"')'")


def test_a_program_that_cannot_run_has_drifted_from_nothing(project):
    record_agent(project, "agent.py", "hi")

    again = run(REPLAY, project, "serve", "run", "--", "no-such-program")

    assert (again.code, again.err.splitlines()[1:]) == (2, CANNOT_RUN)
