"""The JSON Schemas of evidence, generated from the types that own each file."""

import msgspec

from harness.evidence.adjudication import Adjudication
from harness.evidence.baseline import Baseline
from harness.evidence.comparison import Comparison
from harness.evidence.consistency import Consistency
from harness.evidence.documents import schema_of_document
from harness.evidence.gate import Gate
from harness.evidence.review import Review

KINDS: dict[str, type[msgspec.Struct]] = {
    "review": Review,
    "consistency": Consistency,
    "adjudication": Adjudication,
    "baseline": Baseline,
    "gate": Gate,
    "comparison": Comparison,
}


def schemas_of_evidence() -> dict[str, bytes]:
    """The schema of each kind of file, by its name."""
    return {name: schema_of_document(kind) for name, kind in KINDS.items()}
