"""A transcript as a person would read it: who said what, which calls with which arguments, how it ended."""

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import msgspec

from harness.excerpt import counted, shortened, visible_of
from harness.transcript import (
    AssistantTurn,
    Block,
    Change,
    Effects,
    Opaque,
    Text,
    Thinking,
    TokenLedger,
    ToolCall,
    ToolResultTurn,
    Transcript,
    Turn,
    UserTurn,
    text_of,
)
from harness.value import Json, encode

Kind: TypeAlias = Literal["user", "assistant", "result", "error", "call", "dim", "end"]
Paint: TypeAlias = Callable[[Kind, str], str]

_ONE_LINE = 100
_LONG_RESULT = 600


def plain_paint(kind: Kind, text: str) -> str:
    """No colour."""
    del kind
    return text


def text_of_transcript(transcript: Transcript, *, paint: Paint = plain_paint, whole: bool = False) -> str:
    """All turns, then the end; long results are cut with a note of how much, unless `whole`."""
    return "\n".join(_lines_of(transcript, _Reader(paint, whole=whole)))


def _lines_of(transcript: Transcript, reader: "_Reader") -> Iterator[str]:
    for turn in transcript.turns:
        yield from reader.turn(turn)
        yield ""
    if transcript.effects is not None:
        yield from reader.effects(transcript.effects)
    yield reader.end(transcript)


class _Reader:
    def __init__(self, paint: Paint, *, whole: bool) -> None:
        self._paint = paint
        self._whole = whole
        self._names: dict[str, str] = {}

    def turn(self, turn: Turn) -> Iterator[str]:
        match turn:
            case UserTurn():
                yield self._paint("user", "user")
                yield from _indented(text_of(turn))
            case AssistantTurn():
                stopped = f" [{turn.stop_reason}]" if turn.stop_reason not in {None, "stop", "toolUse"} else ""
                yield self._paint("assistant", "assistant") + self._paint("dim", _ledger(turn.token_ledger) + stopped)
                for block in turn.content:
                    yield from self._block(block)
            case ToolResultTurn():
                kind: Kind = "error" if turn.is_error else "result"
                yield self._paint(kind, f"{kind} of {self._called(turn.tool_use_id)}")
                text = text_of(turn)
                yield from _indented(text if self._whole else shortened(text, _LONG_RESULT))

    def _block(self, block: Block) -> Iterator[str]:
        match block:
            case Text():
                yield from _indented(block.text)
            case Thinking():
                for line in _indented(block.thinking or "(thinking that is not shown)"):
                    yield self._paint("dim", line)
            case ToolCall():
                self._names[block.id] = block.name
                yield from self._call(block)
            case Opaque():
                name = visible_of(str(block.block.get("type", "block")))
                yield self._paint("dim", f"  ({name} of {block.api}, kept as it came)")

    def _call(self, call: ToolCall) -> Iterator[str]:
        head = f"  -> {self._called(call.id)}"
        if call.arguments is None:
            yield self._paint("call", head) + " " + self._paint("error", "arguments that are no JSON object:")
            yield from _indented(call.raw_arguments or "(empty)", "     ")
            return
        written = visible_of(_json(call.arguments))
        if len(written) <= _ONE_LINE:
            yield f"{self._paint('call', head)} {written}"
            return
        yield self._paint("call", head)
        for name, value in call.arguments.items():
            yield f"     {visible_of(name)}: {visible_of(_json(value))}"

    def _called(self, id_: str) -> str:
        name = self._names.get(id_)
        return visible_of(f"{name} ({id_})" if name else id_)

    def effects(self, effects: Effects) -> Iterator[str]:
        yield self._paint("end", "the world")
        for change in effects.changes:
            yield f"  {visible_of(self._change(change))}"
        if not effects.changes:
            yield "  unchanged"
        yield ""

    def _change(self, change: Change) -> str:
        row = f"{change.table} {_json(change.key)}"
        by = f"  (by {self._called(change.call)})"
        if change.before is None:
            return f"{row} added: {_json(change.after)}{by}"
        if change.after is None:
            return f"{row} removed{by}"
        return f"{row}: {_json(change.before)} -> {_json(change.after)}{by}"

    def end(self, transcript: Transcript) -> str:
        answers = [turn for turn in transcript.turns if isinstance(turn, AssistantTurn)]
        calls = sum(len(turn.calls) for turn in answers)
        counts = f"{counted(len(transcript.turns), 'turn')}, {counted(calls, 'call')}{_total(answers)}"
        reason = f": {visible_of(transcript.error)}" if transcript.error else ""
        return self._paint("end", f"{transcript.outcome}{reason}") + self._paint("dim", f"  ({counts})")


def _json(value: Json) -> str:
    return encode(value).decode()


def _indented(text: str, indent: str = "  ") -> Iterator[str]:
    for line in visible_of(text, keep="\n\t").split("\n"):
        yield indent + line


def _ledger(ledger: TokenLedger) -> str:
    parts = [
        f"{value} {name.replace('_', ' ')}"
        for name, value in msgspec.structs.asdict(ledger).items()
        if value is not None
    ]
    return f"  ({', '.join(parts)})" if parts else ""


def _total(answers: list[AssistantTurn]) -> str:
    ledgers = [turn.token_ledger for turn in answers]
    came = sum((one.input or 0) + (one.cache_read or 0) + (one.cache_creation or 0) for one in ledgers)
    went = sum(one.output or 0 for one in ledgers)
    return f", {came} tokens in, {went} out" if came or went else ""
