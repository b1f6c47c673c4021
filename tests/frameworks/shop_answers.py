"""What a scripted model says to the pages' question, over each API: it looks the order up, then speaks of it."""

import json

from loopback import plain, stream
from spoken import chat_body, messages_body, messages_events

SAID = "Order 4021 came damaged."
USAGE = {"input_tokens": 20, "output_tokens": 5, "total_tokens": 25}
CHAT = [
    plain(chat_body(None, [("call_1", "find_order", '{"order_id": 4021}')])),
    plain(chat_body(SAID)),
]
MESSAGES = [
    plain(messages_body(None, [("toolu_1", "find_order", {"order_id": 4021})])),
    plain(messages_body(SAID)),
]
STREAMED_MESSAGES = [
    stream(*messages_events((), [("toolu_1", "find_order", {"order_id": 4021})])),
    stream(*messages_events((SAID[:9], SAID[9:]))),
]


def _response(number, item):
    return plain({
        "id": f"resp_{number}", "object": "response", "created_at": 0, "status": "completed", "model": "m-answered",
        "output": [item], "usage": USAGE,
    })  # fmt: skip


RESPONSES = [
    _response(1, {
        "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "find_order", "status": "completed",
        "arguments": json.dumps({"order_id": 4021}),
    }),
    _response(2, {
        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": SAID, "annotations": []}],
    }),
]  # fmt: skip
