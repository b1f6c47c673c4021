"""A run's directory, or a report's file, to the report that evidence is bound to."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from harness import errors, files, raw_run
from harness.cli.discretion import Discretion, environments_discretion
from harness.cli.suites.run_files import RunCase, case_of_trial, is_run, load_run
from harness.judge.engine import not_judged, skipped
from harness.judge.evidence import suite_judge
from harness.judge.finding import Verdict
from harness.raw_run import RawRun, Trial, changed_inputs, outcomes_before
from harness.report.reading import read_report
from harness.report.report import Origin, Report, Result
from harness.report.result import Subject, result_of
from harness.report.writing import About, report_of
from harness.run_derivation import run_of
from harness.suite import Case, Suite
from harness.trace import Trace, trace_of
from harness.value import Json, decode, encode

_REPORT_ENDINGS = (".report.json", ".json")


class Loaded(NamedTuple):
    """A report and where it is from: `run` is the id of the run that it was judged from, `directory` holds it.

    `recorded` are the inputs that it was recorded with, `changed` those of them that are no longer so.
    """

    name: str
    report: Report
    run: str | None = None
    directory: Path | None = None
    changed: tuple[str, ...] = ()
    recorded: dict[str, str] | None = None


def load_report(path: Path, *, scenarios: Path = Path("scenarios"), suite: Path | None = None) -> Loaded:
    """The report of a run's directory, judged anew, or that in a file; raises what keeps either from being read.

    A run is judged by `suite`, by default the one of its name among the scenarios.
    """
    if not path.is_dir():
        return Loaded(_name_of(path), read_report(files.read_bytes(path), file=str(path)))
    if not is_run(path):
        raise errors.BadRun(f"holds no {raw_run.FILE}: it is no run", file=str(path), nearest=_run_in(path))
    run = load_run(path)
    loaded, discretion = files.load_suite(suite or scenarios / run.suite), environments_discretion()
    judge, seen, results = RunJudge(path, run, loaded, discretion), Seen(), list[Result]()
    for one in map(judge.judged, run.trials):
        if one.broken:
            raise one.broken
        seen.add(one)
        results.append(one.result)
    report = report_of(results, about_run(run, loaded, seen, discretion))
    changed = tuple(changed_inputs(run.inputs, report.inputs))
    return Loaded(path.resolve().name, report, run.id, path, changed, run.inputs)


def _name_of(path: Path) -> str:
    ending = next((one for one in _REPORT_ENDINGS if path.name.endswith(one)), "")
    return path.name.removesuffix(ending) or path.name


def _run_in(path: Path) -> str | None:
    return next((str(one) for one in sorted(path.iterdir()) if is_run(one)), None)


class JudgedTrial(NamedTuple):
    """One trial's result, and what it says of the run: which model answered, whether it was asked at all.

    `broken` is why its file cannot be evidence.
    """

    result: Result
    answered: str | None = None
    asked: bool = True
    broken: errors.HarnessError | None = None


class RunJudge:
    """What judges the trials of one run by a suite, one by one and each by itself.

    A trial that was not asked yet, or whose answer nobody can read, is not judged.
    """

    def __init__(self, directory: Path, run: RawRun, suite: Suite, discretion: Discretion) -> None:
        self._directory = directory
        self._run = run
        self._suite = suite
        self._discretion = discretion
        self._judge = suite_judge(suite)
        self._tools = {tool.name for tool in suite.tools}

    def judged(self, trial: Trial) -> JudgedTrial:
        """One trial, read from its file."""
        one = case_of_trial(trial, self._run, self._directory)
        case = self._suite.case(trial.case)
        verdict, trace = self._judged(case, one)

        def made(verdict: Verdict, golden: Json) -> Result:
            subject = self._subject_of(case, trial.trial)
            return result_of(
                subject, verdict, trace=trace, golden=golden, registered=self._tools, evidence=trial.digest
            )

        result = self._discretion.result(verdict, _golden_of(case), made)
        answered = one.recording.header.model_answered if one.recording else None
        asked = not isinstance(one.error, errors.NotRun)
        return JudgedTrial(result, answered, asked, one.error if asked else None)

    def _judged(self, case: Case, one: RunCase) -> tuple[Verdict, Trace | None]:
        if one.error is not None:
            return not_judged(_sentence_of(one.error)), None
        if one.recording is None:
            return skipped(case.skip_reason or "the case was skipped when the run was made"), None
        try:
            transcript, notes, _ = run_of(one.recording)
        except errors.InputError as error:
            return not_judged(_sentence_of(error)), None
        return self._judge(case, transcript).noting(notes), trace_of(transcript)

    def _subject_of(self, case: Case, trial: int) -> Subject:
        varied = bool(self._suite.config.variants)
        return Subject(case.id, trial, case.dimension, case.category if varied else None, self._suite.variant_of(case))


@dataclass
class Seen:
    """What the trials of a run say of it together: the models that answered, whether all were asked."""

    answered: set[str] = field(default_factory=set)
    complete: bool = True

    def add(self, one: JudgedTrial) -> None:
        """One more trial."""
        self.answered |= {one.answered} if one.answered else set()
        self.complete = self.complete and one.asked

    def merge(self, other: "Seen") -> None:
        """All trials that another one has seen."""
        self.answered |= other.answered
        self.complete = self.complete and other.complete


def about_run(run: RawRun, suite: Suite, seen: Seen, discretion: Discretion) -> About:
    """What a run's report says beside its results."""
    origin = Origin(
        provider=run.asked.provider,
        api=run.asked.api,
        model=run.model,
        model_answered=", ".join(sorted(seen.answered)) or None,
        request=run.asked.params,
        agent={name: getattr(run.agent, name) for name in run.agent.__struct_fields__},
        asked_again=outcomes_before(run),
    )
    return About(seen.complete, None, discretion.origin(origin), suite.hashes._asdict())


def _sentence_of(error: errors.HarnessError) -> str:
    """What an error says, without the path: the same run gives the same report wherever it lies."""
    return str(error.facts()["message"])


def _golden_of(case: Case) -> Json:
    """The golden as it is written in the case."""
    return None if case.golden is None else decode(encode(case.golden.model_dump(exclude_unset=True)))
