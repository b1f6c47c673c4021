"""Small edits of an agent, replayed: which are caught, with the cause named and the change shown, without a call.

    python benchmarks/drift.py [--others]

141 edits: 47 of an agent's prompt, tools, params, model, conversation, tool results and course, over three APIs; then
eight agents at once, a hundred times. With --others the same under vcrpy, as it is and matching bodies too, which is
installed into a temporary environment; what cannot be installed or run is named as not run. Prints a Markdown table.

Caught: the run fails by itself. Kind named: the message says in its own words what changed (prompt, tool, result …).
Change shown: a changed line of the message holds the changed text, of the edits whose change is a text.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import venv
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from httpx2 import AsyncClient, Response

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "wire")]

from edited_agent import ANSWERS, Agent, bodies_of, recording_of, replayed  # noqa: E402  the path is set above
from loopback import Loopback, plain  # noqa: E402  the path is set above
from small_edits import APIS, EDITS  # noqa: E402  the path is set above
from test_concurrency import TURNS, URL, long_talks, talk  # noqa: E402  the path is set above
from told_runs import PATHS, async_client_for, chat, replay_of  # noqa: E402  the path is set above

from harness.wire.drift_report import causes_of, report_of  # noqa: E402  the path is set above

TIMES = 100
BODY = ["method", "scheme", "host", "port", "path", "query", "body"]
# Edits that show as no text of the agent's own: something is gone, or moved, or comes once more or less.
WORDLESS = ("(nothing)", "another order", "goes on", "once more", "never sent", "result")
KINDS = {
    "PROMPT": ("prompt",), "TOOLS": ("tool",), "PARAMS": ("param",), "MODEL": ("model",),
    "CONVERSATION": ("conversation", "request says more"), "TOOL_RESULT": ("result",),
    "EXHAUSTED": ("goes on", "once more", "played"), "UNPLAYED": ("never sent",),
}  # fmt: skip


class Caught(NamedTuple):
    """One edit's message; empty where the run did not fail."""

    message: str = ""
    own_words: str = ""
    changed: str = ""


class Row(NamedTuple):
    """One tool's figures."""

    name: str
    edits: list[tuple[str, Caught]]
    live: int | None
    wrong: int
    failed: int

    def cells(self) -> list[str]:
        """The columns, as text."""
        caught = [(EDITS[edit], one) for edit, one in self.edits if one.message]
        total = len(self.edits)
        texts = sum(EDITS[edit][2] not in WORDLESS for edit, _ in self.edits)
        named = sum(any(word in one.own_words.lower() for word in KINDS[kind]) for (kind, _, _), one in caught)
        shown = sum(word in one.changed for (_, _, word), one in caught if word not in WORDLESS)
        sizes = [len(one.message.encode()) for _, one in caught] or [0]
        size = f"{statistics.median(sizes):.0f} ({max(sizes)})"
        live = "0: no socket" if self.live is None else str(self.live)
        talks = f"{self.wrong} wrong, {self.failed} refused of {8 * TIMES}"
        return [self.name, f"{len(caught)}/{total}", f"{named}/{total}", f"{shown}/{texts}", live, size, talks]


def ours() -> Row:
    """Our side: the wire engine, without any socket."""
    edits = []
    for api in APIS:
        recording = recording_of(api)
        for edit, (_, changes, _) in EDITS.items():
            drifts = replayed(api, Agent(**changes), recording).failures()
            report = report_of(causes_of([("recordings/told.jsonl", one) for one in drifts]), "pytest --fc-record")
            lines = report.replace("«", "").replace("»", "").splitlines()
            quoted = [line for line in lines if line.startswith(("  at", "  recorded", "  sent"))]
            said = "\n".join(line for line in lines if not line.startswith("  "))
            edits.append((edit, Caught(report if drifts else "", said, "\n".join(quoted))))
    said = asyncio.run(_our_talks())
    return Row("this project", edits, None, *_wrong_of(said))


async def _our_talks() -> list[list[str]]:
    recording, said = long_talks(), []
    for _ in range(TIMES):
        client = async_client_for(replay_of(recording))

        def post_json(body: object, client: AsyncClient = client) -> Awaitable[Response]:
            return client.post(URL, json=body)

        said.append(await asyncio.gather(*(talk(post_json, guest) for guest in range(8))))
    return said


def _wrong_of(runs: list[list[str]]) -> tuple[int, int]:
    """How many last words were another conversation's, and how many conversations an error ended."""
    refused = sum(one.endswith(("Error", "Exception")) for run in runs for one in run)
    return sum(one != f"bye {guest}" for run in runs for guest, one in enumerate(run)) - refused, refused


class Worker:
    """vcrpy in a process of its own."""

    def __init__(self, python: Path) -> None:
        script = Path(__file__).parent / "others" / "vcrpy_worker.py"
        self._process = subprocess.Popen([python, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, do: str, **order: object) -> dict[str, Any]:
        """One order and its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, **order}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def end(self) -> None:
        """Let it go."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


class _StoppedError(Exception):
    """vcrpy raised in the agent's request."""


def vcrpy(python: Path, name: str, match_on: list[str] | None, directory: Path) -> Row:
    """The same edits under vcrpy in its default record mode, the cassette recorded from a server on this machine."""
    worker, edits, live = Worker(python), [], 0
    try:
        for api in APIS:
            with Loopback(*map(plain, ANSWERS[api])) as server:
                cassette = {"path": str(directory / f"{name}-{api}.yaml"), "match_on": match_on}
                run = _agent_under(worker, server.url + PATHS[api], cassette)
                assert run(api, Agent()) == Caught()
                recorded = len(server.requests)
                edits += [(edit, run(api, Agent(**changes))) for edit, (_, changes, _) in EDITS.items()]
                live += len(server.requests) - recorded
        said = _their_talks(worker, {"path": str(directory / f"{name}-talks.yaml"), "match_on": match_on})
    finally:
        worker.end()
    return Row(name, edits, live, *_wrong_of(said))


def _agent_under(worker: Worker, url: str, cassette: dict[str, Any]) -> Callable[[str, Agent], Caught]:
    def run(api: str, agent: Agent) -> Caught:
        def answer(body: object) -> bytes:
            given = worker.ask("post", url=url, body=body)
            if "error" in given:
                raise _StoppedError(given["error"])
            text: str = given["text"]
            return text.encode()

        worker.ask("open", **cassette)
        try:
            bodies_of(api, agent, answer)
        except _StoppedError as error:
            return _caught(str(error))
        finally:
            worker.ask("close")
        return Caught()

    return run


def _caught(message: str) -> Caught:
    """Its own words stand at the left; what it quotes of requests is indented, changed lines with a sign."""
    lines = message.splitlines()
    own = "\n".join(line for line in lines if not line.startswith("       ") and "body:" not in line)
    changed = "\n".join(line for line in lines if line.strip().startswith(("+", "-")))
    return Caught(message, own, changed)


def _their_talks(worker: Worker, cassette: dict[str, Any]) -> list[list[str]]:
    answers = [
        plain(_completion("go on" if turn < TURNS - 1 else f"bye {guest}"))
        for turn in range(TURNS)
        for guest in range(8)
    ]
    with Loopback(*answers) as server:
        url, runs = server.url + PATHS["chat"], []
        worker.ask("open", **cassette)
        histories: list[list[dict[str, str]]] = [[_user(f"I am guest {guest}.")] for guest in range(8)]
        for _ in range(TURNS):
            for history in histories:
                given = json.loads(worker.ask("post", url=url, body=chat(*history))["text"])
                said = given["choices"][0]["message"]["content"]
                history += [{"role": "assistant", "content": said}, _user("and then?")]
        worker.ask("close")
        for _ in range(TIMES):
            worker.ask("open", **cassette)
            runs.append(worker.ask("talk", url=url, body=chat())["said"])
            worker.ask("close")
    return runs


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def _completion(text: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}


def others(directory: Path) -> tuple[list[Row], list[str]]:
    """The rows of what could be run, and what could not."""
    python = directory / "env" / "bin" / "python"
    try:
        venv.create(directory / "env", with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "vcrpy", "httpx"]
        subprocess.run(install, check=True, capture_output=True, timeout=300)
        code = "from importlib.metadata import version; print(version('vcrpy'))"
        number = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        return [], [f"not run: vcrpy, which could not be installed ({type(error).__name__})"]
    matchings = {f"vcrpy {number}, as it is": None, f"vcrpy {number}, matching bodies": BODY}
    return [vcrpy(python, name, match_on, directory) for name, match_on in matchings.items()], []


def main() -> None:
    """Print the table."""
    rows, missing = [ours()], ["not run: vcrpy (give --others)"]
    if "--others" in sys.argv[1:]:
        with tempfile.TemporaryDirectory(prefix="drift-") as directory:
            more, missing = others(Path(directory))
            rows += more
    head = [
        "",
        "caught",
        "kind named",
        "change shown",
        "live calls",
        "message bytes, median (most)",
        "8 agents at once",
    ]
    for cells in [head, ["---"] * len(head), *(row.cells() for row in rows)]:
        print(f"| {' | '.join(cells)} |")
    print("\n".join(["", *missing]))


if __name__ == "__main__":
    main()
