"""Told conversations as recordings: each message of the model becomes the answer of an exchange.

Formats that hold no bytes of the wire go the same way as those that do: what is said is written as the API's own
request and answer, so that one derivation serves all. `origin` in the header says that it was imported.
"""

from collections import Counter
from dataclasses import dataclass

from harness import errors
from harness.importers.found import Told
from harness.importers.scrubbing import Scrubber
from harness.importers.times import UNKNOWN_TIME
from harness.importers.traffic import PATHS, UNKNOWN_HOST
from harness.importers.writing import Draft
from harness.providers.dialect import dialect_of
from harness.providers.fields import list_at, object_at, text_at
from harness.recording import Context, Exchange, ToolRun, context_of
from harness.transcript import ToolCall, ToolResultTurn, text_of
from harness.value import Json, JsonObject, encode

_HEADERS = {"content-type": "application/json"}


def draft_of(told: Told, scrubber: Scrubber, left_out: Counter[str]) -> Draft | None:
    """The draft of a conversation; None where the model says nothing in it, or its API does not know what is said.

    `left_out` counts what has no place.
    """
    body = {"model": told.model, "messages": told.messages, "tools": told.tools, **told.params}
    parts = dialect_of(told.api).parts_of(scrubber.fields(body))
    context = context_of(
        api=told.api,
        host=UNKNOWN_HOST,
        path=PATHS[told.api],
        model=parts.model,
        system=parts.system,
        tools=parts.tools,
        params=parts.params,
    )
    rendering = _Rendering(told, context, len(told.messages) - len(parts.messages), scrubber)
    try:
        for at, message in enumerate(parts.messages):
            rendering.take(at, message)
        if rendering.draft.exchanges:
            rendering.end(left_out)
            return rendering.draft
    except errors.UnreadableAnswer as error:
        left_out[f"a conversation that cannot be read: {error.subject}"] += 1
        return None
    left_out["a conversation without an answer"] += 1
    return None


@dataclass(slots=True, init=False)
class _Rendering:
    """The draft as it grows: `waiting` are messages that no request has carried yet, with their positions."""

    draft: Draft
    _told: Told
    _context: Context
    _offset: int
    _scrubber: Scrubber
    _waiting: list[tuple[int, Json]]

    def __init__(self, told: Told, context: Context, offset: int, scrubber: Scrubber) -> None:
        self.draft = Draft({context.hash: context}, name=told.name, outcome=told.outcome, error=told.error)
        self._told, self._context, self._offset, self._scrubber = told, context, offset, scrubber
        self._waiting = []

    def take(self, at: int, message: Json) -> None:
        """Add one message."""
        if text_at(message, "role") == "assistant":
            self._add_failures()
            self._answer(at, message)
            self._waiting = []
        self._waiting.append((at, message))

    def _answer(self, at: int, message: Json) -> None:
        number = len(self.draft.exchanges)
        fresh = [one for _, one in self._waiting if text_at(one, "role") != "assistant"]
        self.draft.said[number] = dialect_of(self._told.api).turns_of(fresh)
        beside = self._told.answers.get(at + self._offset)
        beside = self._scrubber.fields(beside) if beside else {}
        self.draft.exchanges.append(
            Exchange(
                number=number,
                parent=number - 1 if number else None,
                context=self._context.hash,
                messages=[one for _, one in self._waiting],
                status=200,
                headers=_HEADERS,
                body=encode(_body_of(self._told, message, beside, number)).decode(),
                at=self._told.at or UNKNOWN_TIME,
                ms=0.0,
            )
        )

    def _add_failures(self) -> None:
        """Results that were errors, where the wire cannot say so: the runs of their tools say it."""
        failed = [message for at, message in self._waiting if at + self._offset in self._told.failed]
        calls = self._calls() if failed and self.draft.exchanges else []
        for message in failed:
            self._add_run(calls, message, failed=True)

    def end(self, left_out: Counter[str]) -> None:
        """Results after the last answer were never sent: they stand as the runs of their tools."""
        calls = self._calls() if len(self._waiting) > 1 else []
        for at, message in self._waiting[1:]:
            if not self._add_run(calls, message, failed=at + self._offset in self._told.failed):
                left_out["words after the last answer"] += 1

    def _calls(self) -> list[tuple[int, ToolCall]]:
        """The calls of the last answer, each with its place."""
        return list(enumerate(self.draft.reading_of(len(self.draft.exchanges) - 1).turn.calls))

    def _add_run(self, calls: list[tuple[int, ToolCall]], message: Json, *, failed: bool) -> bool:
        """Add the runs that a message tells; False where it tells of none."""
        added = False
        for turn in dialect_of(self._told.api).turns_of([message]):
            found = next(
                (one for one in calls if isinstance(turn, ToolResultTurn) and one[1].id == turn.tool_use_id), None
            )
            if found is None or not isinstance(turn, ToolResultTurn):
                continue
            calls.remove(found)
            position, call = found
            last = self.draft.exchanges[-1]
            run = ToolRun(
                exchange=last.number, position=position, call=call.id, name=call.name, arguments=call.arguments,
                result=text_of(turn), error=failed or turn.is_error, at=last.at, ms=0.0,
            )  # fmt: skip
            self.draft.tools.append(run)
            added = True
        return added


def _body_of(told: Told, message: Json, beside: JsonObject, number: int) -> JsonObject:
    """The message as the API's answer."""
    usage: JsonObject = {"usage": beside["usage"]} if beside.get("usage") else {}
    model = beside.get("model") or told.model
    if told.api == "messages":
        return {"id": f"msg_import_{number}", **_messages_answer(message, beside, model), **usage}
    stop = "tool_calls" if list_at(message, "tool_calls") or object_at(message, "function_call") else "stop"
    return {
        "id": f"chatcmpl-import-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": beside.get("finish_reason") or stop}],
        **usage,
    }


def _messages_answer(message: Json, beside: JsonObject, model: Json) -> JsonObject:
    text = text_at(message, "content")
    content: list[Json] = [{"type": "text", "text": text}] if text else list_at(message, "content")
    stop = "tool_use" if any(text_at(block, "type") == "tool_use" for block in content) else "end_turn"
    return {
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": beside.get("stop_reason") or stop,
    }
