"""vcrpy as a process of its own: requests come in as lines of JSON, what became of each goes out.

Run by benchmarks/drift.py with the interpreter of an environment that holds vcrpy and httpx, not this project.
"""

import asyncio
import json
import sys
from contextlib import ExitStack
from typing import Any

import httpx
import vcr

TURNS = 4


def main() -> None:
    """`open` a cassette, `post` through it, `talk` with eight agents at once, `close` it: one answer to each."""
    with ExitStack() as held:
        for line in sys.stdin:
            order = json.loads(line)
            match order["do"]:
                case "open":
                    recorder = vcr.VCR(match_on=order["match_on"]) if order["match_on"] else vcr.VCR()
                    held.enter_context(recorder.use_cassette(order["path"]))
                    answer = {}
                case "post":
                    answer = posted(order)
                case "talk":
                    answer = {"said": asyncio.run(talks(order))}
                case "close":
                    held.close()
                    answer = {}
            print(json.dumps(answer), flush=True)


def posted(order: dict[str, Any]) -> dict[str, str]:
    """One request's answer, or what stopped it."""
    try:
        response = httpx.post(order["url"], json=order["body"])
    except Exception as error:  # noqa: BLE001  whatever stops a request is told
        return {"error": f"{type(error).__name__}: {error}"}
    return {"text": response.text}


async def talks(order: dict[str, Any]) -> list[str]:
    """The last words that each of eight conversations got, or the name of the error that ended it."""
    async with httpx.AsyncClient() as client:
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
    except Exception as error:  # noqa: BLE001  whatever stops a request is told
        return type(error).__name__
    return said


main()
