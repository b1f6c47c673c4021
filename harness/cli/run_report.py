"""A run's directory, or a report's file, to the report that evidence is bound to."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness import errors, files, raw_run
from harness.cli.run_files import RunCase, cases_of_run, is_run, load_run
from harness.derivation import transcript_of
from harness.judge.engine import not_judged, skipped
from harness.judge.evidence import suite_judge
from harness.judge.finding import Verdict
from harness.raw_run import RawRun, changed_inputs
from harness.report.reading import read_report
from harness.report.report import Origin, Report, Result
from harness.report.result import Subject, result_of
from harness.report.writing import About, report_of
from harness.suite import Case, Suite
from harness.trace import Trace, trace_of
from harness.value import Json, decode, encode

_REPORT_ENDINGS = (".report.json", ".json")


class Loaded(NamedTuple):
    """A report and where it is from: `run` is the id of the run that it was judged from, `directory` holds it.

    `changed` are the inputs that are no longer what the run was recorded with.
    """

    name: str
    report: Report
    run: str | None = None
    directory: Path | None = None
    changed: tuple[str, ...] = ()


def load_report(path: Path, *, scenarios: Path = Path("scenarios"), suite: Path | None = None) -> Loaded:
    """The report of a run's directory, judged anew, or that in a file; raises what keeps either from being read.

    A run is judged by `suite`, by default the one of its name among the scenarios.
    """
    if not path.is_dir():
        return Loaded(_name_of(path), read_report(files.read_bytes(path), file=str(path)))
    if not is_run(path):
        raise errors.BadRun(f"holds no {raw_run.FILE}: it is no run", file=str(path), nearest=_run_in(path))
    run = load_run(path)
    loaded = files.load_suite(suite or scenarios / run.suite)
    judged = JudgedRun(path, loaded)
    report = report_of(list(judged), judged.about)
    if judged.broken:
        raise judged.broken[0]
    return Loaded(path.resolve().name, report, run.id, path, tuple(changed_inputs(run.inputs, report.inputs)))


def _name_of(path: Path) -> str:
    ending = next((one for one in _REPORT_ENDINGS if path.name.endswith(one)), "")
    return path.name.removesuffix(ending) or path.name


def _run_in(path: Path) -> str | None:
    return next((str(one) for one in sorted(path.iterdir()) if is_run(one)), None)


class JudgedRun:
    """A run's results, one by one in the manifest's order; `about` and `broken` are known when all were given.

    A trial that was not asked yet, or whose answer nobody can read, is not judged; `broken` are the files that cannot
    be evidence at all.
    """

    def __init__(self, directory: Path, suite: Suite) -> None:
        self.run: RawRun = load_run(directory)
        self.broken: list[errors.HarnessError] = []
        self._directory = directory
        self._suite = suite
        self._judge = suite_judge(suite)
        self._tools = {tool.name for tool in suite.tools}
        self._digests = {(trial.case, trial.trial): trial.digest for trial in self.run.trials}
        self._answered: set[str] = set()
        self._complete = True

    def __iter__(self) -> Iterator[Result]:
        for one in cases_of_run(self._directory):
            yield self._result_of(one)

    @property
    def about(self) -> About:
        """What the report says beside its results."""
        run = self.run
        origin = Origin(
            provider=run.asked.provider,
            api=run.asked.api,
            model=run.model,
            model_answered=", ".join(sorted(self._answered)) or None,
            request=run.asked.params,
            agent={name: getattr(run.agent, name) for name in run.agent.__struct_fields__},
        )
        return About(self._complete, None, origin, self._suite.hashes._asdict())

    def _result_of(self, one: RunCase) -> Result:
        case = self._suite.case(one.case)
        verdict, trace = self._judged(case, one)
        return result_of(
            self._subject_of(case, one.trial),
            verdict,
            trace=trace,
            golden=_golden_of(case),
            registered=self._tools,
            evidence=self._digests[one.case, one.trial],
        )

    def _judged(self, case: Case, one: RunCase) -> tuple[Verdict, Trace | None]:
        if one.error is not None:
            if isinstance(one.error, errors.NotRun):
                self._complete = False
            else:
                self.broken.append(one.error)
            return not_judged(_sentence_of(one.error)), None
        if one.recording is None:
            return skipped(case.skip_reason or "the case was skipped when the run was made"), None
        self._answered |= {one.recording.header.model_answered or ""} - {""}
        try:
            transcript = transcript_of(one.recording)
        except errors.InputError as error:
            return not_judged(_sentence_of(error)), None
        return self._judge(case, transcript), trace_of(transcript)

    def _subject_of(self, case: Case, trial: int) -> Subject:
        varied = bool(self._suite.config.variants)
        return Subject(case.id, trial, case.dimension, case.category if varied else None, self._suite.variant_of(case))


def _sentence_of(error: errors.HarnessError) -> str:
    """What an error says, without the path: the same run gives the same report wherever it lies."""
    return str(error.facts()["message"])


def _golden_of(case: Case) -> Json:
    """The golden as it is written in the case."""
    return None if case.golden is None else decode(encode(case.golden.model_dump(exclude_unset=True)))
