"""Which reports are the parts of one, and what they say together."""

import pytest

from harness import errors
from harness.report.reading import about_parts
from harness.report.report import Origin, Shard
from harness.report.writing import About, head_in, report_of


def heads_of(*abouts):
    return [head_in(report_of([], about)) for about in abouts]


WHOLE = "sha256:" + "1" * 64

PARTS = {
    "other inputs": (About(), About(inputs={"cases": "sha256:" + "2" * 64}), "inputs differs from that of a"),
    "another model": (About(), About(origin=Origin(model="x")), "origin differs from that of a"),
    "a shard twice": (
        About(shard=Shard(1, 2, WHOLE)),
        About(shard=Shard(1, 2, WHOLE)),
        "the shards are not all there, each once",
    ),
    "a shard too few": (
        About(shard=Shard(1, 3, WHOLE)),
        About(shard=Shard(2, 3, WHOLE)),
        "the shards are not all there, each once",
    ),
    "shards of two runs": (About(shard=Shard(1, 2)), About(shard=Shard(2, 3)), "not all are shards of one run"),
    "equal shards of two runs": (
        About(shard=Shard(1, 2, WHOLE)),
        About(shard=Shard(2, 2, "sha256:" + "2" * 64)),
        "a shard of another run, or of other files, than a",
    ),
    "shards that do not say of what": (
        About(shard=Shard(1, 2)),
        About(shard=Shard(2, 2)),
        "the shard does not say of what it is a part: judge it again",
    ),
    "two whole runs": (
        About(origin=Origin(model="x")),
        About(origin=Origin(model="x")),
        "reports of two runs are not parts of one",
    ),
    "a shard and a whole": (About(shard=Shard(1, 2)), About(), "not all are shards of one run"),
}


@pytest.mark.parametrize(("one", "other", "sentence"), PARTS.values(), ids=PARTS)
def test_reports_that_do_not_belong_together_are_not_merged(one, other, sentence):
    with pytest.raises(errors.BadReport) as caught:
        about_parts(heads_of(one, other), ["a", "b"])

    assert caught.value.subject == sentence


def test_a_stopped_part_makes_the_whole_incomplete():
    heads = heads_of(About(), About(complete=False))

    assert about_parts(heads, ["a", "b"]) == About(complete=False)
