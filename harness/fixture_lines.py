"""Fixture lines to fixture and back; every break of the form is its own error with file and line."""

import re
from collections import Counter
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from harness import errors
from harness.fixture import Assertion, Digest, Fixture, Meta
from harness.json_lines import fitting, structs_of
from harness.transcript import (
    AssistantTurn,
    Block,
    Change,
    Effects,
    Outcome,
    StopReason,
    Text,
    TokenLedger,
    ToolCall,
    ToolResultTurn,
    Transcript,
    Turn,
    UserTurn,
    text_of,
)
from harness.value import decoder_of, digest_of, encode

KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")

_BY_HAND = re.compile(rb'\s*\{\s*"type"\s*:\s*"assertions?"')
_PART = re.compile(r"assertions\[\d+\]")

# A run that ended in another way stopped before, or while, the calls of its last answer were executed.
_EXECUTED = (Outcome.COMPLETED, Outcome.MAX_STEPS)


class TurnLine(
    msgspec.Struct,
    tag_field="type",
    tag="turn",
    rename="camel",
    forbid_unknown_fields=True,
    omit_defaults=True,
    gc=False,
):
    """One turn. Its role says which keys stand: a tool result has `toolUseId`, an answer `tokenLedger`."""

    turn_index: int
    role: Literal["user", "assistant", "toolResult"]
    tool_use_id: str | UnsetType = UNSET
    content: list[Block] | UnsetType = UNSET
    is_error: bool | UnsetType = UNSET
    token_ledger: TokenLedger | UnsetType = UNSET
    stop_reason: StopReason | UnsetType | None = UNSET


class StateLine(msgspec.Struct, tag_field="type", tag="state", forbid_unknown_fields=True):
    """The hash of the world's tables at the start, and each row that a call changed, in order."""

    initial: Digest
    changes: list[Change]


class EndLine(msgspec.Struct, tag_field="type", tag="end", forbid_unknown_fields=True):
    """How the conversation ended; without this line it was completed."""

    outcome: Outcome
    error: str | None = None


class AssertionsLine(msgspec.Struct, tag_field="type", tag="assertions", forbid_unknown_fields=True):
    """The last line, written by a person: what must hold."""

    assertions: list[Assertion]


Line: TypeAlias = Meta | TurnLine | StateLine | EndLine | AssertionsLine
_decoder: "msgspec.json.Decoder[Any]" = decoder_of(Line)


def fixture_of(raw: bytes, *, file: str) -> Fixture:
    """The fixture in a file's bytes; raises an `InputError` that names the first line that breaks the form."""
    lines = _structs_in(raw, file)
    meta, assertions = _ends_of(lines, file)
    turns, state, end = _middle_of(lines, file)
    effects = Effects(state.initial, state.changes) if state else None
    outcome, reason = (end.outcome, end.error) if end else (Outcome.COMPLETED, None)
    _check_pairs(turns, outcome, file)
    _check_user_hash(meta, turns[0], file)
    last = raw[raw.rfind(b"\n", 0, -1) + 1 :].removesuffix(b"\n")
    return Fixture(meta, Transcript(turns, outcome, reason, effects), assertions.assertions, last)


def _structs_in(raw: bytes, file: str) -> list[Line]:
    """Each line's struct; a bad assertions line is corrected by hand, since a person wrote it."""
    try:
        return structs_of(raw, _decoder, file=file)
    except errors.MalformedLine as error:
        line = raw.split(b"\n")[(error.line or 1) - 1]
        if _BY_HAND.match(line):
            part = _PART.match(error.subject)
            error.mend = f"correct {part[0] if part else 'the assertions'} on line {error.line} of {file}"
        raise


def _ends_of(lines: list[Line], file: str) -> tuple[Meta, AssertionsLine]:
    meta, last = (lines[0], lines[-1]) if lines else (None, None)
    if not isinstance(meta, Meta):
        later = [number for number, line in enumerate(lines, 1) if isinstance(line, Meta)]
        if later:
            raise errors.MetaMisplaced(file=file, line=later[0])
        raise errors.MetaMissing(file=file, line=1)
    if not isinstance(last, AssertionsLine):
        earlier = [number for number, line in enumerate(lines, 1) if isinstance(line, AssertionsLine)]
        if earlier:
            raise errors.AssertionsMisplaced(file=file, line=earlier[0])
        raise errors.AssertionsMissing(meta.fixture_id, file=file, line=len(lines))
    _check_id(meta, file)
    return meta, last


def _check_id(meta: Meta, file: str) -> None:
    name = file.replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl")
    if meta.fixture_id != name or not KEBAB.match(name):
        raise errors.NameMismatch(meta.fixture_id, file=file, line=1, expected=name, found=meta.fixture_id)


def _middle_of(lines: list[Line], file: str) -> tuple[list[Turn], StateLine | None, EndLine | None]:
    turns: list[Turn] = []
    rest = len(lines) - 1
    for index in range(1, rest):
        line = lines[index]
        if not isinstance(line, TurnLine):
            rest = index
            break
        if line.turn_index != index - 1:
            raise _index_error(line.turn_index, index - 1, file)
        turns.append(_turn_of(line, file))
    if not turns or not isinstance(turns[0], UserTurn):
        raise errors.TurnOrder("a conversation starts with a user turn", file=file, line=min(2, len(lines)))
    state, end = _after_turns(lines[:-1], rest, file)
    return turns, state, end


def _index_error(index: int, expected: int, file: str) -> errors.InputError:
    kind = errors.TurnIndexGap if index > expected else errors.TurnIndexRepeat
    return kind(file=file, line=expected + 2, expected=str(expected), found=str(index))


def _after_turns(lines: list[Line], start: int, file: str) -> tuple[StateLine | None, EndLine | None]:
    state: StateLine | None = None
    end: EndLine | None = None
    for number, line in enumerate(lines[start:], start + 1):
        match line:
            case Meta():
                raise errors.MetaMisplaced(file=file, line=number)
            case AssertionsLine():
                raise errors.AssertionsMisplaced(file=file, line=number)
            case StateLine() if state is None and end is None:
                state = line
            case EndLine() if end is None:
                end = line
            case _:
                sentence = "turns come first, then one state line, then one end line"
                raise errors.TurnOrder(sentence, file=file, line=number)
    return state, end


def _turn_of(line: TurnLine, file: str) -> Turn:
    match line.role:
        case "user":
            return _user_of(line, file)
        case "assistant":
            return _assistant_of(line, file)
        case "toolResult":
            return _result_of(line, file)


def _user_of(line: TurnLine, file: str) -> UserTurn:
    no_result = line.tool_use_id is UNSET and line.is_error is UNSET
    if no_result and line.token_ledger is UNSET and line.stop_reason is UNSET:
        return UserTurn(_texts(line, file))
    raise _foreign_field(line, {"toolUseId", "isError", "tokenLedger", "stopReason"}, file)


def _result_of(line: TurnLine, file: str) -> ToolResultTurn:
    if line.token_ledger is UNSET and line.stop_reason is UNSET:
        if line.tool_use_id is UNSET:
            raise _malformed("a toolResult turn needs toolUseId", line, file)
        return ToolResultTurn(line.tool_use_id, _texts(line, file), line.is_error is True)
    raise _foreign_field(line, {"tokenLedger", "stopReason"}, file)


def _assistant_of(line: TurnLine, file: str) -> AssistantTurn:
    if line.tool_use_id is UNSET and line.is_error is UNSET:
        if line.token_ledger is UNSET:
            raise _malformed("an assistant turn needs tokenLedger (null where not reported)", line, file)
        if line.content is UNSET:
            raise _malformed("an assistant turn needs content", line, file)
        return AssistantTurn(line.content, line.token_ledger, line.stop_reason or None)
    raise _foreign_field(line, {"toolUseId", "isError"}, file)


def _texts(line: TurnLine, file: str) -> list[Text]:
    if line.content is UNSET:
        raise _malformed(f"a {line.role} turn needs content", line, file)
    texts = [block for block in line.content if isinstance(block, Text)]
    if len(texts) != len(line.content):
        raise _malformed(f"a {line.role} turn holds text blocks only", line, file)
    return texts


def _foreign_field(line: TurnLine, foreign: set[str], file: str) -> errors.MalformedLine:
    fields = [one for one in msgspec.structs.fields(line) if one.encode_name in foreign]
    name = next(one.encode_name for one in fields if getattr(line, one.name) is not UNSET)
    return _malformed(f"a {line.role} turn has no {name}", line, file)


def _malformed(sentence: str, line: TurnLine, file: str) -> errors.MalformedLine:
    return errors.MalformedLine(sentence, file=file, line=line.turn_index + 2)


def _check_pairs(turns: list[Turn], outcome: Outcome, file: str) -> None:
    """Each call has its result before the next assistant or user turn; each result has its call."""
    waiting: dict[str, int] = {}
    for number, turn in enumerate(turns, 2):
        if type(turn) is ToolResultTurn:
            left = waiting.pop(turn.tool_use_id, 0)
            if not left:
                raise errors.ResultOrphan(turn.tool_use_id, file=file, line=number)
            if left > 1:
                waiting[turn.tool_use_id] = left - 1
        elif waiting:
            raise errors.ResultMissing(next(iter(waiting)), file=file, line=number)
        elif type(turn) is AssistantTurn:
            waiting = _calls_of(turn)
    if waiting and outcome in _EXECUTED:
        raise errors.ResultMissing(next(iter(waiting)), file=file, line=len(turns) + 1)


def _calls_of(turn: AssistantTurn) -> dict[str, int]:
    content = turn.content
    if len(content) == 1:  # as most answers have
        block = content[0]
        return {block.id: 1} if type(block) is ToolCall else {}
    ids = [block.id for block in content if type(block) is ToolCall]
    once = dict.fromkeys(ids, 1)
    return once if len(once) == len(ids) else Counter(ids)  # a repeated id is rare, and counting is slower


def _check_user_hash(meta: Meta, first: Turn, file: str) -> None:
    if meta.user_message_hash is None:
        return
    digest = digest_of(text_of(first).encode())
    if digest != meta.user_message_hash:
        raise errors.HashMismatch(file=file, line=1, expected=meta.user_message_hash, found=digest)


def lines_of_fixture(fixture: Fixture) -> bytes:
    """The bytes of the fixture's file."""
    transcript = fixture.transcript
    lines = [encode(fixture.meta)]
    lines += lines_of_turns(transcript.turns)
    if transcript.effects is not None:
        lines.append(encode(StateLine(transcript.effects.initial, transcript.effects.changes)))
    if transcript.outcome is not Outcome.COMPLETED:
        lines.append(encode(EndLine(transcript.outcome, transcript.error)))
    lines.append(fixture.assertions_line)
    return b"\n".join(fitting(line, f"line {number} of the fixture") for number, line in enumerate(lines, 1)) + b"\n"


def lines_of_turns(turns: list[Turn]) -> list[bytes]:
    """One line a turn, without the newlines."""
    return [encode(_line_of_turn(index, turn)) for index, turn in enumerate(turns)]


def assertions_line_of(assertions: list[Assertion]) -> bytes:
    """The last line of a fixture."""
    return encode(AssertionsLine(assertions))


def _line_of_turn(index: int, turn: Turn) -> TurnLine:
    match turn:
        case UserTurn():
            return TurnLine(index, "user", content=list(turn.content))
        case AssistantTurn():
            ledger, reason = turn.token_ledger, turn.stop_reason
            return TurnLine(index, "assistant", content=turn.content, token_ledger=ledger, stop_reason=reason)
        case ToolResultTurn():
            texts: list[Block] = list(turn.content)
            return TurnLine(index, "toolResult", turn.tool_use_id, texts, turn.is_error)


EMPTY_ASSERTIONS = assertions_line_of([])
