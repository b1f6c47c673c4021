"""A recording of several conversations: each is replayed, all are judged as one run."""

from pathlib import Path

import openai
import pytest
from click.testing import CliRunner
from loopback import Loopback, plain
from spoken import chat_body

from harness.cli.judge import main as judge
from harness.cli.replay import main as replay
from harness.session.runs import record

CALL = plain(chat_body(None, [("c1", "weather", "{}")]))
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]


@pytest.fixture
def recording(tmp_path, monkeypatch):
    """Two conversations: one that calls a tool, and a longer one that does not."""
    monkeypatch.chdir(tmp_path)
    texts = [plain(chat_body(text)) for text in ("Warm.", "Hi", "Fine.", "Bye.")]
    with Loopback(CALL, *texts) as server, record("two.jsonl") as fc:
        client = openai.OpenAI(base_url=server.url, api_key="k", http_client=fc.http_client())

        def talk(*questions):
            messages = [{"role": "system", "content": "Be brief."}]
            for question in questions:
                messages.append({"role": "user", "content": question})
                if isinstance(question, dict):
                    messages[-1] = question
                answer = client.chat.completions.create(model="m", messages=messages, tools=TOOLS)
                messages.append(answer.choices[0].message.model_dump(exclude_none=True))

        talk("weather?", {"role": "tool", "tool_call_id": "c1", "content": "21 C"})
        talk("hello", "how are you?", "and now?")
    return Path("two.jsonl")


@pytest.mark.parametrize(
    ("spec", "code"), [("must_not_call: [weather]\n", 1), ("must_call: [{tool: weather, count: 1}]\n", 0)]
)
def test_no_conversation_goes_unjudged(recording, spec, code):
    Path("expect-it.yaml").write_text(f"case: two\n{spec}")

    done = CliRunner().invoke(judge, [str(recording), "--expect", "expect-it.yaml"])

    assert done.exit_code == code
    assert "2 conversations were judged as one run" in done.output


def test_each_conversation_is_replayed_and_has_the_runs_verdict(recording):
    scenario = Path("scenarios", "two")
    scenario.mkdir(parents=True)
    (scenario / "system.txt").write_text("Be brief.")
    (scenario / "user.txt").write_text("weather?")
    (scenario / "expect.yaml").write_text("case: two\nmust_call: [{tool: weather}]\n")

    done = CliRunner().invoke(replay, [str(recording)])

    assert [line for line in done.output.splitlines() if "(judged PASS)" in line] == [
        "STALE        two (1 of 2)  (judged PASS)",
        "STALE        two (2 of 2)  (judged PASS)",
    ]
