"""Attempts that passed become the lines of a recording: scrubbed, linked to what they continue, handed on at once."""

import hashlib
from base64 import b64encode
from collections.abc import Callable

import msgspec
from httpx2 import URL

from harness import errors
from harness.providers.dialect import Dialect, Parts
from harness.recording import Api, Chunk, Context, End, Exchange, Header, Line, Recording, State, ToolRun, context_of
from harness.recording_lines import line_of
from harness.transcript import Effects, Outcome, ToolCall
from harness.value import Json, JsonObject, canonical, decode
from harness.wire.answers import answer_id_of, is_kept
from harness.wire.asides import TOO_LARGE, aside_of
from harness.wire.capture import MAX_ANSWER_BYTES, Attempt
from harness.wire.facets import continued_answer, held_conversation
from harness.wire.redact import Redactor
from harness.wire.redact_stream import scrubbed_chunks
from harness.wire.told import check_told
from harness.world import Answer

_NOTHING_SAID = hashlib.sha256().digest()
# Written over by the one who knows the lines before it.
_NO_DIGEST = "sha256:" + "0" * 64


class Recorder:
    """One recording while it grows. `keep` gets each line when it is finished; the value is `recording()`."""

    def __init__(self, header: Header, redactor: Redactor, keep: Callable[[Line], None]) -> None:
        self._redactor = redactor
        self._keep = keep
        header = clean_header(header, redactor)
        self._recording = Recording(header, {}, [], [])
        self._conversations: dict[bytes, int] = {}
        self._answers: dict[str, int] = {}
        self._held: dict[str, int] = {}  # the last answer of each conversation that the server holds
        keep(header)

    @property
    def exchanges(self) -> list[Exchange]:
        """What passed so far."""
        return self._recording.exchanges

    def exchanged(self, attempts: list[Attempt], dialect: Dialect) -> Exchange:
        """Add the last of the attempts at one request, with what became of those before; raises `LineTooLong`."""
        *before, last = attempts
        body = _object(decode(last.request))
        parts = dialect.parts_of(body)
        scrub = self._redactor.value
        context = self._context_of(dialect.api, last.url, parts)
        parent, known = self._parent_of(parts)
        body_text, encoded, chunks = self._answer(last)
        exchange = Exchange(
            number=len(self.exchanges),
            parent=parent,
            context=context.hash,
            messages=_list(scrub(parts.messages[known:])),
            status=last.status,
            headers=self._redactor.headers(last.headers),
            body=body_text,
            base64=encoded,
            chunks=chunks,
            attempts=len(attempts),
            retried=[attempt.status for attempt in before],
            complete=last.complete,
            broke=last.broke,
            at=last.at,
            ms=last.ms,
        )
        check_told(dialect, parts.messages[known:], last, exchange)
        self._add(context, exchange)
        self._answers.setdefault(answer_id_of(exchange), exchange.number)
        held = held_conversation(parts.params)
        if held and is_kept(exchange):
            self._held[held] = exchange.number
        return exchange

    def _context_of(self, api: Api, url: URL, parts: Parts) -> Context:
        text, scrub = self._redactor.text, self._redactor.value
        return context_of(
            api=api,
            host=text(url.netloc.decode()),
            path=text(url.raw_path.decode()),
            model=text(parts.model),
            system=_list(scrub(parts.system)),
            tools=_list(scrub(parts.tools)),
            params=_object(scrub(parts.params)),
        )

    def passed(self, attempt: Attempt) -> str | None:
        """Add a request that asks no model; why not, where no replay could answer it."""
        aside = aside_of(attempt, self._redactor, after=len(self.exchanges))
        if isinstance(aside, str):
            return aside
        try:
            self._keep_line(aside)
        except errors.LineTooLong:
            return TOO_LARGE
        self._recording.asides.append(aside)
        return None

    def ran(self, call: ToolCall, answer: Answer, *, at: str, ms: float) -> None:
        """Add one execution of a tool, on behalf of the last answer."""
        exchange = len(self.exchanges) - 1
        position = sum(one.exchange == exchange for one in self._recording.tools)
        run = ToolRun(
            exchange=exchange,
            position=position,
            call=call.id,
            name=call.name,
            arguments=call.arguments,
            result=answer.text,
            error=answer.is_error,
            at=at,
            ms=ms,
        )
        self.add_run(run)

    def add_run(self, run: ToolRun) -> None:
        """Add an execution whose place is known."""
        run = self._redactor.struct(run)
        self._keep_line(run)
        self._recording.tools.append(run)

    def finished(self, outcome: Outcome, error: str | None, effects: Effects | None, *, model: str | None) -> Recording:
        """The whole recording; `model` is what the provider said it was."""
        scrub = self._redactor.struct
        state = None if effects is None else scrub(State(initial=effects.initial, changes=effects.changes))
        end = End(
            outcome=outcome,
            error=error,
            exchanges=len(self.exchanges),
            tools=len(self._recording.tools),
            digest=_NO_DIGEST,
        )
        header = scrub(msgspec.structs.replace(self._recording.header, model_answered=model))
        return msgspec.structs.replace(self._recording, header=header, state=state, end=scrub(end))

    def _add(self, context: Context, exchange: Exchange) -> None:
        if context.hash not in self._recording.contexts:
            self._keep_line(context)
            self._recording.contexts[context.hash] = context
        self._keep_line(exchange)
        self.exchanges.append(exchange)

    def _keep_line(self, line: Line) -> None:
        """Hand a line on; raises `LineTooLong`, and the recording is as it was."""
        line_of(line)
        self._keep(line)

    def _parent_of(self, parts: Parts) -> tuple[int | None, int]:
        """The exchange whose whole conversation a request continues, and how many of its messages that one holds.

        Where the server keeps the conversation, the request names the answer that it goes on from and holds none.
        """
        continued = continued_answer(parts.params)
        if continued:
            return self._answers.get(continued), 0
        held = held_conversation(parts.params)
        if held:
            return self._held.get(held), 0
        said, parent, known = _NOTHING_SAID, None, 0
        for count, message in enumerate(parts.messages):
            if said in self._conversations:
                parent, known = self._conversations[said], count
            said = hashlib.sha256(said + canonical(_unmarked(message))).digest()
        self._conversations[said] = len(self.exchanges)
        return parent, known

    def _answer(self, attempt: Attempt) -> tuple[str | None, str | None, list[Chunk] | None]:
        """The answer as text, as base64 where it is none, or as chunks; raises `LineTooLong`."""
        check_held(attempt)
        if attempt.is_stream:
            chunks = scrubbed_chunks([chunk for _, chunk in attempt.chunks], self._redactor)
            return None, None, [_chunk(ms, raw) for (ms, _), raw in zip(attempt.chunks, chunks, strict=True)]
        body = self._redactor.body(attempt.body)
        text = _text(body)
        return text, b64encode(body).decode() if text is None else None, None


def clean_header(header: Header, redactor: Redactor) -> Header:
    """A header without secrets; raises `SecretInName` where its name holds one, since its file has that name too."""
    clean = redactor.struct(header)
    if (clean.id, clean.scenario) != (header.id, header.scenario):
        raise errors.SecretInName(", ".join(redactor.kinds_in(f"{header.id} {header.scenario}")))
    return clean


def check_held(last: Attempt) -> None:
    """Raise `LineTooLong` where there was more of an answer than could be kept."""
    if last.endless:
        limit = f"{MAX_ANSWER_BYTES} bytes"
        raise errors.LineTooLong("the answer", expected=limit, found=f"more than {limit}")


def _chunk(ms: float, raw: bytes) -> Chunk:
    text = _text(raw)
    return Chunk(ms, None, b64encode(raw).decode()) if text is None else Chunk(ms, text)


def _unmarked(value: Json) -> Json:
    """A message without the marks that say where to cache: agents move them on from request to request."""
    match value:
        case dict():
            return {
                key: item if key == "input" else _unmarked(item)
                for key, item in value.items()
                if key != "cache_control"
            }
        case list():
            return [_unmarked(item) for item in value]
        case _:
            return value


def _text(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _object(value: Json) -> JsonObject:
    assert isinstance(value, dict)  # noqa: S101  scrubbing keeps the kind, and a request's body is an object
    return value


def _list(value: Json) -> list[Json]:
    assert isinstance(value, list)  # noqa: S101  scrubbing keeps the kind
    return value
