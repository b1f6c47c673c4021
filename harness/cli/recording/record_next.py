"""What to do with a recording that was just written."""

import shlex
from pathlib import Path

from harness import errors, files
from harness.cli.recording.record_talk import Done
from harness.fixture_lines import EMPTY_ASSERTIONS


def next_line(done: Done) -> str:
    """Ask for assertions where nothing is expected yet; look where what was expected fails now; else replay it."""
    plan = done.plan
    at = shlex.quote(str(plan.fixture))
    name = plan.scenario.id if plan.fixture.parent == Path("fixtures") else at
    if plan.assertions_line == EMPTY_ASSERTIONS:
        expected = Path(plan.scenario.path("expect.yaml")).exists()
        return f"next: fc-judge {at}" if expected else f"next: fc-judge suggest {name}"
    if _fails(plan.fixture):
        return f"the kept assertions do not hold any more\nnext: fc-judge {at}"
    return f"next: fc-replay {name}"


def _fails(fixture: Path) -> bool:
    """Whether the assertions that were kept fail on what was recorded now."""
    from harness.judge.evidence import judge_fixture

    try:
        return bool(judge_fixture(files.load_fixture(fixture)).failures)
    except errors.InputError:
        return True
