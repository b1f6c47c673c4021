"""A Node.js program on the official SDKs of npm, recorded through the proxy and run again without its provider."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from loopback import Loopback, plain, stream
from programs import RECORD, REPLAY, run
from spoken import chat_body, chat_events, messages_body, messages_events
from test_replay_server import RESPONSES_BODY

from harness.files import load_journal

PACKAGES = ["openai@6", "@anthropic-ai/sdk@1"]
KEYS = {"OPENAI_API_KEY": "a-key-for-one-api-012345", "ANTHROPIC_API_KEY": "a-key-for-another-54321"}
AGENT = Path(__file__).with_name("node_agent.mjs")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Give a directory with the SDKs and the agent."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not here")
    root = tmp_path_factory.mktemp("node")
    root.joinpath("package.json").write_text('{"type": "module"}')
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--fetch-retries=0"]
    try:
        done = subprocess.run(
            ["npm", "install", *quiet, *PACKAGES], cwd=root, capture_output=True, text=True, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        pytest.skip("npm does not come to an end")
    if done.returncode:
        pytest.skip(f"npm cannot install the SDKs: {done.stderr.strip().splitlines()[-1:]}")
    shutil.copy(AGENT, root / "agent.mjs")
    return root


def provider(request):
    """Propose a call at first, then answer with what was said last."""
    body = request.json
    if request.path.endswith("/responses"):
        answer = RESPONSES_BODY["output"][0] | {
            "content": [{"type": "output_text", "text": body["input"], "annotations": []}]
        }
        return plain(RESPONSES_BODY | {"output": [answer]})
    last = body["messages"][-1]["content"]
    if request.path.endswith("/messages"):
        return stream(*messages_events([last, "!"])) if body.get("stream") else plain(messages_body(f"you said {last}"))
    if body["messages"][-1]["role"] == "user":
        city = last.split()[2].strip(",")
        return stream(*chat_events(calls=[("call-a", "weather", json.dumps({"city": city}))]))
    return stream(*chat_events([last, "!"])) if body.get("stream") else plain(chat_body(last))


def expected(number):
    return ["it rains in Oslo!", f"you said second {number}", [f"alone {number}", "!"], f"ask {number}"]


def record(project):
    with Loopback(provider) as upstream:
        arguments = ("proxy", "--upstream", upstream.url, "--id", "run", "--", "node", "agent.mjs")
        return run(RECORD, project, *arguments, variables=KEYS)


def play(project, *arguments):
    return run(REPLAY, project, "serve", "run", "--json", "--", "node", "agent.mjs", *arguments)


def test_a_node_program_runs_the_same_without_its_provider(project):
    live = record(project)

    again = play(project)

    assert live.code == 0, live.err
    assert json.loads(live.out) == [*expected(0), *expected(1)]
    url, *output, told = again.out.splitlines(keepends=True)
    assert "".join(output) == live.out
    assert (again.code, json.loads(told)["given"], json.loads(told)["drifts"]) == (0, 12, [])
    assert json.loads(url)["url"].startswith("http://127.0.0.1:")


def test_conversations_of_a_node_program_are_kept_apart(project):
    record(project)

    [recording] = load_journal(project / "recordings/run.jsonl").recordings

    parents = [one.parent for one in recording.exchanges]
    assert (parents.count(None), len(parents)) == (8, 12)
    assert not any(key.encode() in (project / "recordings/run.jsonl").read_bytes() for key in KEYS.values())


def test_a_node_program_that_asks_something_else_gets_the_reason_and_asks_once(project):
    record(project)

    again = play(project, "Rome")

    told = json.loads(again.out.splitlines()[-1])
    assert (again.code, {drift["category"] for drift in told["drifts"]}) == (5, {"CONVERSATION"})
    assert "  recorded  weather in «Oslo», 0?\n  sent      weather in «Rome», 0?" in again.err
    assert "NotFoundError: 404 CONVERSATION: the conversation is not the recorded one" in again.err
    assert told["requests"] - told["given"] <= 2  # two conversations go wrong, and neither asks again


def test_node_keeps_its_own_proxy_settings_out_of_the_way(project):
    record(project)

    again = run(
        REPLAY,
        project,
        "serve",
        "run",
        "--",
        "node",
        "agent.mjs",
        variables={"HTTP_PROXY": "http://127.0.0.1:9", "NODE_USE_ENV_PROXY": "1", "PATH": os.environ["PATH"]},
    )

    assert again.code == 0
