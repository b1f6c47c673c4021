"""Spans for the tests of OTLP, and exports that hold them."""

import json


def attribute(key, value):
    kind = "intValue" if isinstance(value, int) else "stringValue"
    return {"key": key, "value": {kind: str(value) if kind == "intValue" else value}}


def span(number, attributes, *, events=(), **beside):
    return {
        "traceId": "t",
        "spanId": f"s{number}",
        "name": f"chat {number}",
        "startTimeUnixNano": str(1700000000_000000000 + number * 10**9),
        "endTimeUnixNano": str(1700000000_500000000 + number * 10**9),
        "attributes": [attribute(key, value) for key, value in attributes.items()],
        "events": list(events),
        **beside,
    }


def export(*spans):
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})


def parts(role, *parts, **beside):
    return {"role": role, "parts": list(parts), **beside}


TEXT = {"type": "text", "content": "Tide?"}
TOOL_CALL = {"type": "tool_call", "id": "c1", "name": "tide", "arguments": {"port": 7}}
RESPONSE = {"type": "tool_call_response", "id": "c1", "response": "low"}
LOW = {"type": "text", "content": "Low."}
REASONING = {"type": "reasoning", "content": "Hm."}


def new_span(number, said, answer, **attributes):
    return span(
        number,
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m-1",
            "gen_ai.input.messages": json.dumps(said),
            "gen_ai.output.messages": json.dumps([answer]),
            "gen_ai.usage.input_tokens": 9,
            **attributes,
        },
    )


def told(name, **fields):
    pairs = {key: value if isinstance(value, str) else json.dumps(value) for key, value in fields.items()}
    return {"name": name, "attributes": [attribute(key, value) for key, value in pairs.items()]}
