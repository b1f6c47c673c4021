"""Comparisons: pairs by case, the test that suits the trials, flips both ways, what it took, and nothing read into noise."""

from decimal import Decimal

import msgspec
import pytest
from evidence_samples import GOLDEN, INPUTS, ORIGIN, member
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import errors
from harness.evidence.comparison import Price, comparison_of
from harness.evidence.consistency import Member
from harness.evidence.documents import bytes_of_document, read_document
from harness.evidence.pairs import scores_of, shift_between
from harness.report.statistics import mcnemar
from harness.value import digest_of


def duel(one, other, **facts):
    [duel] = comparison_of([member(one, "a", **facts), member(other, "b", **facts)]).duels
    return duel


def test_single_trials_are_compared_by_mcnemars_exact_test():
    shift = duel("PPPPPPPPFF", "FFFFFFPPFP").shift

    assert (shift.test, shift.down, shift.up, shift.p) == ("mcnemar", 6, 1, mcnemar(6, 1))
    assert (shift.first, shift.second, round(shift.mean, 9)) == (0.8, 0.3, -0.5)
    assert shift.low <= shift.mean <= shift.high


def test_repeated_trials_are_compared_by_the_paired_bootstrap():
    shift = duel("PPP PPP FFF PPP", "FFP FFF FFF FFP").shift

    assert (shift.test, shift.down, shift.up) == ("bootstrap", 3, 0)


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        pytest.param("PPPPPPPPPP", "FFFFFFFFFF", "lower", id="lower"),
        pytest.param("FFFFFFFFFF", "PPPPPPPPPP", "higher", id="higher"),
        pytest.param("PPPPPFFFFF", "PPPPFPFFFF", "no difference shown", id="one-flip-each-way"),
        pytest.param("PFPF", "PFPF", "no difference shown", id="the-same"),
        pytest.param("PPPPP", "FFFFF", "no difference shown", id="five-flips-are-too-few"),
    ],
)
def test_a_difference_is_named_only_where_it_is_shown(one, other, shown):
    assert duel(one, other).shift.shown == shown


def test_flips_go_both_ways_with_what_each_run_did():
    found = duel("PFP", "FPP")

    [down], [up] = found.down, found.up
    assert down.case == "fc-d1-001"
    assert (up.case, up.first.verdicts, up.second.verdicts) == ("fc-d2-002", ["FAIL"], ["PASS"])
    assert down.second.calls == ['get_order(order_id="W444")']
    assert [one.code for one in down.second.broken] == ["PARAM_WRONG_VALUE"]


def test_what_moved_furthest_stands_first():
    assert [one.case for one in duel("PP PP PP", "PF FF PP").down] == ["fc-d2-002", "fc-d1-001"]


def test_parts_are_compared_by_themselves():
    found = duel("PPPPPPPP", "PFPPPFPP", variants=2)

    assert {name: (part.case_count, part.down) for name, part in found.dimensions.items()} == {
        "D1": (2, 0), "D2": (2, 2), "D3": (2, 0), "D4": (2, 0),
    }  # fmt: skip
    assert {name: (part.case_count, part.down) for name, part in found.variants.items()} == {
        "way 0": (4, 0),
        "way 1": (4, 2),
    }


def test_cases_that_cannot_be_paired_are_named_and_not_counted():
    one = member({"a-1": "P", "b-2": "P", "c-3": "P", "e-5": "F"}, "a")
    other = member({"a-1": "F", "b-2": "A", "d-4": "P", "e-5": "F"}, "b")

    [found] = comparison_of([one, other]).duels

    assert [(one.why, one.cases, one.verdicts) for one in found.unpaired] == [
        ("only in the first run", ["c-3"], {}),
        ("only in the second run", ["d-4"], {}),
        ("not scored in the second run", ["b-2"], {"AGENT_ERROR": 1}),
    ]
    assert found.shift.case_count == 2


def test_what_is_not_scored_is_told_by_the_run_that_lacks_it():
    one = member({"a-1": "SS", "b-2": "PN", "c-3": "AN"}, "a")
    other = member({"a-1": "AA", "b-2": "NN", "c-3": "PP"}, "b")

    [found] = comparison_of([one, other]).duels

    assert [(one.why, one.cases, one.verdicts) for one in found.unpaired] == [
        ("not scored in either run", ["a-1"], {"SKIP": 2, "AGENT_ERROR": 2}),
        ("not scored in the first run", ["c-3"], {"AGENT_ERROR": 1, "NOT_JUDGED": 1}),
        ("not scored in the second run", ["b-2"], {"NOT_JUDGED": 2}),
    ]


def test_a_case_that_expects_something_else_is_not_paired():
    one = member("PP", "a")
    other = member("PP", "b", golden={**GOLDEN, "order_sensitive": True}, inputs={**INPUTS, "cases": digest_of(b"x")})

    [found] = comparison_of([one, other]).duels

    [group] = found.unpaired
    assert (found.shift, group.why, group.cases) == (None, "expects something else", ["fc-d1-001", "fc-d2-002"])
    assert found.differences[0].startswith("cases: sha256:")


def test_inputs_that_were_others_when_the_runs_were_recorded_are_told():
    one, other = member("PP", "a"), member("PP", "b")
    recorded = {**INPUTS, "policy": digest_of(b"kinder")}

    comparison = comparison_of([one._replace(recorded=INPUTS), other._replace(recorded=recorded)])

    assert [run.changed for run in comparison.runs] == [[], ["policy.md"]]
    assert comparison.duels[0].differences == ["policy.md, as it was when they were recorded"]


def test_runs_judged_by_other_rules_are_not_compared():
    one, other = member("P", "a"), member("P", "b")
    other = Member("b", msgspec.structs.replace(other.report, semantics_version=99))

    with pytest.raises(errors.NotComparable, match="b was judged by other rules than a"):
        comparison_of([one, other])


def test_what_a_conversation_took_stands_beside_its_score():
    price = Price(Decimal(2), Decimal(10), Decimal("0.5"))

    one, other = comparison_of([member("PPS", "a"), member("PPP", "b", tokens=1000)], {"b": price}).runs

    assert msgspec.to_builtins(one.spent) == {
        "conversations": 2, "turns": 4.0, "calls": 1.0, "reported": 2, "tokens_in": 210.0, "tokens_out": 12.0, "cost": None,
    }  # fmt: skip
    assert (other.spent.tokens_in, other.spent.cost) == (2010.0, (2000 * 2 + 10 * 0.5 + 12 * 10) / 1_000_000)


def test_each_run_is_held_against_the_first():
    origins = [msgspec.structs.replace(ORIGIN, model=model) for model in ("m-1", "m-2", "m-3")]
    runs = [
        member(word, run, origin=origin)
        for word, run, origin in zip(("PPFF", "PFFF", "PPPP"), "abc", origins, strict=True)
    ]

    comparison = comparison_of(runs)

    assert [one.name for one in comparison.runs] == ["a", "b", "c"]
    assert [(one.name, one.differences, one.shift.mean) for one in comparison.duels] == [
        ("b", ["model: m-1 there, m-2 here"], -0.25), ("c", ["model: m-1 there, m-3 here"], 0.5),
    ]  # fmt: skip


def test_the_same_runs_give_the_same_bytes_that_read_back():
    def compared():
        return comparison_of([member("PFP PFF", "a", variants=2), member("PPP FFF", "b", variants=2)])

    raw = bytes_of_document(compared())

    assert raw == bytes_of_document(compared())
    assert read_document(raw, type(compared()), file="c.json") == compared()


@settings(max_examples=15)  # each draws 20,000 times
@given(st.lists(st.sampled_from(["PP", "PF", "FF"]), min_size=1, max_size=6), st.data())
def test_swapping_the_runs_mirrors_the_shift(first, data):
    second = data.draw(st.lists(st.sampled_from(["PP", "PF", "FF"]), min_size=len(first), max_size=len(first)))
    one, other = (scores_of(member(" ".join([*words, "S"]), "a").report.results) for words in (first, second))

    there, back = shift_between(one, other, seed=b"s"), shift_between(other, one, seed=b"s")

    assert (there.down, there.up, round(there.mean, 12)) == (back.up, back.down, round(-back.mean, 12))
    assert there.p == back.p
