"""The command `fc-record import`, as the tests of importers run it."""

import pytest
from click.testing import CliRunner

from harness.cli.recording.import_ import import_files


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs `import` in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(import_files, list(map(str, arguments)))

    return run
