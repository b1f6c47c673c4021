"""A Chat Completions answer: from its JSON, plain or put together from a stream, to a reading."""

from harness.providers.arguments import NO_CALLS, Arguments, arguments_of_text, arguments_of_value
from harness.providers.chat_draft import (
    WHOLE,
    Answer,
    Call,
    Choice,
    calls_in,
    native_choice,
)
from harness.providers.dialect import Reading
from harness.providers.failure import object_in
from harness.providers.fields import (
    count_at,
    list_at,
    object_at,
    objects_of,
    text_at,
)
from harness.providers.halves import joined
from harness.providers.history import repeated_ids
from harness.transcript import (
    NO_LEDGER,
    AssistantTurn,
    Block,
    Opaque,
    Outcome,
    StopReason,
    Text,
    Thinking,
    TokenLedger,
    ToolCall,
)
from harness.value import JsonObject, canonical, digest_of, encode

_STOPS: dict[str, StopReason] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_calls": "toolUse",
    "function_call": "toolUse",
    "tool_use": "toolUse",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "contentFilter",
    "refusal": "refusal",
}
_FAILS = {"error", "malformed_function_call", "insufficient_system_resource"}


def reading_of_body(body: bytes) -> Reading:
    """The reading of a plain answer."""
    value = object_in(body)
    return reading_of(answer_of(value)) if isinstance(value, dict) else value


def answer_of(body: JsonObject) -> Answer:
    """A plain answer put together, of this API or of the native Ollama one."""
    answer = Answer(WHOLE)
    answer.describe(body)
    choices = objects_of(list_at(body, "choices"))
    if not choices and isinstance(body.get("message"), dict):
        choices = [native_choice(body)]
    for position, one in enumerate(choices):
        choice = answer.choices.setdefault(count_at(one, "index") or position, Choice())
        message = object_at(one, "message")
        choice.say(message)
        choice.finish = text_at(one, "finish_reason")
        answer.add(one, message)
        for written in calls_in(message):
            call = Call()
            call.take(written)
            choice.calls.append(call)
    if not choices:
        answer.error = answer.error or "the answer holds no choices"
    return answer


def reading_of(answer: Answer) -> Reading:
    """What the answer means; the first of several choices."""
    warnings = [*dict.fromkeys(answer.warnings)]
    if len(answer.choices) > 1:
        warnings.append(f"{len(answer.choices)} choices: only the first is read")
    choice = answer.choices[min(answer.choices)] if answer.choices else Choice()
    content, notes = content_of(choice, made_up_from=answer.id, whole=answer.whole)
    stop = _STOPS.get(choice.finish)
    warnings += notes + _doubts(choice, whole=answer.whole and not answer.error)
    outcome, error = _outcome(answer, choice, stop)
    if outcome is Outcome.REFUSED and stop != "contentFilter":
        stop = "refusal"
    turn = AssistantTurn(content, _ledger(answer.usage), stop)
    return Reading(turn, outcome, error, answer.model or None, warnings)


def content_of(choice: Choice, *, made_up_from: str, whole: bool = True) -> tuple[list[Block], list[str]]:
    """The blocks of a choice in their fixed order (thinking, text, calls), and what was noted on the way."""
    content: list[Block] = []
    notes: list[str] = []
    if choice.extra:
        content.append(Opaque("chat", {"extra": {"extra_content": choice.extra}}))
    if choice.thinking or choice.details:
        content.append(Thinking(joined(choice.thinking), _thinking_form(choice)))
    text = joined([*choice.text, *choice.refusal])
    if text:
        content.append(Text(text))
    for position, call in enumerate(choice.calls):
        read = _arguments_of(call, whole=whole)
        notes += [f"{call.name}: {note}" for note in read.notes]
        if not call.id:
            notes.append(f"{call.name}: the call had no id")
        content.append(ToolCall(call.id or _made_up(call, position, made_up_from), call.name, read.value, read.raw))
        if extra := _extra_of(call):
            content.append(Opaque("chat", {"extra": extra}))
    return content, notes


def _extra_of(call: Call) -> JsonObject:
    extra: JsonObject = {"type": "custom"} if call.custom else {}
    if call.extra:
        extra["extra_content"] = call.extra
    return extra


def _thinking_form(choice: Choice) -> JsonObject:
    """Under which name the host wrote its reasoning, so that it gets it back under the same."""
    form: JsonObject = {"field": choice.thinking_field or None}
    if choice.details:
        form["reasoning_details"] = choice.details
    return form


def _arguments_of(call: Call, *, whole: bool) -> Arguments:
    text = call.text
    if call.custom:
        return Arguments(None, text, ("the input of a custom tool is text",))
    if not text and len(call.wholes) == 1:
        read = arguments_of_value(call.wholes[0])
        return read._replace(notes=("arguments was an object", *read.notes)) if read.value is not None else read
    if any(one is not None for one in call.wholes):
        written = [text, *call.wholes] if text else call.wholes
        return Arguments(None, encode(written).decode(), ("malformed: the arguments came in several forms",))
    if not whole and not text.strip():
        return Arguments(None, text, ("malformed: the stream ended before the arguments",))
    return arguments_of_text(text)


def _made_up(call: Call, position: int, seed: str) -> str:
    """An id for a call without one: another for each call, the same on each reading."""
    written = encode(call.wholes[0]).decode() if call.wholes else call.text
    return f"made_up_{position}_{digest_of(canonical([seed, position, call.name, written]))[7:19]}"


def _doubts(choice: Choice, *, whole: bool) -> list[str]:
    doubts = []
    if not choice.finish:
        doubts += ["no finish reason"] if whole else []
    elif choice.finish not in _STOPS and choice.finish not in _FAILS:
        doubts.append(f"finish reason {choice.finish!r} is unknown")
    if _STOPS.get(choice.finish) == "toolUse" and not choice.calls:
        doubts.append(f"finish reason {choice.finish} {NO_CALLS}")
    if choice.finish == "stop" and choice.calls:
        doubts.append("finish reason stop with calls")
    return doubts + repeated_ids([call.id for call in choice.calls if call.id])


def _outcome(answer: Answer, choice: Choice, stop: StopReason | None) -> tuple[Outcome | None, str | None]:
    if answer.error:
        return Outcome.ERROR, answer.error
    if not answer.whole:
        return Outcome.INCOMPLETE, "the stream ended without a finish reason and without [DONE]"
    if choice.finish in _FAILS:
        return Outcome.ERROR, f"finish reason {choice.finish}"
    if any(choice.refusal) or stop == "refusal":
        return Outcome.REFUSED, "the model refused"
    if stop == "contentFilter":
        return Outcome.REFUSED, "the provider's content filter ended the answer"
    if stop == "length":
        return Outcome.TRUNCATED, "the answer reached its token limit"
    return None, None


def _ledger(usage: JsonObject) -> TokenLedger:
    if not usage:
        return NO_LEDGER
    details = object_at(usage, "prompt_tokens_details")
    read = count_at(details, "cached_tokens")
    if read is None:
        read = count_at(usage, "prompt_cache_hit_tokens")
    written = count_at(details, "cache_write_tokens")
    prompt = count_at(usage, "prompt_tokens")
    plain = None if prompt is None else max(prompt - (read or 0) - (written or 0), 0)
    return TokenLedger(
        input=plain, cache_read=read, cache_creation=written, output=count_at(usage, "completion_tokens")
    )
