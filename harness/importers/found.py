"""What an importer finds in a file: exchanges that crossed the wire, conversations that were told, and the rest."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, Protocol, TypeAlias

from harness import errors
from harness.providers.fields import objects_of
from harness.transcript import Outcome
from harness.value import Json, JsonObject, NotJsonError, decode, lines_of

_BOM = b"\xef\xbb\xbf"
_HEAD = 1024 * 1024

ToldApi: TypeAlias = Literal["chat", "messages"]


@dataclass(frozen=True)
class Source:
    """A file to import: its name for messages and ids, its bytes, and files that belong to it by their endings.

    `parts` is empty for a file that stands alone; raw HTTP captures of one directory come together.
    """

    name: str
    raw: bytes
    parts: dict[str, bytes] = field(default_factory=dict)

    @cached_property
    def head(self) -> bytes:
        """The beginning, without byte order mark and white space."""
        return self.raw[:_HEAD].removeprefix(_BOM).lstrip()

    @cached_property
    def first(self) -> Json:
        """The first JSON value: the first line where that is one, else the whole file; None where there is none."""
        if self.head[:1] not in {b"{", b"["}:
            return None
        line = self.raw.removeprefix(_BOM).lstrip().partition(b"\n")[0]
        try:
            return decode(line)
        except NotJsonError:
            return None if isinstance(self._whole, NotJsonError) else self._whole

    @property
    def is_json(self) -> bool:
        """Whether the file is one JSON value."""
        return not isinstance(self._whole, NotJsonError)

    def json(self) -> Json:
        """The file as one JSON value; raises `BadImport`."""
        if isinstance(self._whole, NotJsonError):
            raise errors.BadImport(f"not JSON: {self._whole}", file=self.name)
        return self._whole

    @cached_property
    def _whole(self) -> Json | NotJsonError:
        """The value, decoded once however often it is asked for."""
        try:
            return decode(self.raw.removeprefix(_BOM))
        except NotJsonError as error:
            return error

    def json_lines(self) -> list[Json]:
        """Each line that is not blank as a JSON value; raises `BadImport` with the first that is none."""
        values: list[Json] = []
        for number, line in enumerate(lines_of(self.raw.removeprefix(_BOM)), 1):
            if line.strip():
                try:
                    values.append(decode(line))
                except NotJsonError as error:
                    raise errors.BadImport(f"not JSON: {error}", file=self.name, line=number) from None
        return values


class Span(NamedTuple):
    """Where in a trace something was told; ids are empty where the source gives none. `at` counts nanoseconds."""

    trace: str = ""
    id: str = ""
    parent: str = ""
    conversation: str = ""
    at: int = 0


NO_SPAN = Span()


class Captured(NamedTuple):
    """One exchange as another tool kept it. `request` is empty where it was not kept.

    `chunks` are the reads of the answer with their milliseconds, one where the reads are not known; `headers` are
    the answer's, by lower-case name; `at` is a time as files say it, empty where nothing tells it.
    `unread` says what of the request could not be read: such a conversation is no whole one.
    """

    method: str
    url: str
    request: bytes
    status: int
    headers: dict[str, str]
    chunks: list[tuple[float, bytes]]
    complete: bool = True
    at: str = ""
    ms: float = 0.0
    client: str = ""
    span: Span = NO_SPAN
    unread: str = ""

    @property
    def answer(self) -> bytes:
        """The answer's bytes."""
        return self.chunks[0][1] if len(self.chunks) == 1 else b"".join(chunk for _, chunk in self.chunks)


@dataclass(slots=True)
class Told:
    """A conversation that holds no bytes of the wire: messages in the form of `api`, system messages among them.

    `answers` are the fields beside the message (usage, finish reason, model) by the message's position; `failed` are
    the positions of results that are errors, which Chat Completions cannot say. `name` tells conversations of one
    file apart.
    """

    name: str
    messages: list[Json]
    api: ToldApi = "chat"
    model: str = ""
    tools: list[Json] = field(default_factory=list)
    params: JsonObject = field(default_factory=dict)
    answers: dict[int, JsonObject] = field(default_factory=dict)
    failed: set[int] = field(default_factory=set)
    outcome: Outcome | None = None
    error: str | None = None
    at: str = ""


class Ran(NamedTuple):
    """What a tool gave for a call, where that is told apart from the conversation.

    Ids of calls recur from one conversation to the next: `span` says which one is meant.
    """

    call: str
    result: str
    failed: bool
    name: str = ""
    span: Span = NO_SPAN


@dataclass(slots=True)
class Found:
    """All that a file holds. `left_out` counts what is no conversation with a model, by what it is."""

    captured: list[Captured] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    ran: list[Ran] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)


def objects_in(values: list[Json], what: str, left_out: Counter[str]) -> list[JsonObject]:
    """The objects among the values; others are counted as `what` that is none."""
    objects = objects_of(values)
    left_out[f"{what} that is no object"] += len(values) - len(objects)
    return objects


class Importer(Protocol):
    """One format. Both functions are pure; `read` raises nothing but `BadImport`."""

    name: str

    def recognises(self, source: Source) -> bool:
        """Whether a file looks like this format; never raises."""

    def read(self, source: Source) -> Found:
        """What the file holds."""
