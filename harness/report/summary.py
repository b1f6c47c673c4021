"""A tally to the summary of a report: accuracies with their intervals, what fails most, repeated trials."""

import math
from collections import Counter
from collections.abc import Callable, Iterable

from harness.judge.finding import Code, Ruling, Rung
from harness.report.report import Borders, Failure, PassPower, Score, Summary, Trials, Usage, WorstTool
from harness.report.statistics import clustered, pass_power
from harness.report.tally import Counts, Place, Places, Tally, counts_by, passed_and_scored, sum_of
from harness.transcript import TokenLedger

_TOP = 5
_ORDER = (Ruling.PASS, Ruling.FAIL, Ruling.SKIP, Ruling.AGENT_ERROR, Ruling.NOT_JUDGED)


def summary_of(tally: Tally) -> Summary:
    """What a report says of all its results together."""
    whole = _score_of(tally.places)
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
        dimensions=_scores_by(tally.places, lambda place: place.dimension),
        variants=_scores_by(tally.places, lambda place: place.variant),
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


def _scores_by(places: Places, part_of: Callable[[Place], str | None]) -> dict[str, Score]:
    parts: dict[str, Places] = {}
    for place, cases in places.items():
        part = part_of(place)
        if part is not None:
            parts.setdefault(part, {})[place] = cases
    return {part: _score_of(parts[part]) for part in sorted(parts)}


def _score_of(places: Places) -> Score:
    counts = sum_of(counts for cases in places.values() for counts in cases.values())
    [(passed, scored)] = passed_and_scored([counts])
    interval = clustered(passed_and_scored(_by_group(places)))
    verdicts = dict(zip(Ruling, counts, strict=True))
    return Score(
        result_count=sum(counts),
        case_count=len(_by_case(places)),
        verdict_counts={ruling: verdicts[ruling] for ruling in _ORDER},
        scored_count=scored,
        accuracy=passed / scored if scored else None,
        accuracy_interval=Borders(*interval) if interval else None,
    )


def _by_case(places: Places) -> dict[str, Counts]:
    """The counts of each case, wherever it is counted; those of a single place are there already."""
    if len(places) == 1:
        return next(iter(places.values()))
    return counts_by(places, lambda _, case: case)


def _by_group(places: Places) -> Iterable[Counts]:
    """The counts of each scenario, and of each case that is a variant of none."""
    if all(place.group is None for place in places):
        return _by_case(places).values()
    return counts_by(places, lambda place, case: (place.group, None if place.group else case)).values()


def _trials_of(tally: Tally) -> Trials:
    cases = [pair for pair in passed_and_scored(_by_case(tally.places).values()) if pair[1]]
    most = max((scored for _, scored in cases), default=0)
    return Trials(
        fewest=min((scored for _, scored in cases), default=0),
        most=most,
        pass_at_1=math.fsum(passed / scored for passed, scored in cases) / len(cases) if cases else None,
        pass_power=[_power_of(cases, k) for k in range(1, most + 1)] if most > 1 else [],
    )


def _power_of(cases: list[tuple[int, int]], k: int) -> PassPower:
    powers = [pass_power(passed, scored, k) for passed, scored in cases if scored >= k]
    return PassPower(k, math.fsum(powers) / len(powers), len(powers))
