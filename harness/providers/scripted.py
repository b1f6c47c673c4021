"""A model that says what a test wrote down, answer by answer."""

from collections.abc import Iterable

from harness import errors
from harness.providers.dialect import Reading, Request
from harness.transcript import AssistantTurn


class Script:
    """A model for tests: gives its answers in order, whatever it is asked, and keeps what it was asked."""

    def __init__(self, answers: Iterable[AssistantTurn | Reading]) -> None:
        self._answers = [Reading(one) if isinstance(one, AssistantTurn) else one for one in answers]
        self.requests: list[Request] = []

    def reply(self, request: Request) -> Reading:
        """The next answer; raises `ScriptEnded` where there is none left."""
        self.requests.append(request)
        if len(self.requests) > len(self._answers):
            raise errors.ScriptEnded(f"answer {len(self.requests)}", expected=f"{len(self._answers)} requests at most")
        return self._answers[len(self.requests) - 1]
