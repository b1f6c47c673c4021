"""Chains: a call takes the id that an earlier call issued, and what is issued is taken."""

from collections.abc import Iterator
from typing import NamedTuple

from harness.judge.domain import Domain
from harness.judge.finding import Code, Finding, Rung, Status
from harness.judge.params import Setting, Wanted
from harness.judge.values import MISSING, Value, key_of, shown
from harness.trace import Call, Trace
from harness.value import Json, NotJsonError, decode


class Link(NamedTuple):
    """An id that a call issued."""

    kind: str
    value: Json
    call: Call


def chain_findings(wanted: list[Wanted], pairs: dict[int, int], setting: Setting) -> Iterator[Finding]:
    """One finding for each golden call that takes or issues an id and has a call; `pairs` says which."""
    trace, domain = setting
    issued = list(_issued(trace, domain))
    for index, number in sorted(pairs.items()):
        call = trace.calls[number]
        facts = domain.tools.get(call.name)
        for param, kind in facts.takes.items() if facts else ():
            yield _taking(index, param, call, [link for link in issued if link.kind == kind])
    yield from _issuing(wanted, pairs, issued, setting)


def _issued(trace: Trace, domain: Domain) -> Iterator[Link]:
    """Every id that a successful call handed out, in order."""
    for call in trace.calls:
        facts = domain.tools.get(call.name)
        if facts is not None and facts.issues is not None and call.succeeded:
            value = _field_of(call.result or "", facts.issues)
            if value is not MISSING:
                yield Link(facts.issues, value, call)


def _field_of(result: str, field: str) -> Value:
    """The field of a result that is a JSON object, at any depth; the first one that is met."""
    try:
        return _found_in(decode(result), field)
    except NotJsonError:
        return MISSING


def _found_in(value: Json, field: str) -> Value:
    if isinstance(value, dict) and field in value:
        return value[field]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for one in inner if (found := _found_in(one, field)) is not MISSING), MISSING)


def _taken(call: Call, param: str) -> Value:
    return MISSING if call.arguments is None else call.arguments.get(param, MISSING)


def _taking(index: int, param: str, call: Call, links: list[Link]) -> Finding:
    name = f"calls[{index}].{param} chain"
    value = _taken(call, param)
    earlier = [link for link in links if link.call.number < call.number]
    source = next((link for link in reversed(earlier) if key_of(link.value) == key_of(value)), None)
    if source is not None:
        message = f"{param} of {call.name} ({call.id}) is the one that {source.call.id} issued"
        return Finding(name, Rung.ORDER, Status.PASS, None, param, index, call.number, message=message)
    known = f"; issued were {', '.join(shown(link.value) for link in earlier)}" if earlier else "; none was issued"
    message = f"{param} of {call.name} ({call.id}) is {shown(value)}, which no earlier call issued{known}"
    return Finding(
        name, Rung.ORDER, Status.FAIL, Code.CHAIN_UNLINKED, param, index, call.number, MISSING, value, message
    )


def _issuing(wanted: list[Wanted], pairs: dict[int, int], issued: list[Link], setting: Setting) -> Iterator[Finding]:
    """For each id that a golden call had issued: whether it was taken, as often as the golden calls take one."""
    trace, domain = setting
    demand = _demand(wanted, domain)
    indices = {number: index for index, number in pairs.items()}
    for kind, takes in demand.items():
        mine = [link for link in issued if link.kind == kind and link.call.number in indices]
        loose = [link for link in mine if not _is_taken(link, trace, domain)]
        too_many = min(takes, len(mine)) - (len(mine) - len(loose))
        for link in mine:
            index = indices[link.call.number]
            yield _resolution(index, link, broken=link in loose[: max(too_many, 0)])


def _demand(wanted: list[Wanted], domain: Domain) -> dict[str, int]:
    """How many ids of each kind the golden calls take."""
    counts: dict[str, int] = {}
    for one in wanted:
        facts = domain.tools.get(one.tool)
        for kind in facts.takes.values() if facts else ():
            counts[kind] = counts.get(kind, 0) + 1
    return counts


def _is_taken(link: Link, trace: Trace, domain: Domain) -> bool:
    """Whether a later call took the id, with success."""
    for call in trace.calls[link.call.number + 1 :]:
        facts = domain.tools.get(call.name)
        if facts is None or not call.succeeded:
            continue
        if any(
            kind == link.kind and key_of(_taken(call, param)) == key_of(link.value)
            for param, kind in facts.takes.items()
        ):
            return True
    return False


def _resolution(index: int, link: Link, *, broken: bool) -> Finding:
    name = f"calls[{index}] {link.kind} chain"
    number = link.call.number
    what = f"{link.kind} {shown(link.value)} of {link.call.name} ({link.call.id})"
    if not broken:
        return Finding(name, Rung.ORDER, Status.PASS, None, "", index, number, message=f"{what} needs no more")
    message = f"{what} was issued and never taken"
    return Finding(name, Rung.ORDER, Status.FAIL, Code.CHAIN_INCOMPLETE, "", index, number, message=message)
