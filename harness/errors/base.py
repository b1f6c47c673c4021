"""What every refusal has: facts, one sentence, an exit code, the next command."""

from typing import ClassVar

from harness.excerpt import visible_of


class HarnessError(Exception):
    """Facts of one refusal; the sentence is written here and nowhere else.

    `subject` is the thing concerned (an id, a name, a variable); `where` in messages is `file:line`. In the class
    attributes `what` and `next`, `{subject}`, `{file}`, `{expected}` and `{found}` stand for the facts.
    """

    code: ClassVar[str] = "ERROR"
    exit_code: ClassVar[int] = 2
    what: ClassVar[str] = "{subject}"
    next: ClassVar[str] = ""
    says_values: ClassVar[bool] = True
    mend: str | None = None  # said instead of `next` where the thing concerned needs another command

    def __init__(  # noqa: PLR0913  the facts of --json, each by its name
        self,
        subject: str = "",
        *,
        file: str | None = None,
        line: int | None = None,
        expected: str | None = None,
        found: str | None = None,
        nearest: str | None = None,
    ) -> None:
        self.subject = subject
        self.file = file
        self.line = line
        self.expected = expected
        self.found = found
        self.nearest = nearest
        super().__init__(subject)

    @property
    def where(self) -> str | None:
        """`file`, `file:line` or nothing."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    @property
    def command(self) -> str:
        """What to run or do next; empty where nothing is known."""
        names_nothing = "{file}" in self.next and not self.file
        return self.mend or ("" if names_nothing else self._filled(self.next))

    def _filled(self, template: str) -> str:
        facts = {
            "subject": self.subject,
            "file": visible_of(self.file or ""),
            "expected": self.expected or "",
            "found": self.found or "",
        }
        return template.format_map(facts)

    def __str__(self) -> str:
        """The sentence, with nothing in it that a terminal would obey: names and texts in it are foreign."""
        return visible_of(self._sentence(), keep="\n\t")

    def _sentence(self) -> str:
        sentence = (
            f"{visible_of(self.where or '')}: {self._filled(self.what)}" if self.file else self._filled(self.what)
        )
        if self.says_values and self.expected is not None:
            sentence += f"\n  expected: {visible_of(self.expected)}"
        if self.says_values and self.found is not None:
            sentence += f"\n  found:    {visible_of(self.found)}"
        if self.nearest:
            sentence += f"\n  nearest:  {visible_of(self.nearest)}"
        return f"{sentence}\n  next:     {self.command}" if self.command else sentence

    def facts(self) -> dict[str, str | int | None]:
        """The form of `--json`."""
        facts = {
            "code": self.code,
            "message": self._filled(self.what),
            "file": self.file,
            "line": self.line,
            "expected": self.expected,
            "found": self.found,
            "nearest": self.nearest,
            "next": self.command or None,
        }
        return {key: sayable_of(fact) if isinstance(fact, str) else fact for key, fact in facts.items()}


def sayable_of(name: str) -> str:
    """A file's name as UTF-8 can say it: bytes that are none stand as escapes, as the system keeps them."""
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()


_PRECEDENCE = (2, 4, 5, 3, 7, 1, 6)


def exit_code_of(codes: list[int]) -> int:
    """The exit code of a command in which several things happened: the first of 2 4 5 3 7 1 6, else 0."""
    return next((code for code in _PRECEDENCE if code in codes), max(codes, default=0))
