"""What the agent did, for a test's own asserts: calls by name and arguments, texts, and whole expectations."""

from pathlib import Path

from harness.derivation import transcript_of
from harness.judge.constraints import expectation_of
from harness.judge.engine import judge
from harness.judge.finding import Ruling, Status
from harness.judge.values import equal
from harness.recording import Recording
from harness.run_derivation import run_of
from harness.trace import Call, Role, Trace, trace_of
from harness.transcript import Outcome
from harness.value import Json, checked, encode


class Traced:
    """What a recording's conversations say together, and the answer of the longest one."""

    def __init__(self, recording: Recording) -> None:
        self._run: Trace = trace_of(run_of(recording).transcript)
        self._main: Trace = trace_of(transcript_of(recording))
        self.all = self._run.calls

    @property
    def outcome(self) -> Outcome:
        """How the run ended: as its longest conversation, unless another one did not end well."""
        return self._run.outcome

    @property
    def answer(self) -> str:
        """The last text of the model in the longest conversation."""
        return next(iter(reversed(self._main.texts("assistant"))), "")

    def texts(self, role: Role) -> list[str]:
        """The texts of a role in all conversations, in order: `user`, `assistant`, `toolResult`."""
        return self._run.texts(role)

    def calls(self, name: str, /, **arguments: object) -> list[Call]:
        """The calls of this name with these arguments (others may be there); an `AssertionError` where there is none.

        Values are compared as the judge does: 1 is 1.0, true is not 1, "5" is not 5.
        """
        found = self._matching(name, arguments)
        if not found:
            raise AssertionError(f"no call {_shown(name, arguments)}{self._instead(name)}")
        return found

    def no_call(self, name: str, /, **arguments: object) -> None:
        """An `AssertionError` where there is a call of this name with these arguments."""
        found = self._matching(name, arguments)
        if found:
            raise AssertionError(f"there is a call {_call_shown(found[0])}, number {found[0].number} of the run")

    def satisfies(self, path: str | Path) -> None:
        """An `AssertionError` with every finding that fails, where an `expect.yaml` does not hold.

        Its `case:` names the directory that it lies in, as a scenario's does; raises `BadExpectation`.
        """
        file = Path(path)
        own = file.resolve().parent.name if file.name == "expect.yaml" else None
        expectation = expectation_of(file.read_bytes(), file=str(file), scenario=own)
        verdict = judge(self._run, [(file.name, expectation)])
        if verdict.verdict is not Ruling.PASS:
            failed = [finding.message for finding in verdict.findings if finding.outcome is not Status.PASS]
            raise AssertionError("\n".join([f"{file}: {verdict.verdict}: {verdict.reason}", *failed]))

    def _matching(self, name: str, arguments: dict[str, object]) -> list[Call]:
        wanted = {key: checked(value) for key, value in arguments.items()}
        return [call for call in self.all if call.name == name and _holds(call, wanted)]

    def _instead(self, name: str) -> str:
        near = [call for call in self.all if call.name == name] or self.all
        if not near:
            return "; the run made no call at all"
        return "; the run made " + ", ".join(map(_call_shown, near[:5])) + (" …" if len(near) > 5 else "")  # noqa: PLR2004


def _holds(call: Call, wanted: dict[str, Json]) -> bool:
    given = call.arguments
    return given is not None and all(key in given and equal(value, given[key]) for key, value in wanted.items())


def _shown(name: str, arguments: dict[str, object]) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"


def _call_shown(call: Call) -> str:
    return f"{call.name} {encode(call.arguments).decode() if call.arguments is not None else call.raw}"
