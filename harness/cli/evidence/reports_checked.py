"""Committed runs against their recordings, and reports against their runs, which are judged again."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from harness import errors, files
from harness.cli.evidence.evidence_files import HISTORY, REPORT, opening_of
from harness.cli.evidence.evidence_found import Shelf
from harness.cli.evidence.page import Page
from harness.cli.suites.run_files import is_run, run_problems
from harness.directories import files_below
from harness.evidence.basis import evidence_of
from harness.excerpt import counted
from harness.raw_run import FILE as RUN
from harness.report.reading import read_report
from harness.report.report import Report
from harness.report.writing import bytes_of

_OPENS = re.compile(rb'\s*\{\s*"formatVersion"\s*:\s*[0-9]+\s*,\s*"semanticsVersion"')


def check_runs(recordings: Path, page: Page) -> None:
    """Hold every run below the recordings against its files, whether or not a report or a baseline names it."""
    manifests = files_below([recordings], RUN) if recordings.is_dir() else []
    runs = [path.parent for path in manifests if path.name == RUN]
    for directory in runs:
        page.problems.extend(run_problems(directory))
    if runs:
        page.notes.append(f"{counted(len(runs), 'run')} held against their recordings")


def check_reports(shelf: Shelf, page: Page) -> None:
    """Judge the run of every report below the recordings again; what it does not give, and what is to be said."""
    proven = 0
    for path in _reports_below(shelf.places.recordings):
        try:
            report = read_report(files.read_bytes(path), file=str(path))
            if _is_proven(report, path, shelf):
                proven += 1
            else:
                page.lack(f"{path}: its run is not here, so it was not judged again")
        except errors.HarnessError as error:
            page.problems.append(error)
    if proven:
        page.notes.append(f"{counted(proven, 'report')} judged again from the recordings, with the same result")


def _reports_below(recordings: Path) -> Iterator[Path]:
    """Reports by their name, and others by how reports begin."""
    for path in files_below([recordings], ".json") if recordings.is_dir() else []:
        if HISTORY not in path.parts and (_is_named(path) or _OPENS.match(opening_of(path))):
            yield path


def _is_named(path: Path) -> bool:
    return path.name == REPORT or path.name.endswith(f".{REPORT}")


def _is_of_run(path: Path) -> bool:
    return path.name == REPORT and is_run(path.parent)


def _is_proven(report: Report, path: Path, shelf: Shelf) -> bool:
    """Whether the report's run is there; raises where it does not give the report."""
    directory = path.parent if _is_of_run(path) else shelf.by_evidence.get(evidence_of(report))
    if directory is None:
        return False
    right = shelf.judged(directory).report
    if bytes_of(report) != bytes_of(right):
        sentence = f"the run, judged again, does not give this report: {_difference(report, right)}"
        refusal = errors.OtherEvidence(sentence, file=str(path))
        refusal.mend = f"restore it from git; or write it anew (fc-judge {directory} --report {path}) and lock anew"
        raise refusal
    return True


def _difference(report: Report, right: Report) -> str:
    """What differs first: in the verdicts, else in all that stands beside them."""
    there, here = ({(one.case, one.trial): one for one in each.results} for each in (report, right))
    for case, trial in sorted(there.keys() ^ here.keys()):
        return f"{case}, trial {trial}, stands only in {'it' if (case, trial) in there else 'the run'}"
    for (case, trial), one in there.items():
        if one.verdict is not here[case, trial].verdict:
            return f"{case}, trial {trial}, is {one.verdict} there and {here[case, trial].verdict} here"
    for (case, trial), one in there.items():
        if one != here[case, trial]:
            return f"{_fields(one, here[case, trial])} of {case}, trial {trial}"
    return _fields(report, right)


def _fields(one: msgspec.Struct, other: msgspec.Struct) -> str:
    return ", ".join(name for name in one.__struct_fields__ if getattr(one, name) != getattr(other, name))
