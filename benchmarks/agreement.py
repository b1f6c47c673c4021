"""Whether the `bfcl` rules give the verdicts of the public checker they are named after, pair by pair.

    python benchmarks/agreement.py [WHEEL]

Cases and accepted answers are those that the package bfcl-eval ships (Python, single turn). Each gives calls that are
right, and calls with one mistake each, of some forty kinds. Its own checker, imported from the wheel as it is, and ours
judge every pair. Every difference is printed with its reason. Without a wheel to be had it says so and ends with 0.
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pairs.mutated_calls import Calls, right_calls, wrong_calls

from harness.judge.bfcl import bfcl_holds
from harness.judge.engine import judge
from harness.judge.finding import Ruling
from harness.trace import Call, Trace
from harness.value import decode

PACKAGE = "bfcl-eval==2026.3.23"
CATEGORIES = (
    "simple_python", "multiple", "parallel", "parallel_multiple",
    "live_simple", "live_multiple", "live_parallel", "live_parallel_multiple",
)  # fmt: skip
PROMISED = 0.9999
SHOWN = 20
Fields = dict[str, Any]
Checker = Callable[["Case", Calls], bool]


class Case(NamedTuple):
    """One case of the data set."""

    category: str
    id: str
    functions: list[Fields]
    answers: list[Fields]


class Difference(NamedTuple):
    """A pair on which the two disagree, and why."""

    case: Case
    change: str
    calls: Calls
    ours: bool
    reason: str


def wheel_at(directory: Path) -> Path | None:
    """The package's wheel, fetched without what it depends on; None where it cannot be had."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", str(directory), PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return next(directory.glob("*.whl"), None) if done.returncode == 0 else None


def cases_in(wheel: Path) -> Iterator[Case]:
    with zipfile.ZipFile(wheel) as archive:
        for category in CATEGORIES:
            asked = lines_in(archive, f"bfcl_eval/data/BFCL_v4_{category}.json")
            answers = {one["id"]: one["ground_truth"] for one in lines_in(archive, answers_of(category))}
            for one in asked:
                yield Case(category, one["id"], one["function"], answers[one["id"]])


def answers_of(category: str) -> str:
    return f"bfcl_eval/data/possible_answer/BFCL_v4_{category}.json"


def lines_in(archive: zipfile.ZipFile, name: str) -> list[Fields]:
    return [json.loads(line) for line in archive.read(name).splitlines() if line.strip()]


def their_checker(wheel: Path) -> Checker:
    """The package's `ast_checker`; the table of models that it reads names in is all that is not loaded."""
    sys.path.insert(0, str(wheel))
    models = ModuleType("bfcl_eval.constants.model_config")
    models.MODEL_CONFIG_MAPPING = {"any": type("Model", (), {"underscore_to_dot": False})}  # type: ignore[attr-defined]
    sys.modules[models.__name__] = models
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    def check(case: Case, calls: Calls) -> bool:
        made = [{name: dict(arguments)} for name, arguments in calls]
        answer = ast_checker(case.functions, made, case.answers, Language.PYTHON, case.category, "any")
        return bool(answer["valid"])

    return check


def our_checker() -> Checker:
    compiled: dict[str, Any] = {}

    def check(case: Case, calls: Calls) -> bool:
        if case.id not in compiled:
            compiled[case.id] = bfcl_holds(case.functions, case.answers)
        verdict = judge(trace_of(calls), [("bfcl", compiled[case.id])])
        assert verdict.verdict in {Ruling.PASS, Ruling.FAIL}, (case.id, verdict.reason)
        return verdict.verdict is Ruling.PASS

    return check


def trace_of(calls: Calls) -> Trace:
    """The calls as they would come from a file."""
    arguments = [decode(json.dumps(arguments)) for _, arguments in calls]
    return Trace(
        [
            Call(number, 0, number, f"call_{number + 1}", name, given)  # type: ignore[arg-type]
            for number, ((name, _), given) in enumerate(zip(calls, arguments, strict=True))
        ],
        [],
    )


def reason_for(case: Case, calls: Calls, their: Checker, ours: Checker) -> str:
    """Why the two differ, as far as asking both again shows it."""
    if any(their(case, other) != their(case, calls) for other in (calls[::-1], [*calls[1:], *calls[:1]])):
        return "the public checker pairs greedily: with the same calls in another order it says the opposite"
    if any(their(case, other) == their(case, calls) == ours(case, other) for other in swapped(calls)):
        return "the public checker compares with ==, for which true is 1"
    return "UNEXPLAINED"


def swapped(value: Any) -> Iterator[Any]:  # noqa: ANN401  any JSON value
    """The same with one truth value as a number, or one 0 or 1 as a truth value."""
    match value:
        case bool():
            yield int(value)
        case 0 | 1:
            yield bool(value)
        case list() | tuple():
            for index, item in enumerate(value):
                yield from (type(value)([*value[:index], other, *value[index + 1 :]]) for other in swapped(item))
        case dict():
            for key, item in value.items():
                yield from ({**value, key: other} for other in swapped(item))


def compared(wheel: Path) -> tuple[Counter[tuple[str, str]], list[Difference]]:
    """How many pairs came out how, by category; and those on which the two differ."""
    counts: Counter[tuple[str, str]] = Counter()
    differences: list[Difference] = []
    their, ours = their_checker(wheel), our_checker()
    for case in cases_in(wheel):
        for change, calls in (*right_calls(case.functions, case.answers), *wrong_calls(case.functions, case.answers)):
            try:
                theirs = their(case, calls)
            except Exception as error:  # noqa: BLE001  what its own data makes it raise is no verdict
                counts[case.category, f"raised {type(error).__name__}"] += 1
                continue
            mine = ours(case, calls)
            counts[case.category, {(True, True): "pass", (False, False): "fail"}.get((mine, theirs), "differ")] += 1
            if mine != theirs:
                differences.append(Difference(case, change, calls, mine, reason_for(case, calls, their, ours)))
    return counts, differences


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        wheel = Path(sys.argv[1]) if len(sys.argv) > 1 else wheel_at(Path(temporary))
        if wheel is None:
            print(f"skipped: {PACKAGE} cannot be fetched here; python benchmarks/agreement.py WHEEL takes a file")
            return
        counts, differences = compared(wheel)
    print("| category | pairs | both pass | both fail | differ | agreement | raised |\n|---|--:|--:|--:|--:|--:|--:|")
    for category in CATEGORIES:
        print(row(category, Counter({kind: count for (name, kind), count in counts.items() if name == category})))
    whole = Counter[str]()
    for (_, kind), count in counts.items():
        whole[kind] += count
    print(row("all", whole))
    for reason, count in Counter(one.reason for one in differences).most_common():
        print(f"\n{count} differ: {reason}")
        for one in [one for one in differences if one.reason == reason][:SHOWN]:
            print(
                f"  {one.case.id}, {one.change}: ours {'pass' if one.ours else 'fail'}: {json.dumps(one.calls)[:200]}"
            )
    agreement = 1 - whole["differ"] / judged_pairs(whole)
    print(f"\nagreement {agreement:.4%}: {'kept' if agreement >= PROMISED else 'missed'} ({PROMISED:.2%} promised)")


def judged_pairs(counts: Counter[str]) -> int:
    return counts["pass"] + counts["fail"] + counts["differ"]


def row(name: str, counts: Counter[str]) -> str:
    pairs = judged_pairs(counts)
    raised = sum(count for kind, count in counts.items() if kind.startswith("raised"))
    cells = [counts["pass"], counts["fail"], counts["differ"], f"{1 - counts['differ'] / max(pairs, 1):.4%}", raised]
    return f"| {name} | {pairs} | {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
