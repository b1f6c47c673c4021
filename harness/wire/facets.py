"""What a request holds beside its conversation, as it is compared: system parts, tools, params, model."""

from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias

from harness.providers.dialect import Parts
from harness.providers.fields import object_at, text_at
from harness.recording import Context
from harness.value import Json, JsonObject, canonical
from harness.wire.meaning import Reader
from harness.wire.secret_fields import is_placeholder, matches

Facet: TypeAlias = Literal["system", "tools", "params", "model"]
FACETS: tuple[Facet, ...] = ("system", "tools", "params", "model")

SERVER_STATE = {"previous_response_id", "thread", "conversation"}


class Facets(NamedTuple):
    """Each facet's value without what may vary, and its canonical bytes, in the order of `FACETS`."""

    values: dict[Facet, Json]
    keys: tuple[bytes, ...]

    def differing(self, sent: "Facets") -> list[Facet]:
        """The facets in which a request is not what was recorded here."""
        pairs = zip(FACETS, self.keys, sent.keys, strict=True)
        return [
            facet for facet, own, other in pairs if own != other and not fits(self.values[facet], sent.values[facet])
        ]

    @property
    def streams(self) -> bool:
        """Whether the answer is asked for as a stream."""
        params = self.values["params"]
        return isinstance(params, dict) and params.get("stream") is True


def facets_of(reader: Reader, parts: Parts | Context) -> Facets:
    """The facets of a request or of a recorded context."""
    params: JsonObject = {name: value for name, value in parts.params.items() if _is_compared(name, value)}
    if held_conversation(parts.params):
        params["conversation"] = True  # which one, the server has said: that there is one, the agent does
    values: dict[Facet, Json] = {
        "system": reader.comparable("system", parts.system),
        "tools": reader.comparable("tools", parts.tools),
        "params": reader.comparable("params", params),
        "model": reader.comparable("model", parts.model),
    }
    return Facets(values, tuple(canonical(values[facet]) for facet in FACETS))


def _is_compared(name: str, value: Json) -> bool:
    """Not what says nothing, and not where the server keeps the conversation: that is rebuilt."""
    return value is not None and (name, value) != ("stream", False) and name not in SERVER_STATE


def continued_answer(params: JsonObject) -> str:
    """The id of the earlier answer that the server is told to go on from; empty where the request says all itself."""
    thread = object_at(params, "thread")
    return text_at(params, "previous_response_id") or text_at(thread, "previous_message_id")


def held_conversation(params: JsonObject) -> str:
    """The id of the conversation that the server holds and a request adds to; empty where it names none."""
    return text_at(params, "conversation") or text_at(object_at(params, "conversation"), "id")


def fits(recorded: Json, sent: Json) -> bool:
    """Whether a value could be the recorded one, in which each secret's placeholder stands for any text or number."""
    match recorded, sent:
        case str(), str():
            return recorded == sent or matches(recorded, sent)
        case str(), int() | float() | Decimal():
            return is_placeholder(recorded) and not isinstance(sent, bool)
        case dict(), dict():
            return _fits_fields(recorded, sent)
        case list(), list():
            return len(recorded) == len(sent) and all(map(fits, recorded, sent))
        case _:
            return canonical(recorded) == canonical(sent)


def _fits_fields(recorded: JsonObject, sent: JsonObject) -> bool:
    """As `fits`; a name that holds a placeholder is the first of the names beside it that it could be."""
    others = [name for name in sent if name not in recorded]
    names: dict[str, str] = {}
    for name in recorded:
        own = name if name in sent else next((other for other in others if matches(name, other)), None)
        if own is None:
            return False
        if own != name:
            others.remove(own)
        names[name] = own
    return not others and all(fits(item, sent[names[name]]) for name, item in recorded.items())
