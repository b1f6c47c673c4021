"""The recording of a program's run while it grows: line by line in a journal, whole at the end."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version

from harness import errors, files
from harness.cli.environment import now
from harness.derivation import reading_of_exchange
from harness.excerpt import counted
from harness.importers.traffic import provider_of
from harness.journal import Journal
from harness.providers.dialect import Reading
from harness.providers.fields import text_at
from harness.recording import Exchange, Header, Recording
from harness.recording_lines import line_of, lines_of_recording
from harness.transcript import Outcome
from harness.value import Json, NotJsonError, decode
from harness.wire.capture import Attempt
from harness.wire.intake import Intake
from harness.wire.record import Recorder
from harness.wire.redact import POLICY, Redactor


class Growing:
    """One run's recording at `path`; what is handed to `intake` is in its journal at once.

    Nothing of an earlier recording is read; it is replaced when this one is whole, not before. `heard` is told of each
    exchange and our reading of its answer, in the context of whoever read it. `packages` are those of this process
    whose versions matter.
    """

    def __init__(
        self,
        path: Path,
        origin: str,
        redactor: Redactor,
        heard: Callable[[Exchange, Reading], None] = lambda _exchange, _reading: None,
        *,
        packages: Sequence[str] = (),
    ) -> None:
        self.path = path
        self.intake = Intake(time.monotonic, now, begin=self._recorder_for, heard=self._heard, secret=redactor.learn)
        self.journal: Journal | None = None
        self._origin = origin
        self._redactor = redactor
        self._tell = heard
        self._packages = packages
        self._model: str | None = None

    @property
    def recording(self) -> Recording:
        """What is recorded so far; raises `NotIntercepted` where that is nothing."""
        recorder = self.intake.recorder
        if recorder is None:
            raise errors.NotIntercepted
        return recorder.finished(Outcome.COMPLETED, None, None, model=self._model)

    @property
    def exchanges(self) -> list[Exchange]:
        """What passed so far."""
        return self.intake.recorder.exchanges if self.intake.recorder else []

    def open(self) -> None:
        """Begin the journal before anything passes: raises `WrongOption` or `OSError` where that cannot be."""
        self.journal = self.journal or Journal(self.path)

    def write(self, path: Path | None = None) -> None:
        """The file, whole, here or at `path`, in place of the journal, which stays where that cannot be written."""
        try:
            files.write_whole(path or self.path, lines_of_recording(self.recording))
        except BaseException:
            self.leave()
            raise
        if self.journal is not None:
            self.journal.close(keep=False)

    def leave(self) -> None:
        """End without a whole recording: the journal of what crossed the wire stays, if anything did."""
        if self.journal is not None:
            self.journal.close(keep=bool(self.exchanges))

    def failure(self) -> Exception | None:
        """Why there is no whole recording of this run, though it ended well."""
        if self.intake.failure is not None:
            return self.intake.failure
        if self.intake.unanswered:
            return errors.LiveCallFailed(f"no answer came from {self.intake.unanswered[0]}, which no replay can give")
        return None if self.exchanges else errors.NotIntercepted(found="; ".join(self.notes()) or None)

    def notes(self) -> list[str]:
        """What a reader of the run should know: requests that are not in the recording."""
        counts = Counter(self.intake.passed_by)
        return [f"not recorded, since {why}: {path} ({counted(n, 'time')})" for (path, why), n in counts.items()]

    def _recorder_for(self, first: Attempt) -> Recorder:
        self.open()
        journal = self.journal
        assert journal is not None  # noqa: S101  it was just opened
        host = first.url.netloc.decode()
        header = Header(
            id=self.path.stem,
            recorded_at=first.at,
            agent_version=files.installed_version(),
            versions={"python": python_version(), **_versions_of(self._packages)},
            provider=provider_of(host),
            host=self._redactor.text(host),
            model=self._redactor.text(text_at(_json_in(first.request), "model")),
            redaction=POLICY,
            origin=self._origin,
        )
        return Recorder(header, self._redactor, lambda line: journal.add(line_of(line)))

    def _heard(self, exchange: Exchange) -> None:
        reading = reading_of_exchange(self.recording, exchange)
        self._model = reading.model or self._model
        self._tell(exchange, reading)


def _json_in(body: bytes) -> Json:
    try:
        return decode(body)
    except NotJsonError:
        return None


def _versions_of(packages: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
