"""The speed of this judge beside that of others, on the same pairs of wanted and made calls, in one run.

    python benchmarks/side_by_side.py [COUNT]

Four calls of three parameters, a quarter of the runs with one mistake of six; CPU time of one core, best of three.
The others live in an environment of their own, made for this run in a temporary directory; bfcl-eval is taken as a
wheel without what it depends on. What each is given is built before its clock starts. One that cannot be installed is
said and left out.
"""

import json
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from agreement import Case, their_checker, wheel_at
from judge import NAMES, golden_of, lines_of, made, wanted

from harness.fixture_lines import fixture_of
from harness.judge.engine import judge
from harness.judge.finding import Ruling
from harness.trace import trace_of

COUNT = 1_000
PASSES = 3
OTHERS = ("agentevals", "pydantic-evals", "deepeval")
WORKER = Path(__file__).parent / "others" / "judges_worker.py"
PROPERTIES = {"order_id": {"type": "integer"}, "reason": {"type": "string"}, "amount": {"type": "float"}}
FUNCTIONS = [
    {"name": name, "parameters": {"type": "dict", "properties": PROPERTIES, "required": list(PROPERTIES)}}
    for name in (*NAMES, "escalate_to_human")
]


class Row(NamedTuple):
    """One judge: how long one pair takes it, how many verdicts were the right ones, what it tells."""

    name: str
    seconds: float
    right: int
    tells: str


def timed(name: str, checks: list[Callable[[], bool]], tells: str) -> Row:
    """CPU seconds a pair, the best of all passes."""
    best, verdicts = float("inf"), list[bool]()
    for _ in range(PASSES):
        start = time.process_time()
        verdicts = [check() for check in checks]
        best = min(best, (time.process_time() - start) / len(checks))
    return Row(name, best, right_of(verdicts), tells)


def right_of(verdicts: list[bool]) -> int:
    """How many are right: every fourth run has a mistake."""
    return sum(verdict is (number % 4 != 0) for number, verdict in enumerate(verdicts))


def ours(count: int) -> list[Row]:
    goldens = [golden_of(number) for number in range(count)]
    raws = [lines_of(number) for number in range(count)]
    traces = [trace_of(fixture_of(raw, file=f"refund-{number}.jsonl").transcript) for number, raw in enumerate(raws)]

    def passed(number: int, trace: Any) -> bool:  # noqa: ANN401  a trace
        return judge(trace, [("golden", goldens[number])]).verdict is Ruling.PASS

    def of_trace(number: int) -> Callable[[], bool]:
        return lambda: passed(number, traces[number])

    def of_lines(number: int) -> Callable[[], bool]:
        file = f"refund-{number}.jsonl"
        return lambda: passed(number, trace_of(fixture_of(raws[number], file=file).transcript))

    tells = "every finding, with its sentence"
    return [
        timed("fc-judge, of a trace", [of_trace(number) for number in range(count)], tells),
        timed("fc-judge, of a fixture's bytes", [of_lines(number) for number in range(count)], tells),
    ]


def bfcl(count: int, directory: Path) -> Row | str:
    wheel = wheel_at(directory)
    if wheel is None:
        return "bfcl-eval: cannot be fetched here"
    check = their_checker(wheel)

    def of_pair(number: int) -> Callable[[], bool]:
        answers = [{name: {key: [value] for key, value in given.items()}} for name, given in wanted(number)]
        case, calls = Case("parallel", "", FUNCTIONS, answers), made(number)
        return lambda: check(case, calls)

    return timed(
        f"bfcl-eval {wheel.name.split('-')[1]}, ast_checker",
        [of_pair(number) for number in range(count)],
        "first error",
    )


def another(name: str, python: Path, pairs: bytes) -> Row | str:
    """One of the judges in the environment of theirs; why not, where it cannot be had or asked."""
    install = subprocess.run([python, "-m", "pip", "install", "-q", name], capture_output=True, text=True, check=False)
    if install.returncode:
        return f"{name}: cannot be installed here: {last_line(install.stderr)}"
    done = subprocess.run([python, WORKER, name], input=pairs, capture_output=True, check=False)
    if done.returncode:
        return f"{name}: failed: {last_line(done.stderr.decode())}"
    told = json.loads(done.stdout.splitlines()[-1])
    tells = {"agentevals": "true or false", "pydantic-evals": "a reason each", "deepeval": "a score and a reason"}[name]
    return Row(f"{name} {told['version']}", told["seconds"], right_of(told["verdicts"]), tells)


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no reason given"])[-1][:200]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    pairs = json.dumps([(wanted(number), made(number)) for number in range(count)]).encode()
    rows = ours(count)
    with tempfile.TemporaryDirectory(prefix="judges-") as temporary:
        directory = Path(temporary)
        venv.create(directory / "env", with_pip=True)
        found = [bfcl(count, directory), *(another(name, directory / "env/bin/python", pairs) for name in OTHERS)]
    rows += [one for one in found if isinstance(one, Row)]
    missing = [one for one in found if isinstance(one, str)]
    first = rows[0].seconds
    print("| judge | traces a second | time against ours | right verdicts | tells |\n|---|--:|--:|--:|---|")
    for row in rows:
        cells = [f"{1 / row.seconds:,.0f}", f"{row.seconds / first:.1f}", f"{row.right} of {count}", row.tells]
        print(f"| {row.name} | {' | '.join(cells)} |")
    print("".join(f"not measured: {one}\n" for one in missing), end="")


if __name__ == "__main__":
    main()
