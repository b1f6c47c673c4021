"""A small agent of a user's own: plain SDK calls in a loop, for both SDKs, in threads and in tasks."""

import json

import anthropic
import openai

OPENAI_TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
ANTHROPIC_TOOLS = [{"name": "weather", "input_schema": {"type": "object"}}]
QUESTION = {"role": "user", "content": "weather?"}


def openai_agent(client, tools, *, system="Be brief.", **params):
    """Ask, run the tools, ask again; the final text."""
    messages = [{"role": "system", "content": system}, QUESTION]
    while True:
        answer = client.chat.completions.create(model="m-test", messages=messages, tools=OPENAI_TOOLS, **params)
        message = answer.choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            result = tools[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})


async def async_openai_agent(client, tools):
    """The same, streamed, in a task."""
    messages = [QUESTION]
    while True:
        async with client.chat.completions.stream(model="m-test", messages=messages, tools=OPENAI_TOOLS) as stream:
            message = (await stream.get_final_completion()).choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            result = await tools[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})


def anthropic_agent(client, tools):
    """The same over Messages, streamed."""
    messages = [QUESTION]
    while True:
        with client.messages.stream(model="m-test", max_tokens=64, messages=messages, tools=ANTHROPIC_TOOLS) as stream:
            message = stream.get_final_message()
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return message.content[0].text
        messages.append(
            {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in message.content]}
        )
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": json.dumps(tools[call.name](**call.input))}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})


def openai_for(fc, url="https://api.example.test/v1"):
    return openai.OpenAI(api_key="k-placeholder", base_url=url, http_client=fc.http_client())


def async_openai_for(fc, url="https://api.example.test/v1"):
    return openai.AsyncOpenAI(api_key="k-placeholder", base_url=url, http_client=fc.async_http_client())


def anthropic_for(fc, url="https://api.example.test"):
    return anthropic.Anthropic(api_key="k-placeholder", base_url=url, http_client=fc.http_client())
