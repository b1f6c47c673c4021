"""No input makes an importer raise anything but its own error, whatever JSON or bytes it is given."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from imports import format_of, import_of

from harness import errors
from harness.importers.registry import names

WORDS = [
    "messages", "role", "user", "assistant", "tool", "content", "tool_calls", "function", "name", "arguments", "id",
    "type", "text", "tool_use", "tool_result", "input", "thinking", "traj", "task_id", "simulations", "result",
    "inference_log", "begin_of_turn_query", "step_0", "samples", "eval", "events", "model", "tools", "log", "entries",
    "request", "response", "postData", "url", "status", "interactions", "body", "string", "uri", "method", "headers",
    "https://api.openai.com/v1/chat/completions", "POST", "choices", "message", "fixtures", "match", "userMessage",
    "resourceSpans", "scopeSpans", "spans", "attributes", "key", "value", "stringValue", "gen_ai.input.messages",
    "gen_ai.prompt.0.content", "gen_ai.operation.name", "chat", "parts", "tool_call", "requests", "responses", "meta",
    "fixtureId", "latency", "toolCalls", "blocks", "tool_call_id", "attachments", "error", "usage", "trial", "info",
]  # fmt: skip
words = st.sampled_from(WORDS)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=5),
    max_leaves=25,
)
roots = st.dictionaries(words, values, min_size=1, max_size=6)
checked = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


def outcome_of(raw, name):
    try:
        return import_of(raw, name)
    except errors.BadImport as error:
        return error


@pytest.mark.parametrize("name", names())
@checked
@given(st.lists(roots | values, min_size=1, max_size=3), st.booleans())
def test_any_json_is_imported_or_refused(name, given_values, in_lines):
    raw = "\n".join(map(json.dumps, given_values)) if in_lines else json.dumps(given_values[0])

    assert outcome_of(raw, name)


@pytest.mark.parametrize("name", names())
@checked
@given(st.binary(max_size=300))
def test_any_bytes_are_imported_or_refused(name, raw):
    assert outcome_of(raw, name)


@checked
@given(st.binary(max_size=300) | roots.map(lambda value: json.dumps(value).encode()))
def test_recognising_never_raises(raw):
    assert format_of(raw) in {None, *names()}


ids = st.sampled_from(["c1", "c2"])
calls = st.lists(
    st.builds(lambda id_, arguments: {"id": id_, "function": {"name": "tide", "arguments": arguments}}, ids, values),
    max_size=3,
)
contents = {"content": st.none() | st.text(max_size=20)}
MESSAGES = st.lists(
    st.one_of(
        st.fixed_dictionaries({"role": st.sampled_from(["system", "user"]), **contents}),
        st.fixed_dictionaries({"role": st.just("assistant"), **contents, "tool_calls": calls}),
        st.fixed_dictionaries({"role": st.just("tool"), **contents, "tool_call_id": ids}),
    ),
    min_size=1,
    max_size=8,
)


@checked
@given(MESSAGES)
def test_any_messages_are_read_without_a_silent_loss(messages):
    result = outcome_of(json.dumps({"messages": messages}), "openai-messages")

    assert isinstance(result, errors.BadImport) or result.seen == result.written or result.left_out
