"""A report's summary is what its results give: a report in which either was edited is not read."""

import json

import pytest
from report_samples import a_run

from harness import errors
from harness.report.reading import read_report
from harness.report.writing import bytes_of, report_of

RAW = bytes_of(report_of(a_run()))


def edited(change):
    """The report as a program would write it again, after a change to its values."""
    report = json.loads(RAW)
    change(report)
    return json.dumps(report, indent=1).encode()


def fail_to_pass(report):
    report["results"][2]["verdict"] = "PASS"


def accuracy(report):
    report["summary"]["accuracy"] = 1.0


def two_verdicts_changed_for_each_other(report):
    passed, failed = report["results"][0], report["results"][2]
    passed["verdict"], failed["verdict"] = failed["verdict"], passed["verdict"]


def a_case_of_the_worst_tool(report):
    report["summary"]["worst_tools"][0]["cases"][0] = "fc-d9-001"


def a_result_taken_out(report):
    del report["results"][0]


def a_rung_left_out(report):
    report["summary"]["rungs"].pop("none")


def the_tokens(report):
    report["summary"]["usage"]["tokens"] = None


EDITS = {
    fail_to_pass: ("summary.verdict_counts.PASS", "3", "2"),
    accuracy: ("summary.accuracy", "0.4", "1.0"),
    two_verdicts_changed_for_each_other: ("summary.variants.1.verdict_counts.PASS", "0", "1"),
    a_case_of_the_worst_tool: ("summary.worst_tools[0].cases[0]", '"fc-d1-002"', '"fc-d9-001"'),
    a_result_taken_out: ("summary.result_count", "7", "8"),
    a_rung_left_out: ("summary.rungs.none", "3", "nothing"),
    the_tokens: (
        "summary.usage.tokens",
        '{"input":190,"cache_read":70,"cache_creation":null,"output":74} (object)',
        "null",
    ),
}


@pytest.mark.parametrize(("change", "told"), EDITS.items(), ids=[one.__name__ for one in EDITS])
def test_a_report_that_does_not_add_up_is_refused_by_the_first_place_that_differs(change, told):
    with pytest.raises(errors.BadReport) as caught:
        read_report(edited(change), file="r.json")

    field, expected, found = told
    error = caught.value
    assert (error.subject, error.file) == (f"{field} is not what the results give", "r.json")
    assert (error.expected, error.found, error.exit_code) == (expected, found, 4)


def test_a_verdict_edited_in_its_line_is_refused_as_well():
    raw = RAW.replace(b'"verdict":"FAIL"', b'"verdict":"PASS"', 1)

    with pytest.raises(errors.BadReport) as caught:
        read_report(raw, file="r.json")

    assert caught.value.subject == "summary.verdict_counts.PASS is not what the results give"
