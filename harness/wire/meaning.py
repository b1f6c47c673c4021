"""What a request means: its messages as steps, alike whatever call ids, key order or spelling they came in.

A step is a message (Chat, Responses) or a block of one (Messages). Call ids are renamed by first appearance and
results that follow one another stand in the order of their calls, so that two requests that say the same have
equal edges. Reading a message costs once: one seen before is a look-up.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from harness.recording import Api
from harness.value import Json, JsonObject, NotJsonError, canonical, decode, encode

Edge: TypeAlias = tuple[bytes, tuple[int | str, ...]]

_IDS = {"call_id", "id", "tool_call_id", "tool_use_id"}
_ID = "#"


class Rules(NamedTuple):
    """What may vary from run to run, as the test declares it.

    `ignore` are paths of the request body (`user`, `metadata.run_id`, `messages.*.name`, `tools.*.x`; `*` is any key
    or index); `normalise` are functions that every text goes through, on both sides.
    """

    ignore: tuple[str, ...] = ()
    normalise: tuple[Callable[[str], str], ...] = ()


class Shape(NamedTuple):
    """A message or block apart from its place: its meaning, and the call ids that it declares or refers to, in order.

    `ids` are (id, declares); in `value` each stands as `#`. `block` is its index where it is one block of a message.
    """

    role: str
    is_result: bool
    value: Json
    key: bytes
    ids: tuple[tuple[str, bool], ...]
    block: int | None

    @property
    def by_model(self) -> bool:
        """Whether the model said it; its calls and reasonings have no role in the Responses API."""
        return self.role == "assistant" or not (self.role or self.is_result)


class Step(NamedTuple):
    """A shape in its place: which calls its ids name (an id that was never declared stays), and its message's index."""

    shape: Shape
    calls: tuple[int | str, ...]
    message: int

    @property
    def edge(self) -> Edge:
        """What two equal steps share."""
        return self.shape.key, self.calls


class Conversation:
    """How far a conversation is read; the results at its end wait for their order, all steps before are final."""

    def __init__(self) -> None:
        self._calls = _Calls()
        self._results: list[Step] = []
        self.count = 0  # messages

    def copy(self) -> "Conversation":
        """The same place, to go on from in another way."""
        twin = Conversation()
        twin._calls, twin._results, twin.count = self._calls.copy(), [*self._results], self.count
        return twin

    def steps_closed_by(self, shapes: Iterable[Shape]) -> list[Step]:
        """Go on by one message; the steps that are now final, in order."""
        closed: list[Step] = []
        for shape in shapes:
            step = Step(shape, tuple(self._calls.number_of(*one) for one in shape.ids), self.count)
            if shape.is_result:
                self._results.append(step)
                continue
            closed += [*self.waiting, step]
            self._results = []
        self.count += 1
        return closed

    @property
    def waiting(self) -> list[Step]:
        """The results at the end, in the order of their calls."""
        return sorted(self._results, key=_call_order)


class Reader:
    """Messages to shapes, and other fields to their comparable form, under one set of rules.

    `scrub` takes the secrets out of a message, as it did when the message was recorded.
    """

    def __init__(self, rules: Rules, scrub: Callable[[Json], Json]) -> None:
        self._normalise = rules.normalise
        self._scrub = scrub
        self._paths = [tuple(path.split(".")) for path in rules.ignore]
        self._seen: dict[tuple[Api, bytes], tuple[Shape, ...]] = {}

    def shapes_of(self, api: Api, message: Json) -> tuple[Shape, ...]:
        """A message's shapes; a message seen before is a look-up."""
        key = (api, encode(message))
        if key not in self._seen:
            self._seen[key] = tuple(self._read(api, self._scrub(message)))
        return self._seen[key]

    def comparable(self, field: str, value: Json) -> Json:
        """A field of the request (`system`, `tools`, `params`, `model`) as it is compared: ignored paths left out."""
        value = self._scrub(value)
        for path in self._paths:
            inner = path if field == "params" else path[1:] if path[0] in _FIELDS[field] else None
            if inner is not None:
                value = _without(value, inner)
        if field == "system" and isinstance(value, list):
            value = [_spoken(part) for part in value]
        return self._normal(value)

    def _read(self, api: Api, message: Json) -> list[Shape]:
        for path in self._paths:
            if path[0] in _FIELDS["messages"] and path[1:2] == ("*",):
                message = _without(message, path[2:])
        if not isinstance(message, dict):
            return [self._shape(message, "", None)]
        role = message.get("role")
        content = message.get("content")
        role = role if isinstance(role, str) else ""
        if api != "messages" or not isinstance(content, list):
            return [self._shape(message, role, None)]
        blocks = [{**message, "content": [block]} for block in content]
        return [self._shape(one, role, index) for index, one in enumerate(blocks)]

    def _shape(self, message: Json, role: str, block: int | None) -> Shape:
        ids: list[tuple[str, bool]] = []
        value = self._normal(_meaning(message, ids))
        return Shape(role, _is_result(message, role), value, canonical(value), tuple(ids), block)

    def _normal(self, value: Json) -> Json:
        if not self._normalise:
            return value
        match value:
            case str():
                for function in self._normalise:
                    value = function(value)
                return value
            case list():
                return [self._normal(item) for item in value]
            case dict():
                return {key: self._normal(item) for key, item in value.items()}
            case _:
                return value


_FIELDS = {
    "system": {"system", "instructions"},
    "tools": {"tools", "functions"},
    "model": {"model"},
    "messages": {"messages", "input"},
}


class _Calls:
    """Numbers for call ids by first appearance; an id that is declared again is another call."""

    def __init__(self) -> None:
        self._count = 0
        self._open: dict[str, list[int]] = {}
        self._answered: dict[str, int] = {}

    def copy(self) -> "_Calls":
        twin = _Calls()
        twin._count, twin._answered = self._count, {**self._answered}
        twin._open = {id_: [*waiting] for id_, waiting in self._open.items() if waiting}
        return twin

    def number_of(self, id_: str, declares: bool) -> int | str:  # noqa: FBT001  a pair of the shape's, spread
        waiting = self._open.setdefault(id_, [])
        if declares:
            waiting.append(self._count)
            self._count += 1
            return waiting[-1]
        if waiting:
            self._answered[id_] = waiting.pop(0)
        return self._answered.get(id_, id_)


def _call_order(step: Step) -> tuple[bool, int, str]:
    call = step.calls[0] if step.calls else ""
    return (True, 0, call) if isinstance(call, str) else (False, call, "")


def _is_result(message: Json, role: str) -> bool:
    match message:
        case {"type": str(kind), "call_id": str()}:
            return kind.endswith("_output")
        case {"content": [{"type": "tool_result"}]}:
            return True
        case _:
            return role == "tool"


def _meaning(value: Json, ids: list[tuple[str, bool]]) -> Json:
    """The value without what says nothing: empty fields, cache marks, the spelling of text and of arguments."""
    if not isinstance(value, dict):
        return _spoken(value)
    meaning: JsonObject = {}
    for key in sorted(value):
        if key in _IDS:
            _rename(key, value, ids, meaning)
        elif not _says_nothing(key, value[key]):
            meaning[key] = _field(key, value[key], ids)
    return meaning


def _says_nothing(key: str, item: Json) -> bool:
    match key, item:
        case ("cache_control", _) | (_, None) | ("is_error", False) | ("type", "message") | ("content" | "output", ""):
            return True
        case _:
            return item == []


def _field(key: str, item: Json, ids: list[tuple[str, bool]]) -> Json:
    match key, item:
        case "content" | "output", str():
            return [_spoken(item)]
        case "content" | "output" | "tool_calls", list():
            return [_meaning(one, ids) for one in item]
        case "function" | "custom", dict():
            return _meaning(item, ids)
        case "type", "input_text" | "output_text":
            return "text"
        case "arguments", str():
            return _arguments(item)
        case _:
            return item


def _spoken(value: Json) -> Json:
    """A text as one block of text."""
    return {"type": "text", "text": value} if isinstance(value, str) else value


def _rename(key: str, owner: JsonObject, ids: list[tuple[str, bool]], meaning: JsonObject) -> None:
    """A call's id as a mark, noted for renaming; the ids that providers give their items mean nothing."""
    id_, kind = owner[key], owner.get("type")
    if not isinstance(id_, str):
        return
    kind = kind if isinstance(kind, str) else ""
    if key != "id":
        ids.append((id_, key == "call_id" and not kind.endswith("_output")))
    elif kind in {"function", "custom"} or kind.endswith("tool_use"):
        ids.append((id_, True))
    elif kind == "item_reference":
        meaning[key] = id_
        return
    else:
        return
    meaning[key] = _ID


def _arguments(text: str) -> Json:
    """Arguments by their meaning where they are a JSON object, as they were written where not."""
    try:
        value = decode(text)
    except NotJsonError:
        return text
    return value if isinstance(value, dict) else text


def _without(value: Json, path: tuple[str, ...]) -> Json:
    match value:
        case _ if not path:
            return None
        case dict() if path[0] == "*" or path[0] in value:
            names = list(value) if path[0] == "*" else [path[0]]
            kept = {key: item for key, item in value.items() if len(path) > 1 or key not in names}
            return kept | {key: _without(value[key], path[1:]) for key in names if len(path) > 1}
        case list() if path[0] == "*":
            return [_without(item, path[1:]) for item in value] if len(path) > 1 else []
        case _:
            return value
