"""The form of fixtures: bytes to value and back without loss, and no bytes that upset the reader."""

import json

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from refund_run import call, ended, fixture, lines, meta, refund_turns, result, says, user

from harness import errors
from harness.contract import drift_of
from harness.fixture_lines import assertions_line_of, fixture_of, lines_of_fixture, lines_of_turns
from harness.json_lines import structs_of
from harness.playback import replay
from harness.transcript import ToolCall
from harness.value import decoder_of

FILE = "fixtures/refund.jsonl"
GOOD = b"".join(lines(assertions=[{"kind": "tool_called", "name": "create_refund"}]))

ARGUMENTS = {
    "an integer beyond 64 bits": b"123456789012345678901234567890",
    "a decimal as written": b"1.10",
    "a large exponent": b"1E+400",
    "minus zero": b"-0.0",
    "null": b"null",
    "a text with line separators": '"a\u2028b\u2029c\u0085d"'.encode(),
    "a nested value": b'[{"a":[1,{"b":null}]}]',
    "an empty object": b"{}",
}


@pytest.mark.parametrize("written", ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_are_written_as_they_were_read(written):
    raw = lines([user(), says(call(1, "get_order", order_id="HERE"))], tail=[ended("truncated", "cut")])
    raw = b"".join(raw).replace(b'"HERE"', written)

    again = lines_of_fixture(fixture_of(raw, file=FILE))

    assert again.split(b"\n")[2].count(b'"order_id":' + written + b"}") == 1
    assert lines_of_fixture(fixture_of(again, file=FILE)) == again


def test_the_line_of_the_assertions_is_kept_byte_for_byte():
    odd = b'{ "assertions" : [ ] , "type":"assertions" }'
    raw = b"".join(lines()[:-1]) + odd + b"\n"

    assert lines_of_fixture(fixture_of(raw, file=FILE)).split(b"\n")[-2] == odd


def test_arguments_that_are_no_object_stay_what_the_model_wrote():
    unreadable = {"type": "toolCall", "id": "call_1", "name": "get_order", "arguments": None, "rawArguments": "{oops"}
    recorded = fixture([user(), says(unreadable), result(1, "no", isError=True), says("sorry")])

    assert recorded.transcript.turns[1].calls == [ToolCall("call_1", "get_order", None, "{oops")]
    assert b'"arguments":null,"rawArguments":"{oops"' in lines_of_fixture(recorded)


def test_a_run_without_its_end_line_is_completed_and_gets_none():
    assert b'"end"' not in lines_of_fixture(fixture())


def test_keys_stand_in_the_documented_order():
    written = lines_of_turns(fixture().transcript.turns)

    assert [list(json.loads(line)) for line in written[:3]] == [
        ["type", "turnIndex", "role", "content"],
        ["type", "turnIndex", "role", "content", "tokenLedger", "stopReason"],
        ["type", "turnIndex", "role", "toolUseId", "content", "isError"],
    ]


def test_an_empty_block_of_assertions_is_written_and_not_left_out():
    assert assertions_line_of([]) == b'{"type":"assertions","assertions":[]}'


TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.sampled_from(["get_order", "create_refund", "a b", ""])
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def conversations(draw):
    """A run with its results, as the loop makes it, whatever was said in it."""
    turns = [user(draw(TEXTS))]
    number = 0
    for _ in range(draw(st.integers(0, 3))):
        calls = [
            {"type": "toolCall", "id": f"call_{number + position}", "name": draw(NAMES), "arguments": arguments}
            for position, arguments in enumerate(
                draw(st.lists(st.dictionaries(TEXTS, JSON_VALUES, max_size=2), min_size=1, max_size=3))
            )
        ]
        turns.append(says(draw(TEXTS), *calls))
        turns += [result(number + position, draw(TEXTS), isError=draw(st.booleans())) for position in range(len(calls))]
        number += len(calls)
    return [*turns, says(draw(TEXTS))]


@given(conversations())
def test_what_is_written_is_read_again_and_replays_to_itself(turns):
    recorded = fixture(turns)

    again = fixture_of(lines_of_fixture(recorded), file=FILE)
    outcome = replay(again, file=FILE)

    assert again == recorded
    assert (outcome.errors, outcome.transcript) == ([], recorded.transcript)


def place_of_refusal(raw):
    """Read, replay and hold against no scenario: None, or where the refusal says that the fault is."""
    try:
        recorded = fixture_of(raw, file=FILE)
    except errors.InputError as error:
        return error.file, error.line
    replay(recorded, file=FILE)
    drift_of(recorded, None, file=FILE)
    return None


def is_read_or_refused(raw):
    return place_of_refusal(raw) in {None, *((FILE, number + 1) for number in range(raw.count(b"\n") + 1))}


@given(st.binary(max_size=300))
@example(b"")
@example(b"\n")
@example(b"\xef\xbb\xbf" + GOOD)
@example(GOOD.replace(b"\n", b"\r\n"))
@example(GOOD + b"\n")
@example(GOOD[:-1])
def test_any_bytes_are_a_fixture_or_an_error_with_its_line(raw):
    assert is_read_or_refused(raw)


@given(st.integers(0, len(GOOD) - 1), st.binary(max_size=4), st.integers(0, 8))
def test_a_fixture_with_any_bytes_changed_is_read_or_refused(place, put, cut):
    assert is_read_or_refused(GOOD[:place] + put + GOOD[place + cut :])


@given(st.permutations(lines()), st.integers(0, 8))
def test_a_fixture_with_its_lines_in_any_order_is_read_or_refused(parts, kept):
    assert is_read_or_refused(b"".join(parts[:kept]))


@given(
    st.sampled_from(range(8)),
    st.sampled_from(
        ["type", "turnIndex", "role", "content", "toolUseId", "isError", "tokenLedger", "fixtureId", "assertions"]
    ),
    JSON_VALUES,
)
def test_a_fixture_with_any_value_in_a_field_is_read_or_refused(number, key, value):
    parts = lines()
    changed = json.loads(parts[number]) | {key: value}
    parts[number] = json.dumps(changed).encode() + b"\n"

    assert is_read_or_refused(b"".join(parts))


class _Line(msgspec.Struct, tag_field="type", tag="x", forbid_unknown_fields=True):
    value: object = None


LINE = decoder_of(_Line)
PIECES = st.lists(
    st.sampled_from([b'{"type":"x"}', b'{"type":"x","value":[1]}', b"{", b"}", b"\n", b"\r\n", b" ", b"}\n{", b'"', b"[", b"]", b"1", b",", b'{"type":"x","value":"}\\n{"}']),
    max_size=8,
)  # fmt: skip


def one_by_one(raw):
    """Return what reading line by line gives."""
    found = raw.split(b"\n")
    if not found[-1]:
        found.pop()
    return [LINE.decode(line) for line in found]


@given(PIECES)
def test_reading_all_lines_at_once_is_reading_them_one_by_one(pieces):
    raw = b"".join(pieces)

    try:
        expected = one_by_one(raw)
    except msgspec.DecodeError:
        expected = None
    try:
        found = structs_of(raw, LINE, file=FILE)
    except errors.MalformedLine:
        found = None

    assert found == expected


def test_a_line_beyond_the_limit_is_refused_with_its_size():
    raw = lines([user("x" * (8 << 20)), says("done")])

    with pytest.raises(errors.MalformedLine) as caught:
        fixture_of(b"".join(raw), file=FILE)

    assert (caught.value.line, caught.value.expected) == (2, "8 MiB at most")
    assert caught.value.command.startswith("let what it holds be smaller")


def test_a_fixture_beyond_the_limit_of_a_line_is_read_where_no_line_is():
    turns = [user("a" * (5 << 20)), says("b" * (5 << 20))]

    assert len(fixture(turns).transcript.turns) == 2


KEBAB = {
    "upper case": "Refund",
    "a path": "../refund",
    "underscores": "re_fund",
    "empty": "",
    "a dash at the end": "refund-",
}


@pytest.mark.parametrize("name", KEBAB.values(), ids=KEBAB)
def test_an_id_is_kebab_case(name):
    raw = b"".join(lines(head=meta(name)))

    with pytest.raises(errors.NameMismatch):
        fixture_of(raw, file=f"fixtures/{name}.jsonl")


def test_many_turns_are_read_in_order():
    turns = [turn for number in range(200) for turn in (user(f"{number}?"), says(f"{number}."))]

    assert len(fixture(turns).transcript.turns) == 400
    assert len(refund_turns()) == 6


TWICE = {
    "in a line as it is written": (b'"turnIndex":0,', b'"turnIndex":0,"turnIndex":0,'),
    "with spaces": (b'"role":"user"', b'"role" : "assistant", "role":"user"'),
    "in an escape": (b'"role":"user"', b'"role":"user","r\\u006fle":"user"'),
    "in arguments": (b'"order_id":1', b'"order_id":2,"order_id":1'),
    "in an assertion": (b'"name":"create_refund"', b'"name":"get_order","name":"create_refund"'),
}


@pytest.mark.parametrize(("once", "twice"), TWICE.values(), ids=TWICE)
def test_a_key_that_stands_twice_is_refused_wherever_a_fixture_is_read(once, twice):
    turns = [user(), says(call(1, "get_order", order_id=1)), result(1, "ok"), says("Done.")]
    raw = b"".join(lines(turns, assertions=[{"kind": "tool_called", "name": "create_refund"}]))
    line = raw[: raw.index(once)].count(b"\n") + 1

    with pytest.raises(errors.MalformedLine, match="a key stands twice in one object") as refused:
        fixture_of(raw.replace(once, twice, 1), file=FILE)

    assert refused.value.line == line
