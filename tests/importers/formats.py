"""A small file of each format: a call, its result, a thought and a failure as far as the format has them.

Each holds something besides that is no part of a conversation, which the report must name.
"""

import json

import yaml

URL = "https://api.openai.com/v1/chat/completions"
USER = {"role": "user", "content": "Wind?"}
CALL = {"id": "w1", "type": "function", "function": {"name": "wind", "arguments": '{"pier": 3}'}}
CALLING = {"role": "assistant", "content": None, "reasoning_content": "Look first.", "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "w1", "content": "calm"}
ENDING = {"role": "assistant", "content": "It is calm."}
SLOW = {"error": {"message": "slow down", "type": "rate_limit"}}
ASKED = ([USER], [USER, CALLING, RESULT])


def lines(*values):
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def told(message):
    return {"id": "cc", "model": "m-2", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def answers():
    """Status and body of three answers: a failure, a call, an end."""
    return [(429, SLOW), (200, told(CALLING)), (200, told(ENDING))]


def pairs():
    """Request and answer of three exchanges."""
    return zip((ASKED[0], *ASKED), answers(), strict=True)


def _vcr():
    interactions = [
        {
            "request": {"method": "POST", "uri": URL, "body": json.dumps({"model": "m-2", "messages": said})},
            "response": {"status": {"code": status}, "headers": {}, "body": {"string": json.dumps(body)}},
        }
        for said, (status, body) in pairs()
    ]
    other = {"request": {"method": "GET", "uri": "https://pier.test/photo"}, "response": {"status": {"code": 200}}}
    return yaml.safe_dump({"interactions": [*interactions, other, "nothing"], "version": 1}).encode()


def _har():
    entries = [
        {
            "request": {"method": "POST", "url": URL, "postData": {"text": json.dumps({"model": "m-2", "messages": said})}},
            "response": {"status": status, "content": {"mimeType": "application/json", "text": json.dumps(body)}},
        }
        for said, (status, body) in pairs()
    ]  # fmt: skip
    return json.dumps({"log": {"entries": [*entries, 7]}}).encode()


def http():
    """Raw captures: name and bytes of each part."""
    parts = {"9.response.http": b"HTTP/1.1 200 OK\r\n\r\n{}"}
    for number, (said, (status, body)) in enumerate(pairs()):
        asked = json.dumps({"model": "m-2", "messages": said}).encode()
        given = json.dumps(body).encode()
        head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: pier.test\r\n\r\n"
        parts[f"{number}.request.http"] = head + asked
        parts[f"{number}.response.http"] = b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\n\r\n" % status + given
    return parts


def _sse():
    deltas = [
        {"reasoning_content": "Look first."},
        {"tool_calls": [{"index": 0, **CALL}]},
    ]
    chunks = [{"id": "cc", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"id": "cc", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode()


def _tau():
    run = {"task_id": 1, "trial": 0, "traj": [USER, CALLING, RESULT, ENDING, {"content": "lost"}], "info": {}}
    return json.dumps([run, "no run"]).encode()


def _tau2():
    call = {"id": "w1", "name": "wind", "arguments": {"pier": 3}}
    messages = [
        USER,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "id": "w1", "content": "calm", "error": True, "requestor": "assistant"},
        {"role": "tool", "id": "u1", "content": "wet", "requestor": "user"},
        ENDING,
        {"content": "lost"},
    ]
    return json.dumps({"simulations": [{"task_id": "pier", "trial": 1, "messages": messages}]}).encode()


def _inspect():
    calling = {
        "role": "assistant",
        "content": [{"type": "reasoning", "reasoning": "Look first.", "signature": "c2ln"}],
        "tool_calls": [{"id": "w1", "function": "wind", "arguments": {"pier": 3}}],
    }
    sample = {"id": "pier", "epoch": 1, "messages": [USER, calling, RESULT, ENDING, "lost"], "events": []}
    return json.dumps({"eval": {"model": "m-2"}, "samples": [sample, None]}).encode()


def _bfcl():
    log = [
        {
            "begin_of_turn_query": [USER],
            "step_0": [{"role": "tool", "content": "calm"}, {"role": "tool", "content": "lost"}],
        }
    ]
    case = {"id": "multi_1", "result": [["[wind(pier=3)]", "It is calm."]], "inference_log": log, "latency": 1}
    failed = {"id": "simple_2", "result": "Error during inference: slow down", "latency": 1}
    return lines(case, failed, 7)


def _otlp():
    def part(role, *parts):
        return {"role": role, "parts": list(parts)}

    def span(number, said, answer, **beside):
        texts = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(said)}
        texts |= {"gen_ai.output.messages": json.dumps([answer])} if answer else {}
        attributes = [{"key": key, "value": {"stringValue": text}} for key, text in texts.items()]
        return {"spanId": f"s{number}", "startTimeUnixNano": str(number), "attributes": attributes, **beside}

    asked = part("user", {"type": "text", "content": "Wind?"})
    called = part(
        "assistant",
        {"type": "reasoning", "content": "Look first."},
        {"type": "tool_call", "id": "w1", "name": "wind", "arguments": {"pier": 3}},
    )
    given = part("tool", {"type": "tool_call_response", "id": "w1", "response": "calm"})
    ended = part("assistant", {"type": "text", "content": "It is calm."})
    spans = [
        span(1, [asked], None, status={"code": 2, "message": "slow down"}),
        span(2, [asked], called),
        span(3, [asked, called, given], ended),
        {"spanId": "s4", "name": "GET /photo"},
    ]
    record = {"spanId": "elsewhere", "eventName": "gen_ai.user.message", "body": {}}
    export = {
        "resourceSpans": [{"scopeSpans": [{"spans": spans}]}],
        "resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}],
    }
    return json.dumps(export).encode()


def _aimock():
    fixtures = [
        {
            "match": {"userMessage": "Wind?"},
            "response": {"reasoning": "Look first.", "toolCalls": [{"id": "w1", "name": "wind", "arguments": "{}"}]},
        },
        {"match": {"toolCallId": "w1"}, "response": {"content": "It is calm."}, "latency": 5},
        {"match": {"userMessage": "Rain?", "turnIndex": 2}, "response": {**SLOW, "status": 429}},
        {"match": {"endpoint": "embedding"}, "response": {"embedding": [1]}},
    ]
    return json.dumps({"fixtures": fixtures}).encode()


def _fixture():
    ledger = {"input": 1, "cache_read": 0, "cache_creation": 0, "output": 1}
    thought = {"type": "thinking", "thinking": "Look first."}
    call = {"type": "toolCall", "id": "call_1", "name": "wind", "arguments": {"pier": 3}}
    turns = [
        {"role": "user", "content": [{"type": "text", "text": "Wind?"}]},
        {"role": "assistant", "content": [thought, call], "tokenLedger": ledger, "stopReason": "toolUse"},
        {"role": "toolResult", "toolUseId": "call_1", "content": [{"type": "text", "text": "calm"}], "isError": True},
        {"role": "assistant", "content": [{"type": "text", "text": "It is calm."}], "tokenLedger": ledger, "stopReason": "stop"},
    ]  # fmt: skip
    meta = {
        "type": "meta",
        "formatVersion": 1,
        "fixtureId": "pier",
        "scenario": "Pier",
        "recordedAt": "2026-01-02T03:04:05Z",
        "systemPromptHash": "sha256:" + "0" * 64,
    }
    numbered = [{"type": "turn", "turnIndex": index, **turn} for index, turn in enumerate(turns)]
    asserted = {"type": "assertions", "assertions": [{"kind": "no_tool_called", "name": "rain"}]}
    return lines(meta, *numbered, asserted)


def _openai():
    whole = {"messages": [USER, CALLING, RESULT, ENDING, USER], "metadata": {"by": "hand"}}
    return lines(whole, {"messages": [USER]})


def _anthropic():
    calling = {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Look first.", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "c2Vh"},
            {"type": "tool_use", "id": "w1", "name": "wind", "input": {"pier": 3}},
        ],
    }
    given = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "w1", "content": "calm", "is_error": True}]}  # fmt: skip
    return lines({"system": "", "messages": [USER, calling, given, ENDING]}, {"system": "", "messages": [USER]})


FILES = {
    "vcr": _vcr(),
    "har": _har(),
    "sse": _sse(),
    "tau-bench": _tau(),
    "tau2-bench": _tau2(),
    "inspect": _inspect(),
    "bfcl": _bfcl(),
    "otlp": _otlp(),
    "aimock": _aimock(),
    "fixture": _fixture(),
    "openai-messages": _openai(),
    "anthropic-messages": _anthropic(),
}
