"""What judging costs: fixtures from their lines in memory, four calls of three parameters, every finding built.

    python benchmarks/judge.py [COUNT]

One core, CPU time, best of nine passes over COUNT fixtures (2,000 by default): runs of 72 cases, a quarter of which
fail in six ways. `together` is what fc-judge promises: from the bytes of a fixture to its verdict with all findings.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from harness.fixture import Fixture
from harness.fixture_lines import fixture_of
from harness.judge.constraints import expectation_of
from harness.judge.domain import domain_from
from harness.judge.engine import Expectation, judge
from harness.judge.evidence import judge_fixture
from harness.judge.finding import Ruling, Verdict
from harness.judge.golden import golden_holds
from harness.scenario import Tool
from harness.suite import Golden, JudgeConfig
from harness.trace import trace_of

Fields = dict[str, Any]

COUNT = 2_000
CASES = 72
PASSES = 9
PROMISED = 20_000
HASH = "sha256:" + "a" * 64
NAMES = ("get_order", "check_eligibility", "create_refund", "add_note")
LEDGER = {"input": 3456, "cache_read": 0, "cache_creation": 0, "output": 123}
TOOLS = [
    Tool(
        name=name,
        parameters={
            "type": "object",
            "properties": {"order_id": {"type": "integer"}, "reason": {"type": "string"}, "amount": {"type": "number"}},
            "required": ["order_id", "reason", "amount"],
            "additionalProperties": False,
        },
        effect="write" if name == "create_refund" else "read",
    )
    for name in NAMES
]
DOMAIN = domain_from(TOOLS, None)
ASSERTIONS: list[Fields] = [
    *({"kind": "tool_called", "name": name, "max_count": 1} for name in NAMES),
    {"kind": "no_tool_called", "name": "escalate_to_human"},
    {"kind": "tool_call_arg_matches", "name": "create_refund", "arg_path": "reason", "matches_regex": "^damaged"},
    {"kind": "message_contains_substring", "role": "assistant", "substring": "refunded"},
    {"kind": "trace_max_turns", "max": 12},
]


def wanted(number: int) -> list[tuple[str, Fields]]:
    """The four calls that fixture `number` should make."""
    case = number % CASES
    return [(name, {"order_id": case, "reason": f"damaged lamp {case}", "amount": case + 0.5}) for name in NAMES]


def made(number: int) -> list[tuple[str, Fields]]:
    """The four calls that it makes: every fourth fixture makes one mistake of six."""
    calls = wanted(number)
    if number % 4 == 0:
        name, arguments = calls[2]
        mistakes: list[list[tuple[str, Fields]]] = [
            [(name, {**arguments, "order_id": CASES + number})],
            [(name, {**arguments, "amount": str(arguments["amount"])})],
            [(name, arguments), (name, arguments)],
            [(name, {key: value for key, value in arguments.items() if key != "reason"})],
            [("escalate_to_human", arguments)],
            [],
        ]
        calls[2:3] = mistakes[number // 4 % len(mistakes)]
    return calls


def lines_of(number: int) -> bytes:
    """The bytes of one fixture."""
    turns: list[Fields] = [{"role": "user", "content": [{"type": "text", "text": f"Refund order {number}."}]}]
    for index, (name, arguments) in enumerate(made(number), 1):
        call = {"type": "toolCall", "id": f"call_{index}", "name": name, "arguments": arguments}
        result = {"type": "text", "text": json.dumps({"order_id": number, "status": "ok"})}
        turns.append({"role": "assistant", "content": [call], "tokenLedger": LEDGER})
        turns.append({"role": "toolResult", "toolUseId": f"call_{index}", "content": [result]})
    said = {"type": "text", "text": "Your order is refunded."}
    turns.append({"role": "assistant", "content": [said], "tokenLedger": LEDGER})
    meta = {"type": "meta", "formatVersion": 1, "fixtureId": f"refund-{number}", "scenario": "Refund"}
    lines = [
        meta | {"recordedAt": "2026-01-01T00:00:00Z", "systemPromptHash": HASH, "origin": "test:benchmark"},
        *({"type": "turn", "turnIndex": index} | turn for index, turn in enumerate(turns)),
        {"type": "assertions", "assertions": ASSERTIONS},
    ]
    return b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)


def golden_of(number: int) -> Expectation:
    """The golden calls of one case, compiled."""
    calls = [{"tool": name, "params": arguments} for name, arguments in wanted(number)]
    return golden_holds(Golden.model_validate({"calls": calls, "order_sensitive": True}), JudgeConfig(), DOMAIN)


def spec_of(number: int) -> Expectation:
    """The same as a constraint spec, compiled."""
    spec = {
        "must_call": [{"tool": name, "args": arguments, "count": 1} for name, arguments in wanted(number)],
        "must_call_before": [{"first": "check_eligibility", "then": "create_refund"}],
        "must_not_call": ["escalate_to_human"],
    }
    return expectation_of(json.dumps(spec).encode(), file="expect.json", domain=DOMAIN)


def seconds(work: Callable[[int], object], count: int) -> float:
    """CPU seconds for one item, the best of all passes."""
    best = float("inf")
    for _ in range(PASSES):
        gc.collect()
        start = time.process_time()
        for number in range(count):
            work(number)
        best = min(best, (time.process_time() - start) / count)
    return best


def row(name: str, work: Callable[[int], object], count: int) -> None:
    """Measure and print one line; what starts from lines is held against the promise."""
    took = seconds(work, count)
    kept = "" if "together" not in name else "  kept" if 1 / took >= PROMISED else f"  missed: {PROMISED:,} promised"
    print(f"{name:48} {took * 1e6:7.1f} µs {1 / took:9,.0f} a second{kept}")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    raws = [lines_of(number) for number in range(count)]
    files = [f"refund-{number}.jsonl" for number in range(count)]
    fixtures = [read(raw, file) for raw, file in zip(raws, files, strict=True)]
    traces = [trace_of(fixture.transcript) for fixture in fixtures]
    goldens, specs = [golden_of(case) for case in range(CASES)], [spec_of(case) for case in range(CASES)]

    def golden(number: int) -> tuple[str, Expectation]:
        return "golden", goldens[number % CASES]

    def by_golden(fixture: Fixture, number: int) -> Verdict:
        return judge(trace_of(fixture.transcript), [golden(number)])

    def by_spec(fixture: Fixture, number: int) -> Verdict:
        return judge(trace_of(fixture.transcript), [("expect", specs[number % CASES])])

    check(fixtures, by_golden, by_spec)
    print(f"{count} fixtures, {sum(map(len, raws)) // count} bytes each, best of {PASSES}")
    row("lines to fixture", lambda number: read(raws[number], files[number]), count)
    row("judged by 8 assertions", lambda number: judge_fixture(fixtures[number]), count)
    row("judged by 4 golden calls (18 findings)", lambda number: by_golden(fixtures[number], number), count)
    row("  the same, of a trace that is there", lambda number: judge(traces[number], [golden(number)]), count)
    row("judged by a constraint spec (6 promises)", lambda number: by_spec(fixtures[number], number), count)
    row("together: lines, assertions", lambda number: judge_fixture(read(raws[number], files[number])), count)
    row("together: lines, golden calls", lambda number: by_golden(read(raws[number], files[number]), number), count)


def read(raw: bytes, file: str) -> Fixture:
    return fixture_of(raw, file=file)


def check(fixtures: list[Fixture], *judges: Callable[[Fixture, int], Verdict]) -> None:
    """What is measured must be right: exactly the runs with a mistake fail, in each dialect that sees them all."""
    for number, fixture in enumerate(fixtures):
        expected = Ruling.FAIL if number % 4 == 0 else Ruling.PASS
        for verdict in (one(fixture, number) for one in judges):
            assert verdict.verdict is expected, (number, verdict.reason)


if __name__ == "__main__":
    main()
