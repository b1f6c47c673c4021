"""How long importing takes beside decoding: the same JSON read, written as recordings, derived, and only decoded.

    python benchmarks/importing.py [FILE...]

FILE is anything that `fc-record import auto` knows; by default two made up here (message lines and an HTTP archive,
each of 200 conversations) and the runs of tau-bench in ../shared/data where they are there. CPU time of one process,
the best of five.

The target is missed. Of the time for message lines, a third goes into reading each answer as a turn, a fifth into
writing the recording and reading it again from its lines, a sixth into the counts of what went in and came out, a tenth
into looking for secrets. Decoding one of these exchanges takes 3 µs, since most of it is long
text that is only copied: three times that is less than it takes to read one answer.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.importers.found import Source
from harness.importers.importing import imported
from harness.value import decode, lines_of
from harness.wire.redact import Redactor

SHARED = Path(__file__).parents[2] / "shared" / "data" / "runs" / "tau-bench" / "airline-dev.json"
ROUNDS = 5
CONVERSATIONS, CALLS = 200, 6
TARGET = 3.0
WORDS = "The reservation is found and may be changed until the day before it begins; the fee depends on the fare. "


def best(action: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


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
    source = Source(name, raw)
    result = imported(source, None, id_="x", agent_version="0", redactor=Redactor)

    def run() -> None:
        imported(Source(name, raw), None, id_="x", agent_version="0", redactor=Redactor)

    took = best(run)
    own, plain = best(lambda: by_line(decode, raw)), best(lambda: by_line(json.loads, raw))
    size = len(raw) / 1e6
    print(
        f"{name:<24}{size:>7.1f} MB{result.written.exchanges:>8} exchanges{took * 1e3:>9.0f} ms{size / took:>8.1f} MB/s"
        f"{took / own:>8.1f} x our decoder{took / plain:>8.1f} x json.loads"
    )


def main() -> None:
    given = [(path.name, path.read_bytes()) for path in map(Path, sys.argv[1:])]
    made = [("message lines", message_lines()), ("HTTP archive", archive())]
    real = [(SHARED.name, SHARED.read_bytes())] if SHARED.exists() else []
    for name, raw in given or [*made, *real]:
        measure(name, raw)
    print(f"target: {TARGET:g} x decoding the same bytes")


if __name__ == "__main__":
    main()
