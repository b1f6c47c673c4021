"""Attempts of any number of clients at once, put together into the exchanges of one recording as they end."""

import threading
from collections.abc import Callable

import httpx2

from harness import errors
from harness.providers.dialect import api_of_path, dialect_of
from harness.recording import Api, Exchange, ToolRun
from harness.value import NotJsonError, decode
from harness.wire.capture import Attempt, Attempts, Running
from harness.wire.client_keys import keys_in
from harness.wire.matching import is_retried
from harness.wire.record import Recorder


class Intake(Attempts):
    """Where the transports of a program's own clients put what passed.

    `begin` makes the recorder when the first answer is there; `heard` is told of each exchange in the context of the
    thread or task that read it. A request that asks no model is kept beside the exchanges, once there are any.
    `passed_by` are the paths of requests that are not in the recording, each with the reason; `unanswered` those to
    a model that nothing answered. `secret` is told each key that a request is sent with.
    """

    def __init__(
        self,
        now: Callable[[], float],
        date: Callable[[], str],
        *,
        begin: Callable[[Attempt], Recorder],
        heard: Callable[[Exchange], None],
        secret: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__(now, date, bounded=False)
        self.recorder: Recorder | None = None
        self._lost: list[tuple[str, str]] = []
        self._beside: list[Attempt] = []
        self.unanswered: list[str] = []
        self.failure: Exception | None = None
        self._begin = begin
        self._heard = heard
        self._secret = secret
        self._failed: dict[bytes, list[Attempt]] = {}
        self._lock = threading.Lock()

    @property
    def passed_by(self) -> list[tuple[str, str]]:
        """The paths of requests that are not in the recording, and why not."""
        return [*self._lost, *((attempt.url.path, "no model was asked beside it") for attempt in self._beside)]

    def begin(self, running: "Running", request: httpx2.Request) -> None:
        """Note an attempt, and the keys it is sent with, before any answer can repeat them."""
        for key in keys_in(request.headers):
            self._secret(key)
        super().begin(running, request)

    def add(self, attempt: Attempt) -> None:
        """Note an attempt; one that an SDK makes again waits for its last try. The agent's own run is never broken."""
        try:
            with self._lock:
                exchange = self._taken(attempt)
            if exchange is not None:
                self._heard(exchange)
        except Exception as error:  # noqa: BLE001  said at the end of the run: the agent has its answer already
            self.failure = self.failure or error

    def flush(self) -> None:
        """At the end of the run: what is still open was left, what was waiting for another try has had its last."""
        self.leave()
        with self._lock:
            for request in list(self._failed):
                self._settle(request)

    def add_run(self, run: ToolRun) -> None:
        """Note what a tool gave, when nothing else scrubs or writes."""
        with self._lock:
            assert self.recorder is not None  # noqa: S101  an answer proposed the call
            self.recorder.add_run(run)

    def _taken(self, attempt: Attempt) -> Exchange | None:
        api = api_of_path(attempt.url.path)
        if api is None or not _is_object(attempt.request):
            self._set_beside(attempt)
            return None
        if not attempt.retries:
            self._settle(attempt.request)
        tries = [*self._failed.pop(attempt.request, []), attempt]
        may_come_again = not attempt.status or (is_retried(attempt.status) and attempt.complete)
        if may_come_again and attempt.retries is not None:
            self._failed[attempt.request] = tries
            return None
        return self._recorded(api, tries)

    def _settle(self, request: bytes) -> None:
        """What was waiting for another try has had its last: another request that is equal begins."""
        tries = self._failed.pop(request, None)
        if tries is None:
            return
        api = api_of_path(tries[-1].url.path)
        assert api is not None  # noqa: S101  only requests to a model wait
        self._recorded(api, tries)

    def _recorded(self, api: Api, tries: list[Attempt]) -> Exchange | None:
        if not tries[-1].status:
            self.unanswered.append(tries[-1].url.path)
            return None
        if self.recorder is None:
            self.recorder = self._begin(tries[-1])
            self._keep_beside()
        try:
            return self.recorder.exchanged(tries, dialect_of(api))
        except errors.UnreadableAnswer:
            self._set_beside(tries[-1])
            return None

    def _set_beside(self, attempt: Attempt) -> None:
        """What asks no model, or asks it what no provider understands."""
        self._beside.append(attempt)
        self._keep_beside()

    def _keep_beside(self) -> None:
        """What asks no model makes no recording: it waits for an exchange that does."""
        if self.recorder is None:
            return
        waiting, self._beside = self._beside, []
        reasons = [(attempt.url.path, self.recorder.passed(attempt)) for attempt in waiting]
        self._lost += [(path, why) for path, why in reasons if why is not None]


def _is_object(body: bytes) -> bool:
    try:
        return isinstance(decode(body), dict)
    except NotJsonError:
        return False
