"""Results of tau-bench and of tau2-bench: runs of an agent against a simulated user."""

from collections import Counter

from harness import errors
from harness.importers import times
from harness.importers.found import Found, Source, Told, objects_in
from harness.providers.fields import list_at, object_at, objects_of, text_at
from harness.transcript import Outcome
from harness.value import Json, JsonObject, encode

_FAILED = "Error"  # tau-bench hands an exception's text back as `Error: …`
_STOPPED = {
    "max_steps": Outcome.MAX_STEPS,
    "too_many_errors": Outcome.ERROR,
    "agent_error": Outcome.ERROR,
    "user_error": Outcome.ERROR,
    "infrastructure_error": Outcome.ERROR,
    "timeout": Outcome.TIMEOUT,
}


class Tau:
    """The format `tau-bench`: a list of `{task_id, traj, reward, trial}`."""

    name = "tau-bench"

    def recognises(self, source: Source) -> bool:
        """Whether the file is a list of runs with their trajectories."""
        return source.head[:1] == b"[" and b'"task_id"' in source.head and b'"traj"' in source.head

    def read(self, source: Source) -> Found:
        """Each run."""
        runs = source.json()
        if not isinstance(runs, list):
            raise errors.BadImport("results of tau-bench are a list of runs", file=source.name)
        found = Found()
        found.told += [_run_of(run, found.left_out) for run in objects_in(runs, "a run", found.left_out)]
        return found


def _run_of(run: JsonObject, left_out: Counter[str]) -> Told:
    messages: list[Json] = [*_with_role(objects_in(list_at(run, "traj"), "a message", left_out), left_out)]
    failed = {
        at
        for at, one in enumerate(messages)
        if text_at(one, "role") == "tool" and text_at(one, "content").startswith(_FAILED)
    }
    told = Told(f"{run.get('task_id')}-{run.get('trial', 0)}", messages, failed=failed)
    error = text_at(object_at(run, "info"), "error")
    if error:
        told.outcome, told.error = Outcome.ERROR, error
    return told


def _with_role(messages: list[JsonObject], left_out: Counter[str]) -> list[JsonObject]:
    said = [one for one in messages if text_at(one, "role")]
    left_out["a message without a role"] += len(messages) - len(said)
    return said


class Tau2:
    """The format `tau2-bench`: `{info, tasks, simulations: [{messages, …}]}`."""

    name = "tau2-bench"

    def recognises(self, source: Source) -> bool:
        """Whether the file is an object with simulations."""
        return source.head[:1] == b"{" and b'"simulations"' in source.raw and b'"task_id"' in source.raw

    def read(self, source: Source) -> Found:
        """Each simulation. What the simulated user did with tools of its own is left out and counted."""
        value = source.json()
        if not isinstance(value, dict) or not isinstance(value.get("simulations"), list):
            raise errors.BadImport("results of tau2-bench hold simulations", file=source.name)
        found = Found()
        agent = object_at(object_at(value, "info"), "agent_info")
        for run in objects_in(list_at(value, "simulations"), "a simulation", found.left_out):
            found.told.append(_simulation_of(run, text_at(agent, "llm"), found))
        return found


def _simulation_of(run: JsonObject, model: str, found: Found) -> Told:
    told = Told(
        f"{run.get('task_id')}-{run.get('trial') or 0}", [], model=model, at=times.of_text(text_at(run, "start_time"))
    )
    messages = _flat(objects_in(list_at(run, "messages"), "a message", found.left_out))
    for message in _with_role(messages, found.left_out):
        _take(told, message, found)
    reason = text_at(run, "termination_reason")
    if reason in _STOPPED:
        told.outcome, told.error = _STOPPED[reason], reason
    return told


def _flat(messages: list[JsonObject]) -> list[JsonObject]:
    """The messages, those of several tools at once one by one."""
    return [one for message in messages for one in objects_of(list_at(message, "tool_messages")) or [message]]


def _take(told: Told, message: JsonObject, found: Found) -> None:
    at, role, said = len(told.messages), text_at(message, "role"), _said_in(message, found.notes)
    left_out = found.left_out
    if role == "tool" and message.get("requestor") == "user":
        left_out["a result of the simulated user's own tool"] += 1
    elif role == "tool":
        told.messages.append({"role": "tool", "tool_call_id": text_at(message, "id"), "content": said or ""})
        if message.get("error") is True:
            told.failed.add(at)
    elif role == "assistant":
        told.messages.append(_assistant_of(message, said))
        told.answers[at] = {"usage": message.get("usage")}
    elif role == "user" and list_at(message, "tool_calls"):
        left_out["a call of the simulated user's own tool"] += len(list_at(message, "tool_calls"))
        if said:
            told.messages.append({"role": "user", "content": said})
    else:
        told.messages.append({"role": role, "content": said or ""})


def _said_in(message: JsonObject, notes: Counter[str]) -> Json:
    """What a message says: a text, or parts as Chat Completions has them; anything else as the JSON that it is."""
    content = message.get("content")
    if content is None or isinstance(content, str | list):
        return content
    notes["a content that is neither text nor parts, as JSON"] += 1
    return encode(content).decode()


def _assistant_of(message: JsonObject, said: Json) -> JsonObject:
    calls = [_call_of(call) for call in objects_of(list_at(message, "tool_calls"))]
    return {"role": "assistant", "content": said or None, **({"tool_calls": [*calls]} if calls else {})}


def _call_of(call: JsonObject) -> JsonObject:
    arguments = call.get("arguments")
    written = arguments if isinstance(arguments, str) else encode(arguments).decode()
    return {
        "id": text_at(call, "id"),
        "type": "function",
        "function": {"name": text_at(call, "name"), "arguments": written},
    }


TAU = Tau()
TAU2 = Tau2()
