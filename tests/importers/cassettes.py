"""Cassettes for tests: two requests of one conversation, and how a cassette holds them."""

import gzip
import json

import yaml

CHAT = "https://api.openai.com/v1/chat/completions"
ASKED = {"model": "m-1", "messages": [{"role": "user", "content": "Tide?"}], "stream": False}
CALL = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": '{"port": 7}'}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOLD = {
    "id": "cc-1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "m-1-0",
    "choices": [{"index": 0, "message": CALLING, "finish_reason": "tool_calls"}],
}
WENT_ON = {**ASKED, "messages": [*ASKED["messages"], CALLING, {"role": "tool", "tool_call_id": "c1", "content": "low"}]}
ENDED = {**TOLD, "id": "cc-2", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Low."}, "finish_reason": "stop"}]}  # fmt: skip
SAID = [("user", "Tide?"), ("assistant", "", ("tide", {"port": 7})), ("result", "low"), ("assistant", "Low.")]
HEADERS = {"content-type": ["application/json"], "date": ["Tue, 14 Nov 2023 22:13:20 GMT"]}


def request(body, **other):
    return {
        "method": "POST",
        "uri": CHAT,
        "headers": {"authorization": ["Bearer x"]},
        "body": json.dumps(body),
        **other,
    }


def response(body, **other):
    string = body if isinstance(body, str | bytes) else json.dumps(body)
    return {"status": {"code": 200, "message": "OK"}, "headers": HEADERS, "body": {"string": string}, **other}


def cassette(*pairs):
    return yaml.dump({"interactions": [{"request": one, "response": other} for one, other in pairs], "version": 1})


def without(mapping, key):
    return {name: value for name, value in mapping.items() if name != key}


PAIRS = [(request(ASKED), response(TOLD)), (request(WENT_ON), response(ENDED))]
PACKED = gzip.compress(json.dumps(TOLD).encode(), mtime=0)


def packed(coding, raw):
    return response(raw, headers={**HEADERS, "content-encoding": [coding]})
