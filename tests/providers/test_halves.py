"""Characters that a host cut in two."""

import json
from itertools import pairwise

import pytest
from chat_wire import call, calls, chunk, stream
from hypothesis import given
from hypothesis import strategies as st
from messages_wire import block, end, start

from harness.providers.dialect import dialect_of
from harness.providers.halves import decoded, decoded_event, joined
from harness.transcript import Text, ToolCall
from harness.value import NotJsonError

TRUCK = "🚚"
HIGH, LOW = TRUCK.encode("utf-16-be", "surrogatepass")[:2], TRUCK.encode("utf-16-be")[2:]
UPPER, LOWER = (half.decode("utf-16-be", "surrogatepass") for half in (HIGH, LOW))


UNUSED = 0x10F700  # from here on code points stand for halves


@given(st.text(st.characters(codec="utf-8", max_codepoint=UNUSED - 1), min_size=1), st.data())
def test_text_that_was_cut_anywhere_in_utf_16_comes_back_whole(text, data):
    units = text.encode("utf-16-le")
    cuts = sorted({0, len(units), *(2 * at for at in data.draw(st.sets(st.integers(0, len(units) // 2))))})
    pieces = [units[a:b].decode("utf-16-le", "surrogatepass") for a, b in pairwise(cuts)]

    read = [decoded_event(json.dumps(piece).encode()) for piece in pieces]

    assert joined(read) == text


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param(rb'"a\ud83d"', "a\ufffd", id="upper half"),
        pytest.param(rb'"\uDE9A!"', "\ufffd!", id="lower half"),
        pytest.param(rb'"\ud83d\ude9a"', TRUCK, id="both"),
        pytest.param(rb'"\ude9a\ud83d"', "\ufffd\ufffd", id="the wrong way round"),
        pytest.param(rb'"\\ud83d"', r"\ud83d", id="a backslash that was meant"),
        pytest.param(rb'"\\\ud83d"', "\\\ufffd", id="a backslash that was meant, and a half"),
    ],
)
def test_a_half_that_stays_alone_is_replaced(raw, expected):
    assert decoded(raw) == expected
    assert joined([decoded_event(raw)]) == expected


def test_what_is_no_json_stays_none():
    with pytest.raises(NotJsonError):
        decoded(rb'{"a":\ud83d')


def test_a_chat_stream_that_was_cut_inside_characters():
    raw = stream(
        chunk({"content": f"Go {UPPER}"}),
        chunk({"content": f"{LOWER}!"}),
        calls(call(0, "a", "f", f'{{"t":"{UPPER}')),
        calls(call(0, arguments=f'{LOWER}"}}')),
    )

    assert dialect_of("chat").reading_of_stream(200, raw, complete=True).turn.content == [
        Text(f"Go {TRUCK}!"),
        ToolCall("a", "f", {"t": TRUCK}),
    ]


def test_a_messages_stream_that_was_cut_inside_characters():
    deltas = [{"type": "text_delta", "text": half} for half in (UPPER, LOWER, UPPER)]
    raw = start() + block(0, {"type": "text", "text": ""}, *deltas) + end("max_tokens")

    assert dialect_of("messages").reading_of_stream(200, raw, complete=True).turn.content == [Text(f"{TRUCK}\ufffd")]


def test_an_answer_that_was_cut_off_inside_a_character_is_still_one():
    body = json.dumps(
        {"choices": [{"index": 0, "message": {"content": f"Go {UPPER}"}, "finish_reason": "length"}]}
    ).encode()

    assert dialect_of("chat").reading_of_body(200, body).turn.content == [Text("Go \ufffd")]
