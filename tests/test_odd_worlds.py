"""Worlds that give what no world should: a sentence with the tool's or the table's name, or an error for the agent."""

import enum
import sys
from decimal import Decimal

import pytest

from harness import errors
from harness.depth import MAX_DEPTH
from harness.scenario import Tool
from harness.transcript import Change, ToolCall
from harness.world import Answer, Sandbox

ASK = Tool.model_validate({"name": "ask"})
TABLES = {"notes": {"key": "id", "rows": []}}


class World:
    """A world out of two functions."""

    def __init__(self, call=None, start=lambda tables: tables):
        self.start, self._call = start, call

    def call(self, state, name, arguments):  # noqa: ARG002  the shape of a world
        return self._call(state)


def sandbox(call=None, **named):
    return Sandbox([ASK], World(call, **named), TABLES, directory="scenarios/desk")


def asked(box):
    return box.execute(ToolCall("call_1", "ask", {}))


def circle():
    one = []
    one.append(one)
    return one


def tower(floors):
    value = []
    for _ in range(floors):
        value = [value]
    return value


class Unprintable:
    """Cannot be shown."""

    def __repr__(self):
        raise ValueError("no form")


class Trap(dict):
    """A dict that ends the process where it is read."""

    def items(self):
        sys.exit(0)


class Colour(enum.StrEnum):
    """A text that is more than one."""

    RED = "red"


class Word(str):
    """A text of the user's own class."""

    __slots__ = ()


class Count(int):
    """A number of the user's own class."""


NO_RESULTS = {
    "a set": ({1, 2}, "$: set has no JSON form"),
    "a function": ({"f": len}, "$.f: builtin_function_or_method has no JSON form"),
    "what cannot be shown": (Unprintable(), "$: Unprintable has no JSON form"),
    "a key that cannot be shown": (
        {Unprintable(): 1},
        "$: key a Unprintable (its repr raised ValueError) is no string",
    ),
    "a circle": (circle(), f"{'$' + '[0]' * 26}[: nested deeper than {MAX_DEPTH}"),
    "a tower": (tower(50_000), f"{'$' + '[0]' * 26}[: nested deeper than {MAX_DEPTH}"),
    "infinity": (float("inf"), "$: inf is no JSON number"),
    "no number": (Decimal("sNaN"), "$: sNaN is no JSON number"),
    "too many digits": ({"n": 10**4300}, "$.n: a whole number of more than 4300 digits"),
    "half a character": ("\ud800", "$: a lone surrogate has no UTF-8 form"),
}


@pytest.mark.parametrize(("result", "reason"), NO_RESULTS.values(), ids=NO_RESULTS.keys())
def test_a_result_that_is_no_json_is_an_error_for_the_agent(result, reason):
    answer = asked(sandbox(lambda state: (state, result, False)))

    assert answer == Answer(f"tool ask gave a result that is no JSON: {reason}", is_error=True)


RESULTS = {
    "a text of another class": (Word("red"), "red"),
    "a member": ({"colour": Colour.RED}, '{"colour":"red"}'),
    "a member as key": ({Colour.RED: 1}, '{"red":1}'),
    "a number of another class": ([Count(3)], "[3]"),
    "many digits": (10**4299, f"1{'0' * 4299}"),
}


@pytest.mark.parametrize(("result", "text"), RESULTS.values(), ids=RESULTS.keys())
def test_a_result_of_a_class_of_ones_own_is_what_it_is_as_json(result, text):
    assert asked(sandbox(lambda state: (state, result, False))) == Answer(text, is_error=False)


def leaves(_state):
    sys.exit(0)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        pytest.param(leaves, "SystemExit: 0", id="an-end"),
        pytest.param(lambda state: (state, Trap(a=1), False), "SystemExit: 0", id="an-end-in-the-result"),
        pytest.param(lambda _: (Trap(TABLES), "x", False), "SystemExit: 0", id="an-end-in-the-state"),
    ],
)
def test_a_call_that_ends_the_process_is_an_error_for_the_agent(call, said):
    box = sandbox(call)

    assert asked(box) == Answer(f"tool ask failed: {said}", is_error=True)
    assert box.effects().changes == []


def rows(*values):
    return {"notes": {"key": "id", "rows": list(values)}}


NO_STATES = {
    "a set in a row": (rows({"id": {1}}), "the state must be JSON: $.notes.rows[0].id: set has no JSON form"),
    "infinity": (rows({"id": float("inf")}), "the state must be JSON: $.notes.rows[0].id: inf is no JSON number"),
    "a circle": (rows(circle()), "nested deeper than"),
    "a table that cannot be shown": ({"notes": Unprintable()}, "table notes must be"),
    "a table called by no text": ({7: {}}, "table 7 must be"),
    "half a character": ({"\ud800": 1}, "table \\ud800 must be"),
    "nothing": (None, "tables are an object"),
}


@pytest.mark.parametrize(("state", "reason"), NO_STATES.values(), ids=NO_STATES.keys())
def test_a_state_that_is_none_names_the_tool_and_the_table(state, reason):
    with pytest.raises(errors.BadScenario) as refused:
        asked(sandbox(lambda _: (state, "done", False)))

    assert reason in refused.value.subject
    assert "for tool ask" in refused.value.subject
    assert str(refused.value).encode()
    assert (refused.value.file, refused.value.exit_code) == ("scenarios/desk/world.py", 4)


@pytest.mark.parametrize(("state", "reason"), NO_STATES.values(), ids=NO_STATES.keys())
def test_a_start_that_gives_no_state_is_refused(state, reason):
    with pytest.raises(errors.BadScenario) as refused:
        sandbox(start=lambda _: state)

    assert reason in refused.value.subject
    assert refused.value.subject.startswith("start must return the state; ")


def test_a_start_that_ends_the_process_is_refused():
    with pytest.raises(errors.BadScenario) as refused:
        sandbox(start=leaves)

    assert refused.value.subject == "the world cannot start: SystemExit: 0"
    assert refused.value.file == "scenarios/desk/world.py"


def test_a_state_as_deep_as_json_may_be_is_kept():
    deep = tower(MAX_DEPTH - 4)
    box = sandbox(lambda _: (rows({"id": 1, "deep": deep}), "done", False))

    answers = [asked(box), asked(box)]

    assert answers == [Answer("done", is_error=False)] * 2
    assert box.effects().changes == [Change("call_1", "notes", 1, None, {"id": 1, "deep": deep})]


def test_a_world_that_keeps_one_state_for_itself_changes_rows_all_the_same():
    own = rows()

    def added(_state):
        own["notes"]["rows"].append({"id": len(own["notes"]["rows"])})
        return own, "done", False

    box = sandbox(added, start=lambda _: own)

    asked(box)
    asked(box)

    assert [one.key for one in box.effects().changes] == [0, 1]


def test_a_world_gets_back_what_it_gave():
    box = sandbox(
        lambda state: (state, type(state["notes"]["rows"][0]["at"]).__name__, False),
        start=lambda _: rows({"at": (1, 2)}),
    )

    assert asked(box).text == "tuple"
