"""Messages streams in few words, for tests."""

import json


def event(kind, **fields):
    """One event of a stream."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def start(**usage):
    """The event that opens a stream."""
    message = {
        "id": "msg-3",
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "content": [],
        "stop_reason": None,
    }
    return event("message_start", message={**message, "usage": {"input_tokens": 40, "output_tokens": 1, **usage}})


def block(index, opened, *deltas, stopped=True):
    """The events of one content block."""
    events = [event("content_block_start", index=index, content_block=opened)]
    events += [event("content_block_delta", index=index, delta=delta) for delta in deltas]
    return b"".join([*events, *([event("content_block_stop", index=index)] if stopped else [])])


def text(index, *pieces):
    """A text block."""
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def call(index, id_, name, *pieces, started=None, stopped=True):
    """A call whose input comes in pieces."""
    deltas = ({"type": "input_json_delta", "partial_json": piece} for piece in pieces)
    return block(index, {"type": "tool_use", "id": id_, "name": name, "input": started or {}}, *deltas, stopped=stopped)


def end(stop="end_turn", **usage):
    """The two events that close a stream."""
    return event(
        "message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage={"output_tokens": 12, **usage}
    ) + event("message_stop")
