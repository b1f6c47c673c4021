"""All committed evidence checked again: cases, domains, fixtures, reviews, consistency, decisions, baselines."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from harness import errors, files
from harness.cli.evidence.archive import check_archived
from harness.cli.evidence.domain_checked import domain_problems
from harness.cli.evidence.evidence_files import HISTORY, digest_of_document, held_in
from harness.cli.evidence.evidence_found import Shelf, evidence_for
from harness.cli.evidence.page import Page
from harness.cli.evidence.reports_checked import check_reports, check_runs
from harness.directories import files_below
from harness.evidence.adjudication import Adjudication, check_adjudication
from harness.evidence.baseline import Baseline
from harness.evidence.consistency import Consistency, consistency_of
from harness.evidence.proof import Found, flaws_of
from harness.evidence.review import Review, Sheet, check_review
from harness.excerpt import counted
from harness.judge.lint_golden import lint_suite

_UNDATED = "no digest binds the date, which nothing else proves: fc-judge lock writes one"
_UNBOUND = "no digest binds the manifests, of which recordings do not prove all: fc-judge lock writes them"

State: TypeAlias = Literal["passed", "failed", "absent"]


class Checked(NamedTuple):
    """One kind of evidence: how much of it there is, everything wrong with it, and what else is to be said."""

    name: str
    number: int
    problems: list[errors.HarnessError]
    notes: list[str]
    lacking: bool = False

    @property
    def state(self) -> State:
        """`absent` where there is nothing to check, or a run is not there that something is about: that is no pass."""
        return "failed" if self.problems else "passed" if self.number and not self.lacking else "absent"


def checked_evidence(shelf: Shelf, fixtures: Path) -> Iterator[Checked]:
    """Every kind of evidence, one after the other."""
    checks: list[tuple[str, Callable[[Page], int]]] = [
        ("case", lambda page: _cases(shelf.places.scenarios, page)),
        ("domain", lambda page: _domains(shelf.places.scenarios, page)),
        ("fixture", lambda page: _fixtures(fixtures, shelf, page)),
        ("review", lambda page: _reviews(shelf, page)),
        ("consistency", lambda page: _consistency(shelf, page)),
        ("adjudication", lambda page: _adjudications(shelf, page)),
        ("baseline", lambda page: _baselines(shelf, page)),
    ]
    for name, check in checks:
        page = Page()
        try:
            count = check(page)
        except errors.HarnessError as error:
            page.problems.append(error)
            count = 0
        problems = {str(one): one for one in page.problems}  # several may stand on one broken file
        yield Checked(name, count, [*problems.values()], page.notes, page.lacking)


def _cases(scenarios: Path, page: Page) -> int:
    from harness.suite_problems import problems_of

    suites = sorted(path.parent for path in scenarios.glob("*/cases.jsonl"))
    for path in suites:
        try:
            suite = files.load_suite(path)
            page.problems.extend(problems_of(suite))
            flawed = [one for one in lint_suite(suite) if one.level == "error"]
            page.problems += [errors.BadCase(f"{one.where}: {one.message}", file=suite.cases_file) for one in flawed]
            page.notes.append(f"{path}: {counted(len(suite.cases), 'case')}")
        except errors.HarnessError as error:
            page.problems.append(error)
    return len(suites)


def _domains(scenarios: Path, page: Page) -> int:
    count, problems = domain_problems(scenarios)
    page.problems.extend(problems)
    page.notes.append(f"{scenarios}: {counted(count, 'domain')}")
    return count


def _fixtures(fixtures: Path, shelf: Shelf, page: Page) -> int:
    """As `fc-replay check`: form, hashes, schemas, secrets, orphans, derivation."""
    from harness.cli.replaying.checked import Plan, checked_paths
    from harness.cli.replaying.neighbours import Places

    if not fixtures.is_dir() or not any(files_below([fixtures], ".jsonl")):
        return 0
    places = Places(shelf.places.scenarios, shelf.places.recordings)
    outcomes = list(checked_paths([fixtures], Plan(places, files.installed_version(), (), derive=True)))
    for one in outcomes:
        page.problems.extend(one.errors)
        page.notes.extend(f"{one.file}: {warning}" for warning in one.warnings)
    return len(outcomes)


def _reviews(shelf: Shelf, page: Page) -> int:
    """Runs are what they recorded, reports what their runs give when judged again, and reviews fit their runs."""
    check_runs(shelf.places.recordings, page)
    check_reports(shelf, page)
    count = 0
    for count, (path, review) in enumerate(held_in(shelf.places.recordings, Review), 1):  # noqa: B007  it is returned
        try:
            check_review(review, file=str(path))
            member = shelf.member(review.basis)
            if member is None:
                page.lack(f"{path}: its run is not here, so it was not counted again")
                continue
            counted_again = Sheet(member.report, member.run, passes=review.passes_wanted)
            if counted_again.resumed(review, file=str(path)) != review:
                sentence = "the run gives other results than were reviewed"
                page.problems.append(errors.OtherEvidence(sentence, file=str(path)))
            elif counted_again.open_places(review):
                page.notes.append(f"{path}: not finished")
        except errors.HarnessError as error:
            page.problems.append(error)
    return count


def _consistency(shelf: Shelf, page: Page) -> int:
    count = 0
    for count, (path, check) in enumerate(held_in(shelf.places.recordings, Consistency), 1):  # noqa: B007  as above
        members = [one for one in map(shelf.member, check.runs) if one is not None]
        if len(members) < len(check.runs):
            told = f"{len(members)} of {counted(len(check.runs), 'run')} are here, so it was not made again"
            page.lack(f"{path}: {told}")
        elif consistency_of(members) != check:
            sentence = "the runs agree otherwise than is written there"
            page.problems.append(errors.OtherEvidence(sentence, file=str(path)))
    return count


def _adjudications(shelf: Shelf, page: Page) -> int:
    """Every decision is about a check that is there, and every check that fails the standard has one."""
    recordings = shelf.places.recordings
    checks = {digest_of_document(one): (path, one) for path, one in held_in(recordings, Consistency)}
    decided = set()
    decisions = list(held_in(recordings, Adjudication))
    for path, one in decisions:
        if one.consistency in checks:
            check_adjudication(one, checks[one.consistency][1], file=str(path))
            decided.add(one.consistency)
        else:
            sentence = "the consistency check that the decision is about is not there"
            page.problems.append(errors.OtherEvidence(sentence, file=str(path), expected=one.consistency))
    page.problems.extend(_contrary(decisions))
    for digest, (path, check) in checks.items():
        if check.holds:
            page.notes.append(f"{path}: the standard holds, so no decision is needed")
        elif digest not in decided:
            told = "; ".join(f"{one.needed}: {one.found}" for one in check.failed)
            page.problems.append(errors.RunsInconsistent(told, file=str(path)))
    return len(decisions) + sum(check.holds for _, check in checks.values())


def _contrary(decisions: list[tuple[Path, Adjudication]]) -> Iterator[errors.OtherEvidence]:
    """Decisions on one check that say the contrary of one another."""
    first: dict[str, tuple[Path, Adjudication]] = {}
    for path, one in decisions:
        other_path, other = first.setdefault(one.consistency, (path, one))
        if one.decision != other.decision:
            sentence = f"another decision on the same runs says {other.decision}: {other_path}"
            yield errors.OtherEvidence(sentence, file=str(path), expected=other.decision, found=one.decision)


def _baselines(shelf: Shelf, page: Page) -> int:
    count = 0
    for count, (path, baseline) in enumerate(held_in(shelf.places.recordings, Baseline), 1):  # noqa: B007  as above
        found, problems = proven(path, baseline, shelf)
        page.problems.extend(problems)
        page.notes.append(f"{path}: {extent_of(found)}")
        page.lacking = page.lacking or not found.complete
    page.problems.extend(_history_problems(shelf.places.recordings))
    return count


def proven(path: Path, baseline: Baseline, shelf: Shelf) -> tuple[Found, list[errors.EvidenceError]]:
    """A baseline with all its evidence, and everything in which it is not what that gives."""
    found = evidence_for(path, baseline, shelf)
    return found, flaws_of(found)


def extent_of(found: Found) -> str:
    """How far the proof went."""
    there = sum(one is not None for one in found.members)
    told = "derived again from them" if found.complete else "the rest checked by hash"
    assisted = "; assisted: not every answer or decision was a person's" if found.baseline.assisted else ""
    undated = "" if found.baseline.digest else f"; {_UNDATED}"
    unbound = f"; {_UNBOUND}" if found.baseline.manifests is msgspec.UNSET else ""
    return f"{there} of {counted(len(found.members), 'run')} are here, {told}{assisted}{undated}{unbound}"


def _history_problems(recordings: Path) -> Iterator[errors.EvidenceError]:
    """Archived baselines whose names are not those of their bytes."""
    for path in sorted(recordings.rglob(f"{HISTORY}/*.json")):
        try:
            check_archived(path)
        except errors.EvidenceError as error:
            yield error
