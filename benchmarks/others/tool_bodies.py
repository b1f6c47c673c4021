"""Edits inside a tool's body: the requests' own text stays, what the tool gives is another."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from loopback import Loopback, plain
from recorders import StoppedError, Worker
from spoken import chat_body

import harness
from harness.errors import HarnessError

ANSWERS = [
    plain(chat_body(None, [("call_1", "weather", '{"city": "Rome"}')])),
    plain(chat_body("21 C in Rome.")),
]
PATH = "/v1/chat/completions"
RESULT = {"city": "Rome", "celsius": 21, "sky": "clear", "hours": [9, 12, 18]}


def _broken(city: str) -> dict[str, Any]:
    message = f"no weather for {city}"
    raise LookupError(message)


def _giving(result: Any) -> Callable[[str], Any]:  # noqa: ANN401  a tool gives anything
    return lambda city: result if city else None


BODIES: dict[str, Callable[[str], Any]] = {
    "another number": _giving(RESULT | {"celsius": 22}),
    "another word": _giving(RESULT | {"sky": "cloudy"}),
    "a number as text": _giving(RESULT | {"celsius": "21"}),
    "a field more": _giving(RESULT | {"wind": 3}),
    "a field less": _giving({key: value for key, value in RESULT.items() if key != "sky"}),
    "another order in a list": _giving(RESULT | {"hours": [12, 9, 18]}),
    "nothing": _giving(None),
    "an error": _broken,
}


def ask(post: Callable[[object], bytes], weather: Callable[..., Any]) -> None:
    """The agent: it asks, runs its tool, asks again."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "How warm is it in Rome?"}]
    while True:
        said = json.loads(post({"model": "m-test", "messages": messages}))["choices"][0]["message"]
        if not said.get("tool_calls"):
            return
        messages.append(said)
        for call in said["tool_calls"]:
            try:
                result = weather(**json.loads(call["function"]["arguments"]))
            except LookupError as error:
                result = {"error": str(error)}
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)})


def ours(directory: Path, mode: str) -> int:
    """How many are caught here, the tool in this mode."""
    path = directory / f"bodies-{mode}.jsonl"
    with Loopback(*ANSWERS) as server:
        url = server.url + PATH
        with harness.record(path) as fc:
            ask(_posting(fc.http_client(httpx), url), fc.tools({"weather": _giving(RESULT)})["weather"])
    return sum(_is_caught(path, url, mode, weather) for weather in BODIES.values())


def _is_caught(path: Path, url: str, mode: Any, weather: Callable[[str], Any]) -> bool:  # noqa: ANN401  a Mode
    try:
        with harness.replay(path) as fc:
            ask(
                _posting(fc.http_client(httpx), url), fc.tools({"weather": weather}, modes={"weather": mode})["weather"]
            )
    except HarnessError:
        return True
    return False


def _posting(client: Any, url: str) -> Callable[[object], bytes]:  # noqa: ANN401  either library's
    def post(body: object) -> bytes:
        raw: bytes = client.post(url, json=body).content
        return raw

    return post


def theirs(worker: Worker, place: Path) -> int:
    """How many are caught where the tool runs in replay too, as it does under a recorder of HTTP alone."""
    recorded = worker.cassette(place, "bodies")
    with Loopback(*ANSWERS) as server:
        asking = worker.asking(server.url + PATH)
        worker.ask("open", path=str(recorded))
        ask(asking, _giving(RESULT))
        worker.ask("close")
        return sum(_stops(worker, recorded, asking, weather) for weather in BODIES.values())


def _stops(worker: Worker, recorded: Path, asking: Callable[[object], bytes], weather: Callable[[str], Any]) -> bool:
    try:
        with worker.replaying(recorded):
            ask(asking, weather)
    except StoppedError:
        return True
    return False
