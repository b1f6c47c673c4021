"""JUnit XML: counts and kinds as CI systems read them, and a valid file whatever the text."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import HOSTILE, a_run, broken, failing, passing, skipped, unjudged

from harness.judge.finding import Ruling, Verdict
from harness.report.junit import junit_of, xml_text
from harness.report.report import UNFINISHED
from harness.report.result import Subject, result_of
from harness.report.writing import About, report_of


def root_of(*results):
    return ET.fromstring(junit_of(report_of(results)))  # noqa: S314  our own


def cases_of(*results):
    return root_of(*results).findall("testsuite/testcase")


def test_a_run_is_written_as_test_cases():
    written = junit_of(report_of([passing("a", dimension="D1", group="status"), failing("b"), skipped("c")]))

    assert written.decode() == WRITTEN


WRITTEN = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="fc-judge" tests="3" failures="1" errors="0" skipped="1">
<testsuite name="fc-judge" tests="3" failures="1" errors="0" skipped="1">
<testcase classname="fc-judge.D1.status" name="a" />
<testcase classname="fc-judge" name="b"><failure message="get_order was not called (and 2 more)" type="CALL_MISSING">3 of 4 checks failed
CALL_MISSING golden[0]: get_order was not called
    expected  get_order(order_id="W443")
    actual    nothing
PARAM_WRONG_FORMAT golden[1].amount: amount of request_refund: expected 5, got '5'
    at amount
    expected  5 (number)
    actual    "5" (string)
STATE_COLLATERAL others: call 0 changed orders W1, which nothing asked for
    at orders
    expected  null
    actual    {"id":"W1"} (object)
note: amount was read as a number</failure></testcase>
<testcase classname="fc-judge" name="c"><skipped message="the shop is closed">the shop is closed</skipped></testcase>
</testsuite>
</testsuites>
"""

KINDS = {
    "a failure": (failing(), "failure", "CALL_MISSING"),
    "a broken run": (broken(), "error", "AGENT_ERROR"),
    "a skipped case": (skipped(), "skipped", None),
    "an unjudged case": (unjudged(), "skipped", None),
}


@pytest.mark.parametrize(("result", "kind", "type_"), KINDS.values(), ids=KINDS)
def test_each_verdict_has_its_kind(result, kind, type_):
    (case,) = cases_of(result)

    assert [(child.tag, child.get("type")) for child in case] == [(kind, type_)]
    assert case[0].get("message")


def test_an_unjudged_case_does_not_look_chosen():
    (case,) = cases_of(unjudged())

    assert case[0].get("message") == "not judged: nothing is expected"


def test_counts_are_those_of_the_cases():
    root = root_of(*a_run())

    counts = {"tests": "8", "failures": "3", "errors": "1", "skipped": "2"}
    assert root.attrib == root[0].attrib == {"name": "fc-judge", **counts}
    assert len(root.findall("testsuite/testcase")) == 8


def test_a_report_that_lacks_cases_is_no_green_one():
    root = ET.fromstring(junit_of(report_of([passing()], About(complete=False))))  # noqa: S314  our own

    first, _ = root.findall("testsuite/testcase")
    assert (root.get("tests"), root.get("errors")) == ("2", "1")
    assert (first.get("name"), first[0].tag, first[0].get("message")) == ("complete", "error", UNFINISHED)


def test_trials_are_told_apart_by_name():
    names = [case.get("name") for case in cases_of(passing("a", 1), passing("a", 2))]

    assert names == ["a [trial 1]", "a [trial 2]"]


@pytest.mark.parametrize(
    ("text", "written"),
    [("\x00\x1b", "\\x00\\x1b"), ("\ud800", "\\ud800"), ("\ufffe\uffff", "\\ufffe\\uffff"), ("a\n\tb", "a\n\tb"), ("箱🧰", "箱🧰")],
    ids=["controls", "a lone surrogate", "no characters", "lines", "any script"],
)  # fmt: skip
def test_what_xml_forbids_is_written_out(text, written):
    assert xml_text(text) == written


def test_hostile_text_is_text():
    (case,) = cases_of(failing(text=HOSTILE, actual=HOSTILE))

    assert [element.tag for element in case.iter()] == ["testcase", "failure"]
    assert "</script><script>alert(1)</script>" in case[0].text


@given(st.text(st.characters()))
def test_any_text_gives_valid_xml(text):
    verdict = Verdict(Ruling.FAIL, text, [], None, [text])
    results = [result_of(Subject(text, 1, text, text), verdict, trace=None), failing("z", 2, actual=text)]

    root = root_of(*results)

    assert len(root.findall("testsuite/testcase/failure")) == 2
