"""A project on the disk with one good fixture and its scenario."""

import pytest
from refund_run import HEAD, HOLDS, lines, write_scenario


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Make a directory with one good fixture and its scenario, and work in it."""
    monkeypatch.chdir(tmp_path)
    write_scenario(tmp_path / "scenarios" / "refund")
    for name in ("fixtures", "recordings"):
        (tmp_path / name).mkdir()
    (tmp_path / "fixtures" / "refund.jsonl").write_bytes(b"".join(lines(assertions=HOLDS, head=HEAD)))
    return tmp_path
