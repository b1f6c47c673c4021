"""Answers of the Responses API in few words, for tests."""

import json

from harness.providers.dialect import dialect_of
from harness.transcript import Opaque, ToolCall

RESPONSES = dialect_of("responses")

REASONING = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "The tide first."}],
    "encrypted_content": "c2VjcmV0IHRob3VnaHRz",
}
SAID = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "phase": "commentary",
    "content": [{"type": "output_text", "text": "One moment.", "annotations": [], "logprobs": []}],
}
CALL = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_a",
    "name": "read_tide",
    "arguments": '{"port":7}',
}
SEARCH = {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "tide"}}
CUSTOM = {"id": "ctc_1", "type": "custom_tool_call", "call_id": "call_c", "name": "run_sql", "input": "select 1"}
USAGE = {"input_tokens": 90, "input_tokens_details": {"cached_tokens": 60}, "output_tokens": 12}


def body(*items, **beside):
    return json.dumps({"id": "resp_1", "model": "m-5", "status": "completed", "output": items, **beside}).encode()


def read(*items, **beside):
    return RESPONSES.reading_of_body(200, body(*items, **beside))


def event(kind, **fields):
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def last(*items, status="completed", **beside):
    response = {"id": "resp_1", "model": "m-5", "status": status, "output": items, **beside}
    return event(f"response.{status}", response=response)


def streamed(*events):
    return RESPONSES.reading_of_stream(200, b"".join(events), complete=True)


CALL_EVENTS = (
    event("response.created", response={"id": "resp_1", "model": "m-5", "status": "in_progress"}),
    event("response.output_item.added", output_index=0, item={**CALL, "arguments": "", "status": "in_progress"}),
    event("response.function_call_arguments.delta", item_id="fc_1", output_index=0, delta='{"po'),
    event("response.function_call_arguments.delta", item_id="fc_1", output_index=0, delta='rt":7}'),
)
CALL_BLOCKS = [ToolCall("call_a", "read_tide", {"port": 7}), Opaque("responses", {"extra": {"id": "fc_1", "status": "completed"}})]  # fmt: skip
