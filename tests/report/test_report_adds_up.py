"""A report is what its findings give, result by result and summed up: one that was edited is not read."""

import json

import msgspec
import pytest
from report_samples import a_run, broken

from harness import errors
from harness.judge.finding import Finding, Ruling, Status
from harness.report.reading import read_report
from harness.report.report import Result
from harness.report.writing import bytes_of, report_of

RAW = bytes_of(report_of(a_run()))


def edited(change):
    """The report as a program would write it again, after a change to its values."""
    report = json.loads(RAW)
    change(report)
    return json.dumps(report, indent=1).encode()


def accuracy(report):
    report["summary"]["accuracy"] = 1.0


def a_case_of_the_worst_tool(report):
    report["summary"]["worst_tools"][0]["cases"][0] = "fc-d9-001"


def a_result_taken_out(report):
    del report["results"][0]


def a_rung_left_out(report):
    report["summary"]["rungs"].pop("none")


def the_tokens(report):
    report["summary"]["usage"]["tokens"] = None


EDITS = {
    accuracy: ("summary.accuracy", "0.4", "1.0"),
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


def consistently(change):
    """A report in which a result was changed and every sum made again by its writer."""
    results = json.loads(RAW)["results"]
    for one in results:
        change(one)
    return bytes_of(report_of(msgspec.convert(results, list[Result])))


def fail_to(verdict):
    def change(one):
        if one["verdict"] == "FAIL":
            one.update(verdict=verdict, taxonomy=[])

    return change


def to_an_error_of_the_agent(one):
    if one["case"] == "fc-d1-001":
        one["verdict"] = "AGENT_ERROR"


def an_error_of_the_agent_to_a_pass(one):
    if one["verdict"] == "AGENT_ERROR":
        one.update(verdict="PASS", findings=json.loads(RAW)["results"][0]["findings"], rung="arguments")


def another_code(one):
    if one["verdict"] == "FAIL":
        one["taxonomy"] = ["CALL_EXTRA"]


def a_higher_rung(one):
    if one["verdict"] == "FAIL":
        one["rung"] = "effects"


CODES = "CALL_MISSING, PARAM_WRONG_FORMAT, STATE_COLLATERAL"
CONTRADICTIONS = {
    "fail to pass": (fail_to("PASS"), "verdict", "FAIL", "PASS"),
    "fail to skip": (fail_to("SKIP"), "verdict", "FAIL", "SKIP"),
    "fail to not judged": (fail_to("NOT_JUDGED"), "verdict", "FAIL", "NOT_JUDGED"),
    "pass to agent error": (to_an_error_of_the_agent, "verdict", "PASS", "AGENT_ERROR"),
    "agent error to pass": (an_error_of_the_agent_to_a_pass, "verdict", "PASS", "PASS"),
    "codes": (another_code, "taxonomy", CODES, "CALL_EXTRA"),
    "rung": (a_higher_rung, "rung", "None", "effects"),
}


@pytest.mark.parametrize(("change", "name", "given", "told"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_result_that_its_findings_do_not_give_is_refused_also_where_all_adds_up(change, name, given, told):
    with pytest.raises(errors.BadReport) as caught:
        read_report(consistently(change), file="r.json")

    assert caught.value.subject.startswith(f"the {name} of fc-d")
    assert caught.value.subject.endswith("is not what its findings give")
    assert (caught.value.expected, caught.value.found) == (given, told)


def test_an_ending_that_an_assertion_declares_is_judged_as_its_findings_say():
    declared = msgspec.structs.replace(
        broken(),
        verdict=Ruling.PASS,
        golden={"assertions": [{"type": "outcome", "is": "error"}]},
        findings=[Finding("assertions[0] outcome", None, Status.PASS)],
    )
    report = report_of([declared])

    assert read_report(bytes_of(report), file="r.json") == report


def test_a_trial_that_stands_twice_is_refused():
    line = RAW.splitlines(keepends=True)[1]

    with pytest.raises(errors.BadReport) as caught:
        read_report(RAW.replace(line, line + line), file="r.json")

    assert caught.value.subject == "fc-d1-001, trial 1, stands twice"


LEFT_ASIDE = {
    "a key that stands twice": (b'"case":"fc-d1-001",', b'"case":"fc-d1-009","case":"fc-d1-001",'),
    "an unknown key of a finding": (b'{"check":', b'{"note":1,"check":'),
    "an unknown key of a diff": (b'{"path":', b'{"note":1,"path":'),
}


@pytest.mark.parametrize(("old", "new"), LEFT_ASIDE.values(), ids=LEFT_ASIDE)
@pytest.mark.parametrize("spaced", [False, True])
def test_what_a_reader_would_leave_aside_is_refused(old, new, spaced):
    raw = RAW.replace(old, new, 1)

    with pytest.raises(errors.BadReport):
        read_report(raw.replace(b"{", b"{\n", 1) if spaced else raw, file="r.json")
