"""A recorder in a process of its own: requests come in as lines of JSON, what became of each goes out.

    recorders_worker.py RECORDER

Run by benchmarks/drift.py with the interpreter of an environment that holds the recorder and httpx. Each is driven as
its own documentation says; `strict` is the most that it offers there.
"""

import asyncio
import json
import signal
import sys
import time
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Callable

TURNS = 4
TLS = httpx.create_ssl_context()  # once: it takes longer than a replay
FIELDS = ["model", "messages", "input", "system", "instructions", "tools", "tool_choice", "temperature"]
FIELDS += ["max_tokens", "max_output_tokens", "max_completion_tokens", "stop", "stop_sequences", "seed", "metadata"]
BODY = ["method", "scheme", "host", "port", "path", "query", "body"]


class Run:
    """One cassette that is open: the client that passes it, and what is checked at its end."""

    def __init__(self, recorder: str, path: Path, *, strict: bool) -> None:
        self._held = ExitStack()
        self._check: Callable[[], bool] | None = None
        kept = self._held.enter_context(cassette_of(recorder, path, strict=strict))
        if strict and hasattr(kept, "all_played") and path.exists():
            self._check = lambda: bool(kept.all_played)
        of = getattr(kept, "http_client", None)
        self.client: httpx.Client = self._held.enter_context(of(httpx) if of else httpx.Client(verify=TLS))

    def close(self) -> dict[str, str]:
        """Close it; what its end says."""
        failed = self._check is not None and not self._check()
        try:
            self._held.close()
        except Exception as error:  # noqa: BLE001  whatever ends a run is told
            return told(error)
        return {"error": "AssertionError: assert cassette.all_played"} if failed else {}


def cassette_of(recorder: str, path: Path, *, strict: bool) -> AbstractContextManager[Any]:
    """The recorder's own context manager: it records where there is no cassette, and replays one that is there."""
    replays = strict and path.exists()
    match recorder:
        case "vcrpy":
            import vcr

            return (vcr.VCR(match_on=BODY) if strict else vcr.VCR()).use_cassette(str(path))
        case "cassetter":
            import cassetter

            options = {"match_on": ["method", "uri", "json_body"]} if strict else {}
            return cassetter.use_cassette(path, record_mode="none" if replays else "once", **options)
        case "standin":
            import standin

            return standin.use_cassette(path, mode="none" if replays else "once")
        case "promptecho":
            import promptecho

            options = {"match_on": FIELDS} if strict else {}
            return promptecho.use_cassette(str(path), mode="none" if replays else "once", **options)
        case "harness":
            import harness

            return harness.replay(path) if path.exists() else harness.record(path)
    return nullcontext()


def told(error: BaseException) -> dict[str, str]:
    """An error as a test runner prints it."""
    return {"error": f"{type(error).__name__}: {error}"}


def posted(run: Run, order: dict[str, Any]) -> dict[str, str]:
    """One request's answer, or what stopped it."""
    try:
        return {"text": run.client.post(order["url"], json=order["body"]).text}
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001  one of them raises what no `except Exception` hides
        return told(error)


async def talks(order: dict[str, Any]) -> list[str]:
    """The last words that each of eight conversations got, or the name of the error that ended it."""
    async with httpx.AsyncClient(verify=TLS) as client:
        return await asyncio.gather(*(talk(client, order["url"], dict(order["body"]), guest) for guest in range(8)))


async def talk(client: httpx.AsyncClient, url: str, body: dict[str, Any], guest: int) -> str:
    """One conversation; each begins with other words and goes on with the same."""
    body["messages"] = [*body["messages"], {"role": "user", "content": f"I am guest {guest}."}]
    said = ""
    try:
        for _ in range(TURNS):
            response = await client.post(url, json=body)
            said = response.json()["choices"][0]["message"]["content"]
            more = [{"role": "assistant", "content": said}, {"role": "user", "content": "and then?"}]
            body["messages"] = [*body["messages"], *more]
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001  as above
        return type(error).__name__
    return said


def long_talk(run: Run, order: dict[str, Any]) -> None:
    """One conversation of many turns, each of its requests with all that was said before."""
    body = dict(order["body"])
    for turn in range(order["turns"]):
        body["messages"] = [*body["messages"], {"role": "user", "content": f"{turn}: {order['text']}"}]
        said = run.client.post(order["url"], json=body).json()["choices"][0]["message"]
        body["messages"] = [*body["messages"], {"role": "assistant", "content": said["content"]}]


def first_chunk(run: Run, order: dict[str, Any]) -> float:
    """Seconds until a stream's first bytes are there; all of it is read."""
    start = time.perf_counter()
    with run.client.stream("POST", order["url"], json=order["body"]) as response:
        chunks = response.iter_bytes()
        next(chunks)
        seconds = time.perf_counter() - start
        for _ in chunks:
            pass
    return seconds


def timed(recorder: str, order: dict[str, Any]) -> dict[str, float | None]:
    """A whole run, opening to closing its cassette, in CPU seconds; None where it breaks off or takes too long."""
    signal.signal(signal.SIGPROF, _out_of_time)
    signal.setitimer(signal.ITIMER_PROF, order["limit"])
    start = time.process_time()
    try:
        run = Run(recorder, Path(order["path"]), strict=True)
        long_talk(run, order)
        if ended := run.close():
            raise RuntimeError(ended["error"])  # noqa: TRY301  told below
    except Exception as error:  # noqa: BLE001  too long, or more than it can read of its own file: no replay
        print(f"{order['turns']} turns: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        return {"seconds": None}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return {"seconds": time.process_time() - start}


def _out_of_time(*_: object) -> None:
    raise TimeoutError


def main(recorder: str) -> None:
    """`open` a cassette, `post` through it, `talk` with eight agents at once, `close` it: one answer to each order."""
    run: Run | None = None
    for line in sys.stdin:
        order = json.loads(line)
        answer: dict[str, Any] = {}
        match order["do"], run:
            case "open", _:
                run = Run(recorder, Path(order["path"]), strict=order["strict"])
            case "post", Run():
                answer = posted(run, order)
            case "talk", Run():
                answer = {"said": asyncio.run(talks(order))}
            case "first", Run():
                answer = {"seconds": first_chunk(run, order)}
            case "close", Run():
                answer = run.close()
            case "long", _:
                answer = timed(recorder, order)
        print(json.dumps(answer), flush=True)


main(sys.argv[1])
