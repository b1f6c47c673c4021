"""What a piece of evidence stands on: one report, the run that it judged, the model and the inputs, by hash."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from harness.excerpt import shortened
from harness.fixture import Digest
from harness.raw_run import Trial
from harness.report.report import Head, Origin, Report, Result
from harness.report.writing import bytes_of
from harness.suite import InputHashes
from harness.value import Json, JsonObject, canonical, decode, digest_of, encode

RULES = "rules of the judge"
_LONGEST = 120
_SEED = "seed"  # runs that are to be independent are seeded each on its own


class Basis(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """`report` is the hash of the report's bytes, `evidence` that of the recordings it judged, case by case.

    The same evidence under another report means that the judge has changed; `run` is the run's id where there is one.
    """

    run: str | None
    report: Digest
    evidence: Digest
    semantics_version: int
    origin: Origin | None
    inputs: dict[str, Digest]


class Difference(NamedTuple):
    """One thing in which two runs are not the same; `name` is `model`, `request`, an input or another."""

    name: str
    there: str
    here: str

    def __str__(self) -> str:
        return f"{self.name}: {self.there} there, {self.here} here"


def basis_of(report: Report, run: str | None = None) -> Basis:
    """What evidence about this report stands on."""
    return Basis(
        run=run,
        report=digest_of(bytes_of(report)),
        evidence=evidence_of(report),
        semantics_version=report.semantics_version,
        origin=report.origin,
        inputs=report.inputs,
    )


def evidence_of(report: Report) -> Digest:
    """The hash of what the report judged."""
    return evidence_of_results(report.results)


def evidence_of_results(results: Iterable[Result]) -> Digest:
    """The same hash out of a report's results, which stand by case and trial."""
    return _digest_of_places((one.case, one.trial, one.evidence) for one in results)


def evidence_of_trials(trials: Iterable[Trial]) -> Digest:
    """The same hash out of a run's manifest, before anything is judged."""
    return _digest_of_places(sorted((one.case, one.trial, one.digest) for one in trials))


def _digest_of_places(places: Iterable[tuple[str, int, Digest | None]]) -> Digest:
    return digest_of(canonical([[*place] for place in places]))


def digest_of_result(result: Result) -> Digest:
    """The hash of what a person judges of a result: the case, the trace, and each finding but for its wording.

    A judge that says the same in other words leaves a review as it is.
    """
    findings = [replace(one, check="", message="") for one in result.findings]
    return digest_of(
        encode([result.case, result.trial, result.verdict, result.golden, result.trace, findings, result.evidence])
    )


def seed_of(inputs: dict[str, Digest]) -> bytes:
    """The seed of everything that is drawn: the same inputs draw the same."""
    return canonical(dict(inputs))


def differences_of(there: Basis | Head, here: Basis | Head) -> list[Difference]:
    """All that keeps two runs from being the same evaluation; each run may have a seed of its own."""
    return [
        *_origin_differences(there.origin or Origin(), here.origin or Origin()),
        *_input_differences(there.inputs, here.inputs),
        *_told(RULES, there.semantics_version, here.semantics_version),
    ]


def _origin_differences(there: Origin, here: Origin) -> Iterator[Difference]:
    for name in ("model", "provider", "api"):
        yield from _told(name, getattr(there, name), getattr(here, name))
    yield from _told("request", _unseeded(there.request), _unseeded(here.request))
    yield from _told("agent", there.agent, here.agent)


def _unseeded(request: JsonObject) -> JsonObject:
    return {name: value for name, value in request.items() if name != _SEED}


def _input_differences(there: dict[str, Digest], here: dict[str, Digest]) -> Iterator[Difference]:
    names = [*InputHashes._fields, *sorted((there.keys() | here.keys()) - set(InputHashes._fields))]
    for name in names:
        yield from _told(name, there.get(name), here.get(name))


def _told(name: str, there: Json, here: Json) -> Iterator[Difference]:
    one, other = (decode(encode(value)) for value in (there, here))
    if canonical(one) != canonical(other):
        yield Difference(name, _shown(one), _shown(other))


def _shown(value: Json) -> str:
    if value is None:
        return "nothing"
    return shortened(value if isinstance(value, str) else encode(value).decode(), _LONGEST)
