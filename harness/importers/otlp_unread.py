"""What a span says and our form has no place for, or that was cut: each kind counted, nothing silently shorter."""

import re
from collections import Counter
from dataclasses import dataclass, field

from harness.importers.otlp_values import loaded
from harness.providers.fields import objects_of, text_at
from harness.value import Json, JsonObject, encode

_JSON_BEGUN = re.compile(r"\s*(?:\{|\[\s*\{)\s*\"")
_LONGEST = 60  # of a kind in the report


@dataclass(slots=True)
class Unread:
    """What could not be read of a span: the names of what was cut, by what it tells, and parts of unknown kinds.

    `asked` and `answered` belong to the conversation, `beside` does not. `results` stood in the answer itself.
    """

    asked: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    parts: list[Json] = field(default_factory=list)
    answer_parts: list[Json] = field(default_factory=list)
    results: list[JsonObject] = field(default_factory=list)

    def objects_in(self, parts: list[Json]) -> list[JsonObject]:
        """The objects among parts; what else stands there cannot be read."""
        self.parts += [part for part in parts if not isinstance(part, dict)]
        return objects_of(parts)

    def sentence(self) -> str:
        """What of the conversation is missing; empty where nothing is."""
        return "; ".join(f"{name} cannot be read, as where a limit on its length cut it" for name in self.cut)

    def why_no_answer(self) -> str:
        """Why a span tells no answer."""
        if self.answer_parts:
            kinds = ", ".join(dict.fromkeys(map(_kind_of, self.answer_parts)))
            return f"nothing in the answer can be read: {kinds}"
        return self.sentence() or "the span does not say what was answered"

    @property
    def cut(self) -> list[str]:
        """What of the conversation could not be read."""
        return [*dict.fromkeys([*self.asked, *self.answered])]

    def count(self, told: set[tuple[str, bytes]], trace: str, left_out: Counter[str]) -> None:
        """Count all of it. A request repeats what was answered before: `told` are the parts that were counted."""
        for name in [*self.cut, *self.beside]:
            left_out[f"{name} that cannot be read, as where a limit on its length cut it"] += 1
        for part in self.parts:
            if (trace, encode(part)) not in told:
                left_out[_kind_of(part)] += 1
        for part in self.answer_parts:
            left_out[_kind_of(part)] += 1
        told |= {(trace, encode(part)) for part in [*self.parts, *self.answer_parts]}


def _kind_of(part: Json) -> str:
    """What a part is; a generic one says what it holds."""
    if not isinstance(part, dict):
        return "a part of a message that is no object"
    kind, inner = text_at(part, "type"), text_at(part.get("content"), "type")
    return f"a part of a message of kind {f'{kind} {inner}'.strip()[:_LONGEST] or 'none'}"


def parsed(owner: JsonObject, key: str, cut: list[str]) -> Json:
    """What a field holds that may be JSON or a text; None where it is JSON that was cut, which `cut` is told."""
    value = loaded(owner.get(key))
    if isinstance(value, str) and _JSON_BEGUN.match(value):
        cut.append(key)
        return None
    return value


def listed(owner: JsonObject, key: str, cut: list[str]) -> list[JsonObject]:
    """The objects of a field that holds a list of them, or one, as JSON; `cut` is told where it is anything else."""
    value = loaded(owner.get(key))
    if value is None or value == "":
        return []
    values: list[Json] = value if isinstance(value, list) else [value]
    objects = objects_of(values)
    if len(objects) < len(values):
        cut.append(key)
    return objects
