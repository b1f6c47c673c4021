"""Recording lines to recordings and back; a torn journal keeps all its finished lines."""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec

from harness import errors
from harness.json_lines import fitting, struct_of, structs_in
from harness.recording import Aside, Context, End, Exchange, Header, Line, Recording, State, ToolRun
from harness.transcript import Outcome
from harness.value import decoder_of, digest_of, encode, lines_of

_Kind = TypeVar("_Kind", bound=Line)

_decoder: "msgspec.json.Decoder[Any]" = decoder_of(Line)


class Journal(NamedTuple):
    """What a recording file holds: its recordings in order, and the torn last line where there is one."""

    recordings: list[Recording]
    torn: errors.TornLine | None


def journal_of(raw: bytes, *, file: str) -> Journal:
    """The recordings in a file's bytes (files may be concatenated); raises an `InputError` for the first bad line.

    A last line without its newline that cannot be read is torn: it is set apart and said, the rest is kept.
    """
    lines = lines_of(raw)
    torn = _torn_of(raw, lines, file)
    if torn is not None:
        lines.pop()
    groups: list[list[tuple[int, bytes, Line]]] = []
    values: list[Line] = structs_in(lines, _decoder, file=file)
    for number, (line, value) in enumerate(zip(lines, values, strict=True), 1):
        if isinstance(value, Header):
            groups.append([])
        if not groups:
            raise errors.MalformedLine("a recording starts with its header line", file=file, line=number)
        groups[-1].append((number, line, value))
    return Journal([_recording_of(group, file) for group in groups], torn)


def _torn_of(raw: bytes, lines: list[bytes], file: str) -> errors.TornLine | None:
    if not lines or raw.endswith(b"\n"):
        return None
    try:
        struct_of(lines[-1], _decoder, file=file, line=len(lines))
    except errors.MalformedLine:
        return errors.TornLine(file=file, line=len(lines), found=f"{len(lines[-1])} bytes")
    return None


def _recording_of(group: list[tuple[int, bytes, Line]], file: str) -> Recording:
    lines = [line for _, _, line in group]
    contexts: dict[str, Context] = {}
    exchanges: list[Exchange] = []
    for number, _, line in group:
        match line:
            case Context():
                contexts[line.hash] = line
            case Exchange():
                _check_links(line, exchanges, contexts, file, number)
                exchanges.append(line)
            case _:
                pass
    ends = [index for index, line in enumerate(lines) if isinstance(line, End)]
    if ends and ends[0] != len(lines) - 1:
        raise errors.MalformedLine("nothing stands after a recording's end line", file=file, line=group[ends[0] + 1][0])
    end = next(_of(End, lines), None)
    if end is not None:
        _check_end([raw for _, raw, _ in group[:-1]], end, file, group[-1][0])
    state = next(_of(State, lines), None)
    recording = Recording(
        next(_of(Header, lines)), contexts, exchanges, list(_of(ToolRun, lines)), state, end, list(_of(Aside, lines))
    )
    if end is not None:
        _check_count(recording, end, file, group[-1][0])
    return recording


def _of(kind: type[_Kind], lines: list[Line]) -> Iterator[_Kind]:
    return (line for line in lines if isinstance(line, kind))


def _check_links(
    exchange: Exchange, before: list[Exchange], contexts: dict[str, Context], file: str, number: int
) -> None:
    if exchange.number != len(before):
        sentence = "exchange numbers count 0, 1, 2 …"
        found = str(exchange.number)
        raise errors.MalformedLine(sentence, file=file, line=number, expected=str(len(before)), found=found)
    if exchange.parent is not None and not 0 <= exchange.parent < exchange.number:
        raise errors.MalformedLine("parent is no earlier exchange", file=file, line=number, found=str(exchange.parent))
    if exchange.context not in contexts:
        raise errors.MalformedLine("context stands on no earlier line", file=file, line=number, found=exchange.context)


def _check_end(before: list[bytes], end: End, file: str, number: int) -> None:
    digest = digest_of(b"".join(line + b"\n" for line in before))
    if digest != end.digest:
        raise errors.DigestMismatch(file=file, line=number, expected=end.digest, found=digest)


def _check_count(recording: Recording, end: End, file: str, number: int) -> None:
    """What the end line says of the lines before: how many, and that our own loop heard its last answer out."""
    counts = [f"{exchanges} exchanges, {tools} tools" for exchanges, tools in (
        (end.exchanges, end.tools), (len(recording.exchanges), len(recording.tools)),
    )]  # fmt: skip
    if counts[0] != counts[1]:
        sentence = "the end line counts other lines than there are"
        raise errors.MalformedLine(sentence, file=file, line=number, expected=counts[0], found=counts[1])
    last = recording.exchanges[-1] if recording.exchanges else None
    ended_well = end.outcome is Outcome.COMPLETED and recording.header.origin == "scenario"
    if ended_well and last is not None and not last.complete:
        sentence = "the run ended as completed, and its last answer broke off"
        raise errors.MalformedLine(sentence, file=file, line=number, found=f"exchange {last.number}, complete: false")


def line_of(line: Line) -> bytes:
    """A line as it is written, with its newline; raises `LineTooLong` before half of it stands anywhere."""
    return fitting(encode(line), _name_of(line)) + b"\n"


def _name_of(line: Line) -> str:
    match line:
        case Exchange():
            return f"exchange {line.number} (what was sent since the one before, and its answer)"
        case ToolRun():
            return f"the result of {line.name}"
        case Aside():
            return f"{line.method} {line.path.partition('?')[0]} (what was sent, and its answer)"
        case Context():
            return "what each request holds beside its messages (system prompt, tools)"
        case State():
            return "what the calls changed in the world"
        case Header() | End():
            return "the recording's own line"


def lines_of_recording(recording: Recording) -> bytes:
    """The bytes of a finished recording; its `end` is written with the digest of the lines before it."""
    exchanges, contexts = recording.exchanges, dict(recording.contexts)
    tools: dict[int, list[ToolRun]] = {}
    for run in recording.tools:
        tools.setdefault(run.exchange, []).append(run)
    lines: list[Line] = [recording.header, *_after(0, recording)]
    for exchange in exchanges:
        if exchange.context in contexts:
            lines.append(contexts.pop(exchange.context))
        lines.append(exchange)
        lines += [*tools.get(exchange.number, []), *_after(exchange.number + 1, recording)]
    if recording.state is not None:
        lines.append(recording.state)
    body = b"".join(map(line_of, lines))
    if recording.end is None:
        return body
    return body + encode(msgspec.structs.replace(recording.end, digest=digest_of(body))) + b"\n"


def _after(exchanges: int, recording: Recording) -> list[Aside]:
    return [one for one in recording.asides if one.after == exchanges]
