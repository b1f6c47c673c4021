"""Each format's report says what went in, what came out, and what was left out by what it is."""

import pytest
from formats import FILES, http
from imports import import_of

from harness.importers.registry import names
from harness.importers.tally import Tally

WIRE = Tally(exchanges=3, calls=1, results=1, thinking=1, errors=1)
TOLD = Tally(exchanges=2, calls=1, results=1, thinking=1)
ALONE = "a conversation without an answer"
HELD = {
    "vcr": (WIRE, {"GET /photo": 1, "an interaction without request and response": 1}),
    "har": (WIRE, {"an entry that is no object": 1}),
    "http": (WIRE, {"an answer whose request is not here": 1}),
    "sse": (Tally(exchanges=1, calls=1, thinking=1), {}),
    "tau-bench": (TOLD, {"a run that is no object": 1, "a message without a role": 1}),
    "tau2-bench": (
        TOLD._replace(thinking=0),
        {"a result of the simulated user's own tool": 1, "a message without a role": 1},
    ),
    "inspect": (TOLD, {"a sample that is no object": 1, "a message that is no object": 1}),
    "bfcl": (
        Tally(exchanges=3, calls=1, results=1),
        {"a case that is no object": 1, "a result without its call": 1},
    ),
    "otlp": (WIRE, {"a span GET /photo": 1, "a log record of a span that is not here": 1}),
    "aimock": (
        WIRE,
        {"what a fixture says in latency": 1, "what a fixture says in turnIndex": 1, "a fixture for embedding": 1},
    ),
    "fixture": (TOLD, {"an assertion": 1}),
    "openai-messages": (TOLD, {"words after the last answer": 1, ALONE: 1, "metadata of a conversation": 1}),
    "anthropic-messages": (TOLD._replace(thinking=2), {ALONE: 1}),
}


def test_each_format_has_its_file():
    assert set(HELD) == {*FILES, "http"} == set(names())


@pytest.mark.parametrize("format_", HELD)
def test_what_a_file_holds_is_counted_in_and_out(format_):
    held, left_out = HELD[format_]

    result = import_of(b"", "http", **http()) if format_ == "http" else import_of(FILES[format_])

    assert result.format == format_
    assert (result.seen, result.written) == (held, held)
    assert result.left_out == left_out
