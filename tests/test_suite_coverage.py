"""The coverage page of a suite: counted from the suite, and the committed pages are what the suites give."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from suite_project import SuiteProject, case

from harness.cli.judge import main
from harness.files import load_suite
from harness.suite_coverage import coverage_of

SUITES = [Path(__file__).parent.parent / "scenarios" / name for name in ("retail", "library-desk")]


@pytest.mark.parametrize("directory", SUITES, ids=lambda path: path.name)
def test_the_committed_page_is_what_the_suite_gives(directory):
    page = coverage_of(load_suite(directory))

    assert (directory / "COVERAGE.md").read_text() == page, f"fc-judge lint {directory} --coverage"


def test_everything_is_counted_from_the_cases(tmp_path):
    call = {"tool": "find_parcel", "params": {"code": "K7-11"}, "param_rules": {"code": "contains"}}
    project = SuiteProject(
        tmp_path,
        case(1),
        case(2, golden={"calls": [call, call], "order_sensitive": True, "allowed_extra": []}),
        case(3, category="talk", golden={"calls": [], "order_sensitive": False, "allowed_extra": []}, negative=True),
        case(4, category="open", golden=None, skip=True, skip_reason="later"),
    )

    page = coverage_of(load_suite(project.suite))

    lines = page.splitlines()
    assert "| D1 | 4 | 3 | 1 | 3 | 1 | 1 | 1 |" in lines
    assert "| D1 | where | fc-d1-001 … fc-d1-002 | `find_parcel` | - | - | the suite's default |" in lines
    assert "| D1 | talk | fc-d1-003 | none | - | yes | nothing |" in lines
    assert "| D1 | open | fc-d1-004 | not judged | - | - | - |" in lines
    assert "| `find_parcel` | read | 2 | 2 | 0 |" in lines
    assert ("| `exact` | 1 | 1 |" in lines, "| `contains` | 2 | 2 |" in lines) == (True, True)
    assert "| `parcels` | 1 | 1 | - |" in lines
    assert "Enum values" not in page


def test_the_command_prints_the_page(tmp_path):
    project = SuiteProject(tmp_path)

    ran = CliRunner().invoke(main, ["lint", str(project.suite), "--coverage"])

    assert (ran.exit_code, ran.output) == (0, coverage_of(load_suite(project.suite)))
