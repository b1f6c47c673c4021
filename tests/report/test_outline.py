"""The summary for people: what it tells, that it stays short, and that no text in it can act."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from report_samples import HOSTILE, a_run, broken, failing, passing, unjudged

from harness.excerpt import visible_of
from harness.judge.finding import Code, Finding, Ruling, Rung, Status, Verdict
from harness.report.plain import width_of
from harness.report.report import UNFINISHED
from harness.report.result import Subject, result_of
from harness.report.terminal import terminal_of
from harness.report.writing import About, report_of

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def plain(*results, **about):
    return terminal_of(report_of(results, About(**about)), colour=False)


def test_a_run_is_told_in_totals_tables_and_failures():
    told = plain(passing("a", dimension="D1"), failing("b", dimension="D2"), broken("c", dimension="D2"))

    assert told == TOLD


TOLD = """\
3 results, 1 PASS, 1 FAIL, 1 AGENT_ERROR
accuracy 50.0 % = 1 of 2 scored; 95 % interval 9.5 to 90.5 %

Dimensions
      accuracy    95 % interval  PASS  FAIL  AGENT_ERROR
  D1   100.0 %  20.7 to 100.0 %     1     0            0
  D2     0.0 %    0.0 to 79.3 %     0     1            1

Highest rung held, of the scored results
  rung       results
  none             1
  selection        0
  arguments        1
  order            0
  effects          0

What fails
  code                results  cases
  CALL_MISSING              1  b
  PARAM_WRONG_FORMAT        1  b
  STATE_COLLATERAL          1  b

Worst tools
  tool            results  cases
  get_order             1  b
  request_refund        1  b

Failures
FAIL b: 3 of 4 checks failed
  CALL_MISSING get_order was not called
    expected  get_order(order_id="W443")
    actual    nothing
  PARAM_WRONG_FORMAT amount of request_refund: expected 5, got '5'
    at amount
    expected  5 (number)
    actual    "5" (string)
  STATE_COLLATERAL call 0 changed orders W1, which nothing asked for
    at orders
    expected  null
    actual    {"id":"W1"} (object)
  note: amount was read as a number

Broken runs
AGENT_ERROR c: the run ended as error: connection reset
"""


def test_nothing_scored_is_said_and_no_number_is_made_up():
    told = plain(unjudged("a"))

    assert told.splitlines()[:2] == ["1 result, 1 NOT_JUDGED", "accuracy none: nothing was scored"]


def test_a_stopped_run_says_so_first():
    assert plain(passing(), complete=False).splitlines()[0] == f"INCOMPLETE: {UNFINISHED}"


def test_repeated_trials_are_told():
    told = plain(passing("a", 1), passing("a", 2), passing("b", 1), failing("b", 2))

    assert "2 scored trials of 2 cases: pass@1 75.0 %, pass^2 50.0 %" in told
    assert "FAIL b, trial 2: " in told


def test_many_failures_are_cut_and_counted():
    told = plain(*(failing(f"c{number:03}") for number in range(100)), *(broken(f"d{number}") for number in range(12)))

    assert told.count("\nFAIL ") == 20
    assert "… 80 more failures; the report file holds all" in told
    assert "… 2 more broken runs; the report file holds all" in told


def test_long_tables_are_cut_and_counted():
    told = plain(*(passing(f"c{number}", dimension=f"D{number:02}") for number in range(30)))

    assert "… 10 more rows" in told


@pytest.mark.parametrize("colour", [False, True], ids=["plain", "coloured"])
def test_what_a_model_said_moves_no_cursor(colour):
    told = terminal_of(report_of(a_run()), colour=colour)

    assert visible_of(ESCAPES.sub("", told), keep="\n") == ESCAPES.sub("", told)
    assert "\\x1b[31mred" in "".join(ESCAPES.sub("", told).split("\n      "))


def test_colour_changes_no_word():
    report = report_of([passing("a"), failing("b"), broken("c")])

    coloured = terminal_of(report, colour=True, width=200)

    words = [ESCAPES.sub("", coloured).split(), terminal_of(report, colour=False).split()]
    assert words[0] == words[1]
    assert "\x1b[1;31mFAIL\x1b[0m" in coloured


def test_colour_does_not_depend_on_the_environment(monkeypatch):
    report = report_of(a_run())
    before = terminal_of(report, colour=True)

    for name, value in {"NO_COLOR": "1", "COLUMNS": "20", "TERM": "dumb", "FORCE_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)

    assert terminal_of(report, colour=True) == before


def test_a_terminal_gets_no_line_wider_than_itself():
    told = terminal_of(report_of([failing(text=HOSTILE, actual="箱" * 500)]), colour=True, width=60)

    assert max(width_of(line) for line in ESCAPES.sub("", told).splitlines()) <= 60


def test_columns_stand_in_line_in_any_script():
    told = plain(passing("a", dimension="点单"), passing("b", dimension="D1"), passing("c", dimension="e\u0301t"))
    rows = told.splitlines()[5:8]

    assert len({width_of(row[: row.index("100.0")]) for row in rows}) == 1


@given(st.text())
def test_any_text_stays_on_its_line(text):
    told = plain(failing(text=text, actual=text))

    assert visible_of(told, keep="\n") == told
    assert len(told.splitlines()) == len(plain(failing()).splitlines())


def test_every_code_names_its_first_cases():
    finding = failing().findings[0]
    codes = [one for one in Code if one is not Code.CALL_MISSING][:7]
    results = [
        result_of(Subject(f"case-{number}", 1), Verdict(Ruling.FAIL, "it failed", [replace(finding, code=code)]), trace=None)
        for number, code in enumerate(codes)
    ]  # fmt: skip

    told = plain(*results)

    table = told[told.index("What fails") :].split("\n\n")[0].splitlines()[2:]
    assert [row.split() for row in table] == [[code, "1", f"case-{number}"] for number, code in enumerate(codes)]


def test_many_broken_promises_of_one_code_hide_no_other():
    extra = [
        Finding("extra calls", Rung.SELECTION, Status.FAIL, Code.CALL_EXTRA, message=f"called f (call_{number})")
        for number in range(14)
    ]
    last = Finding("chain", Rung.ORDER, Status.FAIL, Code.CHAIN_UNLINKED, message="nothing issued it")
    verdict = Verdict(Ruling.FAIL, "15 of 15 checks failed", [*extra, last])

    told = plain(result_of(Subject("a", 1), verdict, trace=None))

    assert told[told.index("FAIL a") :].splitlines()[1:] == [
        "  CALL_EXTRA called f (call_0)",
        "  CALL_EXTRA called f (call_1)",
        "  CALL_EXTRA called f (call_2)",
        "  CHAIN_UNLINKED nothing issued it",
        "  … 11 more CALL_EXTRA",
    ]
