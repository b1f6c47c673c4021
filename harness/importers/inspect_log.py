"""Logs of inspect_ai: `.eval` archives and the older JSON logs, a conversation each sample."""

import zipfile
from collections import Counter
from collections.abc import Iterator
from io import BytesIO

from harness import errors
from harness.foreign import ForeignError, given_by
from harness.importers import times
from harness.importers.found import Found, Source, Told, objects_in
from harness.importers.inspect_answers import assistant_of, beside_of, outputs_of, unmarked
from harness.providers.fields import list_at, object_at, objects_of, text_at
from harness.transcript import Outcome
from harness.value import Json, JsonObject, NotJsonError, decode

MAX_SAMPLE_BYTES = 128 * 1024 * 1024
MAX_ARCHIVE_BYTES = 4 * 1024 * 1024 * 1024
MAX_MEMBERS = 200_000

_ATTACHED = "attachment://"
_LIMITS = {"message": Outcome.MAX_STEPS, "time": Outcome.TIMEOUT, "working": Outcome.TIMEOUT}


class Inspect:
    """The format `inspect`."""

    name = "inspect"

    def recognises(self, source: Source) -> bool:
        """Whether the file is an archive with samples, or a log in JSON."""
        if source.raw.startswith(b"PK\x03\x04"):
            return b"samples/" in source.raw or b"header.json" in source.raw
        return source.head[:1] == b"{" and b'"samples"' in source.raw and b'"eval"' in source.head

    def read(self, source: Source) -> Found:
        """Each sample."""
        found = Found()
        header, samples = _archive_of(source) if source.raw.startswith(b"PK") else _log_of(source)
        run = object_at(header, "eval")
        for sample in samples:
            if not isinstance(sample, dict):
                found.left_out["a sample that is no object"] += 1
                continue
            found.told.append(_told(sample, run, found))
        return found


def _log_of(source: Source) -> tuple[Json, Iterator[Json]]:
    log = source.json()
    if not isinstance(log, dict) or not isinstance(log.get("samples"), list):
        raise errors.BadImport("a log of inspect_ai holds samples", file=source.name)
    return log, iter(list_at(log, "samples"))


def _archive_of(source: Source) -> tuple[Json, Iterator[Json]]:
    try:
        archive = given_by(zipfile.ZipFile, BytesIO(source.raw))
    except ForeignError as error:
        raise errors.BadImport(f"a broken archive: {error}", file=source.name) from None
    members = archive.infolist()
    if len(members) > MAX_MEMBERS or sum(one.file_size for one in members) > MAX_ARCHIVE_BYTES:
        found = f"{len(members)} members, {sum(one.file_size for one in members)} bytes"
        raise errors.BadImport("an archive too large to unpack", file=source.name, found=found)
    headers = [one for one in members if one.filename == "header.json"]
    samples = [one for one in members if one.filename.startswith("samples/") and one.filename.endswith(".json")]
    header = _member(archive, headers[0], source.name) if headers else None
    return header, (_member(archive, member, source.name) for member in samples)


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: str) -> Json:
    """A member's JSON; its name is never a path to anything. What it says of its size is not believed."""
    try:
        raw = given_by(_bytes_of, archive, member)
    except ForeignError as error:
        raise errors.BadImport(f"{member.filename[:80]} cannot be unpacked: {error}", file=file) from None
    if len(raw) > MAX_SAMPLE_BYTES:
        raise errors.BadImport(f"{member.filename[:80]} is larger than {MAX_SAMPLE_BYTES} bytes", file=file)
    try:
        return decode(raw)
    except NotJsonError as error:
        raise errors.BadImport(f"{member.filename[:80]} is not JSON: {error}", file=file) from None


def _bytes_of(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    with archive.open(member) as opened:
        return opened.read(MAX_SAMPLE_BYTES + 1)


def _told(sample: JsonObject, run: JsonObject, found: Found) -> Told:
    told = Told(
        f"{sample.get('id')}-{sample.get('epoch', 1)}",
        [],
        model=text_at(run, "model"),
        at=times.of_text(text_at(run, "created")),
    )
    attachments = object_at(sample, "attachments")
    messages = [
        _attached(one, attachments) for one in objects_in(list_at(sample, "messages"), "a message", found.left_out)
    ]
    calls = [one for one in objects_of(list_at(sample, "events")) if one.get("event") == "model"]
    answers = [one for one in messages if text_at(one, "role") == "assistant"]
    outputs = iter(outputs_of(sample, calls, answers, found.notes))
    for message in messages:
        if text_at(message, "role") == "assistant":
            told.answers[len(told.messages)] = beside_of(next(outputs), found.notes)
            told.messages.append(assistant_of(message, found.notes))
        else:
            _take(told, message, found.left_out)
    told.tools = [{"type": "function", "function": _tool_of(one)} for one in _tools_of(calls, attachments)]
    found.left_out["a call of a model beside the conversation"] += max(len(calls) - len(answers), 0)
    told.outcome, told.error = _ended(sample)
    return told


def _ended(sample: JsonObject) -> tuple[Outcome | None, str | None]:
    if error := object_at(sample, "error"):
        return Outcome.ERROR, text_at(error, "message") or "the sample failed"
    if limit := text_at(object_at(sample, "limit"), "type"):
        return _LIMITS.get(limit, Outcome.TRUNCATED), f"the sample reached its {limit} limit"
    return None, None


def _tools_of(calls: list[JsonObject], attachments: JsonObject) -> list[JsonObject]:
    """The tools that the first call of the model offered."""
    tools = objects_of(list_at(calls[0], "tools")) if calls else []
    return [one for tool in tools if isinstance(one := _attached(tool, attachments), dict)]


def _tool_of(tool: JsonObject) -> JsonObject:
    return {key: tool[key] for key in ("name", "description", "parameters") if key in tool}


def _attached(value: Json, attachments: JsonObject) -> Json:
    """The value with the texts that the log keeps elsewhere."""
    match value:
        case str() if value.startswith(_ATTACHED):
            return attachments.get(value.removeprefix(_ATTACHED), value)
        case dict():
            return {key: _attached(item, attachments) for key, item in value.items()}
        case list():
            return [_attached(item, attachments) for item in value]
        case _:
            return value


def _take(told: Told, message: Json, left_out: Counter[str]) -> None:
    at, role = len(told.messages), text_at(message, "role")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        content = [unmarked(part) if isinstance(part, dict) else part for part in content]
    if role == "tool":
        error = object_at(message, "error")
        if error:
            told.failed.add(at)
        said = content or text_at(error, "message")
        told.messages.append({"role": "tool", "tool_call_id": text_at(message, "tool_call_id"), "content": said})
    elif role:
        told.messages.append({"role": role, "content": content})
    else:
        left_out["a message without a role"] += 1


IMPORTER = Inspect()
