"""Chat Completions streams in few words, for tests."""

import json

from harness.providers.openai_chat import DIALECT


def call(index=None, id_=None, name=None, arguments=None):
    """A fragment of a call; what is None is not sent."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    given = (("index", index), ("id", id_), ("function", function or None))
    return {key: value for key, value in given if value is not None}


def chunk(delta=None, *, finish=None, index=0, **beside):
    """One event of a stream."""
    choice = {"index": index, "delta": delta or {}, "finish_reason": finish}
    return b"data: " + json.dumps({"id": "cc-5", "model": "m-1", "choices": [choice], **beside}).encode() + b"\n\n"


def calls(*fragments):
    """One event that holds fragments of calls."""
    return chunk({"tool_calls": list(fragments)})


def stream(*events, finish="tool_calls", done=True):
    """A whole stream: its events, the finish reason, [DONE]."""
    end = [chunk(finish=finish)] if finish else []
    return b"".join([*events, *end, *([b"data: [DONE]\n\n"] if done else [])])


def read(raw, status=200):
    """The reading of a stream."""
    return DIALECT.reading_of_stream(status, raw, complete=True)


def said(reading):
    """The calls of a reading: id, name, arguments or their text."""
    return [
        (one.id, one.name, one.arguments if one.arguments is not None else one.raw_arguments)
        for one in reading.turn.calls
    ]
