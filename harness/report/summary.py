"""A tally to the summary of a report: accuracies with their intervals, what fails most, repeated trials."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

from harness.judge.finding import Code, Ruling, Rung
from harness.report.report import Borders, Failure, PassPower, Score, Summary, Trials, Usage, WorstTool
from harness.report.statistics import clustered, pass_power
from harness.report.tally import Cell, Tally, passed_and_scored, sum_of
from harness.transcript import TokenLedger

_TOP = 5
_ORDER = (Ruling.PASS, Ruling.FAIL, Ruling.SKIP, Ruling.AGENT_ERROR, Ruling.NOT_JUDGED)


def summary_of(tally: Tally) -> Summary:
    """What a report says of all its results together."""
    cells = sorted(tally.verdicts, key=lambda cell: tuple(part or "" for part in cell))
    whole = _score_of(tally, cells)
    tools = sorted(tally.tools.items(), key=lambda item: (-item[1].count, item[0]))
    worst = [WorstTool(tool, hits.count, hits.cases) for tool, hits in tools]
    failures = [Failure(code, tally.codes[code].count, tally.codes[code].cases) for code in Code if code in tally.codes]
    return Summary(
        result_count=whole.result_count,
        case_count=whole.case_count,
        verdict_counts=whole.verdict_counts,
        scored_count=whole.scored_count,
        accuracy=whole.accuracy,
        accuracy_interval=whole.accuracy_interval,
        dimensions=_scores_by(tally, cells, lambda cell: cell.dimension),
        variants=_scores_by(tally, cells, lambda cell: cell.variant),
        rungs={"none": tally.rungs[None], **{rung.value: tally.rungs[rung] for rung in Rung}},
        taxonomy_counts={one.code: one.count for one in failures},
        top_failures=sorted(failures, key=lambda one: -one.count)[:_TOP],
        worst_tools=worst,
        top_worst_tools=[one.tool for one in worst[:_TOP]],
        trials=_trials_of(tally),
        usage=Usage(
            call_count=tally.calls,
            turn_count=tally.turns,
            tokens=_tokens_of(tally.tokens) if tally.reported else None,
            reported_count=tally.reported,
        ),
    )


def _tokens_of(tokens: Counter[str]) -> TokenLedger:
    return TokenLedger(**{name: tokens.get(name) for name in TokenLedger.__struct_fields__})


def _scores_by(tally: Tally, cells: list[Cell], part_of: Callable[[Cell], str | None]) -> dict[str, Score]:
    parts: dict[str, list[Cell]] = {}
    for cell in cells:
        part = part_of(cell)
        if part is not None:
            parts.setdefault(part, []).append(cell)
    return {part: _score_of(tally, parts[part]) for part in sorted(parts)}


def _score_of(tally: Tally, cells: Sequence[Cell]) -> Score:
    counts = sum_of(tally.verdicts[cell] for cell in cells)
    passed, scored = passed_and_scored(counts)
    interval = clustered(_sums_by(tally, cells, lambda cell: (cell.group, None if cell.group else cell.case)))
    verdicts = dict(zip(Ruling, counts, strict=True))
    return Score(
        result_count=sum(counts),
        case_count=len({cell.case for cell in cells}),
        verdict_counts={ruling: verdicts[ruling] for ruling in _ORDER},
        scored_count=scored,
        accuracy=passed / scored if scored else None,
        accuracy_interval=Borders(*interval) if interval else None,
    )


def _sums_by(tally: Tally, cells: Sequence[Cell], part_of: Callable[[Cell], Hashable]) -> list[tuple[int, int]]:
    """Passed and scored results of each part, in the order in which parts first come."""
    sums: dict[Hashable, tuple[int, int]] = {}
    for cell in cells:
        passed, scored = passed_and_scored(tally.verdicts[cell])
        part = part_of(cell)
        before = sums.get(part, (0, 0))
        sums[part] = before[0] + passed, before[1] + scored
    return list(sums.values())


def _trials_of(tally: Tally) -> Trials:
    cases = [sums for sums in _sums_by(tally, list(tally.verdicts), lambda cell: cell.case) if sums[1]]
    shares = [passed / scored for passed, scored in cases]
    most = max((scored for _, scored in cases), default=0)
    return Trials(
        fewest=min((scored for _, scored in cases), default=0),
        most=most,
        pass_at_1=math.fsum(shares) / len(shares) if shares else None,
        pass_power=[_power_of(cases, k) for k in range(1, most + 1)] if most > 1 else [],
    )


def _power_of(cases: list[tuple[int, int]], k: int) -> PassPower:
    powers = [pass_power(passed, scored, k) for passed, scored in cases if scored >= k]
    return PassPower(k, math.fsum(powers) / len(powers), len(powers))
