"""No bytes make a dialect raise, guess, or take more than linear time; no split of a stream changes what it says."""

import json
import time

import pytest
from chat_wire import call as fragment
from chat_wire import calls, chunk, stream
from hypothesis import given
from hypothesis import strategies as st
from messages_wire import block, call, end, event, start, text
from responses_wire import CALL, CALL_EVENTS, SAID, last
from responses_wire import event as of_responses

from harness import errors
from harness.providers import chat_stream, messages_stream, responses_stream
from harness.providers.dialect import Request, dialect_of
from harness.providers.sse import Parser
from harness.value import decode, encode

ASSEMBLERS = {
    "chat": chat_stream.Assembler,
    "messages": messages_stream.Assembler,
    "responses": responses_stream.Assembler,
}
APIS = pytest.mark.parametrize("api", sorted(ASSEMBLERS))

CHAT = stream(
    chunk({"content": "Zwei Kisten 箱→🚚"}),
    b": wait\r\n\r\n",
    calls(fragment(0, "a", "f", '{"t":"a\u2028b')),
    calls(fragment(0, arguments='é"}'), fragment(1, "b", "g", "{}")),
)
MESSAGES = b"".join(
    [
        start(),
        text(0, "Zwei Kisten", " 箱→🚚"),
        event("ping"),
        call(1, "a", "f", '{"t":"a\u2028b', 'é"}'),
        end("tool_use"),
    ]
)
WORDS = {**SAID, "content": [{"type": "output_text", "text": "箱→🚚\u2028", "annotations": []}]}
RESPONSES = b"".join(
    [
        *CALL_EVENTS,
        of_responses("response.output_item.done", output_index=0, item=CALL),
        of_responses("response.output_item.added", output_index=1, item={**SAID, "content": []}),
        of_responses(
            "response.output_text.delta", item_id="msg_1", output_index=1, content_index=0, delta="箱→🚚\u2028"
        ),
        last(CALL, WORDS),
    ]
)
STREAMS = {"chat": CHAT, "messages": MESSAGES, "responses": RESPONSES}


def words_of(api):
    """Everything that can stand in an event of this API, so that made-up events go deep."""
    known = set()
    for line in STREAMS[api].splitlines():
        if line.startswith(b"data: {"):
            _collect(json.loads(line[6:]), known)
    return sorted(known)


def _collect(value, known):
    if isinstance(value, dict):
        known.update(value)
        for item in value.values():
            _collect(item, known)
    elif isinstance(value, list):
        for item in value:
            _collect(item, known)
    elif isinstance(value, str):
        known.add(value)


def values_of(api):
    word = st.sampled_from(words_of(api))
    leaf = (
        st.none()
        | st.booleans()
        | st.integers(-1, 3)
        | st.floats(allow_nan=False, allow_infinity=False)
        | word
        | st.text(max_size=3)
    )
    return st.recursive(
        leaf, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(word, inner, max_size=5), max_leaves=12
    )


def read_in_pieces(api, raw, cuts):
    parser, assembler = Parser(), ASSEMBLERS[api]()
    for begin, finish in zip([0, *cuts], [*cuts, len(raw)], strict=True):
        for one in parser.feed(raw[begin:finish]):
            assembler.feed(one)
    for one in parser.close():
        assembler.feed(one)
    return assembler.reading()


def check(api, reading):
    """A reading can be written to a file, and sent back."""
    dialect = dialect_of(api)
    encode(reading)
    body = dialect.body_of(Request("m", "s", [], {}, [reading.turn]))
    encode(body)
    dialect.turns_of(dialect.parts_of(body).messages)


@APIS
def test_every_single_cut_gives_the_same_reading(api):
    raw = STREAMS[api]
    whole = dialect_of(api).reading_of_stream(200, raw, complete=True)

    assert [cut for cut in range(len(raw)) if read_in_pieces(api, raw, [cut]) != whole] == []
    assert read_in_pieces(api, raw, range(1, len(raw))) == whole
    assert whole.outcome is None


@APIS
@given(st.data())
def test_any_split_of_any_stream_gives_the_same_reading(api, data):
    values = data.draw(st.lists(values_of(api), max_size=6))
    raw = STREAMS[api][: data.draw(st.integers(0, 600))]
    raw += b"".join(
        b"data: " + json.dumps(value).encode() + data.draw(st.sampled_from([b"\n\n", b"\r\n\r\n", b"\r\r"]))
        for value in values
    )
    cuts = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=12)))

    assert read_in_pieces(api, raw, cuts) == read_in_pieces(api, raw, [])


@APIS
@given(st.data())
def test_made_up_events_are_read(api, data):
    values = data.draw(st.lists(values_of(api), max_size=8))
    raw = b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)
    dialect = dialect_of(api)

    reading = dialect.reading_of_stream(200, raw, complete=True)

    assert reading == dialect.reading_of_stream(200, raw, complete=True)
    check(api, reading)


@APIS
@given(st.data())
def test_made_up_bodies_are_read(api, data):
    value = data.draw(st.dictionaries(st.sampled_from([*words_of(api), "message"]), values_of(api), max_size=5))

    check(api, dialect_of(api).reading_of_body(data.draw(st.sampled_from([200, 500])), json.dumps(value).encode()))


@APIS
@given(st.data())
def test_broken_streams_are_read(api, data):
    raw = bytearray(STREAMS[api])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place : place + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=8))

    check(api, dialect_of(api).reading_of_stream(200, bytes(raw), complete=True))


@APIS
@given(st.binary(max_size=200), st.sampled_from([200, 404]))
def test_any_bytes_are_read(api, raw, status):
    check(api, dialect_of(api).reading_of_stream(status, raw, complete=False))
    check(api, dialect_of(api).reading_of_body(status, raw))


@APIS
@given(st.data())
def test_any_request_is_read_or_refused_with_our_own_error(api, data):
    messages = data.draw(st.lists(values_of(api), max_size=4) | values_of(api))
    said = {"messages": messages, "input": messages, "system": data.draw(values_of(api))}
    body = decode(json.dumps({"model": "m", **said}).encode())
    dialect = dialect_of(api)

    try:
        turns = dialect.turns_of(dialect.parts_of(body).messages)
    except errors.UnreadableAnswer:
        return

    encode(turns)


LONG = {
    "text": ("chat", lambda n: stream(*[chunk({"content": "word "})] * n)),
    "argument pieces": (
        "chat",
        lambda n: stream(calls(fragment(0, "a", "f", '{"t":"')), *[calls(fragment(0, arguments="x"))] * n),
    ),
    "names again": ("chat", lambda n: stream(*[calls(fragment(0, None, "f", "{}"))] * n)),
    "names in pieces": ("chat", lambda n: stream(*[calls(fragment(0, None, f"f{at}", "")) for at in range(n)])),
    "calls without a label": ("chat", lambda n: stream(*[calls(fragment(None, None, "f", "{"))] * n)),
    "pieces without a label": (
        "chat",
        lambda n: stream(calls(fragment(name="f", arguments="{")), *[calls(fragment(arguments="}"))] * n),
    ),
    "many calls, then no label": (
        "chat",
        lambda n: stream(
            *[calls(fragment(at, f"c{at}", "f", "{}")) for at in range(n)], *[calls(fragment(arguments=" "))] * n
        ),
    ),
    "signatures": (
        "messages",
        lambda n: (
            start()
            + block(0, {"type": "thinking", "thinking": ""}, *[{"type": "signature_delta", "signature": "eA=="}] * n)
            + end()
        ),
    ),
    "citations": (
        "messages",
        lambda n: (
            start()
            + block(0, {"type": "text", "text": "x"}, *[{"type": "citations_delta", "citation": {"a": 1}}] * n)
            + end()
        ),
    ),
    "inputs": ("messages", lambda n: start() + call(0, "a", "f", *["{"] * n) + end()),
    "blocks": (
        "messages",
        lambda n: start() + b"".join(call(at, f"t{at}", "f", "{}") for at in range(n)) + end("tool_use"),
    ),
    "items": ("responses", lambda n: b"".join(CALL_EVENTS[:2] * n) + last(CALL)),
    "deltas of arguments": ("responses", lambda n: b"".join([*CALL_EVENTS[:2], *CALL_EVENTS[2:3] * n]) + last(CALL)),
    "whole items": (
        "responses",
        lambda n: b"".join(
            of_responses("response.output_item.done", output_index=at, item={**CALL, "id": f"fc_{at}"})
            for at in range(n)
        ),
    ),
    "comments": ("messages", lambda n: b": x\n" * n),
    "bare returns": ("messages", lambda n: b"data: 1\r" * n),
    "one line": ("chat", lambda n: b"data: " + b"[" * n),
}


@pytest.mark.parametrize("name", sorted(LONG))
def test_time_grows_with_the_stream_and_not_faster(name):
    api, make = LONG[name]

    def seconds(size):
        raw, times = make(size), []
        for _ in range(3):
            begun = time.process_time()
            dialect_of(api).reading_of_stream(200, raw, complete=True)
            times.append(time.process_time() - begun)
        return min(times)

    short, long = seconds(400), seconds(400 * 16)

    assert long < 16 * 4 * max(short, 0.0005)  # a square would be 16 * 16
