"""The bfcl rules: accepted values, what may be left out, folded texts, types, calls in any order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.judge.bfcl import bfcl_holds
from harness.judge.engine import judge
from harness.judge.finding import Code, Ruling
from harness.judge.matcher_forms import MatcherError
from harness.trace import Call, Trace

PROPERTIES = {
    "city": {"type": "string"},
    "days": {"type": "integer"},
    "share": {"type": "float"},
    "wet": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "sizes": {"type": "array", "items": {"type": "float"}},
    "pair": {"type": "tuple", "items": {"type": "integer"}},
    "where": {"type": "dict", "properties": {}},
    "stops": {"type": "array", "items": {"type": "dict"}},
    "note": {"type": "any"},
}
ACCEPTED = {
    "city": ["New York, NY", "NYC"],
    "days": [3],
    "share": [0.5, 2.0],
    "wet": [True],
    "tags": [["Old-Town", "b"]],
    "sizes": [[1.0, 2.5]],
    "pair": [[1, 2]],
    "where": [{"street": ["Main St.", "Main Street"], "number": [5, ""]}],
    "stops": [[{"at": ["A"]}, {"at": ["B"]}]],
    "note": ["it's"],
}


def function(name="plan", required=(), properties=PROPERTIES):
    return {"name": name, "parameters": {"type": "dict", "properties": properties, "required": list(required)}}


def verdict(answers, *calls, functions=None):
    made = [Call(number, 0, number, f"call_{number + 1}", name, given) for number, (name, given) in enumerate(calls)]
    return judge(Trace(made, []), [("bfcl", bfcl_holds(functions or [function()], answers))])


def codes(answers, *calls, **rest):
    return [one.code for one in verdict(answers, *calls, **rest).failures]


ACCEPTS = {
    "another accepted text": ("city", "NYC"),
    "spaces, marks and case folded": ("city", "new york NY"),
    "single quotes as double ones": ("note", 'IT"S'),
    "an integer for a float": ("share", 2),
    "a list in its order, folded": ("tags", ["oldtown", "B"]),
    "numbers in a list": ("sizes", [1.0, 2.5]),
    "a tuple as a list": ("pair", [1, 2]),
    "an object, folded": ("where", {"street": "main st", "number": 5}),
    "an object without what may be missing": ("where", {"street": "Main Street"}),
    "objects in a list": ("stops", [{"at": "a"}, {"at": "b"}]),
    "a boolean": ("wet", True),
}
REFUSES = {
    "a text that is not accepted": ("city", "Boston", Code.PARAM_WRONG_VALUE),
    "a mark that is not folded": ("city", "NYC:", Code.PARAM_WRONG_VALUE),
    "a number for a text": ("city", 7, Code.PARAM_WRONG_FORMAT),
    "a float for an integer": ("days", 3.0, Code.PARAM_WRONG_FORMAT),
    "a text for an integer": ("days", "3", Code.PARAM_WRONG_FORMAT),
    "true for an integer": ("days", True, Code.PARAM_WRONG_FORMAT),
    "null": ("days", None, Code.PARAM_WRONG_FORMAT),
    "a number for a boolean": ("wet", 1, Code.PARAM_WRONG_FORMAT),
    "another order": ("tags", ["b", "Old-Town"], Code.PARAM_WRONG_VALUE),
    "an integer in a list of floats": ("sizes", [1, 2.5], Code.PARAM_WRONG_FORMAT),
    "a list that is too short": ("pair", [1], Code.PARAM_WRONG_VALUE),
    "an object with a field more": ("where", {"street": "Main St.", "zip": "1"}, Code.PARAM_WRONG_VALUE),
    "an object without a field": ("where", {"number": 5}, Code.PARAM_WRONG_VALUE),
    "true where 1 is accepted": ("where", {"street": "Main St.", "number": True}, Code.PARAM_WRONG_VALUE),
    "objects in another order": ("stops", [{"at": "B"}, {"at": "A"}], Code.PARAM_WRONG_VALUE),
    "an object too few": ("stops", [{"at": "A"}], Code.PARAM_WRONG_VALUE),
    "no objects": ("stops", ["A", "B"], Code.PARAM_WRONG_FORMAT),
}


@pytest.mark.parametrize(("param", "value"), ACCEPTS.values(), ids=ACCEPTS)
def test_it_accepts(param, value):
    assert verdict([{"plan": {param: ACCEPTED[param]}}], ("plan", {param: value})).verdict is Ruling.PASS


@pytest.mark.parametrize(("param", "value", "code"), REFUSES.values(), ids=REFUSES)
def test_it_refuses(param, value, code):
    assert codes([{"plan": {param: ACCEPTED[param]}}], ("plan", {param: value})) == [code]


def test_what_is_marked_may_be_left_out():
    answers = [{"plan": {"city": ["NYC"], "days": [3, ""]}}]

    assert codes(answers, ("plan", {"city": "NYC"})) == []
    assert codes(answers, ("plan", {"days": 3})) == [Code.PARAM_MISSING]


def test_a_required_parameter_may_not_be_left_out_marked_or_not():
    answers = [{"plan": {"days": [3, ""]}}]

    assert codes(answers, ("plan", {}), functions=[function(required=["days"])]) == [Code.PARAM_MISSING]
    assert codes([{"plan": {}}], ("plan", {}), functions=[function(required=["days"])]) == [Code.PARAM_MISSING]


def test_a_parameter_that_no_answer_lists_is_unexpected():
    assert codes([{"plan": {"days": [3]}}], ("plan", {"days": 3, "wet": True})) == [Code.PARAM_UNEXPECTED]


def test_an_accepted_value_of_another_type_is_a_variable_and_compared_as_it_is():
    answers = [{"plan": {"days": ["day_count"]}}]

    assert codes(answers, ("plan", {"days": "day_count"})) == []
    assert codes(answers, ("plan", {"days": "Day_Count"})) == [Code.PARAM_WRONG_VALUE]
    assert codes(answers, ("plan", {"days": 3})) == [Code.PARAM_WRONG_VALUE]


def test_an_empty_mark_lets_a_list_be_empty():
    answers = [{"plan": {"tags": [["a"], ""]}}]

    assert codes(answers, ("plan", {"tags": []})) == []


def test_calls_need_not_have_been_executed_and_none_may_be_too_many():
    answers = [{"plan": {"days": [3]}}, {"plan": {"days": [4]}}]

    assert codes(answers, ("plan", {"days": 4}), ("plan", {"days": 3})) == []
    assert codes(answers, ("plan", {"days": 4})) == [Code.CALL_MISSING]
    assert codes(answers, *[("plan", {"days": number}) for number in (3, 4, 3)]) == [Code.CALL_EXTRA]
    assert codes([], ("plan", {"days": 4})) == [Code.CALL_UNWANTED]
    assert codes(answers[:1], ("plant", {"days": 3})) == [Code.TOOL_UNKNOWN]


@given(st.permutations(range(3)), st.permutations(range(3)))
def test_neither_the_order_of_answers_nor_that_of_calls_decides(answers, calls):
    """A greedy checker gives the first call to the first answer that takes it, and has none left for the next."""
    wanted = [{"plan": {"days": accepted}} for accepted in ([1, 2, 3], [1, 2], [1])]
    made = [("plan", {"days": number}) for number in (1, 2, 3)]

    assert codes([wanted[index] for index in answers], *[made[index] for index in calls]) == []


@pytest.mark.parametrize(
    ("functions", "answers", "told"),
    [
        pytest.param([function("other")], [{"plan": {}}], "the answer names plan, which is no function", id="a-function"),
        pytest.param([function(properties={"a": {"type": "Bigint"}})], [{"plan": {"a": [1]}}], "Bigint is no type", id="a-type"),
    ],
)  # fmt: skip
def test_rules_that_it_does_not_know_are_refused(functions, answers, told):
    with pytest.raises(MatcherError, match=told):
        bfcl_holds(functions, answers)
