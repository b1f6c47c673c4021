"""Fixtures as pytest's test items: each file is replayed through the agent loop and judged, as fc-replay does."""

from collections.abc import Iterator

import pytest

from harness.cli.discretion import environments_discretion
from harness.cli.replaying.neighbours import Places
from harness.cli.replaying.outcomes import exit_codes_of, lines_of
from harness.cli.replaying.played import Settings
from harness.cli.replaying.replayed import replayed_paths
from harness.files import installed_version


class FixtureFile(pytest.File):
    """One fixture's file."""

    def collect(self) -> Iterator["FixtureItem"]:
        """The one item that it is."""
        yield FixtureItem.from_parent(self, name=self.path.stem)


class FixtureItem(pytest.Item):
    """A fixture, replayed with its recorded results."""

    def runtest(self) -> None:
        """Replay and judge; the neighbours are those of the root directory."""
        root = self.config.rootpath
        places = Places(root / "scenarios", root / str(self.config.getini("fc_recordings")))
        discretion = environments_discretion()
        settings = Settings("recorded", places, installed_version(), discretion.values)
        outcomes = list(replayed_paths([self.path], settings))
        if any(exit_codes_of(outcomes, gate=True)):
            lines = [line for outcome in outcomes for line in lines_of(outcome, every=False, colour=False)]
            pytest.fail(discretion.text("\n".join(lines)), pytrace=False)

    def reportinfo(self) -> tuple[str, None, str]:
        """How the item is named in reports."""
        return str(self.path), None, f"fixture {self.name}"
