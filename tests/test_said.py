"""What the commands print holds no secret, and nothing that a terminal would obey or hide."""

import io
import json
import sys
from subprocess import run as ran

import pytest

from harness.cli.said import CRASHED, discreet, drawing_on
from harness.excerpt import harmless_of, visible_of

SECRET = "zX9qL2mN8pRt"
FOREIGN = "a\x1b[31mred\x1b]0;title\x07\x08b\r\u202egnp.exe\u2066x\x9bz\u200b\x7f\ufeff\U000e0041"
# Joined emoji, a skin tone, variation selectors, Persian with a zero-width non-joiner, Chinese, combining marks.
READABLE = "箱→北\t👩🏽‍💻 🏳️‍🌈 ❤️\nمی‌خواهم हिन्दी é ǭ́ ไทย\n"


class Stream(io.StringIO):
    """A stream that is a terminal where it is told so."""

    def __init__(self, *, terminal=False):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


def said(monkeypatch, text, *, terminal=False, err=False):
    out = Stream(terminal=terminal)
    monkeypatch.setenv("MY_TOKEN", SECRET)
    monkeypatch.setattr(sys, "stderr" if err else "stdout", out)
    with discreet():
        print(text, end="", file=sys.stderr if err else sys.stdout)
    return out.getvalue()


@pytest.mark.parametrize("err", [False, True], ids=["stdout", "stderr"])
def test_no_secret_is_printed(monkeypatch, err):
    assert said(monkeypatch, f"it is {SECRET}!", err=err) == "it is [secret:value:1]!"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"was «{SECRET[:5]}» {SECRET[:4]}«{SECRET[4:]}», is", id="marks inside"),
        pytest.param(f"and so on {SECRET[:9]}… (9 more characters)", id="its end is cut off"),
        pytest.param(f"«…{SECRET[3:]} and so on", id="its beginning is cut off"),
    ],
)
def test_a_secret_that_is_cut_or_marked_is_not_printed_either(monkeypatch, text):
    told = said(monkeypatch, text)

    assert "[secret:value" in told
    assert [
        SECRET[at : at + 6] for at in range(7) if SECRET[at : at + 6] in told.replace("«", "").replace("»", "")
    ] == []


@pytest.mark.parametrize("terminal", [False, True])
def test_what_a_terminal_would_obey_is_printed_as_escapes(monkeypatch, terminal):
    told = said(monkeypatch, FOREIGN.replace("\x1b[31m", ""), terminal=terminal)

    assert told == (
        "ared\\u001b]0;title\\u0007\\u0008b\\u000d\\u202egnp.exe\\u2066x\\u009bz\\u200b\\u007f\\ufeff\\udb40\\udc41"
    )


def test_colours_of_the_commands_own_reach_a_terminal_only(monkeypatch):
    assert said(monkeypatch, "\x1b[31mred\x1b[0m", terminal=True) == "\x1b[31mred\x1b[0m"
    assert said(monkeypatch, "\x1b[31mred\x1b[0m") == "\\u001b[31mred\\u001b[0m"


def test_a_progress_bar_may_draw_and_tells_no_secret_either(monkeypatch):
    out = Stream(terminal=True)
    monkeypatch.setenv("MY_TOKEN", SECRET)
    monkeypatch.setattr(sys, "stderr", out)

    with discreet():
        drawing_on(sys.stderr).write(f"\x1b[2K\r{SECRET}")

    assert out.getvalue() == "\x1b[2K\r[secret:value:1]"


def test_text_stays_readable(monkeypatch):
    assert said(monkeypatch, READABLE) == READABLE
    assert visible_of(READABLE, keep="\n\t") == READABLE


def test_json_stays_the_same_json(monkeypatch):
    value = {"a": [FOREIGN, READABLE], FOREIGN: 1}

    told = said(monkeypatch, json.dumps(value, ensure_ascii=False))

    assert json.loads(told) == value
    assert harmless_of(told) == told


def test_text_that_no_encoding_has_is_printed_as_escapes(monkeypatch):
    assert said(monkeypatch, "a\ud83db") == "a\\ud83db"


def test_a_crash_tells_no_secret_and_ends_with_a_code_of_its_own():
    code = (
        "import os\nfrom harness.cli.said import discreet\nwith discreet():\n    raise KeyError(os.environ['MY_TOKEN'])"
    )

    done = ran([sys.executable, "-c", code], env={"MY_TOKEN": SECRET}, capture_output=True, text=True, check=False)

    assert done.returncode == CRASHED
    assert "KeyError: '[secret:value:1]'" in done.stderr
    assert SECRET not in done.stderr
