"""A baseline's evidence found again: reviews, checks and decisions by their hashes, runs by their ids."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from harness import errors
from harness.cli.evidence_files import digest_of_document, held_in, refuse_changed
from harness.cli.run_files import is_run
from harness.cli.run_report import load_report
from harness.evidence.adjudication import Adjudication
from harness.evidence.baseline import Baseline, Named
from harness.evidence.basis import basis_of
from harness.evidence.consistency import Consistency, Member, RunScore
from harness.evidence.proof import Found
from harness.evidence.review import Review


class Places(NamedTuple):
    """Where runs and other evidence are, and the suites."""

    recordings: Path = Path("recordings")
    scenarios: Path = Path("scenarios")


def members_for(runs: Sequence[RunScore], places: Places, reports: Sequence[Path] = ()) -> list[Member | None]:
    """The runs of a consistency check, each judged anew, in its order; None for one that is not there.

    A run without an id is one of the `reports`; a run whose inputs have changed raises `OtherEvidence`.
    """
    loaded = [refuse_changed(load_report(path, scenarios=places.scenarios)) for path in reports]
    given = [Member(one.name, one.report, one.run) for one in loaded]
    return [_member_for(run, places, given) for run in runs]


def _member_for(run: RunScore, places: Places, given: Sequence[Member]) -> Member | None:
    for member in given:
        if (run.run is not None and member.run == run.run) or basis_of(member.report).report == run.report:
            return member._replace(run=run.run)
    directory = places.recordings / run.run if run.run else None
    if directory is None or not is_run(directory):
        return None
    one = refuse_changed(load_report(directory, scenarios=places.scenarios))
    return Member(one.name, one.report, one.run)


def evidence_for(path: Path, baseline: Baseline, places: Places) -> Found:
    """Everything at hand that a baseline names; raises where some of it cannot be read."""
    reviews = {digest_of_document(one): Named(str(file), one) for file, one in held_in(places.recordings, Review)}
    checks = {digest_of_document(one): (str(file), one) for file, one in held_in(places.recordings, Consistency)}
    decisions = {digest_of_document(one): (str(file), one) for file, one in held_in(places.recordings, Adjudication)}
    check_file, check = checks.get(baseline.agreed.consistency, ("", None))
    decision_file, decision = decisions.get(baseline.agreed.adjudication or "", ("", None))
    return Found(
        file=str(path),
        baseline=baseline,
        reviews=[reviews[one.review] for one in baseline.reviews if one.review in reviews],
        consistency=check,
        consistency_file=check_file,
        adjudication=decision,
        adjudication_file=decision_file,
        members=members_for(baseline.runs, places),
    )


def missing_runs(
    runs: Sequence[RunScore], members: Sequence[Member | None], places: Places
) -> list[errors.HarnessError]:
    """A refusal for each run that is not there."""
    lost = [run for run, member in zip(runs, members, strict=True) if member is None]
    return [
        errors.PathNotFound(file=str(places.recordings / run.run))
        if run.run
        else errors.WrongOption("a report without a run is named on the command line", expected=run.report)
        for run in lost
    ]
