"""A program that asks two providers: one proxy around the other, and one replay of both recordings."""

import pytest
from loopback import Loopback, plain
from programs import PYTHON, REPLAY, run
from spoken import chat_body, messages_body

from harness.files import load_journal

# The commands as they are, with the two providers on this machine.
RECORD = """\
import os
import harness.cli.recording.proxied as proxied
for name, known in list(proxied.UPSTREAMS.items()):
    if name in ("openai", "anthropic"):
        proxied.UPSTREAMS[name] = known._replace(url=os.environ[name])
from harness.cli.record import main
main(prog_name="fc-record")
"""
AGENT = """\
import os, json, urllib.request

def ask(url, **body):
    headers = {"content-type": "application/json"}
    body |= {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(request))

print(ask(os.environ["OPENAI_BASE_URL"] + "/chat/completions")["choices"][0]["message"]["content"])
print(ask(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", max_tokens=9)["content"][0]["text"])
"""


@pytest.fixture
def project(tmp_path):
    tmp_path.joinpath("agent.py").write_text(AGENT)
    return tmp_path


def test_a_program_of_two_providers_is_recorded_behind_two_proxies_and_replayed_from_both(project):
    agent = (PYTHON, "agent.py")
    inner = (PYTHON, "-c", RECORD, "proxy", "--upstream", "anthropic", "--output", "two", "--id", "b", "--", *agent)
    with Loopback(plain(chat_body("one"))) as first, Loopback(plain(messages_body("two"))) as second:
        providers = {"openai": f"{first.url}/v1", "anthropic": second.url}
        outer = ("proxy", "--upstream", "openai", "--output", "two", "--id", "a", "--", *inner)
        live = run(RECORD, project, *outer, variables=providers)

    again = run(REPLAY, project, "serve", "two", "--", *agent)

    assert (live.code, live.out.split(), again.code, again.out.split()) == (0, ["one", "two"], 0, ["one", "two"])
    apis = {
        path.stem: [one.api for one in load_journal(path).recordings[0].contexts.values()]
        for path in (project / "two").iterdir()
    }
    assert apis == {"a": ["chat"], "b": ["messages"]}
