"""docs/any-language.md: the upstreams and the category that it names are there. Its commands are run by tests/docs/."""

import re
from pathlib import Path

from harness.cli.recording.proxied import UPSTREAMS
from harness.wire.drift import CATEGORIES

PAGE = (Path(__file__).parents[2] / "docs/any-language.md").read_text("utf-8")


def test_every_upstream_is_named():
    assert [name for name in UPSTREAMS if f"`{name}`" not in PAGE] == []


def test_the_category_is_one():
    assert re.findall(r"--allow ([A-Z_]+)", PAGE) == ["UNPLAYED"]
    assert "UNPLAYED" in CATEGORIES
