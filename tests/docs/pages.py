"""The pages that a user reads, taken apart: README.md and docs/*.md as the blocks between their fences."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGE_IDS = [page.name for page in PAGES]
each_page = {"argnames": "page", "argvalues": PAGES, "ids": PAGE_IDS}

_FENCE = re.compile(r"```(\w*)(.*)")
_NAMED = re.compile(r"`([\w./-]+\.\w+)`.*:$", re.DOTALL)
_EXIT = re.compile(r"\bexit (\d+)\b")


class Block(NamedTuple):
    """What stands between two fences; `file` is the first that the paragraph before names: "`tests/a.py`, so:".

    `section` counts the headings before it.
    """

    kind: str
    text: str
    line: int
    file: str | None
    section: int


class Command(NamedTuple):
    """A line to type, and the exit code that its comment tells; 0 where it tells none."""

    words: str
    exit: int


def blocks_of(page):
    """The blocks of a page, in order."""
    found, opened, paragraph, section = [], None, "", 0
    lines = page.read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        fence = _FENCE.match(line)
        if opened is None and fence:
            named = _NAMED.search(paragraph)
            opened = Block(fence[1], "", number, named[1] if named else None, section)
        elif fence:
            found.append(opened)
            opened, paragraph = None, ""
        elif opened is not None:
            opened = opened._replace(text=f"{opened.text}{line}\n")
        elif line.strip():
            section += line.startswith("#")
            paragraph = f"{paragraph} {line}" if lines[number - 2].strip() else line
    assert opened is None, f"{page.name}: a fence is left open"
    return found


def commands_of(text):
    """The commands of a shell block; a backslash joins two lines, a comment stands behind two spaces."""
    joined = re.sub(r"\\\n\s*", "", text)
    split = [line.partition("  #") for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    return [Command(words.strip(), _exit_in(comment)) for words, _, comment in split]


def _exit_in(comment):
    told = _EXIT.search(comment)
    return int(told[1]) if told else 0


def missing_in(said, told):
    """The lines of a shown output that did not come, in this order; … stands for anything."""
    lines, missing = iter(said.splitlines()), []
    for wanted in (line.strip() for line in told.splitlines() if line.strip(" …")):
        pattern = re.compile(".*".join(map(re.escape, re.split(r"\s*…\s*|\s{2,}", wanted))))
        if not any(map(pattern.search, lines)):
            missing.append(wanted)
    return missing
