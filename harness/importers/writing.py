"""A draft of a recording, and its end: how the conversation came out, and the header that says where it is from."""

from base64 import b64encode
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from harness.derivation import main_conversation_of, reading_of_exchange
from harness.importers.found import Captured, Span
from harness.importers.scrubbing import Scrubber
from harness.importers.traffic import UNKNOWN_HOST, provider_of
from harness.providers.dialect import Reading
from harness.recording import Chunk, Context, End, Exchange, Header, Recording, ToolRun
from harness.transcript import Outcome, Turn
from harness.wire.redact import POLICY
from harness.wire.redact_stream import scrubbed_chunks

_NO_DIGEST = "sha256:" + "0" * 64  # written over by the one who knows the lines before it


_NO_HEADER = Header(
    id="draft", recorded_at="", agent_version="", versions={}, provider="", host="", model="", redaction=POLICY
)


@dataclass(slots=True)
class Draft:
    """A recording while it is put together; `outcome` is None where the answers themselves say how it ended.

    `said` are the turns of requests, by their number, as far as they are known; `spans` are where they were
    told, `unread` what of them could not be read.
    """

    contexts: dict[str, Context] = field(default_factory=dict)
    exchanges: list[Exchange] = field(default_factory=list)
    tools: list[ToolRun] = field(default_factory=list)
    name: str = ""
    client: str = ""
    outcome: Outcome | None = None
    error: str | None = None
    said: dict[int, list[Turn]] = field(default_factory=dict)
    spans: dict[int, Span] = field(default_factory=dict)
    unread: dict[int, str] = field(default_factory=dict)
    _readings: dict[int, Reading] = field(default_factory=dict)

    def reading_of(self, number: int) -> Reading:
        """Our reading of an exchange's answer, made once."""
        if number not in self._readings:
            self._readings[number] = reading_of_exchange(self.recording, self.exchanges[number])
        return self._readings[number]

    @property
    def recording(self) -> Recording:
        """The exchanges so far as a recording that is still being written."""
        return Recording(_NO_HEADER, self.contexts, self.exchanges, self.tools)


class Origin(NamedTuple):
    """What the headers of all recordings of one file share: its format and name, and who imports it."""

    format: str
    source: str
    agent_version: str


class Answer(NamedTuple):
    """An answer without its secrets, as an exchange holds it: one of these is there."""

    body: str | None = None
    base64: str | None = None
    chunks: list[Chunk] | None = None


def answer_of(one: Captured, scrubber: Scrubber, *, streamed: bool) -> Answer:
    """The answer of an exchange, without its secrets."""
    if not streamed:
        body = scrubber.body(one.answer)
        text = _text(body)
        return Answer(base64=b64encode(body).decode()) if text is None else Answer(text)
    chunks = scrubbed_chunks([chunk for _, chunk in one.chunks], scrubber.redactor)
    return Answer(chunks=[_chunk(ms, raw) for (ms, _), raw in zip(one.chunks, chunks, strict=True)])


def _chunk(ms: float, raw: bytes) -> Chunk:
    text = _text(raw)
    return Chunk(ms, None, b64encode(raw).decode()) if text is None else Chunk(ms, text)


def _text(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def recording_of(draft: Draft, origin: Origin, *, id_: str) -> Recording:
    """The whole recording of a draft."""
    first = draft.exchanges[0]
    context = draft.contexts[first.context]
    header = Header(
        id=id_,
        recorded_at=first.at,
        agent_version=origin.agent_version,
        versions=_versions_of(draft.client),
        provider=provider_of(context.host) if context.host != UNKNOWN_HOST else UNKNOWN_HOST,
        host=context.host,
        model=context.model,
        redaction=POLICY,
        origin=f"import:{origin.format}",
        source=origin.source,
    )
    recording = Recording(header, draft.contexts, draft.exchanges, draft.tools)
    last = main_conversation_of(recording)
    reading = draft.reading_of(last.number)
    outcome, error = _outcome_of(draft, last, reading)
    end = End(
        outcome=outcome,
        error=error,
        exchanges=len(draft.exchanges),
        tools=len(draft.tools),
        digest=_NO_DIGEST,
    )
    header = replace(header, model_answered=reading.model)
    return Recording(header, draft.contexts, draft.exchanges, draft.tools, None, end)


def _outcome_of(draft: Draft, last: Exchange, reading: Reading) -> tuple[Outcome, str | None]:
    """How the main conversation ended: as its source says, as its last answer says, or with calls that wait."""
    if draft.outcome is not None:
        return draft.outcome, draft.error
    if reading.outcome is not None:
        return reading.outcome, reading.error
    if len(reading.turn.calls) > sum(run.exchange == last.number for run in draft.tools):
        return Outcome.INCOMPLETE, "the conversation was left with calls unanswered"
    return Outcome.COMPLETED, None


def _versions_of(client: str) -> dict[str, str]:
    """The SDK that sent the requests, by the name it gives itself (`OpenAI/Python 1.99.1`)."""
    name, _, version = client.partition("/Python ")
    return {name.removeprefix("Async").lower(): version} if version else {}
