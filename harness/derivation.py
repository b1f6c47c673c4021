"""From what crossed the wire to what was said: a recording's conversations as transcripts and fixtures."""

import base64
from typing import NamedTuple

import msgspec

from harness import errors
from harness.providers.arguments import NO_CALLS, TWICE
from harness.providers.dialect import Reading, dialect_of
from harness.providers.failure import FIRST_ERROR_STATUS
from harness.providers.history import in_call_order
from harness.recording import Chunk, Exchange, Recording, ToolRun, leaves_of
from harness.transcript import (
    AssistantTurn,
    Block,
    Effects,
    Outcome,
    Text,
    ToolCall,
    ToolResultTurn,
    Transcript,
    Turn,
    UserTurn,
)

# What a verdict says of the model's answers: the rest are harmless habits, which `fc-replay check` counts.
_TOLD = (TWICE, NO_CALLS)

LEFT_OPEN = "the conversation was left with calls unanswered"


def conversations_of(recording: Recording) -> list[Exchange]:
    """The last exchange of each conversation, in order; an attempt that failed and was made again is none."""
    siblings: dict[int | None, list[Exchange]] = {}
    for exchange in recording.exchanges:
        siblings.setdefault(exchange.parent, []).append(exchange)
    return [leaf for leaf in leaves_of(recording) if _succeeded(leaf) or not _made_again(leaf, siblings[leaf.parent])]


def _succeeded(exchange: Exchange) -> bool:
    return exchange.complete and exchange.status < FIRST_ERROR_STATUS


def _made_again(failed: Exchange, siblings: list[Exchange]) -> bool:
    return any(
        one.number > failed.number and one.context == failed.context and one.messages == failed.messages
        for one in siblings
    )


def main_conversation_of(recording: Recording) -> Exchange:
    """The last exchange of the longest conversation, the later of equals; raises `UnreadableAnswer` without any."""
    if not recording.exchanges:
        raise errors.UnreadableAnswer(f"recording {recording.header.id} holds no exchange")
    depths: list[int] = []
    for exchange in recording.exchanges:
        depths.append(0 if exchange.parent is None else depths[exchange.parent] + 1)
    return max(conversations_of(recording), key=lambda leaf: (depths[leaf.number], leaf.number))


def chain_of(recording: Recording, leaf: Exchange) -> list[Exchange]:
    """The exchanges of one conversation, the first one first."""
    chain = [leaf]
    while chain[-1].parent is not None:
        chain.append(recording.exchanges[chain[-1].parent])
    return chain[::-1]


def answer_bytes(exchange: Exchange) -> bytes:
    """The answer as it came."""
    if exchange.chunks is not None:
        return b"".join(map(_chunk_bytes, exchange.chunks))
    return base64.b64decode(exchange.base64) if exchange.base64 is not None else (exchange.body or "").encode()


def _chunk_bytes(chunk: Chunk) -> bytes:
    return base64.b64decode(chunk.base64) if chunk.base64 is not None else (chunk.text or "").encode()


def reading_of_exchange(recording: Recording, exchange: Exchange) -> Reading:
    """Our reading of an exchange's answer."""
    dialect = dialect_of(recording.contexts[exchange.context].api)
    answer = answer_bytes(exchange)
    if exchange.chunks is not None:
        return dialect.reading_of_stream(exchange.status, answer, complete=exchange.complete)
    reading = dialect.reading_of_body(exchange.status, answer)
    if not answer.strip() and exchange.complete and exchange.status < FIRST_ERROR_STATUS:
        error = f"the answer has no body, with HTTP status {exchange.status}"
        return msgspec.structs.replace(reading, outcome=Outcome.INCOMPLETE, error=error)
    if reading.outcome is Outcome.ERROR and not exchange.complete and exchange.status < FIRST_ERROR_STATUS:
        return msgspec.structs.replace(reading, outcome=Outcome.INCOMPLETE, error="the answer broke off")
    return reading


def transcript_of(recording: Recording, leaf: Exchange | None = None) -> Transcript:
    """What was said in the conversation that ends with `leaf`, by default the longest one; as `conversation_of`."""
    return conversation_of(recording, leaf).transcript


class Conversation(NamedTuple):
    """What was said; `notes` are what the model wrote in two ways at once, of which one was read.

    `exchanges` says of each turn with which exchange it came, a result with the one whose answer it is the result of.
    """

    transcript: Transcript
    notes: list[str]
    exchanges: list[int]


def conversation_of(recording: Recording, leaf: Exchange | None = None) -> Conversation:
    """The conversation that ends with `leaf`, by default the longest one.

    A run that ended before any answer came says nothing but how it ended. Raises `UnreadableAnswer` where no
    conversation can be found or read.
    """
    if not recording.exchanges and recording.end is not None and recording.end.outcome is not Outcome.COMPLETED:
        ended = Transcript([], recording.end.outcome, recording.end.error, effects_of(recording, {}))
        return Conversation(ended, [], [])
    main = main_conversation_of(recording)
    leaf = leaf or main
    story = _Story(recording)
    for exchange in chain_of(recording, leaf):
        story.add(exchange)
    story.add_unsent_results()
    outcome, error = _outcome(recording, story.last, is_main=leaf.number == main.number)
    effects = effects_of(recording, story.ids)
    return Conversation(Transcript(in_call_order(story.turns), outcome, error, effects), story.notes, story.exchanges)


def _outcome(recording: Recording, last: Reading | None, *, is_main: bool) -> tuple[Outcome, str | None]:
    """How the run ended, unless the last answer says that the conversation did not end so well."""
    end = recording.end
    said = (last.outcome, last.error) if last else (None, None)
    pauses = last is not None and last.pauses
    if end is not None and is_main and (end.outcome is not Outcome.COMPLETED or not (said[0] or pauses)):
        return end.outcome, end.error
    if said[0] is not None:
        return said[0], said[1]
    if end is None:
        return Outcome.INCOMPLETE, "the recording has no end line: its writer was stopped"
    if last is not None and last.turn.calls:
        return Outcome.INCOMPLETE, LEFT_OPEN
    if pauses:
        return Outcome.INCOMPLETE, "the provider paused, and was not asked to go on"
    return Outcome.COMPLETED, None


class _Waiting(NamedTuple):
    """A call that has no result yet: its id on the wire and in the transcript, and how the tool ran."""

    wire: str
    id: str
    run: ToolRun | None


class _Story:
    """The turns of one conversation as they come; ids are renumbered, and pairs are made inside the turn only."""

    def __init__(self, recording: Recording) -> None:
        self.turns: list[Turn] = []
        self.notes: list[str] = []
        self.last: Reading | None = None
        self._recording = recording
        self._runs = {(run.exchange, run.position): run for run in recording.tools}
        self.exchanges: list[int] = []
        self.ids: dict[tuple[int, int], str] = {}
        self._waiting: list[_Waiting] = []
        self._calls = 0
        self._answered = False
        self._speaker = 0

    def add(self, exchange: Exchange) -> None:
        """Add what an exchange's request says for the first time, and its answer."""
        dialect = dialect_of(self._recording.contexts[exchange.context].api)
        for turn in self._without_echo(dialect.turns_of(exchange.messages)):
            self._add_turn(turn, None, exchange.number)
        self.last = reading_of_exchange(self._recording, exchange)
        self._answered = exchange.status < FIRST_ERROR_STATUS
        if self._answered:
            self._add_turn(self.last.turn, exchange, exchange.number)
            self.notes += [one for one in self.last.warnings if one.endswith(_TOLD)]

    def _without_echo(self, said: list[Turn]) -> list[Turn]:
        """What a request adds: it sends the answer before back, which its own bytes say better.

        An agent may give the calls ids of its own, which their results then name; and it may put each call beside
        its result, so that one answer comes back as several.
        """
        echo = said[0] if self._answered and said else None
        if not isinstance(echo, AssistantTurn):
            return said
        if len(echo.calls) == len(self._waiting):
            pairs = zip(self._waiting, echo.calls, strict=True)
            self._waiting = [one._replace(wire=call.id) for one, call in pairs]
            return said[1:]
        known = {one.wire for one in self._waiting}
        return [turn for turn in said[1:] if not _holds_only(turn, known)]

    def _add_turn(self, turn: Turn, exchange: Exchange | None, number: int) -> None:
        match turn:
            case AssistantTurn():
                self._speaker = number
                self.turns.append(self._renumbered(turn, exchange))
            case ToolResultTurn():
                number = self._speaker
                self.turns.append(self._paired(turn))
            case UserTurn():
                self.turns.append(turn)
        self.exchanges.append(number)

    def _renumbered(self, turn: AssistantTurn, exchange: Exchange | None) -> AssistantTurn:
        self._waiting = []
        content: list[Block] = [
            self._named(block, exchange) if isinstance(block, ToolCall) else block for block in turn.content
        ]
        return msgspec.structs.replace(turn, content=content)

    def _named(self, call: ToolCall, exchange: Exchange | None) -> ToolCall:
        self._calls += 1
        place = (exchange.number if exchange else -1, len(self._waiting))
        self.ids[place] = f"call_{self._calls}"
        self._waiting.append(_Waiting(call.id, self.ids[place], self._runs.get(place)))
        return msgspec.structs.replace(call, id=self.ids[place])

    def _paired(self, turn: ToolResultTurn) -> ToolResultTurn:
        """The result under its call's new id; the tool's own line knows of an error that the wire cannot say."""
        found = next((one for one in self._waiting if one.wire == turn.tool_use_id), None)
        if found is None:
            return turn
        self._waiting.remove(found)
        return ToolResultTurn(found.id, turn.content, turn.is_error or (found.run is not None and found.run.error))

    def add_unsent_results(self) -> None:
        """Add the results that no later request carried: the run ended when the tools had run."""
        unsent = [(one.id, one.run) for one in self._waiting]
        results = [ToolResultTurn(id_, [Text(run.result)], run.error) for id_, run in unsent if run is not None]
        self.turns += results
        self.exchanges += [self._speaker] * len(results)


def effects_of(recording: Recording, ids: dict[tuple[int, int], str]) -> Effects | None:
    """What a run did to the world, by the ids that calls have now; what other conversations did is left out.

    `ids` are by exchange and position. A recording counts the calls that it executed, `call_1 …` over the run: the
    lines of its tools, in order.
    """
    state = recording.state
    if state is None:
        return None
    executed = [(run.exchange, run.position) for run in recording.tools]
    now = {f"call_{number}": ids.get(place) for number, place in enumerate(executed, 1)}
    changes = [
        msgspec.structs.replace(change, call=id_)
        for change in state.changes
        if (id_ := now.get(change.call, change.call)) is not None
    ]
    return Effects(state.initial, changes)


def _holds_only(turn: Turn, calls: set[str]) -> bool:
    """Whether a turn is nothing but some of these calls."""
    return isinstance(turn, AssistantTurn) and bool(turn.calls) and all(call.id in calls for call in turn.calls)
