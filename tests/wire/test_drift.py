"""What a drift says: the category, the path in the request, both sides cut around the change, few lines."""

import json

import pytest
from told_runs import (
    TOOL_RESULT,
    TOOL_USE,
    WEATHER,
    anthropic,
    block,
    calls,
    chat,
    completion,
    message,
    post,
    replay_of,
    result,
    said,
    told,
    user,
)

from harness.wire.drift import Drift
from harness.wire.drift_report import MAX_BYTES, MAX_LINES, causes_of, report_of, summary_of
from harness.wire.redact import Redactor

CALL = calls(("call_1", "weather", {"city": "Rome"}))
HISTORY = (user("weather?"), CALL, result("call_1", "21 C"))
INTEGER = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "integer"}}}},
}
OTHER = {"type": "function", "function": {"name": "tides", "parameters": {"type": "object"}}}


@pytest.mark.parametrize(
    ("recorded", "sent", "expected"),
    [
        pytest.param(
            chat(user("slate?")), chat(user("slate?"), system="Answer in two words."),
            ("PROMPT", "messages[0].content", "Answer in «one word».", "Answer in «two words»."), id="prompt",
        ),
        pytest.param(
            chat(user("hi")), chat(user("hi"), system=None),
            ("PROMPT", "messages[0]", '{"role":"system","content":"Answer in one word."}', "(nothing)"), id="no-prompt",
        ),
        pytest.param(
            chat(user("hi")), chat(user("hi"), tools=[INTEGER]),
            ("TOOLS", "tools[0].function.parameters.properties.city.type", "«string»", "«integer»"), id="tool-schema",
        ),
        pytest.param(
            chat(user("hi")), chat(user("hi"), tools=[OTHER, WEATHER]),
            ("TOOLS", "tools[0]", "(nothing)", json.dumps(OTHER, separators=(",", ":"))), id="tool-added",
        ),
        pytest.param(
            chat(user("hi")), chat(user("hi"), temperature=0.5),
            ("PARAMS", "temperature", "«0»", "«0.5»"), id="param",
        ),
        pytest.param(
            chat(user("hi")), chat(user("hi"), seed=7),
            ("PARAMS", "seed", "(nothing)", "7"), id="param-added",
        ),
        pytest.param(
            chat(user("hi")), chat(user("hi"), model="m-next"),
            ("MODEL", "model", "m-«test»", "m-«next»"), id="model",
        ),
        pytest.param(
            chat(user("hi")), chat(user("hi"), stream=True),
            ("PARAMS", "stream", "false", "true"), id="stream",
        ),
        pytest.param(
            chat(user("depth of lake A")), chat(user("depth of lake B")),
            ("CONVERSATION", "messages[1].content", "depth of lake «A»", "depth of lake «B»"), id="question",
        ),
        pytest.param(
            chat(user([{"type": "text", "text": "look"}, {"type": "text", "text": "here"}])),
            chat(user([{"type": "text", "text": "look"}, {"type": "text", "text": "there"}])),
            ("CONVERSATION", "messages[1].content[1].text", "«here»", "«there»"), id="part",
        ),
        pytest.param(
            chat(*HISTORY), chat(*HISTORY[:2], result("call_1", "22 C")),
            ("TOOL_RESULT", "messages[3].content", "«21» C", "«22» C"), id="tool-result",
        ),
        pytest.param(
            chat(*HISTORY), chat(user("weather?"), calls(("call_1", "weather", {"city": "Oslo"})), HISTORY[2]),
            ("CONVERSATION", "messages[2].tool_calls[0].function.arguments.city", "«Rome»", "«Oslo»"), id="argument",
        ),
        pytest.param(
            chat(user("one"), user("two")), chat(user("one")),
            ("CONVERSATION", "messages[2]", '{"content":[{"type":"text","text":"two"}],"role":"user"}', ""), id="message-missing",
        ),
        pytest.param(
            chat(user("one")), chat(user("one"), user("two")),
            ("CONVERSATION", "messages[2]", "(nothing)", '{"content":[{"type":"text","text":"two"}],"role":"user"}'), id="message-added",
        ),
        pytest.param(
            chat(user("hi")), chat(user("hi"), said("Hello"), user("bye")),
            ("EXHAUSTED", "", "", ""), id="one-call-more",
        ),
    ],
)  # fmt: skip
def test_the_first_difference_is_named(recorded, sent, expected):
    replay = replay_of(told((recorded, completion("Hello"))))

    post(replay, sent)

    [drift] = replay.drifts()
    category, path, before, after = expected
    assert (drift.category, drift.path, drift.recorded) == (category, path, before)
    assert drift.sent == after or (not after and drift.sent == "(nothing)")
    assert drift.exchange == 0


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        pytest.param(
            anthropic(user("hi"), {"role": "assistant", "content": [block("so"), TOOL_USE]}, TOOL_RESULT, system="Be long."),
            ("PROMPT", "system", "Be «brief».", "Be «long»."), id="system-text",
        ),
        pytest.param(
            anthropic(user("hi"), {"role": "assistant", "content": [block("so"), {**TOOL_USE, "input": {"city": "Oslo"}}]}, TOOL_RESULT),
            ("CONVERSATION", "messages[1].content[1].input.city", "«Rome»", "«Oslo»"), id="input",
        ),
        pytest.param(
            anthropic(user("hi"), {"role": "assistant", "content": [block("so"), TOOL_USE]}, {"role": "user", "content": [{**TOOL_RESULT["content"][0], "content": "2 C"}]}),
            ("TOOL_RESULT", "messages[2].content[0].content", "«21» C", "«2» C"), id="tool-result",
        ),
        pytest.param(
            anthropic(user("ho"), {"role": "assistant", "content": [block("so"), TOOL_USE]}, TOOL_RESULT),
            ("CONVERSATION", "messages[0].content", "«hi»", "«ho»"), id="user",
        ),
    ],
)  # fmt: skip
def test_paths_are_those_of_the_request_as_sent(sent, expected):
    history = anthropic(user("hi"), {"role": "assistant", "content": [block("so"), TOOL_USE]}, TOOL_RESULT)
    replay = replay_of(told((history, message(1, block("21"))), api="messages"))

    post(replay, sent, "messages")

    [drift] = replay.drifts()
    assert (drift.category, drift.path, drift.recorded, drift.sent) == expected


def test_tools_in_another_order_are_said_to_be_that():
    replay = replay_of(told((chat(user("hi"), tools=[WEATHER, OTHER]), completion("Hello"))))

    post(replay, chat(user("hi"), tools=[OTHER, WEATHER]))

    [drift] = replay.drifts()
    assert (drift.category, "another order" in drift.note) == ("TOOLS", True)


def test_a_result_that_answers_another_call_says_which():
    two = calls(("a", "weather", {"city": "Rome"}), ("b", "weather", {"city": "Oslo"}))
    replay = replay_of(told((chat(user("hi"), two, result("a", "same")), completion("Hello"))))

    post(replay, chat(user("hi"), two, result("b", "same")))

    [drift] = replay.drifts()
    assert (drift.category, drift.recorded, drift.sent) == ("TOOL_RESULT", "belongs to call 0", "belongs to call 1")


@pytest.mark.parametrize("place", [0, 1, 5_000, 99_990, 100_000])
def test_the_change_is_shown_wherever_it_is(place):
    text = "word " * 20_000
    changed = text[:place] + "CHANGED" + text[place:]
    replay = replay_of(told((chat(user("hi"), system=text), completion("Hello"))))

    served = post(replay, chat(user("hi"), system=changed))

    [drift] = replay.drifts()
    report = report_of(causes_of([("recordings/told.jsonl", drift)]), "pytest --fc-record tests/test_told.py")
    assert served.status == 200
    assert "CHANGED" in drift.sent
    assert "CHANGED" in report
    assert len(report.encode()) <= MAX_BYTES


def drift(category="PROMPT", **named):
    facts = {"path": "messages[0].content", "recorded": "«a»", "sent": "«b»", "exchange": 0, "served": True}
    return Drift(category, "the system prompt is not what was recorded", **(facts | named))


def test_equal_causes_are_told_once_with_what_they_affect():
    drifts = [(f"recordings/{name}.jsonl", drift(exchange=number)) for name in "abc" for number in range(2)]

    causes = causes_of([*drifts, ("recordings/a.jsonl", drift("MODEL", path="model"))])

    assert [(cause.drift.category, len(cause.recordings), len(cause.places)) for cause in causes] == [
        ("PROMPT", 3, 6),
        ("MODEL", 1, 1),
    ]
    assert summary_of(causes) == "1 prompt segment changed, 1 model changed → 3 recordings stale"
    assert report_of(causes, "pytest --fc-record").splitlines() == [
        "PROMPT: the system prompt is not what was recorded (answered as recorded)",
        "  at        messages[0].content",
        "  recorded  «a»",
        "  sent      «b»",
        "  in        recordings/a.jsonl, exchange 0 (affects 6 requests in 3 recordings)",
        "MODEL: the system prompt is not what was recorded (answered as recorded)",
        "  at        model",
        "  recorded  «a»",
        "  sent      «b»",
        "  in        recordings/a.jsonl, exchange 0",
        "record again: pytest --fc-record",
    ]


@pytest.mark.parametrize("character", ["x", "é", "漢", "🙂"])
@pytest.mark.parametrize("count", [1, 2, 9, 500])
def test_a_report_is_short_whatever_drifted(character, count):
    long = character * 5_000
    drifts = [(long, drift(path=long, recorded=long, sent=f"{at}{long}")) for at in range(count)]

    report = report_of(causes_of(drifts), long)

    assert len(report.splitlines()) <= MAX_LINES
    assert len(report.encode()) <= MAX_BYTES


def test_a_secret_never_stands_in_a_drift():
    secret = "sk-" + "a1B2" * 8
    recording = told((chat(user("hi")), completion("Hello")))
    replay = replay_of(recording, scrub=Redactor().value)

    served = post(replay, chat(user(f"use {secret}"), system=f"Key: {secret}"))

    assert served.status == 599
    assert secret not in repr(replay.drifts()) + repr(served)
