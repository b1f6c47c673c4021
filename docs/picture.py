"""The picture of a failure report: what two commands print after two edits of a recorded scenario, as an SVG."""

import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
SCENARIO = "refund-4021-damaged"
EDITS = {
    "system.txt": ("Call no other function unless the customer asks for it.", "Call any other function that may help."),
    "expect.yaml": ("args: {order_id: 4021, amount: 89.99}", "args: {order_id: 4021, amount: 79.99}"),
}
COMMANDS = (f"fc-replay {SCENARIO}", f"fc-judge {SCENARIO}")
COLUMNS, LINE, CHARACTER, MARGIN = 112, 19, 7.83, 16
COLOURS = {"bad": "#f2777a", "good": "#8fc98f", "mark": "#ffd479", "plain": "#d8d8d8", "typed": "#7fb4f2"}
_WORDS = re.compile(r"(?P<bad>\b(?:STALE|FAIL)\b)|(?P<good>\b(?:PASS|ok)\b)|(?P<mark>«[^»]*»|[A-Z]+_[A-Z_]+\b)")


def printed() -> Iterator[str]:
    """What the commands print, in lines, after the edits."""
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        shutil.copytree(ROOT / "scenarios" / SCENARIO, here / "scenarios" / SCENARIO)
        for kind in ("fixtures", "recordings"):
            (here / kind).mkdir()
            shutil.copy(ROOT / kind / f"{SCENARIO}.jsonl", here / kind)
        for file, (before, after) in EDITS.items():
            path = here / "scenarios" / SCENARIO / file
            text = path.read_text("utf-8")
            assert before in text, f"{path.name} has no {before!r}"
            path.write_text(text.replace(before, after), "utf-8")
        for command in COMMANDS:
            yield f"$ {command}"
            yield from _said(command, here).splitlines()
            yield ""


def _said(command: str, directory: Path) -> str:
    program, *words = command.split()
    done = subprocess.run(
        [str(Path(sys.executable).parent / program), *words], cwd=directory, capture_output=True, text=True, check=False
    )
    return done.stdout


def picture() -> bytes:
    """The SVG's bytes."""
    lines = [part for line in printed() for part in (_wrapped(line) or [""])][:-1]
    width, height = round(COLUMNS * CHARACTER) + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    rows = [_row(line, MARGIN + LINE * number + 14) for number, line in enumerate(lines) if line]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="What fc-replay and fc-judge print">'
    )
    style = "font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
    back = f'<rect width="{width}" height="{height}" rx="8" fill="#1d1f21"/>'
    body = "\n".join(rows)
    return f'{head}\n{back}\n<g style="{style}" fill="{COLOURS["plain"]}">\n{body}\n</g>\n</svg>\n'.encode()


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(line, COLUMNS, subsequent_indent=indent, drop_whitespace=False)


def _row(line: str, y: int) -> str:
    """A line of text; its length is said, so that every monospace font fills the same place."""
    text = line.strip()
    x = MARGIN + (len(line.rstrip()) - len(text)) * CHARACTER
    colour = f' fill="{COLOURS["typed"]}"' if text.startswith("$ ") else ""
    length = f'textLength="{len(text) * CHARACTER:.1f}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x:.1f}" y="{y}" {length}{colour}>{_coloured(text)}</text>'


def _coloured(text: str) -> str:
    def span(found: re.Match[str]) -> str:
        return f'<tspan fill="{COLOURS[found.lastgroup]}">{found[0]}</tspan>'

    return _WORDS.sub(span, escape(text, quote=False)).replace("  ", "\u00a0\u00a0")  # SVG joins spaces
