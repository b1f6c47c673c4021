"""Fixture lines to fixture and back; every break of the form is its own error with file and line."""

import re
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from harness import errors
from harness.fixture import Assertion, Count, Digest, Fixture, Meta
from harness.json_lines import struct_of
from harness.transcript import (
    AssistantTurn,
    Block,
    Change,
    Effects,
    Outcome,
    StopReason,
    Text,
    TokenLedger,
    ToolResultTurn,
    Transcript,
    Turn,
    UserTurn,
)
from harness.value import decoder_of, encode, lines_of

KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")


class _TurnLine(
    msgspec.Struct, tag_field="type", tag="turn", rename="camel", forbid_unknown_fields=True, omit_defaults=True
):
    turn_index: int
    role: Literal["user", "assistant", "toolResult"]
    tool_use_id: str | msgspec.UnsetType = msgspec.UNSET
    content: list[Block] = msgspec.field(default_factory=list)
    is_error: bool | msgspec.UnsetType = msgspec.UNSET
    token_ledger: TokenLedger | msgspec.UnsetType = msgspec.UNSET
    stop_reason: StopReason | None | msgspec.UnsetType = msgspec.UNSET


class _StateLine(msgspec.Struct, tag_field="type", tag="state", forbid_unknown_fields=True):
    initial: Digest
    changes: list[Change]


class _EndLine(msgspec.Struct, tag_field="type", tag="end", forbid_unknown_fields=True):
    outcome: Outcome
    error: str | None = None


class _AssertionsLine(msgspec.Struct, tag_field="type", tag="assertions", forbid_unknown_fields=True):
    assertions: list[Assertion]


_Line: TypeAlias = Meta | _TurnLine | _StateLine | _EndLine | _AssertionsLine
_decoder: "msgspec.json.Decoder[Any]" = decoder_of(_Line)


class _Place(NamedTuple):
    """Where in which file, for errors."""

    file: str
    line: int


def fixture_of(raw: bytes, *, file: str) -> Fixture:
    """The fixture in a file's bytes; raises an `InputError` that names the first line that breaks the form."""
    raw_lines = lines_of(raw)
    lines = [_line_of(line, _Place(file, number)) for number, line in enumerate(raw_lines, 1)]
    meta, assertions = _ends_of(lines, file)
    turns, state, end = _middle_of(lines, file)
    effects = Effects(state.initial, state.changes) if state else None
    transcript = Transcript(turns, end.outcome if end else Outcome.COMPLETED, end.error if end else None, effects)
    _check_pairs(transcript, file)
    return Fixture(meta, transcript, assertions.assertions, raw_lines[-1])


def _line_of(raw: bytes, place: _Place) -> _Line:
    line: _Line = struct_of(raw, _decoder, file=place.file, line=place.line)
    return line


def _ends_of(lines: list[_Line], file: str) -> tuple[Meta, _AssertionsLine]:
    metas = [number for number, line in enumerate(lines, 1) if isinstance(line, Meta)]
    blocks = [number for number, line in enumerate(lines, 1) if isinstance(line, _AssertionsLine)]
    if not metas:
        raise errors.MetaMissing(file=file, line=1)
    if metas != [1]:
        raise errors.MetaMisplaced(file=file, line=next(number for number in metas if number != 1))
    meta = lines[0]
    assert isinstance(meta, Meta)  # noqa: S101  narrows for the type checker; metas == [1] says so
    if not blocks:
        raise errors.AssertionsMissing(meta.fixture_id, file=file, line=len(lines))
    if blocks != [len(lines)]:
        raise errors.AssertionsMisplaced(file=file, line=blocks[0])
    _check_id(meta, file)
    last = lines[-1]
    assert isinstance(last, _AssertionsLine)  # noqa: S101
    return meta, last


def _check_id(meta: Meta, file: str) -> None:
    name = file.replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl")
    if not KEBAB.match(meta.fixture_id) or meta.fixture_id != name:
        raise errors.NameMismatch(meta.fixture_id, file=file, line=1, expected=name, found=meta.fixture_id)


def _middle_of(lines: list[_Line], file: str) -> tuple[list[Turn], _StateLine | None, _EndLine | None]:
    turns: list[Turn] = []
    state: _StateLine | None = None
    end: _EndLine | None = None
    for number, line in enumerate(lines[1:-1], 2):
        place = _Place(file, number)
        match line:
            case _TurnLine() if state is None and end is None:
                turns.append(_turn_of(line, len(turns), place))
            case _StateLine() if state is None and end is None:
                state = line
            case _EndLine() if end is None:
                end = line
            case _:
                raise errors.TurnOrder("turns come first, then one state line, then one end line", **place._asdict())
    if not turns or not isinstance(turns[0], UserTurn):
        raise errors.TurnOrder("a conversation starts with a user turn", file=file, line=min(2, len(lines)))
    return turns, state, end


def _turn_of(line: _TurnLine, expected: int, place: _Place) -> Turn:
    if line.turn_index != expected:
        kind = errors.TurnIndexGap if line.turn_index > expected else errors.TurnIndexRepeat
        raise kind(**place._asdict(), expected=str(expected), found=str(line.turn_index))
    match line.role:
        case "user":
            _refuse(line, {"tool_use_id", "is_error", "token_ledger", "stop_reason"}, place)
            return UserTurn(_texts(line, place))
        case "toolResult":
            _refuse(line, {"token_ledger", "stop_reason"}, place)
            if line.tool_use_id is msgspec.UNSET:
                raise errors.MalformedLine("a toolResult turn needs toolUseId", **place._asdict())
            return ToolResultTurn(line.tool_use_id, _texts(line, place), line.is_error is True)
        case "assistant":
            _refuse(line, {"tool_use_id", "is_error"}, place)
            return _assistant_of(line, place)


def _assistant_of(line: _TurnLine, place: _Place) -> AssistantTurn:
    if line.token_ledger is msgspec.UNSET:
        raise errors.MalformedLine("an assistant turn needs tokenLedger (null where not reported)", **place._asdict())
    return AssistantTurn(line.content, line.token_ledger, line.stop_reason or None)


def _refuse(line: _TurnLine, fields: set[str], place: _Place) -> None:
    for field in sorted(fields):
        if getattr(line, field) is not msgspec.UNSET:
            name = msgspec.structs.fields(_TurnLine)
            shown = next(item.encode_name for item in name if item.name == field)
            raise errors.MalformedLine(f"a {line.role} turn has no {shown}", **place._asdict())


def _texts(line: _TurnLine, place: _Place) -> list[Text]:
    texts = [block for block in line.content if isinstance(block, Text)]
    if len(texts) != len(line.content):
        raise errors.MalformedLine(f"a {line.role} turn holds text blocks only", **place._asdict())
    return texts


def _check_pairs(transcript: Transcript, file: str) -> None:
    """Each call has its result before the next assistant or user turn; each result has its call."""
    open_ids: list[str] = []
    for index, turn in enumerate(transcript.turns):
        place = _Place(file, index + 2)
        if isinstance(turn, ToolResultTurn):
            if turn.tool_use_id not in open_ids:
                raise errors.ResultOrphan(turn.tool_use_id, **place._asdict())
            open_ids.remove(turn.tool_use_id)
            continue
        if open_ids:
            raise errors.ResultMissing(open_ids[0], **place._asdict())
        open_ids = [call.id for call in turn.calls] if isinstance(turn, AssistantTurn) else []
    if open_ids and transcript.outcome in {Outcome.COMPLETED, Outcome.REFUSED}:
        raise errors.ResultMissing(open_ids[0], file=file, line=len(transcript.turns) + 1)


def lines_of_fixture(fixture: Fixture) -> bytes:
    """The bytes of the fixture's file."""
    transcript = fixture.transcript
    lines = [encode(fixture.meta)]
    lines += [encode(_line_of_turn(index, turn)) for index, turn in enumerate(transcript.turns)]
    if transcript.effects is not None:
        lines.append(encode(_StateLine(transcript.effects.initial, transcript.effects.changes)))
    if transcript.outcome is not Outcome.COMPLETED:
        lines.append(encode(_EndLine(transcript.outcome, transcript.error)))
    lines.append(fixture.assertions_line)
    return b"\n".join(lines) + b"\n"


def assertions_line_of(assertions: list[Assertion]) -> bytes:
    """The last line of a fixture."""
    return encode(_AssertionsLine(assertions))


def _line_of_turn(index: int, turn: Turn) -> _TurnLine:
    match turn:
        case UserTurn():
            return _TurnLine(index, "user", content=list(turn.content))
        case AssistantTurn():
            ledger, reason = turn.token_ledger, turn.stop_reason
            return _TurnLine(index, "assistant", content=turn.content, token_ledger=ledger, stop_reason=reason)
        case ToolResultTurn():
            texts: list[Block] = list(turn.content)
            return _TurnLine(index, "toolResult", turn.tool_use_id, texts, turn.is_error)


EMPTY_ASSERTIONS = assertions_line_of([])
