"""A Chat Completions answer as it is put together, from a plain body or from the pieces of a stream."""

from dataclasses import dataclass, field
from typing import NamedTuple

from harness.providers.fields import list_at, object_at, objects_of, text_at, text_of_parts, without
from harness.providers.halves import joined
from harness.providers.kinds import (
    LIST,
    NEEDED_OBJECT,
    NUMBER,
    OBJECT,
    PARTS,
    TEXT,
    Shape,
    Usual,
    is_usual,
    listed,
    misfits,
    misfits_among,
    unreadable,
    usual,
)
from harness.value import Json, JsonObject

THINKING_FIELDS = ("reasoning_content", "reasoning", "thinking")  # DeepSeek and llama.cpp; OpenRouter and vLLM; Ollama

_MESSAGE: Shape = {"content": PARTS, "refusal": TEXT, "tool_calls": LIST, "function_call": OBJECT}
_THOUGHTS: Shape = {"reasoning_details": LIST, **dict.fromkeys(THINKING_FIELDS, TEXT)}
_PART: Shape = {"type": TEXT, "text": TEXT, "refusal": TEXT}
_CALL: Shape = {"id": TEXT, "function": OBJECT, "custom": OBJECT}
_FUNCTION: Shape = {"name": TEXT}
_CUSTOM: Shape = {"name": TEXT, "input": TEXT}
_BESIDE: Shape = {"index": NUMBER, "finish_reason": TEXT}
_CHOICES: Shape = {"choices": LIST, "message": OBJECT}
_AROUND: Shape = {"id": TEXT, "model": TEXT, "usage": OBJECT}

_USUAL_CALL = usual(_CALL, function=usual(_FUNCTION), custom=usual(_CUSTOM))
_USUAL_MESSAGE = usual(
    {**_MESSAGE, **_THOUGHTS}, content=str, tool_calls=listed(_USUAL_CALL), function_call=usual(_FUNCTION)
)


class Form(NamedTuple):
    """Whether choices come whole or in pieces: what holds one, and the type of what usually holds several."""

    choice: Shape
    usual: Usual


def _form(choice: Shape) -> Form:
    one = usual({**_BESIDE, **choice}, message=_USUAL_MESSAGE, delta=_USUAL_MESSAGE)
    return Form(choice, usual({**_AROUND, **_CHOICES}, choices=listed(one), message=_USUAL_MESSAGE))


WHOLE = _form({"message": NEEDED_OBJECT})
PIECES = _form({"delta": OBJECT, "message": OBJECT})


@dataclass(slots=True)
class Call:
    """A call as it is put together: `pieces` of text, or the `wholes` from hosts that send values and no text."""

    id: str = ""
    names: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    wholes: list[Json] = field(default_factory=list)
    custom: bool = False
    extra: JsonObject = field(default_factory=dict)

    def take(self, fragment: JsonObject) -> None:
        """Add a fragment of a stream, or a whole call of a plain answer."""
        self.id = self.id or text_at(fragment, "id")
        self.custom = self.custom or fragment.get("type") == "custom"
        body = object_at(fragment, "custom" if self.custom else "function") or fragment
        name = text_at(body, "name")
        if name and name not in self.names[:1]:  # a host may say the name again with each fragment
            self.names.append(name)
        key = "input" if self.custom else "arguments"
        written = body.get(key)
        if isinstance(written, str):
            self.pieces.append(written)
        elif key in body and written not in self.wholes:
            self.wholes.append(written)
        if "extra_content" in fragment:
            self.extra |= without(object_at(fragment, "extra_content"))

    @property
    def name(self) -> str:
        return "".join(self.names)

    @property
    def text(self) -> str:
        return joined(self.pieces)


@dataclass(slots=True)
class Choice:
    """One choice as it is put together."""

    text: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    thinking_field: str = ""
    details: list[Json] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    extra: JsonObject = field(default_factory=dict)
    finish: str = ""

    def say(self, message: JsonObject) -> None:
        """Add what a message or a delta says, all but its calls."""
        content = message.get("content")
        if isinstance(content, str):
            self.text.append(content)
        elif isinstance(content, list):
            self._say_parts(content)
        self.refusal.append(text_at(message, "refusal"))
        names = [self.thinking_field] if self.thinking_field else THINKING_FIELDS
        for name in names:
            if name in message and (text := text_at(message, name)):
                self.thinking.append(text)
                self.thinking_field = name
                break
        if "reasoning_details" in message:
            self.details += list_at(message, "reasoning_details")
        if "extra_content" in message:
            self.extra |= object_at(message, "extra_content")

    def _say_parts(self, parts: list[Json]) -> None:
        for part in parts:
            match part:
                case {"type": "thinking", "thinking": thought}:
                    self.thinking.append(text_of_parts(thought))
                case {"refusal": str(text)}:
                    self.refusal.append(text)
                case _:
                    self.text.append(text_of_parts([part]))


@dataclass(slots=True)
class Answer:
    """An answer as it is put together. `whole` is false where its end never came, and nothing says that it is done."""

    form: Form
    id: str = ""
    model: str = ""
    choices: dict[int, Choice] = field(default_factory=dict)
    usage: JsonObject = field(default_factory=dict)
    error: str = ""
    warnings: list[str] = field(default_factory=list)
    whole: bool = True
    _fits: bool = False

    def describe(self, body: JsonObject) -> None:
        """Take what stands beside the choices, and note what does not fit in it; the choices come next."""
        self._fits = is_usual(body, self.form.usual)
        if not self._fits:
            self.warnings += misfits(body, _AROUND, what="the answer")
            self.error = self.error or unreadable(_misfits_of_choices(body))
        self.id = self.id or text_at(body, "id")
        self.model = text_at(body, "model") or self.model
        usage = object_at(body, "usage") or object_at(object_at(body, "x_groq"), "usage")
        if "prompt_eval_count" in body or "eval_count" in body:
            usage = {"prompt_tokens": body.get("prompt_eval_count"), "completion_tokens": body.get("eval_count")}
        self.usage = usage or self.usage

    def add(self, one: JsonObject, message: JsonObject) -> None:
        """Note what does not fit in a choice, or in a piece of one; `message` is what it says."""
        found: list[str] = []
        if not self._fits:
            self.warnings += misfits(one, _BESIDE, what="the choice")
            self.warnings += misfits(message, _THOUGHTS, what="the message")
            found = misfits(one, self.form.choice, what="the choice") + _misfits_in(message)
        if found or "error" in one:
            self.error = self.error or unreadable(found) or text_at(object_at(one, "error"), "message")


def _misfits_in(message: JsonObject) -> list[str]:
    found = misfits(message, _MESSAGE, what="the message")
    content = message.get("content")
    if isinstance(content, list):
        parts: list[Json] = [one for one in content if not isinstance(one, str)]
        found += misfits_among(parts, _PART, what="a part of the content")
    calls = calls_in(message)
    if calls or message.get("tool_calls"):
        found += misfits_among(message.get("tool_calls"), _CALL, what="a call")
    for call in calls:
        found += misfits(object_at(call, "function"), _FUNCTION, what="a call")
        found += misfits(call["custom"], _CUSTOM, what="a call") if isinstance(call.get("custom"), dict) else []
    return found


def _misfits_of_choices(body: JsonObject) -> list[str]:
    """What does not fit in the list of choices itself."""
    found = misfits(body, _CHOICES, what="the answer")
    return found + misfits_among(body.get("choices"), {}, what="a choice")


def native_choice(body: JsonObject) -> JsonObject:
    """An answer of the native Ollama API in the form of a choice."""
    finish = (text_at(body, "done_reason") or "stop") if body.get("done") is True else None
    return {"index": 0, "message": body["message"], "delta": body["message"], "finish_reason": finish}


def calls_in(message: JsonObject) -> list[JsonObject]:
    """The calls of a message or the fragments of a delta, the one of the legacy form included."""
    calls = objects_of(list_at(message, "tool_calls")) if "tool_calls" in message else []
    legacy = object_at(message, "function_call") if "function_call" in message else {}
    return [*calls, {"index": -1, "function": legacy}] if legacy else calls
