"""Recording lines to recordings and back; a torn journal keeps all its finished lines."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import msgspec

from harness import errors
from harness.json_lines import fitting, struct_of, structs_in
from harness.recording import Aside, Context, End, Exchange, Header, Line, Recording, State, ToolRun
from harness.transcript import Outcome
from harness.value import MAX_LINE_BYTES, decoder_of, digest_of, encode, lines_of

_OTHER_ENDS = (
    "its lines end in \\r\\n, as git writes them on Windows: put 'recordings/** -text' into .gitattributes, "
    "delete the file and check it out again"
)
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
    values: list[Line] = structs_in(lines, _decoder, file=file)
    starts = [at for at, value in enumerate(values) if isinstance(value, Header)]
    if values and starts[:1] != [0]:
        raise errors.MalformedLine("a recording starts with its header line", file=file, line=1)
    recordings = []
    for start, stop in pairwise([*starts, len(values)]):
        recording = _recording_of(values[start:stop], file, start + 1)
        if recording.end is not None:
            _check_end(lines[start : stop - 1], recording.end, file, stop)
            _check_count(recording, recording.end, file, stop)
        recordings.append(recording)
    return Journal(recordings, torn)


def _torn_of(raw: bytes, lines: list[bytes], file: str) -> errors.TornLine | None:
    if not lines or raw.endswith(b"\n"):
        return None
    try:
        struct_of(lines[-1], _decoder, file=file, line=len(lines))
    except errors.MalformedLine:
        return errors.TornLine(file=file, line=len(lines), found=f"{len(lines[-1])} bytes")
    return None


def _recording_of(lines: list[Line], file: str, first: int) -> Recording:
    """The recording that begins with line `first` of a file."""
    contexts: dict[str, Context] = {}
    exchanges: list[Exchange] = []
    tools: list[ToolRun] = []
    others: list[Line] = []
    for number, line in enumerate(lines, first):
        match line:
            case Exchange():
                _check_links(line, exchanges, contexts, file, number)
                exchanges.append(line)
            case ToolRun():
                tools.append(line)
            case Context():
                contexts[line.hash] = line
            case _:
                others.append(line)
    end = next(_of(End, others), None)
    if end is not None and end is not lines[-1]:
        after = next(at for at, line in enumerate(lines, first + 1) if line is end)
        raise errors.MalformedLine("nothing stands after a recording's end line", file=file, line=after)
    state, asides = next(_of(State, others), None), list(_of(Aside, others))
    return Recording(next(_of(Header, others)), contexts, exchanges, tools, state, end, asides)


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
    digest = digest_of(_joined(before))
    if digest != end.digest:
        error = errors.DigestMismatch(file=file, line=number, expected=end.digest, found=digest)
        error.mend = _OTHER_ENDS if all(line.endswith(b"\r") for line in before) else None
        raise error


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
    return _written(line) + b"\n"


def _written(line: Line) -> bytes:
    written = encode(line)
    return written if len(written) <= MAX_LINE_BYTES else fitting(written, _name_of(line))


def _joined(lines: list[bytes]) -> bytes:
    return b"\n".join([*lines, b""])


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


class Kept(NamedTuple):
    """A finished recording as its bytes, and as it reads from them."""

    lines: bytes
    recording: Recording


def kept_of(recording: Recording, *, file: str) -> Kept:
    """The bytes of a recording, read again: raises as `lines_of_recording` and `journal_of` do, of that file."""
    lines = _lines_of(recording)
    values: list[Line] = [struct_of(line, _decoder, file=file, line=number) for number, line in enumerate(lines, 1)]
    again = _recording_of(values, file, 1)
    if again.end is not None:
        _check_count(again, again.end, file, len(lines))
    return Kept(_joined(lines), again)


def lines_of_recording(recording: Recording) -> bytes:
    """The bytes of a finished recording; its `end` is written with the digest of the lines before it."""
    return _joined(_lines_of(recording))


def _lines_of(recording: Recording) -> list[bytes]:
    lines = [*map(_written, _in_order(recording))]
    if recording.end is not None:
        lines.append(encode(msgspec.structs.replace(recording.end, digest=digest_of(_joined(lines)))))
    return lines


def _in_order(recording: Recording) -> list[Line]:
    """All lines but the last: a context before the first exchange in it, runs of tools and asides after theirs."""
    contexts = dict(recording.contexts)
    tools: dict[int, list[Line]] = {}
    for run in recording.tools:
        tools.setdefault(run.exchange, []).append(run)
    asides: dict[int, list[Line]] = {}
    for aside in recording.asides:
        asides.setdefault(aside.after, []).append(aside)
    lines: list[Line] = [recording.header, *asides.get(0, [])]
    for exchange in recording.exchanges:
        if exchange.context in contexts:
            lines.append(contexts.pop(exchange.context))
        lines.append(exchange)
        lines += [*tools.get(exchange.number, ()), *asides.get(exchange.number + 1, ())]
    if recording.state is not None:
        lines.append(recording.state)
    return lines
