"""Other recorders, each driven in a process of its own: the same edits, and eight agents at once.

They live in an environment made for the run; what cannot be installed there is named as not run.
"""

import json
import shutil
import subprocess
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

from edited_agent import ANSWERS, Agent, bodies_of
from loopback import Loopback, plain
from small_edits import APIS, EDITS
from test_concurrency import TURNS
from told_runs import PATHS, chat

TIMES = 100
WORKER = Path(__file__).parent / "recorders_worker.py"
PACKAGES = ("vcrpy", "cassetter", "standin", "promptecho")
# With all that their documentation offers to fail a run.
CHECKED = {
    "vcrpy": "bodies matched, `all_played` asserted",
    "cassetter": "bodies matched, `all_played` asserted",
    "standin": "mode none",
    "promptecho": "every field matched, mode none",
}


class Caught(NamedTuple):
    """One edit's message; empty where the run did not fail."""

    message: str = ""
    own_words: str = ""
    changed: str = ""


class Figures(NamedTuple):
    """One tool's: what each edit came to, calls made to a server in replay, last words of all conversations.

    `bodies`: edits inside a tool's body that were caught.
    """

    name: str
    edits: list[tuple[str, Caught]]
    live: int | None
    talks: list[list[str]]
    bodies: str


class StoppedError(Exception):
    """The recorder raised in the agent's request."""


class Worker:
    """One recorder, and how it is asked to be."""

    def __init__(self, python: Path | str, recorder: str, *, strict: bool) -> None:
        self.recorder = recorder
        self.strict = strict
        self._process = subprocess.Popen(
            [python, WORKER, recorder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)

    def ask(self, do: str, **order: object) -> dict[str, Any]:
        """One order and its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, "strict": self.strict, **order}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def asking(self, url: str) -> Callable[[object], bytes]:
        """How an agent posts through it."""

        def answer(body: object) -> bytes:
            given = self.ask("post", url=url, body=body)
            if "error" in given:
                raise StoppedError(given["error"])
            text: str = given["text"]
            return text.encode()

        return answer

    def cassette(self, directory: Path, name: str) -> Path:
        """Where its recording of this name is kept, in the form that it writes."""
        form = {"standin": "json", "harness": "jsonl"}.get(self.recorder, "yaml")
        return directory / f"{name}.{form}"

    @contextmanager
    def replaying(self, recorded: Path) -> Iterator[None]:
        """A replay of a copy: some write what they did not find into the cassette."""
        run = recorded.with_stem("run")
        shutil.copy(recorded, run)
        self.ask("open", path=str(run))
        try:
            yield
        except BaseException:
            self.ask("close")
            raise
        ended = self.ask("close")
        if ended:
            raise StoppedError(ended["error"])


def environment(directory: Path) -> tuple[Path, dict[str, str], list[str]]:
    """The interpreter that has them, the version of each that is there, and what is not."""
    python = directory / "env" / "bin" / "python"
    versions, missing = dict[str, str](), list[str]()
    try:
        venv.create(directory / "env", with_pip=True)
        for package in ("httpx", *PACKAGES):
            done = subprocess.run([python, "-m", "pip", "install", "-q", package], capture_output=True, check=False)
            code = f"from importlib.metadata import version; print(version('{package}'))"
            told = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
            if done.returncode or told.returncode:
                missing.append(f"not run: {package}, which could not be installed here")
            elif package in PACKAGES:
                versions[package] = told.stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        missing.append(f"not run: {', '.join(PACKAGES)}: no environment for them ({type(error).__name__})")
    return python, versions, missing


def workers(python: Path, versions: dict[str, str]) -> Iterator[tuple[str, Worker]]:
    """Each of them, as it comes and at its strictest, with what it is called in a table."""
    for package, version in versions.items():
        for strict in (False, True):
            with Worker(python, package, strict=strict) as worker:
                yield f"{package} {version}, {CHECKED[package] if strict else 'as it comes'}", worker


def edits_under(worker: Worker, place: Path) -> tuple[list[tuple[str, Caught]], int]:
    """What each edit came to, and the calls that a server on this machine got meanwhile."""
    edits, live = list[tuple[str, Caught]](), 0
    for api in APIS:
        recorded = worker.cassette(place, api)
        with Loopback(*map(plain, ANSWERS[api])) as server:
            url = server.url + PATHS[api]
            worker.ask("open", path=str(recorded))
            bodies_of(api, Agent(), worker.asking(url))
            worker.ask("close")
            before = len(server.requests)
            edits += [(edit, _run(worker, recorded, url, Agent(**changes))) for edit, (_, changes, _) in EDITS.items()]
            live += len(server.requests) - before
    return edits, live


def _run(worker: Worker, recorded: Path, url: str, agent: Agent) -> Caught:
    try:
        with worker.replaying(recorded):
            bodies_of(recorded.stem, agent, worker.asking(url))
    except StoppedError as error:
        return caught_of(str(error))
    return Caught()


def caught_of(message: str) -> Caught:
    """What is quoted of requests is indented by four; a changed line has a sign, or says which side it is of."""
    lines = message.splitlines()
    own = "\n".join(line for line in lines if not line.startswith("    ") and "body:" not in line)
    sides = ("+", "-", "recorded:", "incoming:")
    return Caught(message, own, "\n".join(line for line in lines if line.strip().startswith(sides)))


def talks_under(worker: Worker, place: Path) -> list[list[str]]:
    """The last words of eight agents at once, a hundred times."""
    answers = [
        plain(_completion("go on" if turn < TURNS - 1 else f"bye {guest}"))
        for turn in range(TURNS)
        for guest in range(8)
    ]
    recorded, runs = worker.cassette(place, "talks"), []
    with Loopback(*answers) as server:
        url = server.url + PATHS["chat"]
        worker.ask("open", path=str(recorded))
        histories: list[list[dict[str, str]]] = [[_user(f"I am guest {guest}.")] for guest in range(8)]
        for _ in range(TURNS):
            for history in histories:
                given = json.loads(worker.ask("post", url=url, body=chat(*history))["text"])
                said = given["choices"][0]["message"]["content"]
                history += [{"role": "assistant", "content": said}, _user("and then?")]
        worker.ask("close")
        run = recorded.with_stem("run")
        for _ in range(TIMES):
            shutil.copy(recorded, run)
            worker.ask("open", path=str(run))
            runs.append(worker.ask("talk", url=url, body=chat())["said"])
            worker.ask("close")
    return runs


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def _completion(text: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}
