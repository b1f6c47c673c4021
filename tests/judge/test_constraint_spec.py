"""Reading constraint specs: every slip is an error with its line and the nearest right thing."""

import pytest
from conversations import call
from specs import failures_of

from harness.errors import BadExpectation
from harness.judge.constraints import expectation_of


@pytest.mark.parametrize(
    ("spec", "line", "told"),
    [
        pytest.param("case: x\nmust_cal: []", 2, "must_cal: there is no such key", id="unknown-key"),
        pytest.param(
            "must_call:\n  - tool: a\n    cuont: 1",
            3,
            "must_call[0].cuont: there is no such key",
            id="unknown-key-inside",
        ),
        pytest.param("must_call:\n  - args: {}", 2, "must_call[0].tool is missing", id="no-tool"),
        pytest.param("must_call:\n  - tool: a\n    count: yes", 3, "count is a number", id="count-of-a-word"),
        pytest.param(
            "must_call:\n  - tool: a\n    count: {min: 2, max: 1}", 3, "no count is at least 2", id="impossible-count"
        ),
        pytest.param(
            "must_call:\n  - tool: a\n    args:\n      n: {gt: x}",
            4,
            "must_call[0].args.n.gt: gt needs a number",
            id="matcher",
        ),
        pytest.param(
            "must_not_call:\n  - a\n  - tool: b\n    args: {n: {regex: '('}}",
            4,
            "must_not_call[1].args.n.regex",
            id="pattern",
        ),
        pytest.param(
            "must_call_before:\n  - first: {tool: a, args: {d: {date: 2031-02-30}}}\n    then: b",
            2,
            "args.d.date",
            id="date",
        ),
        pytest.param("final_state:\n  refunds: gone", 2, 'write "unchanged"', id="table-word"),
        pytest.param("final_state:\n  refunds: {exactly: [], contains: []}", 2, "one of them", id="two-forms"),
        pytest.param(
            "final_state:\n  refunds:\n    exactly:\n      - {n: {gt: x}}", 4, "n.gt: gt needs", id="row-matcher"
        ),
        pytest.param(
            "final_state:\n  orders: unchanged\n  refunds: exactly [{order_id: 7, amount: 1}]",
            3,
            "`exactly [...]` is no YAML",
            id="literal",
        ),
        pytest.param("final_state:\n  refunds: exactly []", 2, 'write "unchanged", or {exactly', id="literal-empty"),
        pytest.param("case: x\ncase: y", 2, "case stands twice", id="duplicate-key"),
        pytest.param("- a", 1, "names what it expects", id="no-mapping"),
        pytest.param("", 1, "names what it expects", id="empty"),
    ],
)
def test_a_spec_that_cannot_be_read_says_where(spec, line, told):
    with pytest.raises(BadExpectation) as caught:
        expectation_of(spec.encode(), file="expect.yaml")

    assert caught.value.line == line
    assert told in str(caught.value)


def test_the_literal_form_of_exactly_is_shown_as_it_must_be_written():
    with pytest.raises(BadExpectation) as caught:
        expectation_of(b"final_state:\n  refunds: exactly [{order_id: 7, amount: 1}]  # one\n", file="expect.yaml")

    assert caught.value.expected == "refunds: {exactly: [{order_id: 7, amount: 1}]}"


def test_an_unknown_key_names_the_nearest():
    with pytest.raises(BadExpectation) as caught:
        expectation_of(b"must_no_call: []", file="expect.yaml")

    assert caught.value.nearest == "must_not_call"


def test_a_spec_may_be_json():
    spec = '{\n\t"must_call": [{"tool": "pay", "args": {"n": 1}}]\n}'

    assert failures_of(spec, call("pay", n=1)) == []
