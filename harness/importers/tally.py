"""What went in, counted in the providers' own JSON without our dialects, and what came out, counted with them.

Two counts by two ways: where they differ, something was not read, and the report says so.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from harness.importers.found import Told
from harness.providers.dialect import Reading, dialect_of
from harness.providers.failure import FIRST_ERROR_STATUS
from harness.providers.fields import list_at, object_at, objects_of, text_at
from harness.providers.sse import events_of, is_stream
from harness.recording import Api, Exchange, Recording, leaves_of
from harness.transcript import AssistantTurn, Block, Opaque, Thinking, ToolResultTurn, Turn
from harness.value import Json, JsonObject, NotJsonError, decode

_REASONING = frozenset({"reasoning_content", "reasoning", "thinking", "reasoning_details"})
_CALLS = {"tool_use", "function_call", "custom_tool_call"}
_RESULT_ROLES = {"tool", "function"}
_RESULTS = {"tool_result", "function_call_output", "custom_tool_call_output"}
_THOUGHTS = {"thinking", "redacted_thinking", "reasoning"}


class Tally(NamedTuple):
    """How much there is of each."""

    exchanges: int = 0
    calls: int = 0
    results: int = 0
    thinking: int = 0
    errors: int = 0


NOTHING = Tally()
_RESULT = Tally(results=1)


def sum_of(tallies: Iterable[Tally]) -> Tally:
    """All of them together."""
    exchanges = calls = results = thinking = errors = 0
    for one in tallies:
        if one is not NOTHING:
            exchanges += one.exchanges
            calls += one.calls
            results += one.results
            thinking += one.thinking
            errors += one.errors
    return Tally(exchanges, calls, results, thinking, errors)


def tally_of_request(api: Api, messages: list[Json], *, goes_on: bool) -> Tally:
    """What messages add to the conversation; where they go on from an answer, they repeat it first: that is no news."""
    return sum_of(map(_tally_of, objects_of(_news_in(api, messages) if goes_on else messages)))


def _news_in(api: Api, messages: list[Json]) -> list[Json]:
    """The messages after the answer that they begin with: one message, or all items of the model's in Responses."""
    if api != "responses":
        return messages[1:] if messages and text_at(messages[0], "role") == "assistant" else messages
    fresh = next((at for at, one in enumerate(messages) if not _is_answer(one)), len(messages))
    return messages[fresh:]


def tally_of_told(told: Told) -> Tally:
    """What a told conversation holds; each message of the model is an exchange."""
    answers = sum(text_at(message, "role") == "assistant" for message in told.messages)
    return tally_of_request(told.api, told.messages, goes_on=False)._replace(exchanges=answers)


def _is_answer(item: Json) -> bool:
    """Whether an item of a request is the model's own."""
    role = text_at(item, "role")
    return role == "assistant" or (not role and text_at(item, "type") not in _RESULTS)


def tally_of_answer(api: Api, status: int, answer: bytes) -> Tally:
    """What an answer holds."""
    one = Tally(exchanges=1, errors=int(status >= FIRST_ERROR_STATUS))
    if one.errors or not answer:
        return one
    if is_stream(answer):
        events = [value for event in events_of(answer) if (value := _object_in(event.data))]
    elif whole := _object_in(answer):
        return Tally(1, *_tally_of_body(whole)[1:])
    else:
        events = [value for line in answer.split(b"\n") if (value := _object_in(line))]
    return sum_of([one, _tally_of_stream(api, events)])


def _object_in(raw: bytes) -> JsonObject:
    try:
        value = decode(raw)
    except NotJsonError:
        return {}
    return value if isinstance(value, dict) else {}


def _tally_of_body(body: JsonObject) -> Tally:
    choices = [object_at(choice, "message") for choice in objects_of(list_at(body, "choices"))]
    messages = choices or objects_of(list_at(body, "output")) or [object_at(body, "message") or body]
    return _tally_of(messages[0]) if len(messages) == 1 else sum_of(map(_tally_of, messages))


def _tally_of(message: JsonObject) -> Tally:
    """A message of Chat Completions, or of Messages with its blocks, or an item of Responses, or an answer of these."""
    calls = len(objects_of(list_at(message, "tool_calls"))) if "tool_calls" in message else 0
    if "function_call" in message:
        calls += bool(object_at(message, "function_call"))
    results, thoughts = int(text_at(message, "role") in _RESULT_ROLES), 0
    for kind in _kinds_in(message):
        calls += kind in _CALLS
        results += kind in _RESULTS
        thoughts += kind in _THOUGHTS
    if not (thoughts or _REASONING.isdisjoint(message)):
        thoughts = int(any(message.get(name) for name in _REASONING))
    return Tally(0, calls, results, thoughts) if calls or results or thoughts else NOTHING


def _kinds_in(message: JsonObject) -> list[str]:
    """What a message is, and what the blocks are that it holds."""
    own, content = text_at(message, "type"), message.get("content")
    if not isinstance(content, list) or own in _RESULTS or own in _THOUGHTS:
        return [own] if own else []
    return [own, *(text_at(block, "type") for block in content)]


def _tally_of_stream(api: Api, events: list[JsonObject]) -> Tally:
    match api:
        case "chat":
            return _tally_of_chunks(events)
        case "messages":
            blocks = [object_at(event, "content_block") for event in events]
            return sum_of(map(_tally_of, blocks))
        case "responses":
            items = {f"{one.get('id')}": one for event in events if (one := object_at(event, "item"))}
            last = [one for event in events for one in objects_of(list_at(object_at(event, "response"), "output"))]
            whole = last if len(last) > len(items) else [*items.values()]
            return sum_of(map(_tally_of, whole))


def _tally_of_chunks(events: list[JsonObject]) -> Tally:
    """A call is told apart by its choice and its id, or its name where a host gives no id."""
    choices = [one for event in events for one in objects_of(list_at(event, "choices")) or [event]]
    deltas = [(one.get("index"), object_at(one, "delta") or object_at(one, "message")) for one in choices]
    calls = {(place, label) for place, delta in deltas for part in _calls_in(delta) if (label := _label_of(part))}
    thinking = {place for place, delta in deltas if any(delta.get(name) for name in _REASONING)}
    return Tally(calls=len(calls), thinking=len(thinking))


def _calls_in(delta: JsonObject) -> list[JsonObject]:
    legacy = object_at(delta, "function_call")
    return objects_of(list_at(delta, "tool_calls")) + ([legacy] if legacy else [])


def _label_of(part: JsonObject) -> str:
    return text_at(part, "id") or text_at(object_at(part, "function") or part, "name")


class Readings(Protocol):
    """What is read of the exchanges of a recording, by their numbers; `said` holds the requests that were read."""

    said: dict[int, list[Turn]]

    def reading_of(self, number: int) -> Reading:
        """What an answer says."""


def tally_of_recording(recording: Recording, readings: Readings) -> Tally:
    """What a recording holds as our dialects read it: each call, result and thought once."""
    last = {exchange.number for exchange in leaves_of(recording)}
    unsent = Tally(results=sum(run.exchange in last for run in recording.tools))
    failed = sum(exchange.status >= FIRST_ERROR_STATUS for exchange in recording.exchanges)
    turns = (turn for exchange in recording.exchanges for turn in _turns_of(recording, exchange, readings))
    whole = sum_of([unsent, *map(_tally_of_turn, turns)])
    return whole._replace(exchanges=len(recording.exchanges), errors=failed)


def _turns_of(recording: Recording, exchange: Exchange, readings: Readings) -> list[Turn]:
    """What an exchange adds to its conversation."""
    parent = None if exchange.parent is None else recording.exchanges[exchange.parent]
    goes_on = parent is not None and parent.status < FIRST_ERROR_STATUS
    turns = readings.said.get(exchange.number)
    if turns is None:
        api = recording.contexts[exchange.context].api
        turns = dialect_of(api).turns_of(_news_in(api, exchange.messages) if goes_on else exchange.messages)
    elif goes_on and turns and isinstance(turns[0], AssistantTurn):
        turns = turns[1:]
    if exchange.status >= FIRST_ERROR_STATUS:
        return turns
    return [*turns, readings.reading_of(exchange.number).turn]


def _tally_of_turn(turn: Turn) -> Tally:
    match turn:
        case AssistantTurn():
            calls = len(turn.calls)
            thoughts = sum(map(_is_thought, turn.content)) if len(turn.content) > calls else 0
            return Tally(0, calls, 0, thoughts) if calls or thoughts else NOTHING
        case ToolResultTurn():
            return _RESULT
        case _:
            return NOTHING


def _is_thought(block: Block) -> bool:
    return isinstance(block, Thinking) or (isinstance(block, Opaque) and text_at(block.block, "type") in _THOUGHTS)
