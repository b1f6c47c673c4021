"""How long importing takes beside decoding: the same JSON read, written as recordings, derived, and only decoded.

    python benchmarks/importing.py [FILE...]

FILE is anything that `fc-record import auto` knows; by default two made up here (message lines and an HTTP archive,
each of 200 conversations) and the runs of tau-bench in ../shared/data where they are there. CPU time of one process,
the best of twenty, all that is compared measured in turn. The second line of each file says where the time goes.

The target is missed, and by far. Most of these files is long text, which decoding only copies: 3 µs for an exchange of
the message lines, 6 for one of tau-bench, 15 for one of the archive; json.loads takes about as long. To write an
exchange and to read it again from its lines, so that nothing is written that cannot be read, takes 14 µs: decoding and
this alone are beyond three times the decoding of the message lines and of tau-bench. To read its answer as a turn takes
14 µs more, and with that the archive is at three times, none of the JSON inside its texts being decoded yet. All else
is many small steps: a look for secrets, requests linked to what they go on from, counts of what goes in and comes out.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.derivation import reading_of_exchange
from harness.importers.found import Source
from harness.importers.importing import Imported, imported
from harness.recording_lines import kept_of
from harness.value import decode, lines_of
from harness.wire.redact import Redactor

SHARED = Path(__file__).parents[2] / "shared" / "data" / "runs" / "tau-bench" / "airline-dev.json"
ROUNDS = 20
CONVERSATIONS, CALLS = 200, 6
TARGET = 3.0
WORDS = "The reservation is found and may be changed until the day before it begins; the fee depends on the fare. "


def best(*actions: Callable[[], object]) -> list[float]:
    """The shortest time of each, measured in turn: what slows the machine down meets all alike."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(ROUNDS):
        for action, taken in zip(actions, times, strict=True):
            start = time.process_time()
            action()
            taken.append(time.process_time() - start)
    return [*map(min, times)]


def conversation(number: int) -> list[Any]:
    """A user, six calls with their results, an answer."""
    messages: list[Any] = [{"role": "system", "content": WORDS * 20}, {"role": "user", "content": f"Change {number}."}]
    for step in range(CALLS):
        function = {"name": "get_reservation", "arguments": json.dumps({"id": f"R{number}-{step}", "seats": step})}
        call = {"id": f"call_{number}_{step}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": WORDS, "tool_calls": [call]})
        result = json.dumps({"id": f"R{number}-{step}", "fare": 120.5, "rules": WORDS * 4})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    return [*messages, {"role": "assistant", "content": f"Reservation {number} is changed."}]


def message_lines() -> bytes:
    lines = (json.dumps({"messages": conversation(number)}) for number in range(CONVERSATIONS))
    return "\n".join(lines).encode() + b"\n"


def archive() -> bytes:
    entries = []
    for number in range(CONVERSATIONS):
        messages = conversation(number)
        answers = [at for at, one in enumerate(messages) if one["role"] == "assistant"]
        entries += [entry(messages[:at], messages[at]) for at in answers]
    return json.dumps({"log": {"version": "1.2", "entries": entries}}).encode()


def entry(said: list[Any], answer: Any) -> dict[str, Any]:  # noqa: ANN401  JSON
    choice = {"index": 0, "message": answer, "finish_reason": "tool_calls" if "tool_calls" in answer else "stop"}
    return {
        "startedDateTime": "2026-01-02T03:04:05Z",
        "request": {
            "method": "POST",
            "url": "https://api.openai.com/v1/chat/completions",
            "postData": {"text": json.dumps({"model": "m", "messages": said})},
        },
        "response": {
            "status": 200,
            "content": {"mimeType": "application/json", "text": json.dumps({"choices": [choice]})},
        },
    }


def by_line(read: Callable[[bytes], object], raw: bytes) -> None:
    """A file of lines is decoded line by line, any other whole."""
    for part in lines_of(raw) if raw.count(b"\n{") else [raw]:
        read(part)


def measure(name: str, raw: bytes) -> None:
    def run() -> Imported:
        return imported(Source(name, raw), None, id_="x", agent_version="0", redactor=Redactor)

    result = run()
    took, own, plain, written, read = best(
        run,
        lambda: by_line(decode, raw),
        lambda: by_line(json.loads, raw),
        lambda: [kept_of(recording, file=name) for recording in result.recordings],
        lambda: [reading_of_exchange(one, exchange) for one in result.recordings for exchange in one.exchanges],
    )
    size, count = len(raw) / 1e6, result.written.exchanges
    print(
        f"{name:<20}{size:>5.1f} MB{count:>6} exchanges{took * 1e3:>7.0f} ms{size / took:>7.1f} MB/s"
        f"{took / own:>7.1f} x our decoder{took / plain:>7.1f} x json.loads"
    )
    parts = {"decoded": own, "written and read again": written, "answers read": read}
    parts |= {"all else": took - sum(parts.values()), "in all": took}
    print("    µs an exchange:", ", ".join(f"{what} {spent / count * 1e6:.1f}" for what, spent in parts.items()))


def main() -> None:
    given = [(path.name, path.read_bytes()) for path in map(Path, sys.argv[1:])]
    made = [("message lines", message_lines()), ("HTTP archive", archive())]
    real = [(SHARED.name, SHARED.read_bytes())] if SHARED.exists() else []
    for name, raw in given or [*made, *real]:
        measure(name, raw)
    print(f"target: {TARGET:g} x decoding the same bytes")


if __name__ == "__main__":
    main()
