"""Words of other tools in a spec: refused where they would silently mean something else."""

import pytest

from harness.errors import BadExpectation
from harness.judge.constraints import expectation_of
from harness.judge.matcher_forms import MatcherError, matcher_of
from harness.judge.matchers import Plain

FOREIGN = {
    "matches": ({"matches": "^a"}, "regex"),
    "in": ({"in": [1, 2]}, "any_of"),
    "one_of": ({"one_of": [1, 2]}, "any_of"),
    "oneOf": ({"oneOf": [1, 2]}, "any_of"),
    "$eq": ({"$eq": 1}, "equals"),
    "min and max": ({"min": 1, "max": 2}, "ge"),
    "startswith": ({"startswith": "a"}, "regex"),
    "a misspelt one": ({"contain": "a"}, "contains"),
}


@pytest.mark.parametrize(("written", "nearest"), FOREIGN.values(), ids=FOREIGN)
def test_a_matcher_of_another_tool_is_refused_with_ours(written, nearest):
    with pytest.raises(MatcherError) as refused:
        matcher_of({"deep": [written]})

    assert refused.value.nearest == nearest
    assert "{equals: {" in str(refused.value)


@pytest.mark.parametrize("written", [{"note": "x"}, {"min": 1, "unit": "kg"}, {"sku": "a"}, {}], ids=str)
def test_an_object_of_a_tools_own_words_is_itself(written):
    assert matcher_of(written) == Plain(written)


@pytest.mark.parametrize("inside", [{"in": [1]}, {"contains": "a"}, {"equals": 1}, 7], ids=str)
def test_equals_takes_any_value_as_it_stands(inside):
    assert matcher_of({"equals": inside}) == Plain(inside)
    assert matcher_of({"a": {"equals": inside}, "b": [{"equals": inside}]}) == Plain({"a": inside, "b": [inside]})


KEYS = {
    "name": ("must_call: [{name: pay}]", "must_call[0].name", "tool"),
    "arguments": ("must_not_call: [{tool: pay, arguments: {}}]", "must_not_call[0].arguments", "args"),
    "first of no Before": ("must_call: [{tool: pay, frist: x}]", "must_call[0].frist", None),
    "a table's": ("final_state: {orders: {exactly: [], strct: true}}", "final_state.orders.strct", "strict"),
    "the spec's": ("must_nut_call: []", "must_nut_call", "must_not_call"),
}


@pytest.mark.parametrize(("spec", "place", "nearest"), KEYS.values(), ids=KEYS)
def test_an_unknown_key_is_told_with_those_that_can_stand_there(spec, place, nearest):
    with pytest.raises(BadExpectation) as refused:
        expectation_of(spec.encode(), file="expect.yaml")

    assert (refused.value.subject, refused.value.nearest) == (f"{place}: there is no such key", nearest)
    assert nearest is None or nearest in refused.value.expected.split(", ")


SHAPES = {
    "a list for an order": (
        "must_call_before: [[a, b]]",
        "must_call_before[0] must be an object: {first, then, strict_turns}",
    ),
    "a name for a call": ("must_call_before: [{first: a, then: [b]}]", "must_call_before[0].then must be an object"),
    "an object for a list": ("must_call: {tool: a}", "must_call must be a list"),
    "no word of ours": ("extra: maybe", "extra must be 'allow' or 'forbid'"),
}


@pytest.mark.parametrize(("spec", "told"), SHAPES.values(), ids=SHAPES)
def test_a_wrong_shape_is_told_in_words_of_the_file(spec, told):
    with pytest.raises(BadExpectation) as refused:
        expectation_of(spec.encode(), file="expect.yaml")

    assert refused.value.subject.startswith(told)


def test_a_spec_of_another_case_is_refused():
    with pytest.raises(BadExpectation) as refused:
        expectation_of(b"case: cancel\nmust_call: []", file="expect.yaml", scenario="refund")

    assert (refused.value.line, refused.value.expected, refused.value.found) == (1, "refund", "cancel")
