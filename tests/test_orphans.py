"""No worker outlives the command that began it."""

import subprocess
import sys

import pytest

IMPORT = """
from harness.importers.many import Settings, imports_of
from harness.importers.tasks import tasks_of
for number in range(6):
    Path(f"{number}.json").write_text('[{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]')
done = imports_of(tasks_of([Path()], Path("out")), Settings("auto", "1", (), False), jobs=2)
"""
JUDGE = """
from harness.cli.judging.pool import in_order
done = in_order(abs, range(100), jobs=2)
"""


@pytest.mark.parametrize("begun", [IMPORT, JUDGE], ids=["import", "judge"])
def test_workers_end_when_the_command_is_killed(tmp_path, begun):
    """Whoever waits for the end of a pipe waits for all that hold it: the workers, too, have it as their stdout."""
    script = f"import os\nfrom pathlib import Path\n{begun}\nnext(done)\nos.kill(os.getpid(), 9)\n"

    ended = subprocess.run(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=tmp_path, timeout=60, check=False
    )

    assert ended.returncode == -9
