"""Answers as the two APIs write them: plain bodies, and the events of streams."""

import json

USAGE = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}


def chat_body(text=None, calls=(), *, finish=None, usage=USAGE):
    """A Chat Completions answer; calls are (id, name, arguments as text)."""
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [_chat_call(*call) for call in calls]
    choice = {"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}
    return {
        "id": "cc-1", "object": "chat.completion", "created": 0, "model": "m-answered", "choices": [choice], "usage": usage,
    }  # fmt: skip


def _chat_call(id_, name, arguments):
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def chat_events(texts=(), calls=(), *, finish=None, usage=USAGE):
    """The same as a stream: a list of events; the arguments of a call come in pieces of four characters."""
    deltas = [{"role": "assistant", "content": ""}, *({"content": text} for text in texts)]
    for index, (id_, name, arguments) in enumerate(calls):
        opening = {"index": index, "id": id_, "type": "function", "function": {"name": name, "arguments": ""}}
        deltas.append({"tool_calls": [opening]})
        pieces = [arguments[at : at + 4] for at in range(0, len(arguments), 4)]
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in pieces]
    reason = finish or ("tool_calls" if calls else "stop")
    choices = [*([{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas)]
    choices.append([{"index": 0, "delta": {}, "finish_reason": reason}])
    events = [_chat_chunk(choice) for choice in choices]
    return [*map(_data, events), _data(_chat_chunk([]) | {"usage": usage}), b"data: [DONE]\n\n"]


def _chat_chunk(choices):
    return {"id": "cc-1", "object": "chat.completion.chunk", "created": 0, "model": "m-answered", "choices": choices}


def messages_body(text=None, calls=(), *, stop=None):
    """A Messages answer; calls are (id, name, arguments as an object)."""
    content = [{"type": "text", "text": text}] if text else []
    content += [{"type": "tool_use", "id": id_, "name": name, "input": input_} for id_, name, input_ in calls]
    return {
        "id": "msg-1", "type": "message", "role": "assistant", "model": "m-answered", "content": content,
        "stop_reason": stop or ("tool_use" if calls else "end_turn"), "stop_sequence": None,
        "usage": {"input_tokens": 20, "output_tokens": 5},
    }  # fmt: skip


def messages_events(texts=(), calls=(), *, stop=None):
    """The same as a stream; the input of a call comes in pieces of four characters."""
    message = messages_body() | {"stop_reason": None}
    events = [{"type": "message_start", "message": message}]
    if texts:
        events += _block(0, {"type": "text", "text": ""}, [{"type": "text_delta", "text": text} for text in texts])
    for index, (id_, name, input_) in enumerate(calls, 1 if texts else 0):
        written = json.dumps(input_)
        pieces = [written[at : at + 4] for at in range(0, len(written), 4)]
        opening = {"type": "tool_use", "id": id_, "name": name, "input": {}}
        events += _block(index, opening, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces])
    delta = {"stop_reason": stop or ("tool_use" if calls else "end_turn"), "stop_sequence": None}
    events += [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}}, {"type": "message_stop"}]
    return [f"event: {event['type']}\n".encode() + _data(event) for event in events]


def _block(index, opening, deltas):
    return [
        {"type": "content_block_start", "index": index, "content_block": opening},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def _data(event):
    return b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n"
