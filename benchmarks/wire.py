"""What importers and dialects make of real traffic: read, derived, replayed through the official SDKs, equal.

    python benchmarks/wire.py [DIRECTORY...]

DIRECTORY holds cassettes, captures, results; by default ../shared/data where it is there. The project's own recordings
are always among them. Each exchange is asked for again through the provider's SDK, answered once by a replay of its
recording and once by the bytes that the source holds; both must give the same objects, event by event, sync and async.
Every exception is listed with its reason.
"""

import asyncio
import inspect
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anthropic
import httpx2
import openai

from harness import errors, files
from harness.derivation import answer_bytes, conversations_of, transcript_of
from harness.exporters.bodies import body_of
from harness.importers.found import Source
from harness.importers.importing import Imported, imported
from harness.importers.opening import source_of
from harness.importers.registry import recognised
from harness.importers.tasks import tasks_of
from harness.providers.failure import FIRST_ERROR_STATUS
from harness.recording import Exchange, Recording
from harness.value import JsonObject, encode, plain
from harness.wire.redact import Redactor
from harness.wire.replay import Replay, Script
from harness.wire.replay_transport import ReplayTransport

BASE_URL = "http://127.0.0.1:9/v1"
SHARED = Path(__file__).parents[2] / "shared" / "data"
OWN = Path(__file__).parents[1] / "recordings"
EQUAL_TARGET = 0.99
COLUMNS = ("exchanges", "derived", "bytes kept", "asked", "equal")


class Told(NamedTuple):
    """What an SDK made of an answer: the dumped object or events, or the error that it raised."""

    values: list[Any]
    error: str = ""


class Table:
    """Counts by API and form, and what did not go as it should."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Counter[str]] = {}
        self.exceptions: list[str] = []
        self.files: Counter[str] = Counter()
        self.lost: list[str] = []
        self.unasked: list[str] = []
        self.written_anew: Counter[str] = Counter()

    def row(self, recording: Recording, exchange: Exchange) -> Counter[str]:
        form = "stream" if exchange.chunks is not None else "plain"
        form = "error" if exchange.status >= FIRST_ERROR_STATUS else form
        return self.rows.setdefault((recording.contexts[exchange.context].api, form), Counter())

    def print(self) -> None:
        print(f"{'':<20}" + "".join(f"{name:>12}" for name in COLUMNS))
        for (api, form), counts in [*sorted(self.rows.items()), (("all", ""), sum(self.rows.values(), Counter()))]:
            print(f"{api + ' ' + form:<20}" + "".join(f"{counts[name]:>12}" for name in COLUMNS))
        print(", ".join(f"{count} {what}" for what, count in sorted(self.files.items())))
        for title, lines in {
            "not all is kept, and said so": self.lost,
            "the request is not in the source": self.unasked,
            "answers that are written anew": [f"{what}: {count}" for what, count in sorted(self.written_anew.items())],
            "not equal": self.exceptions,
        }.items():
            print(f"{title}: {len(lines)}", *lines, sep="\n  ")


def sources(directories: list[Path]) -> Iterator[tuple[Source, str]]:
    for task in tasks_of([path for path in directories if path.exists()], Path()):
        if task.error is not None:
            raise SystemExit(task.error.sentence)
        yield source_of(task), task.name


def check_file(source: Source, name: str, table: Table) -> None:
    importer = recognised(source)
    if importer is None:
        table.files["of no known format"] += 1
        return
    try:
        result = imported(source, importer, id_="x", agent_version="0", redactor=Redactor)
    except errors.HarnessError as error:
        table.files["refused"] += 1
        table.exceptions.append(f"{name}: {error}")
        return
    table.files["read"] += 1
    _note_losses(result, name, table)
    answers = {one.answer for one in importer.read(source).captured}
    for recording in result.recordings:
        if answers:
            check_recording(recording, name, table, kept=answers.__contains__)
        else:
            check_told(recording, table)


def check_told(recording: Recording, table: Table) -> None:
    """A conversation that holds no bytes of the wire: there is nothing to hold a replay against."""
    for leaf in conversations_of(recording):
        transcript_of(recording, leaf)
    row = table.rows.setdefault(("told", "no bytes"), Counter())
    row["exchanges"] += len(recording.exchanges)
    row["derived"] += len(recording.exchanges)


def _note_losses(result: Imported, name: str, table: Table) -> None:
    if result.seen != result.written:
        table.lost.append(f"{name}: {result.seen} in, {result.written} out")


def check_recording(recording: Recording, name: str, table: Table, kept: Callable[[bytes], bool]) -> None:
    for leaf in conversations_of(recording):
        transcript_of(recording, leaf)
    replays = [Replay(Script(recording, name, "")) for _ in range(2)]
    for exchange in recording.exchanges:
        row = table.row(recording, exchange)
        row["exchanges"] += 1
        row["derived"] += 1
        raw = answer_bytes(exchange)
        row["bytes kept"] += kept(raw)
        if not kept(raw):
            table.written_anew["a secret was taken out" if b"[secret:" in raw else "a native Google call"] += 1
        if not exchange.messages and exchange.parent is None:
            table.unasked.append(f"{name} #{exchange.number}")
            continue
        row["asked"] += 1
        reason = difference_of(recording, exchange, replays)
        row["equal"] += not reason
        if reason:
            table.exceptions.append(f"{name} #{exchange.number}: {reason}")


def difference_of(recording: Recording, exchange: Exchange, replays: list[Replay]) -> str:
    """Why the SDK does not get the same from us as from the bytes; empty where it does."""
    if recording.contexts[exchange.context].path.endswith("/api/chat"):
        return _difference_of_bytes(recording, exchange, replays[0])
    body = plain(body_of(recording, exchange))
    assert isinstance(body, dict)
    api = recording.contexts[exchange.context].api
    direct = httpx2.MockTransport(lambda request: _original(exchange, request))
    ways = (ask, lambda *given: asyncio.run(aask(*given)))
    for replay, way in zip(replays, ways, strict=True):
        from_bytes, from_us = way(api, body, direct), way(api, body, ReplayTransport(httpx2, replay))
        if from_bytes != from_us:
            how = "async" if way is not ask else "sync"
            return f"{how}: {_shown(from_us)} in place of {_shown(from_bytes)}"
    return ""


def _difference_of_bytes(recording: Recording, exchange: Exchange, replay: Replay) -> str:
    """For an API that no SDK of these speaks."""
    with httpx2.Client(transport=ReplayTransport(httpx2, replay)) as http:
        answer = http.post(f"{BASE_URL}/api/chat", content=encode(body_of(recording, exchange)))
    return "" if answer.content == answer_bytes(exchange) else "other bytes"


def _original(exchange: Exchange, request: httpx2.Request) -> httpx2.Response:
    kind = "text/event-stream" if exchange.chunks is not None else "application/json"
    headers = {"content-type": kind, "x-should-retry": "false"}
    return httpx2.Response(exchange.status, headers=headers, content=answer_bytes(exchange), request=request)


def _shown(told: Told) -> str:
    return told.error[:160] or f"{len(told.values)} values"


def ask(api: str, body: JsonObject, transport: Any) -> Told:  # noqa: ANN401  a transport of either kind
    with httpx2.Client(transport=transport) as http, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sdk = anthropic.Anthropic if api == "messages" else openai.OpenAI
        create = _create(sdk(api_key="none", base_url=BASE_URL, http_client=http, max_retries=0), api)
        values: list[Any] = []
        try:
            answer = create(**_arguments(create, body))
            values += [_dumped(event) for event in answer] if _is_stream(answer) else [_dumped(answer)]
        except Exception as error:  # noqa: BLE001  whatever the SDK makes of an answer is compared
            return Told(values, _error(error))
        return Told(values)


async def aask(api: str, body: JsonObject, transport: Any) -> Told:  # noqa: ANN401  as above
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        async with httpx2.AsyncClient(transport=transport) as http:
            sdk = anthropic.AsyncAnthropic if api == "messages" else openai.AsyncOpenAI
            create = _create(sdk(api_key="none", base_url=BASE_URL, http_client=http, max_retries=0), api)
            values: list[Any] = []
            try:
                answer = await create(**_arguments(create, body))
                values += [_dumped(event) async for event in answer] if _is_stream(answer) else [_dumped(answer)]
            except Exception as error:  # noqa: BLE001  as above
                return Told(values, _error(error))
            return Told(values)


def _create(client: Any, api: str) -> Any:  # noqa: ANN401  a method of either SDK
    return {
        "chat": lambda: client.chat.completions.create,
        "responses": lambda: client.responses.create,
        "messages": lambda: client.messages.create,
    }[api]()


def _arguments(create: Any, body: JsonObject) -> dict[str, Any]:  # noqa: ANN401  as above
    """The body as arguments; what the signature does not know, or the SDK would judge, goes past its types."""
    known = inspect.signature(create).parameters.keys() & {"model", "messages", "input", "max_tokens", "stream"}
    named = {key: value for key, value in body.items() if key in known}
    beyond = {key: value for key, value in body.items() if key not in known}
    missing = {"max_tokens": 1} if "max_tokens" in known and "max_tokens" not in named and "messages" in named else {}
    return {**named, **(missing if "anthropic" in create.__module__ else {}), "extra_body": beyond, "timeout": 60}


def _is_stream(answer: object) -> bool:
    return isinstance(answer, openai.Stream | openai.AsyncStream | anthropic.Stream | anthropic.AsyncStream)


def _dumped(value: Any) -> Any:  # noqa: ANN401  whatever an SDK gives
    return value.model_dump(warnings=False) if hasattr(value, "model_dump") else repr(value)


def _error(error: Exception) -> str:
    body = getattr(error, "body", None)
    return f"{type(error).__name__} {getattr(error, 'status_code', '')} {error} {body}"


def main() -> int:
    table = Table()
    for source, name in sources([Path(one) for one in sys.argv[1:]] or [SHARED]):
        check_file(source, name, table)
    for path in sorted(OWN.rglob("*.jsonl")) if OWN.exists() else []:
        for recording in files.load_journal(path).recordings:
            check_recording(recording, str(path.relative_to(OWN.parent)), table, kept=lambda _: True)
            table.files["of the project's own recordings"] += 1
    table.print()
    total = sum(table.rows.values(), Counter())
    share = total["equal"] / total["asked"] if total["asked"] else 1.0
    print(
        f"equal: {share:.1%} of {total['asked']} (target {EQUAL_TARGET:.0%}); refused files: {table.files['refused']}"
    )
    return int(share < EQUAL_TARGET or table.files["refused"] > 0)


if __name__ == "__main__":
    sys.exit(main())
