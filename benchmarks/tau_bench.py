"""Whether judging by calls alone reaches the verdict that tau-bench took from its databases.

    python benchmarks/tau_bench.py [FILE...]

FILE holds results of tau-bench: a list of runs with their trajectories, the expected actions and the reward. By
default that is ../shared/data/runs/tau-bench/*.json; without a file it says so and ends with 0. Each run is imported
as `fc-record import` does it, and judged by the expected actions as golden calls: the writes among them, in any order,
best pairing; reads and failed calls are forgiven; the expected outputs must have been said. tau-bench compares the
database after the run with that after the expected actions: where the two verdicts part, the findings say why.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from harness.derivation import transcript_of
from harness.importers.found import Source
from harness.importers.importing import imported
from harness.importers.tau import TAU
from harness.judge.domain import domain_from
from harness.judge.engine import Expectation, Found, judge
from harness.judge.finding import Code, Finding, Ruling, Status, Verdict
from harness.judge.golden import golden_holds
from harness.scenario import Tool
from harness.suite import Golden, JudgeConfig
from harness.trace import Trace, trace_of
from harness.value import decode
from harness.wire.redact import Redactor

DATA = Path(__file__).parents[2] / "shared" / "data" / "runs" / "tau-bench"
# What changes the database, in both domains of tau-bench; all other tools only read, think or hand over.
WRITES = (
    "book_reservation", "cancel_reservation", "send_certificate", "update_reservation_baggages",
    "update_reservation_flights", "update_reservation_passengers", "cancel_pending_order",
    "exchange_delivered_order_items", "modify_pending_order_address", "modify_pending_order_items",
    "modify_pending_order_payment", "modify_user_address", "return_delivered_order_items",
)  # fmt: skip
PROMISED = 0.97
Fields = dict[str, Any]


class Judged(NamedTuple):
    """One run: tau-bench's verdict and ours."""

    name: str
    reward: bool
    verdict: Verdict
    ended: bool
    failed_write: bool

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        return self.reward is (self.verdict.verdict is Ruling.PASS)

    @property
    def reason(self) -> str:
        """Why the two part: what tau-bench counts, or sees, that calls do not show."""
        if self.reward:
            return "other calls than the expected ones left the same database"
        if not self.ended:
            return "the run was cut off at its step limit, for which tau-bench gives nothing whatever was done"
        if self.failed_write:
            return "a write that failed changed the database all the same"
        return "the same writes left another database, as in another order"


def judged_runs(path: Path) -> Iterator[Judged]:
    raw = path.read_bytes()
    runs = decode(raw)
    assert isinstance(runs, list)
    result = imported(Source(path.name, raw), TAU, id_=path.stem, agent_version="0", redactor=Redactor)
    for run, recording in zip(runs, result.recordings, strict=True):
        trace = trace_of(transcript_of(recording))
        failed = any(call.name in WRITES and not call.succeeded for call in trace.calls)
        reward = run["reward"] == 1  # type: ignore[index,call-overload]
        yield Judged(recording.header.id, reward, verdict_of(run, trace), has_ended(run), failed)


def has_ended(run: Any) -> bool:  # noqa: ANN401  JSON of another tool
    """Whether the simulated user said that it was done, or was handed over to a person."""
    last = run["traj"][-1]
    return "###STOP###" in (last.get("content") or "") or last.get("name") == "transfer_to_human_agents"


def verdict_of(run: Any, trace: Trace) -> Verdict:  # noqa: ANN401  JSON of another tool
    task = run["info"]["task"]
    names = {call.name for call in trace.calls} | {action["name"] for action in task["actions"]}
    tools = [Tool(name=name, parameters={}, effect="write" if name in WRITES else "read") for name in sorted(names)]
    calls = [{"tool": one["name"], "params": one["kwargs"]} for one in task["actions"] if one["name"] in WRITES]
    config = JudgeConfig(allowed_extra=sorted(names.difference(WRITES)), failed_calls="ignore")
    golden = golden_holds(
        Golden.model_validate({"calls": calls, "order_sensitive": False}), config, domain_from(tools, None)
    )
    return judge(trace, [("actions", golden), ("outputs", outputs_said(task.get("outputs", [])))])


def outputs_said(outputs: list[str]) -> Expectation:
    """What must have been said, as tau-bench reads it: in any case, commas of the answer left out."""

    def expectation(trace: Trace) -> Found:
        said = [text.lower().replace(",", "") for text in trace.texts("assistant")]
        return Found([said_finding(output, said) for output in outputs])

    return expectation


def said_finding(output: str, said: list[str]) -> Finding:
    if any(output.lower() in text for text in said):
        return Finding("outputs", None, Status.PASS, message=f"{output} was said")
    return Finding("outputs", None, Status.FAIL, Code.TEXT_MISSING, message=f"{output} was never said")


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]] or sorted(DATA.glob("*.json"))
    if not paths:
        print(f"skipped: no results of tau-bench at {DATA}; python benchmarks/tau_bench.py FILE takes some")
        return
    judged = [one for path in paths for one in judged_runs(path)]
    counts = Counter((one.reward, one.verdict.verdict) for one in judged)
    print("| reward | PASS | FAIL | other |\n|---|--:|--:|--:|")
    for reward in (True, False):
        mine = {ruling: count for (theirs, ruling), count in counts.items() if theirs is reward}
        other = sum(mine.values()) - mine.get(Ruling.PASS, 0) - mine.get(Ruling.FAIL, 0)
        print(f"| {int(reward)} | {mine.get(Ruling.PASS, 0)} | {mine.get(Ruling.FAIL, 0)} | {other} |")
    for one in [one for one in judged if not one.agrees]:
        print(f"\n{one.name}: reward {int(one.reward)}, ours {one.verdict.verdict}: {one.reason}")
        print("".join(f"  {finding.message}\n" for finding in one.verdict.failures), end="")
    share = sum(one.agrees for one in judged) / len(judged)
    print(f"\nagreement {share:.1%} of {len(judged)} runs: {'kept' if share >= PROMISED else 'missed'}")


if __name__ == "__main__":
    main()
