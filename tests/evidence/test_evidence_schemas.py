"""The schemas of evidence accept what is written and refuse what the readers refuse."""

import json

import jsonschema_rs
import pytest
from evidence_samples import member, reviewed
from msgspec.structs import asdict

from harness import errors
from harness.cli.schemas import FORMATS, GatedReport, schema_of
from harness.evidence.adjudication import adjudication_of
from harness.evidence.baseline import Evidence, Named, baseline_of
from harness.evidence.comparison import comparison_of
from harness.evidence.consistency import consistency_of
from harness.evidence.documents import bytes_of_document, read_document, type_of
from harness.evidence.gate import gate_of

RUNS = [member(word, run) for word, run in zip(("PPF", "PFF", "PPF"), ("one", "two", "three"), strict=True)]
CHECK = consistency_of(RUNS)
DECISION = adjudication_of(
    CHECK, decision="accept", reason="a coin", adjudicator="ada", method="human", decided_on="2026-11-30"
)
REVIEW = reviewed(RUNS[0], answers={"fc-d3-003": "unclear"})
BASELINE = baseline_of(Evidence(RUNS, [Named("r", REVIEW)], CHECK, "c", DECISION, "a"), locked_on="2026-11-30")
NEW = member("FPF", "new").report
DOCUMENTS = {
    "review": REVIEW,
    "consistency": CHECK,
    "adjudication": DECISION,
    "baseline": BASELINE,
    "gate": GatedReport(**asdict(NEW), gate=gate_of(BASELINE, NEW)),
    "comparison": comparison_of(RUNS[:2]),
}
SCHEMAS = {name: schema_of(name) for name in DOCUMENTS}
each_kind = pytest.mark.parametrize("name", DOCUMENTS)


@each_kind
def test_a_schema_accepts_what_is_written(name):
    assert jsonschema_rs.validator_for(SCHEMAS[name]).is_valid(json.loads(bytes_of_document(DOCUMENTS[name])))


@each_kind
def test_schema_and_reader_refuse_an_unknown_field(name):
    value = {**json.loads(bytes_of_document(DOCUMENTS[name])), "extra": 1}

    assert not jsonschema_rs.validator_for(SCHEMAS[name]).is_valid(value)
    with pytest.raises(errors.BadEvidence, match="extra"):
        read_document(json.dumps(value).encode(), FORMATS[name].kind, file="f.json")


@each_kind
def test_every_kind_reads_back_as_it_was_written(name):
    raw = bytes_of_document(DOCUMENTS[name])

    assert read_document(raw, FORMATS[name].kind, file="f.json") == DOCUMENTS[name]
    assert type_of(raw) == (None if name == "gate" else name)
