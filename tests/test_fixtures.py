"""Every fixture of this repository: it replays offline as recorded, its scenario is unchanged, its judgement passes."""

from pathlib import Path

import pytest

from harness.cli.replaying.neighbours import Places
from harness.cli.replaying.outcomes import lines_of
from harness.cli.replaying.played import Settings
from harness.cli.replaying.replayed import replayed_fixture
from harness.files import installed_version, load_fixture

ROOT = Path(__file__).parent.parent
FIXTURES = sorted((ROOT / "fixtures").rglob("*.jsonl"))
SETTINGS = Settings("recorded", Places(ROOT / "scenarios", ROOT / "recordings"), installed_version())


@pytest.mark.parametrize("path", FIXTURES, ids=[path.stem for path in FIXTURES])
def test_fixture(path):
    outcome = replayed_fixture(load_fixture(path), str(path), SETTINGS)

    assert outcome.status == "PASS", "\n".join(lines_of(outcome, every=True, colour=False))


def test_there_are_fixtures():
    if not FIXTURES:
        pytest.skip("NO FIXTURE IS RECORDED YET: fixtures/ is empty, so nothing was replayed")
