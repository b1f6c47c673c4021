"""Reports joined: only the shards of one run, each as sound as any report that is read."""

import json
from itertools import pairwise

import pytest
from evidence_project import Done, judge
from test_gated_run import judged


@pytest.fixture
def shards(project):
    """Both halves of two runs, as `one-1.json` and the like, and the whole of one."""
    for run in ("one", "two"):
        for index in (1, 2):
            judged(project, f"recordings/{run}", "--shard", f"{index}/2", "--report", f"{run}-{index}.json")
    judged(project, "recordings/one", "--report", "whole.json")
    return project


def merged(root, *reports):
    done = judged(root, "merge", *reports, "--report", "merged.json")
    return Done(done.returncode, done.stdout, done.stderr)


def test_the_shards_of_one_run_are_its_report(shards):
    done = merged(shards, "one-2.json", "one-1.json")

    assert done.code == 1
    assert (shards / "merged.json").read_bytes() == (shards / "whole.json").read_bytes()


@pytest.mark.parametrize("parts", [*pairwise(["one-1.json", "two-2.json", "one-1.json"])])
def test_shards_of_two_runs_are_not_joined(shards, parts):
    done = merged(shards, *parts)

    assert done.code == 4
    assert "a shard of another run" in done.err
    assert not (shards / "merged.json").exists()


def test_a_shard_that_says_that_it_is_of_the_other_run_is_found_out_by_the_recordings(shards):
    whole = json.loads((shards / "one-1.json").read_bytes())["shard"]["of"]
    other = json.loads((shards / "two-2.json").read_bytes())["shard"]["of"]
    raw = (shards / "two-2.json").read_bytes()
    (shards / "two-2.json").write_bytes(raw.replace(other.encode(), whole.encode()))

    done = merged(shards, "one-1.json", "two-2.json")

    assert done.code == 4
    assert "do not hold the recordings of the run" in done.err
    assert not (shards / "merged.json").exists()


def test_a_report_whose_verdicts_were_edited_does_not_become_a_sound_one(shards):
    raw = (shards / "whole.json").read_bytes()
    (shards / "whole.json").write_bytes(raw.replace(b'"verdict":"FAIL"', b'"verdict":"PASS"'))

    done = merged(shards, "whole.json")

    assert done.code == 4
    assert "is not what its findings give" in done.err
    assert not (shards / "merged.json").exists()


@pytest.mark.parametrize(
    "words",
    [("consistency", "one-1.json", "two-1.json"), ("review", "one-1.json", "--status")],
    ids=lambda words: words[0],
)
def test_a_shard_is_no_evidence_of_a_run(shards, words):
    done = judge(*words, "--json")

    assert (done.code, done.json["code"], done.json["message"]) == (4, "BAD_EVIDENCE", "shard 1 of 2 of a run")
    assert "fc-judge merge" in done.json["next"]
    assert shards.exists()


def test_a_part_whose_sums_were_edited_is_refused(shards):
    raw = (shards / "one-1.json").read_bytes()
    (shards / "one-1.json").write_bytes(raw.replace(b'"scored_count":', b'"scored_count":1', 1))

    done = merged(shards, "one-1.json", "one-2.json")

    assert done.code == 4
    assert "is not what the results give" in done.err
