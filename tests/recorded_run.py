"""A run of the agent loop on answers written down as bytes, recorded as the wire would: for tests of derivation."""

import json

import msgspec

from harness.agent import Task, run
from harness.providers.dialect import dialect_of
from harness.recording import Chunk, End, Exchange, Header, Recording, State, ToolRun, context_of
from harness.scenario import Tool
from harness.value import digest_of
from harness.world import Sandbox

NO_DIGEST = digest_of(b"")
AT = "2026-01-02T03:04:05Z"
HEADER = Header(
    id="two-lamps",
    scenario="two-lamps",
    recorded_at=AT,
    agent_version="0.1.0",
    versions={"openai": "3.57.0"},
    provider="local",
    host="127.0.0.1",
    model="m",
    model_answered="m-1",
    redaction="default/1",
)
LAMP = Tool(
    name="set_lamp",
    description="Switch a lamp.",
    parameters={"type": "object", "properties": {"on": {"type": "boolean"}}},
    effect="write",
)


class Lamps:
    """A world of lamps: each call switches one more, and the one named `broken` fails."""

    def start(self, tables):
        return tables

    def call(self, state, _name, arguments):
        if arguments.get("broken"):
            return state, "the lamp is broken", True
        state["lamps"]["rows"].append({"id": len(state["lamps"]["rows"]), **arguments})
        return state, {"ok": True}, False


class Wire:
    """A model that answers from bytes and keeps each exchange; a toolbox that keeps each execution."""

    def __init__(self, api, answers):
        self._dialect = dialect_of(api)
        self._answers = iter(answers)
        self._messages = []
        self._calls = 0
        self._sandbox = Sandbox([LAMP], Lamps(), {"lamps": {"key": "id", "rows": []}})
        self.contexts, self.exchanges, self.tools = {}, [], []

    def reply(self, request):
        answer = next(self._answers)
        parts = self._dialect.parts_of(self._dialect.body_of(request))
        context = context_of(
            api=self._dialect.api,
            host="127.0.0.1",
            path="/v1",
            model=parts.model,
            system=parts.system,
            tools=parts.tools,
            params=parts.params,
        )
        self.contexts[context.hash] = context
        assert parts.messages[: len(self._messages)] == self._messages
        added, self._messages = parts.messages[len(self._messages) :], parts.messages
        self._position = 0
        self.exchanges.append(exchange_of(len(self.exchanges), context.hash, added, answer))
        if isinstance(answer, list):
            return self._dialect.reading_of_stream(200, b"".join(answer), complete=True)
        return self._dialect.reading_of_body(200, answer)

    def execute(self, call):
        self._calls += 1
        answer = self._sandbox.execute(msgspec.structs.replace(call, id=f"call_{self._calls}"))
        self.tools.append(
            ToolRun(
                exchange=len(self.exchanges) - 1,
                position=self._position,
                call=call.id,
                name=call.name,
                arguments=call.arguments,
                result=answer.text,
                error=answer.is_error,
                at=AT,
                ms=1.0,
            )
        )
        self._position += 1
        return answer

    def effects(self):
        return self._sandbox.effects()


def exchange_of(number, context, messages, answer):
    """An exchange whose answer is a body, or the chunks of a stream."""
    given = {"parent": number - 1 if number else None, "status": 200, "headers": {}, "at": AT, "ms": 2.0}
    if isinstance(answer, list):
        given["chunks"] = [Chunk(1.0, piece.decode()) for piece in answer]
    else:
        given["body"] = answer.decode()
    return Exchange(**{"number": number, "context": context, "messages": messages, **given})


def recorded(api, answers, *, users=("Light, please.",), max_steps=9):
    """Run the loop on the answers; return the recording and the transcript that the loop itself made."""
    wire = Wire(api, answers)
    task = Task("m", "Be brief.", list(users), [LAMP], {"temperature": 0}, max_steps)
    transcript = run(task, wire, wire)
    effects = transcript.effects
    end = End(
        outcome=transcript.outcome,
        error=transcript.error,
        exchanges=len(wire.exchanges),
        tools=len(wire.tools),
        digest=NO_DIGEST,
    )
    state = State(initial=effects.initial, changes=effects.changes)
    return Recording(HEADER, wire.contexts, wire.exchanges, wire.tools, state, end), transcript


def chat_answer(text="", calls=(), *, finish=None):
    """A plain Chat Completions answer; a call is (id, name, arguments as text)."""
    message = {"role": "assistant", "content": text or None}
    if calls:
        written = [
            {"id": id_, "type": "function", "function": {"name": name, "arguments": args}} for id_, name, args in calls
        ]
        message["tool_calls"] = written
    choice = {"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}
    return json.dumps(
        {"id": "cc-9", "model": "m-1", "choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
    ).encode()


def messages_answer(text="", calls=(), *, stop=None, before=()):
    """A plain Messages answer; a call is (id, name, arguments as text)."""
    content = [*before, *([{"type": "text", "text": text}] if text else [])]
    content += [{"type": "tool_use", "id": id_, "name": name, "input": json.loads(args)} for id_, name, args in calls]
    reason = stop or ("tool_use" if calls else "end_turn")
    usage = {"input_tokens": 7, "output_tokens": 2}
    return json.dumps(
        {
            "id": "msg-9",
            "type": "message",
            "role": "assistant",
            "model": "m-1",
            "content": content,
            "stop_reason": reason,
            "usage": usage,
        }
    ).encode()
