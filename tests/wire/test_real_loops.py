"""Exchanges of real providers, as other tools recorded them, replay in order; skips without that material."""

from collections import defaultdict

import pytest
from told_runs import Told, post, replay_of
from wire_material import material

from harness.wire.answers import pieces_of

MATERIAL = [one for one in material() if isinstance(one.request, dict) and "messages" in one.request]


@pytest.mark.skipif(not MATERIAL, reason="the recordings of others are not here")
def test_recordings_of_real_agents_replay_in_order():
    files = defaultdict(list)
    for one in MATERIAL:
        files[one.name.partition("#")[0]].append(one)
    failures = []

    for name, exchanges in files.items():
        run = Told()
        for one in exchanges:
            run.add(
                one.request,
                [one.answer[:40], one.answer[40:]] if one.streamed else one.answer,
                one.api,
                status=one.status,
            )
        recording = run.recording()
        replay = replay_of(recording, scrub=run.redactor.value)
        served = [post(replay, one.request, one.api) for one in exchanges]
        answers = [b"".join(piece.raw for piece in one.pieces) for one in served]
        recorded = [b"".join(piece.raw for piece in pieces_of(one)) for one in recording.exchanges]
        failures += [name] if answers != recorded or replay.failures() else []

    assert failures == []
