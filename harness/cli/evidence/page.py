"""What one check of evidence writes its findings on."""

from dataclasses import dataclass, field

from harness.errors import HarnessError


@dataclass
class Page:
    """Everything wrong, what else is to be said, and whether something could not be proven."""

    problems: list[HarnessError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lacking: bool = False

    def lack(self, sentence: str) -> None:
        """Something could not be proven, since a run is not there."""
        self.notes.append(sentence)
        self.lacking = True
