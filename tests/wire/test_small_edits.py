"""Small edits of an agent, each of which changes a request: all are caught, and the cause is named and shown."""

import pytest
from edited_agent import Agent, recording_of, replayed
from small_edits import APIS, EDITS

from harness.wire.drift_report import MAX_BYTES, MAX_LINES, causes_of, report_of

RECORDINGS = {api: recording_of(api) for api in APIS}


def test_the_list_is_long_enough_to_mean_something():
    assert len(EDITS) * len(APIS) >= 100


@pytest.mark.parametrize("api", APIS)
def test_the_agent_as_it_was_replays(api):
    assert replayed(api, Agent(), RECORDINGS[api]).failures() == []


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("edit", EDITS)
def test_a_small_edit_is_caught_with_its_cause(api, edit):
    category, changes, shown = EDITS[edit]

    replay = replayed(api, Agent(**changes), RECORDINGS[api])

    failures = replay.failures()
    report = report_of(causes_of([("recordings/told.jsonl", drift) for drift in failures]), "pytest --fc-record")
    assert {drift.category for drift in failures} == {category}
    assert shown in report.replace("«", "").replace("»", "")
    assert len(report.encode()) <= MAX_BYTES
    assert len(report.splitlines()) <= MAX_LINES
