"""Fixtures that break the form: each break is a code of its own with its line, for replay and check alike."""

import json

import pytest
from refund_run import HEAD, HOLDS, call, digest, ended, line, lines, refund_turns, result, says, user
from replay_door import FIXTURE, places, told, write

from harness.depth import LINE_DEPTH


def changed(number, edit):
    """Edit the JSON of one line, counted from 1."""

    def mutate(parts):
        value = json.loads(parts[number - 1])
        edit(value)
        return [*parts[: number - 1], line(value), *parts[number:]]

    return mutate


def replaced(number, *raw):
    return lambda parts: [*parts[: number - 1], *raw, *parts[number:]]


def without(number):
    return replaced(number)


def deep(value):
    nested = 0
    for _ in range(LINE_DEPTH):
        nested = [nested]
    value["content"][0]["arguments"] = {"order_id": nested}


END = line(ended("refused"))
STATE = line({"type": "state", "initial": digest(""), "changes": []})
FORM = {
    "not JSON": (replaced(3, b"{oops\n"), "MALFORMED_LINE", 3),
    "an empty line": (replaced(3, b"\n"), "MALFORMED_LINE", 3),
    "not UTF-8": (replaced(3, b'{"type":"turn\xff"}\n'), "MALFORMED_LINE", 3),
    "NaN": (lambda parts: [parts[0], parts[1], parts[2].replace(b"4021", b"NaN"), *parts[3:]], "MALFORMED_LINE", 3),
    "an exponent out of range": (lambda parts: [parts[0], parts[1], parts[2].replace(b"4021", b"1e99999999999999999999"), *parts[3:]], "MALFORMED_LINE", 3),
    "two objects in a line": (replaced(3, b"{}{}\n"), "MALFORMED_LINE", 3),
    "an object over two lines": (lambda parts: [parts[0], parts[1], parts[2].replace(b',"', b',\n"', 1), *parts[3:]], "MALFORMED_LINE", 3),
    "a list": (replaced(3, b"[]\n"), "MALFORMED_LINE", 3),
    "too deep": (changed(3, deep), "MALFORMED_LINE", 3),
    "an unknown type": (changed(3, lambda one: one.update(type="trun")), "MALFORMED_LINE", 3),
    "an unknown key": (changed(3, lambda one: one.update(tokenLeger=1)), "MALFORMED_LINE", 3),
    "an unknown role": (changed(2, lambda one: one.update(role="system")), "MALFORMED_LINE", 2),
    "an unknown block": (changed(2, lambda one: one["content"][0].update(type="image")), "MALFORMED_LINE", 2),
    "an unknown assertion": (changed(8, lambda one: one["assertions"][0].update(kind="tool_caled")), "MALFORMED_LINE", 8),
    "an assertion without its name": (changed(8, lambda one: one["assertions"][0].pop("name")), "MALFORMED_LINE", 8),
    "a negative count": (changed(8, lambda one: one["assertions"][0].update(min_count=-1)), "MALFORMED_LINE", 8),
    "a meta line without its prompt's hash": (changed(1, lambda one: one.pop("systemPromptHash")), "MALFORMED_LINE", 1),
    "a hash that is none": (changed(1, lambda one: one.update(systemPromptHash="sha256:abc")), "MALFORMED_LINE", 1),
    "an answer without its ledger": (changed(3, lambda one: one.pop("tokenLedger")), "MALFORMED_LINE", 3),
    "an answer without content": (changed(3, lambda one: one.pop("content")), "MALFORMED_LINE", 3),
    "a user turn without content": (changed(2, lambda one: one.pop("content")), "MALFORMED_LINE", 2),
    "a result without its call": (changed(4, lambda one: one.pop("toolUseId")), "MALFORMED_LINE", 4),
    "an answer with a result's field": (changed(3, lambda one: one.update(toolUseId="call_1")), "MALFORMED_LINE", 3),
    "a user turn with a ledger": (changed(2, lambda one: one.update(tokenLedger=says()["tokenLedger"])), "MALFORMED_LINE", 2),
    "a result with a stop reason": (changed(4, lambda one: one.update(stopReason="stop")), "MALFORMED_LINE", 4),
    "a user turn that calls": (changed(2, lambda one: one["content"].append(call(9, "get_order"))), "MALFORMED_LINE", 2),
    "arguments that are text": (changed(3, lambda one: one["content"][0].update(arguments="{}")), "MALFORMED_LINE", 3),
    "no line at all": (lambda _: [], "META_MISSING", 1),
    "no meta line": (without(1), "META_MISSING", 1),
    "a meta line that is second": (lambda parts: [parts[1], parts[0], *parts[2:]], "META_MISPLACED", 2),
    "a second meta line": (lambda parts: [*parts[:4], parts[0], *parts[4:]], "META_MISPLACED", 5),
    "no assertions": (without(8), "ASSERTIONS_MISSING", 7),
    "assertions in the middle": (lambda parts: [*parts[:4], parts[7], *parts[4:7]], "ASSERTIONS_MISPLACED", 5),
    "assertions twice": (lambda parts: [*parts, parts[7]], "ASSERTIONS_MISPLACED", 8),
    "a gap": (changed(4, lambda one: one.update(turnIndex=3)), "TURN_INDEX_GAP", 4),
    "a repeat": (changed(4, lambda one: one.update(turnIndex=1)), "TURN_INDEX_REPEAT", 4),
    "a start above zero": (changed(2, lambda one: one.update(turnIndex=1)), "TURN_INDEX_GAP", 2),
    "a negative index": (changed(2, lambda one: one.update(turnIndex=-1)), "TURN_INDEX_REPEAT", 2),
    "a result of no call": (changed(4, lambda one: one.update(toolUseId="call_9")), "RESULT_ORPHAN", 4),
    "a result of an earlier turn's call": (changed(6, lambda one: one.update(toolUseId="call_1")), "RESULT_ORPHAN", 6),
    "a call without result before an answer": (lambda _: lines([user(), says(call(1, "get_order")), says("done")], head=HEAD), "RESULT_MISSING", 4),
    "a call without result before a user": (lambda _: lines([user(), says(call(1, "get_order")), user("so?")], head=HEAD), "RESULT_MISSING", 4),
    "a call without result at the end": (lambda _: lines(refund_turns()[:2], head=HEAD), "RESULT_MISSING", 3),
    "one result of two": (lambda _: lines([user(), says(call(1, "a"), call(2, "b")), result(2, ""), says()], head=HEAD), "RESULT_MISSING", 5),
    "no turn": (lambda _: lines([user()], head=HEAD)[::2], "TURN_ORDER", 2),
    "an answer first": (lambda _: lines([says("hello"), user()], head=HEAD), "TURN_ORDER", 2),
    "a state before the turns": (lambda parts: [parts[0], STATE, *parts[1:]], "TURN_ORDER", 2),
    "a turn after the end": (lambda parts: [*parts[:6], END, *parts[6:]], "TURN_ORDER", 8),
    "two states": (lambda parts: [*parts[:7], STATE, STATE, parts[7]], "TURN_ORDER", 9),
    "a state after the end": (lambda parts: [*parts[:7], END, STATE, parts[7]], "TURN_ORDER", 9),
    "an id that is not the file's name": (changed(1, lambda one: one.update(fixtureId="other")), "NAME_MISMATCH", 1),
    "user words that are not those of the hash": (changed(2, lambda one: one["content"][0].update(text="Hi")), "HASH_MISMATCH", 1),
}  # fmt: skip


@pytest.mark.parametrize(("mutate", "code", "number"), FORM.values(), ids=FORM)
@pytest.mark.parametrize("command", [(), ("check",)], ids=["replay", "check"])
def test_a_fixture_that_breaks_the_form_is_named_with_its_line(project, command, mutate, code, number):
    write(project, mutate(lines(assertions=HOLDS, head=HEAD)))

    exit_code, outcome = told(*command, "fixtures")

    assert exit_code == 4
    assert places(outcome) == [(code, FIXTURE, number)]
    assert outcome["status"] == "UNREADABLE"
    assert outcome["errors"][0]["next"] or code == "NAME_MISMATCH"


SAYS_TOOL = {"kind": "message_contains_substring", "role": "tool", "substring": "x"}
WITH_SUBSTRING = {"kind": "tool_called", "name": "x", "substrings": "y"}

NEAREST = {
    "type": (changed(3, lambda one: one.update(type="trun")), "turn"),
    "key": (changed(3, lambda one: one.update(tokenLeger=1)), "tokenLedger"),
    "kind": (changed(8, lambda one: one["assertions"][0].update(kind="tool_caled")), "tool_called"),
    "role": (changed(2, lambda one: one.update(role="User")), "user"),
    "role of an assertion": (changed(8, lambda one: one["assertions"].append(SAYS_TOOL)), "toolResult"),
    "field of no other kind": (changed(8, lambda one: one["assertions"].append(WITH_SUBSTRING)), None),
    "field of an assertion": (changed(8, lambda one: one["assertions"][0].update(mincount=1)), "min_count"),
}


@pytest.mark.parametrize(("mutate", "nearest"), NEAREST.values(), ids=NEAREST)
def test_a_misspelt_word_is_told_with_the_nearest_known_one(project, mutate, nearest):
    write(project, mutate(lines(assertions=HOLDS, head=HEAD)))

    _, outcome = told()

    assert outcome["errors"][0]["nearest"] == nearest


BY_HAND = {
    "a kind": ('{"kind":"tool_caled","name":"x"}', "assertions[1]", "tool_called, no_tool_called, message_contains_substring, tool_call_arg_matches, trace_max_turns, outcome"),
    "a key": ('{"kind":"tool_called","name":"x","count":1}', "assertions[1]", "kind, name, min_count, max_count, order"),
    "no kind": ('{"name":"x"}', "assertions[1]", "tool_called, no_tool_called, message_contains_substring, tool_call_arg_matches, trace_max_turns, outcome"),
    "a missing comma": ('{"kind":"outcome","is":"completed"}{"kind":"trace_max_turns","max":9}', "the assertions", None),
    "a missing bracket": ('{"kind":"outcome","is":"completed"', "the assertions", None),
}  # fmt: skip


@pytest.mark.parametrize(("second", "part", "expected"), BY_HAND.values(), ids=BY_HAND)
def test_a_line_that_is_written_by_hand_is_to_be_corrected_by_hand(project, second, part, expected):
    last = f'{{"type":"assertions","assertions":[{{"kind":"outcome","is":"completed"}},{second}]}}'
    write(project, [*lines(head=HEAD)[:-1], f"{last}\n".encode()])

    exit_code, outcome = told("fixtures")

    (error,) = outcome["errors"]
    assert exit_code == 4
    assert error["next"] == f"correct {part} on line 8 of {FIXTURE}"
    assert error["expected"] == expected
