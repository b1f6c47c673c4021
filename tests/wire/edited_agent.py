"""One agent for the three APIs, as a value: whatever it asks and however it goes on may be edited."""

from contextlib import suppress
from copy import deepcopy
from typing import Any, NamedTuple

from told_runs import Told, encoded, post, replay_of

from harness.providers.dialect import Request, dialect_of
from harness.scenario import Tool
from harness.transcript import Text, ToolResultTurn, UserTurn

CITY = {"type": "object", "properties": {"city": {"type": "string", "enum": ["Rome", "Oslo"]}}, "required": ["city"]}
TOOLS = [
    {"name": "weather", "description": "The weather of a city now.", "parameters": CITY},
    {"name": "tides", "description": "The next tide.", "parameters": {"type": "object", "properties": {}}},
]
PARAMS = {"temperature": 0, "max_tokens": 256, "stop": ["END"]}
CALLS = [("weather", {"city": "Rome"}), ("weather", {"city": "Oslo"})]


class Agent(NamedTuple):
    """What the agent says and does; `bend` may change a request's body before it is sent, given its number."""

    system: str = "You answer questions on weather. Be brief; never guess. Ask when a city is missing."
    tools: Any = TOOLS
    params: Any = PARAMS
    model: str = "m-test"
    users: Any = ("Is it warmer in Rome or in Oslo?", "Thanks! And tomorrow?")
    results: Any = ("21 C, clear sky over the whole city", "4 C, light rain")
    bend: Any = None
    sends: int = 99
    repeats: int = 0
    swaps: bool = False


def bodies_of(api, agent, answer):
    """Run the agent; `answer` gives the answer's bytes to a body."""
    dialect = dialect_of(api)
    params = {key: value for key, value in agent.params.items() if api != "responses" or key != "stop"}
    tools = [Tool.model_validate(tool) for tool in agent.tools]
    turns, number = [], 0
    for user in agent.users:
        turns.append(UserTurn([Text(user)]))
        while True:
            if number == agent.sends:
                return
            body = deepcopy(dialect.body_of(Request(agent.model, agent.system, tools, params, list(turns))))
            body = agent.bend(body, number) if agent.bend else body
            number += 1
            for _ in range(1 + (agent.repeats if user is agent.users[-1] else 0)):
                raw = answer(body)
            reading = dialect.reading_of_body(200, raw)
            turns.append(reading.turn)
            calls = reading.turn.calls
            if not calls:
                break
            texts = agent.results[::-1] if agent.swaps else agent.results
            turns += [ToolResultTurn(call.id, [Text(text)]) for call, text in zip(calls, texts, strict=True)]


def recording_of(api, agent=None):
    """The agent recorded: two calls in one answer, then a text, then a text to the second user."""
    run, answers = Told(), iter(ANSWERS[api])

    def answer(body):
        raw = encoded(next(answers))
        run.add(body, raw, api)
        return raw

    bodies_of(api, agent or Agent(), answer)
    return run.recording()


class MissedError(Exception):
    """The agent met status 599, as an SDK would tell it."""


def replayed(api, agent, recording):
    """The replay after this agent's run; a miss ends the run, as an SDK's error would."""
    replay = replay_of(recording)

    def answer(body):
        served = post(replay, body, api)
        if served.status != 200:
            raise MissedError
        return served.pieces[0].raw

    with suppress(MissedError):
        bodies_of(api, agent, answer)
    return replay


def _chat(number, text, calls=()):
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": encoded(given).decode()}}
            for at, (name, given) in enumerate(calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {"id": f"cc-{number}", "object": "chat.completion", "created": 0, "model": "m-test", "choices": [choice]}


def _messages(number, text, calls=()):
    content = [{"type": "text", "text": text}] if text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": given}
        for at, (name, given) in enumerate(calls)
    ]
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m-test", "content": content,
        "stop_reason": "tool_use" if calls else "end_turn", "usage": usage,
    }  # fmt: skip


def _responses(number, text, calls=()):
    output = (
        [
            {
                "type": "message",
                "id": f"msg_{number}",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}],
            }
        ]
        if text
        else []
    )
    output += [
        {
            "type": "function_call",
            "id": f"fc_{at}",
            "call_id": f"call_{at}",
            "name": name,
            "arguments": encoded(given).decode(),
            "status": "completed",
        }
        for at, (name, given) in enumerate(calls)
    ]
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": "m-test",
        "output": output,
        "usage": usage,
    }


ANSWERS = {
    api: [form(0, None, CALLS), form(1, "Rome, 21 C."), form(2, "I cannot know.")]
    for api, form in (("chat", _chat), ("messages", _messages), ("responses", _responses))
}
