"""A fixture played again: its turns in the model's place, its results in the tools', and all that differs said.

The agent loop is the live one (`agent.py`). Nothing here guesses: an answer is handed out only for the conversation
that it was recorded for, a result only for the call (assistant turn, position) that it was recorded for.
"""

from itertools import zip_longest
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from harness import errors
from harness.agent import Task, Toolbox, run
from harness.excerpt import counted, excerpts_of, shortened, visible_of
from harness.fixture import Fixture
from harness.providers.dialect import Reading, Request
from harness.scenario import Scenario
from harness.tape import FIRST_TURN_LINE, Tape, TapedCall, call_said, said, tape_of
from harness.transcript import (
    AssistantTurn,
    Change,
    Effects,
    Outcome,
    ToolCall,
    ToolResultTurn,
    Transcript,
    Turn,
    UserTurn,
    text_of,
)
from harness.value import canonical, checked
from harness.wire.redact import Redactor
from harness.wire.secret_fields import matches
from harness.world import Answer, Sandbox, World

Mode: TypeAlias = Literal["recorded", "compare", "live"]

# These end with the answer itself; the other two the loop finds by itself.
_ENDS_BY_ITSELF = (Outcome.COMPLETED, Outcome.MAX_STEPS)


class Replay(msgspec.Struct, frozen=True):
    """What came of a replay: what was said and done (None: the loop did not reach an end), and all that was wrong."""

    transcript: Transcript | None
    errors: list[errors.HarnessError]


class _RecordEndsError(Exception):
    """The recorded run was cut off here: not an answer, but the end that was recorded."""


def replay(  # noqa: PLR0913  what is played, and what stands beside it today
    fixture: Fixture,
    scenario: Scenario | None = None,
    *,
    file: str,
    mode: Mode = "recorded",
    world: World | None = None,
    redactor: Redactor | None = None,
) -> Replay:
    """Run the agent loop on what the fixture recorded; `compare` and `live` execute the world beside it.

    `compare` hands out the recorded results and reports each one that the world no longer gives; `live` hands out the
    world's own, so that the judge sees what today's tools do. What the world gives is scrubbed by `redactor`, as it was
    when it was recorded.
    """
    tape = tape_of(fixture, file=file)
    try:
        today = _today_of(tape, scenario, world, redactor or Redactor()) if mode != "recorded" else None
    except errors.HarnessError as error:
        return Replay(None, [error])
    tools = RecordedTools(tape, today, live=mode == "live")
    turns: list[Turn] = []
    try:
        transcript = run(
            _task_of(fixture, tape, scenario), ReplayModel(tape, live=mode == "live"), tools, seen=turns.append
        )
    except _RecordEndsError:
        transcript = Transcript(turns, tape.recorded.outcome, tape.recorded.error, tools.effects())
    except errors.HarnessError as error:
        return Replay(None, [*tools.findings(), error])
    return Replay(transcript, [*tools.findings(), *_unplayed(tape, transcript)])


def _task_of(fixture: Fixture, tape: Tape, scenario: Scenario | None) -> Task:
    """The recorded questions; whether they are still today's is the contract's question."""
    meta = fixture.meta
    steps = tape.answers if tape.recorded.outcome is Outcome.MAX_STEPS else tape.answers + 1
    system, tools = (scenario.system, scenario.tools) if scenario else ("", [])
    return Task(meta.model or "", system, tape.users, tools, meta.params or {}, steps)


def _today_of(tape: Tape, scenario: Scenario | None, world: World | None, redactor: Redactor) -> "_Today | None":
    if scenario is None or world is None:
        if not tape.calls:
            return None
        where = scenario.directory if scenario else None
        raise errors.BadScenario("there is no world.py and no stubs.json to run the tools with", file=where)
    return _Today(Sandbox(scenario.tools, world, scenario.tables or {}, directory=scenario.directory), redactor)


class _Today(NamedTuple):
    """Today's tools; what they give holds no secrets, as what was recorded holds none."""

    sandbox: Sandbox
    redactor: Redactor

    def execute(self, call: ToolCall) -> Answer:
        """The world's answer."""
        answer = self.sandbox.execute(call)
        return answer._replace(text=self.redactor.text(answer.text))

    def effects(self) -> Effects:
        """What the calls did."""
        return self.redactor.struct(self.sandbox.effects())


def _unplayed(tape: Tape, transcript: Transcript) -> list[errors.HarnessError]:
    rest = tape.turns[len(transcript.turns) :]
    if rest:
        lines = ", ".join(str(one.line) for one in rest)
        found = f"{counted(len(rest), 'recorded turn')} after the agent's end: line {lines}"
        return [errors.ReplayUnplayed(tape.id, file=tape.file, line=rest[0].line, found=found)]
    if transcript.outcome is not tape.recorded.outcome:
        expected, found = tape.recorded.outcome.value, transcript.outcome.value
        line = tape.turns[-1].line
        return [errors.ReplayMismatch(tape.id, file=tape.file, line=line, expected=expected, found=found)]
    return []


class ReplayModel:
    """The recorded answers in the model's place: each only for the conversation that it answered.

    With `live`, the texts of tool results may be others: the toolbox reports them.
    """

    def __init__(self, tape: Tape, *, live: bool = False) -> None:
        self._tape = tape
        self._live = live
        self._checked: list[Turn] = []

    def reply(self, request: Request) -> Reading:
        """The recorded answer; raises `ReplayMismatch` or `ReplayExhausted` where there is none for this."""
        tape, position = self._tape, len(request.turns)
        self._check(request.turns)
        if position >= len(tape.turns):
            raise self._end()
        turn, line = tape.turns[position]
        if not isinstance(turn, AssistantTurn):
            expected, found = _brief(said(turn)), "a request for the model's next answer"
            raise errors.ReplayMismatch(tape.id, file=tape.file, line=line, expected=expected, found=found)
        outcome = tape.recorded.outcome
        if position == len(tape.turns) - 1 and outcome not in _ENDS_BY_ITSELF:
            return Reading(turn, outcome, tape.recorded.error)
        return Reading(turn)

    def _end(self) -> Exception:
        tape = self._tape
        if tape.recorded.outcome not in _ENDS_BY_ITSELF:
            return _RecordEndsError()
        last, line = tape.turns[-1]
        expected = f"an end after {counted(tape.answers, 'recorded answer')}"
        found = f"a request for one more, after {_brief(said(last))}"
        return errors.ReplayExhausted(tape.id, file=tape.file, line=line, expected=expected, found=found)

    def _check(self, sent: list[Turn]) -> None:
        """What was sent before is not looked at again: a long conversation would be, once for each of its steps."""
        start = len(self._checked) if sent[: len(self._checked)] == self._checked else 0
        self._checked = sent
        for (recorded, line), turn in zip(self._tape.turns[start:], sent[start:], strict=False):
            if recorded is not turn and not self._same(recorded, turn):
                expected, found = excerpts_of(said(recorded), said(turn))
                raise errors.ReplayMismatch(
                    self._tape.id, file=self._tape.file, line=line, expected=expected, found=found
                )

    def _same(self, recorded: Turn, sent: Turn) -> bool:
        match recorded, sent:
            case UserTurn(), UserTurn():
                return text_of(recorded) == text_of(sent)
            case ToolResultTurn(), ToolResultTurn():
                return recorded.tool_use_id == sent.tool_use_id and (self._live or _answer(recorded) == _answer(sent))
            case _:
                return recorded == sent


def _brief(text: str) -> str:
    return visible_of(shortened(text, 80))


def _answer(turn: ToolResultTurn) -> Answer:
    return Answer(text_of(turn), turn.is_error)


class RecordedTools:
    """The recorded results in the tools' place, by call identity; with today's tools, their results beside them."""

    def __init__(self, tape: Tape, today: Toolbox | None = None, *, live: bool = False) -> None:
        self._tape = tape
        self._today = today
        self._live = live and today is not None
        self._executed = 0
        self._changed: list[errors.HarnessError] = []

    def effects(self) -> Effects | None:
        """What was recorded; live, what today's world did."""
        return self._today.effects() if self._live and self._today else self._tape.recorded.effects

    def execute(self, call: ToolCall) -> Answer:
        """The answer to the next call in written order."""
        taped = self._tape.calls[self._executed] if self._executed < len(self._tape.calls) else None
        self._executed += 1
        if taped is None or taped.call != call:
            raise self._foreign(call, taped)
        recorded = _answer(taped.result) if taped.result else None
        today = self._today.execute(call) if self._today else None
        if recorded and today and not _is_same(recorded, today):
            self._note(taped.result_line, recorded, today)
        answer = today if self._live else recorded
        if answer is None:
            raise self._missing(taped)
        return answer

    def findings(self) -> list[errors.HarnessError]:
        """What today's world did otherwise than recorded."""
        if self._live:
            return self._changed[:1]
        today = self._today.effects() if self._today else None
        changed = effects_changed(self._tape, today) if today else []
        return [*self._changed, *changed]

    def _note(self, line: int, recorded: Answer, today: Answer) -> None:
        kind = errors.ReplayMismatch if self._live else errors.ToolResultChanged
        expected, found = excerpts_of(_answer_said(recorded), _answer_said(today))
        self._changed.append(kind(self._tape.id, file=self._tape.file, line=line, expected=expected, found=found))

    def _foreign(self, call: ToolCall, taped: TapedCall | None) -> errors.ReplayMismatch:
        tape = self._tape
        expected, found = excerpts_of(call_said(taped.call) if taped else "", call_said(call))
        line = taped.line if taped else tape.turns[-1].line
        return errors.ReplayMismatch(tape.id, file=tape.file, line=line, expected=expected, found=found)

    def _missing(self, taped: TapedCall) -> Exception:
        if self._tape.recorded.outcome not in _ENDS_BY_ITSELF:
            return _RecordEndsError()
        found = f"no recorded result of {_brief(call_said(taped.call))}"
        return errors.ReplayExhausted(self._tape.id, file=self._tape.file, line=taped.line, found=found)


def _is_same(recorded: Answer, today: Answer) -> bool:
    """Whether today's answer is the recorded one; a secret's placeholder stands for any string."""
    return recorded == today or (recorded.is_error == today.is_error and matches(recorded.text, today.text))


def _answer_said(answer: Answer) -> str:
    return f"error: {answer.text}" if answer.is_error else answer.text


def effects_changed(tape: Tape, today: Effects) -> list[errors.HarnessError]:
    """How today's effects differ from the recorded ones: the tables at the start, the first change that differs."""
    recorded = tape.recorded.effects
    if recorded is None:
        return []
    line = len(tape.recorded.turns) + FIRST_TURN_LINE
    changed: list[errors.HarnessError] = []
    if recorded.initial != today.initial:
        expected, found = f"tables {recorded.initial}", f"tables {today.initial}"
        changed.append(errors.EffectsChanged(tape.id, file=tape.file, line=line, expected=expected, found=found))
    for before, after in zip_longest(map(_change_said, recorded.changes), map(_change_said, today.changes)):
        if not _fits(before, after):
            expected, found = excerpts_of(before or "no further change", after or "no further change")
            changed.append(errors.EffectsChanged(tape.id, file=tape.file, line=line, expected=expected, found=found))
            break
    return changed


def _fits(recorded: str | None, today: str | None) -> bool:
    return recorded == today or (recorded is not None and today is not None and matches(recorded, today))


def _change_said(change: Change) -> str:
    key, before, after = (canonical(checked(one)).decode() for one in (change.key, change.before, change.after))
    return f"{change.call}: {change.table} {key}: {before} -> {after}"
