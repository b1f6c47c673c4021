"""What each matcher lets through, and which forms of it are refused."""

import os
import subprocess
import sys
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.judge.matcher_forms import MatcherError, matcher_of, rule_of
from harness.judge.matching import mismatch_of
from harness.judge.values import MISSING

FITS, KIND, VALUE, FORMAT, LACKS, SURPLUS = None, "kind", "value", "format", "missing", "unexpected"
NOON = "2031-03-30T07:00:00Z"


@pytest.mark.parametrize(
    ("written", "actual", "why"),
    [
        pytest.param(4021, 4021.0, FITS, id="plain"),
        pytest.param(4021, "4021", KIND, id="plain-kind"),
        pytest.param(None, None, FITS, id="null"),
        pytest.param(None, MISSING, LACKS, id="null-is-not-missing"),
        pytest.param(["a", "b"], ["b", "a"], "order", id="lists-are-ordered"),
        pytest.param({"not": 4021}, 4022, FITS, id="not"),
        pytest.param({"not": 4021}, 4021.0, VALUE, id="not-by-value"),
        pytest.param({"not": 4021}, "4021", FITS, id="not-of-another-kind"),
        pytest.param({"not": 4021}, MISSING, LACKS, id="not-needs-a-value"),
        pytest.param({"not": {"any_of": [1, 2]}}, 2, VALUE, id="not-any-of"),
        pytest.param({"any_of": [1, "x"]}, "x", FITS, id="any-of"),
        pytest.param({"any_of": [1, 2]}, 3, VALUE, id="any-of-none"),
        pytest.param({"any_of": [1, 2]}, "1", KIND, id="any-of-no-kind"),
        pytest.param({"any_of": [{"gt": 5}, None]}, None, FITS, id="any-of-matchers"),
        pytest.param({"any_of": [None]}, MISSING, LACKS, id="any-of-needs-a-value"),
        pytest.param({"contains": "lamp"}, "a lamp!", FITS, id="contains"),
        pytest.param({"contains": "Lamp"}, "a lamp", VALUE, id="contains-by-case"),
        pytest.param({"contains": "5"}, 5, KIND, id="contains-in-a-string-only"),
        pytest.param({"contains": "a"}, ["a"], KIND, id="contains-is-no-membership"),
        pytest.param({"contains_number": 12}, "there are 12 boats", FITS, id="number"),
        pytest.param({"contains_number": 12}, "there are 120 boats", VALUE, id="number-in-a-number"),
        pytest.param({"contains_number": 12}, "12,5 m", VALUE, id="number-with-a-comma"),
        pytest.param({"contains_number": 12}, "12, 13 and 14", FITS, id="number-before-a-comma"),
        pytest.param({"contains_number": 12}, "pier 12.", FITS, id="number-at-the-end"),
        pytest.param({"contains_number": 12}, "x12", VALUE, id="number-in-a-word"),
        pytest.param({"contains_number": 12}, "12th", VALUE, id="number-with-a-suffix"),
        pytest.param({"contains_number": 12}, "共12个", FITS, id="number-in-chinese"),
        pytest.param({"contains_number": 12}, "12.0 m", FITS, id="number-by-value"),
        pytest.param({"contains_number": 12}, "-12 m", VALUE, id="number-of-another-sign"),
        pytest.param({"contains_number": -12}, "at \u221212 m", FITS, id="negative-number"),
        pytest.param({"contains_number": 12}, "10-12 m", FITS, id="number-in-a-range"),
        pytest.param({"contains_number": 12}, "version 1.12.3", VALUE, id="number-in-a-version"),
        pytest.param({"contains_number": 12}, "1,012", VALUE, id="number-among-thousands"),
        pytest.param({"regex": "^R-[0-9]+$"}, "R-17", FITS, id="regex"),
        pytest.param({"regex": "[0-9]"}, "a1b", FITS, id="regex-searches"),
        pytest.param({"regex": "^b"}, "ab", VALUE, id="regex-not-found"),
        pytest.param({"regex": "17"}, 17, KIND, id="regex-on-strings-only"),
        pytest.param({"gt": 5}, 5, VALUE, id="gt-border"),
        pytest.param({"ge": 5}, 5.0, FITS, id="ge-border"),
        pytest.param({"lt": 5}, 5, VALUE, id="lt-border"),
        pytest.param({"le": 5}, 5, FITS, id="le-border"),
        pytest.param({"gt": 5}, True, KIND, id="a-boolean-is-no-number"),
        pytest.param({"gt": 5}, "6", KIND, id="a-string-is-no-number"),
        pytest.param({"gt": 9007199254740992}, 9007199254740993, FITS, id="bounds-are-exact"),
        pytest.param({"ge": 1, "le": 3}, 2, FITS, id="both-bounds"),
        pytest.param({"ge": 1, "le": 3}, 4, VALUE, id="one-bound-broken"),
        pytest.param({"approx": {"value": 0.3, "abs": 0.1}}, 0.2, FITS, id="approx-border-is-inside"),
        pytest.param({"approx": {"value": 0.3, "abs": 0.1}}, 0.19999999999999998, VALUE, id="approx-without-rounding"),
        pytest.param({"approx": {"value": 200, "rel": 0.01}}, 202, FITS, id="approx-relative"),
        pytest.param({"approx": {"value": 200, "rel": 0.01}}, 202.001, VALUE, id="approx-relative-over"),
        pytest.param({"approx": {"value": -200, "rel": 0.01}}, -198, FITS, id="approx-relative-negative"),
        pytest.param({"approx": {"value": 100, "abs": 1, "rel": 0.5}}, 140, FITS, id="approx-the-wider-counts"),
        pytest.param({"approx": {"value": 1, "abs": 1}}, "1", KIND, id="approx-kind"),
        pytest.param({"approx": {"value": 1, "abs": 9}}, Decimal("1e999999"), VALUE, id="approx-far-away"),
        pytest.param({"approx": {"value": Decimal("1e999999"), "rel": 1}}, 1, FITS, id="approx-from-far-away"),
        pytest.param({"approx": {"value": 1, "abs": 9}}, float("nan"), VALUE, id="approx-nan"),
        pytest.param({"approx": {"value": 1, "abs": 9}}, float("inf"), VALUE, id="approx-infinity"),
        pytest.param({"normalized": " Big Oak "}, "big oak", FITS, id="normalized"),
        pytest.param({"normalized": "big oak"}, "big  oak", VALUE, id="normalized-inner-space"),
        pytest.param({"normalized": "q.e.d."}, "qed", VALUE, id="normalized-punctuation"),
        pytest.param({"normalized": "4"}, 4, KIND, id="normalized-kind"),
        pytest.param({"date": NOON}, "2031-03-30T09:00:00+02:00", FITS, id="date-in-another-zone"),
        pytest.param({"date": NOON}, "2031-03-30T07:00:00.000Z", FITS, id="date-with-a-fraction"),
        pytest.param({"date": NOON}, "20310330T070000+00:00", FITS, id="date-in-basic-form"),
        pytest.param({"date": NOON}, "2031-03-30T07:00Z", FITS, id="date-without-seconds"),
        pytest.param({"date": NOON}, "2031-03-30T07:00:00", FORMAT, id="date-without-a-zone"),
        pytest.param({"date": NOON}, "2031-03-30T07:00:00+02:00", VALUE, id="date-of-another-instant"),
        pytest.param({"date": NOON}, "2031-03-30T07:00:00.0000001Z", VALUE, id="date-a-fraction-later"),
        pytest.param({"date": NOON}, "2031-03-30", FORMAT, id="date-is-no-instant"),
        pytest.param({"date": "2031-03-30"}, "2031-03-30", FITS, id="date"),
        pytest.param({"date": "2031-03-30"}, "2031-03-31", VALUE, id="another-date"),
        pytest.param({"date": "2031-03-30"}, "30.03.2031", FORMAT, id="date-not-iso"),
        pytest.param({"date": "2031-03-30"}, "March 30, 2031", FORMAT, id="date-in-words"),
        pytest.param({"date": "2031-03-30"}, "2031-03-30T00:00:00Z", FORMAT, id="instant-is-no-date"),
        pytest.param({"date": "2031-03-30"}, "2031-02-30", FORMAT, id="date-that-does-not-exist"),
        pytest.param({"date": "2031-03-30T07:00:00"}, "2031-03-30T07:00:00", FITS, id="naive-with-naive"),
        pytest.param({"date": "0001-01-01T00:00:00+14:00"}, "0001-01-01T00:00:00+14:00", FITS, id="the-first-day"),
        pytest.param({"date": NOON}, 20310330, KIND, id="date-kind"),
        pytest.param({"present": True}, None, FITS, id="present-null"),
        pytest.param({"present": True}, MISSING, LACKS, id="present"),
        pytest.param({"absent": True}, MISSING, FITS, id="absent"),
        pytest.param({"absent": True}, None, SURPLUS, id="absent-null"),
        pytest.param({"set": ["a", "b"]}, ["b", "a", "a"], FITS, id="set"),
        pytest.param({"set": ["a", "b"]}, ["a"], VALUE, id="set-lacks"),
        pytest.param({"set": [[1, 2]]}, [[2, 1]], VALUE, id="set-of-ordered-lists"),
        pytest.param({"set": ["a"]}, "a", KIND, id="set-kind"),
        pytest.param({"multiset": ["a", "b", "a"]}, ["b", "a", "a"], FITS, id="multiset"),
        pytest.param({"multiset": ["a", "a", "b"]}, ["a", "b", "b"], "length", id="multiset-counts"),
        pytest.param({"multiset": [{"n": 3}, {"n": 1.0}]}, [{"n": 1}, {"n": 3}], FITS, id="multiset-of-objects"),
        pytest.param(
            {"city": {"contains": "Hang"}, "zip": "310051"}, {"zip": "310051", "city": "Hangzhou"}, FITS, id="fields"
        ),
        pytest.param({"city": {"contains": "Hang"}}, {"city": "Hangzhou", "zip": 1}, SURPLUS, id="fields-are-all"),
        pytest.param({"city": {"contains": "Hang"}}, {}, LACKS, id="fields-lack"),
        pytest.param([{"gt": 1}, 5], [2, 5], FITS, id="items"),
        pytest.param([{"gt": 1}, 5], [5, 2], VALUE, id="items-in-order"),
        pytest.param([{"gt": 1}], [2, 3], "length", id="items-are-all"),
    ],
)
def test_a_matcher_of_a_spec(written, actual, why):
    difference = mismatch_of(matcher_of(written), actual)

    assert (difference and difference.why) == why


@pytest.mark.parametrize(
    ("written", "path"),
    [
        pytest.param({"gt": "5"}, ("gt",), id="bound-of-a-string"),
        pytest.param({"gt": True}, ("gt",), id="bound-of-a-boolean"),
        pytest.param({"any_of": []}, ("any_of",), id="any-of-nothing"),
        pytest.param({"any_of": 5}, ("any_of",), id="any-of-no-list"),
        pytest.param({"any_of": [1, {"regex": "(?=a)"}]}, ("any_of", 1, "regex"), id="pattern-of-the-wrong-kind"),
        pytest.param({"date": "2031-02-30T07:00:00Z"}, ("date",), id="impossible-date"),
        pytest.param({"date": "tomorrow"}, ("date",), id="date-in-words"),
        pytest.param({"approx": 5}, ("approx",), id="approx-without-tolerance"),
        pytest.param({"approx": {"value": 5}}, ("approx",), id="approx-without-any"),
        pytest.param({"approx": {"value": 5, "abs": -1}}, ("approx",), id="approx-negative"),
        pytest.param({"approx": {"value": 5, "abs": 1, "tol": 2}}, ("approx", "tol"), id="approx-unknown"),
        pytest.param({"present": False}, ("present",), id="present-false"),
        pytest.param({"gt": 5, "les": 7}, ("les",), id="half-a-matcher"),
        pytest.param({"to": {"city": {"contains": 5}}}, ("to", "city", "contains"), id="deep"),
        pytest.param({"set": "ab"}, ("set",), id="set-of-a-string"),
    ],
)
def test_a_matcher_that_cannot_be_read_says_where(written, path):
    with pytest.raises(MatcherError) as caught:
        matcher_of(written)

    assert caught.value.path == path


@pytest.mark.parametrize(
    ("rule", "golden", "actual", "why"),
    [
        pytest.param("exact", 1, 1.0, FITS, id="exact-number"),
        pytest.param("exact", 1, True, KIND, id="exact-boolean"),
        pytest.param("exact", ["a", "b"], ["b", "a", "b"], FITS, id="exact-list-is-a-set"),
        pytest.param("exact", {"a": {"b": 1}}, {"a": {"b": 1.0}}, FITS, id="exact-recursive"),
        pytest.param("exact", "a", "A", VALUE, id="exact-case"),
        pytest.param("normalized_str", "  W441 ", "w441", FITS, id="normalized"),
        pytest.param("normalized_str", "西湖\u3000", "西湖", FITS, id="normalized-wide-space"),
        pytest.param("normalized_str", "a b", "a  b", VALUE, id="normalized-inner-space"),
        pytest.param("normalized_str", "a.", "a", VALUE, id="normalized-punctuation"),
        pytest.param("normalized_str", {"city": "Rome"}, {"city": " rome"}, FITS, id="normalized-inside"),
        pytest.param("normalized_str", ["A", "b"], ["B", "a"], FITS, id="normalized-list-is-a-set"),
        pytest.param("normalized_date", NOON, "2031-03-30T09:00:00+02:00", FITS, id="date-instant"),
        pytest.param("normalized_date", NOON, "2031-03-30T07:00:00", FORMAT, id="date-naive"),
        pytest.param("normalized_date", "2031-03-30", "2031-03-31", VALUE, id="date-other"),
        pytest.param("normalized_date", "2031-03-30", "next Sunday", FORMAT, id="date-in-words"),
        pytest.param("contains", "scratch", "a scratch on it", FITS, id="contains"),
        pytest.param("contains", "scratch", "damaged", VALUE, id="contains-not"),
        pytest.param("contains", "scratch", None, KIND, id="contains-null"),
        pytest.param("any", "x", "ACT-1", FITS, id="any"),
        pytest.param("any", "x", " ", FITS, id="any-space-has-length"),
        pytest.param("any", "x", 0, FITS, id="any-zero-is-a-value"),
        pytest.param("any", "x", False, FITS, id="any-false-is-a-value"),
        pytest.param("any", "x", "", VALUE, id="any-empty"),
        pytest.param("any", "x", None, VALUE, id="any-null"),
        pytest.param("any", "x", [], VALUE, id="any-empty-list"),
        pytest.param("any", "x", {}, VALUE, id="any-empty-object"),
        pytest.param("any", "x", MISSING, LACKS, id="any-missing"),
    ],
)
def test_a_golden_rule(rule, golden, actual, why):
    difference = mismatch_of(rule_of(rule, golden), actual)

    assert (difference and difference.why) == why


@pytest.mark.parametrize(
    ("rule", "golden"),
    [
        pytest.param("normalized_date", "2031-02-30", id="impossible-date"),
        pytest.param("normalized_date", 5, id="date-of-a-number"),
        pytest.param("contains", 5, id="contains-a-number"),
        pytest.param("fuzzy", "a", id="unknown-rule"),
    ],
)
def test_a_rule_that_does_not_suit_its_value_is_refused(rule, golden):
    with pytest.raises(MatcherError):
        rule_of(rule, golden)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/Los_Angeles"])
def test_dates_do_not_depend_on_the_zone_of_the_machine(zone):
    code = (
        "from harness.judge.moments import moment_of\n"
        "print([moment_of(t) for t in ('2031-03-30T07:00:00Z', '2031-03-30T07:00:00', '2031-03-30')])"
    )
    command = [sys.executable, "-c", code]

    outputs = {
        subprocess.run(command, env=os.environ | {"TZ": tz}, capture_output=True, check=True).stdout
        for tz in ("UTC", zone)
    }

    assert len(outputs) == 1


WRITTEN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3) | st.just(NOON),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["not", "any_of", "contains", "regex", "gt", "le", "date", "set", "absent", "a"]),
            inner,
            max_size=2,
        )
    ),
    max_leaves=5,
)


@given(WRITTEN, WRITTEN)
def test_no_value_makes_a_matcher_raise(written, actual):
    try:
        matcher = matcher_of(written)
    except MatcherError:
        return

    mismatch_of(matcher, actual)
    mismatch_of(matcher, MISSING)
