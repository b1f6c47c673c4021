"""Markdown: text stays text, whatever it looks like, and the whole stays below its limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report_samples import HOSTILE, a_run, broken, failing, unjudged

from harness.excerpt import visible_of
from harness.judge.finding import Ruling, Verdict
from harness.report.markdown import code_of, escaped, markdown_of
from harness.report.result import Subject, result_of
from harness.report.writing import report_of

READER = MarkdownIt("commonmark", {"html": True}).enable("table")
OUR_TOKENS = {
    "heading", "paragraph", "bullet_list", "list_item", "table", "thead", "tbody", "tr", "th", "td", "inline", "fence",
    "text", "strong", "code_inline", "html_inline",
}  # fmt: skip


def tokens_of(text):
    for token in READER.parse(text):
        yield token
        yield from token.children or ()


def kinds_in(text):
    return {token.type.removesuffix("_open").removesuffix("_close") for token in tokens_of(text)}


def html_in(text):
    return {token.content for token in tokens_of(text) if token.type.startswith("html")}


def shown_in(text):
    return "".join(token.content for token in tokens_of(text) if token.type in ("text", "code_inline"))


def test_a_run_is_told_with_tables_and_diffs():
    told = markdown_of(report_of([failing("b", dimension="D2"), broken("c")]))

    assert told == TOLD


TOLD = """\
## fc-judge

- **2 results**, **1 FAIL**, 1 AGENT_ERROR
- **accuracy 0.0 %** = 0 of 1 scored; 95 % interval 0.0 to 79.3 %

### Dimensions

|   | accuracy | 95 % interval | PASS | FAIL |
| --- | ---: | ---: | ---: | ---: |
| `D2` | **0.0 %** | 0.0 to 79.3 % | 0 | **1** |

### What fails

| code | results | cases |
| --- | ---: | --- |
| `CALL_MISSING` | 1 | b |
| `PARAM_WRONG_FORMAT` | 1 | b |
| `STATE_COLLATERAL` | 1 | b |

### Worst tools

| tool | results | cases |
| --- | ---: | --- |
| `get_order` | 1 | b |
| `request_refund` | 1 | b |

### Failures

- **FAIL** **`b`**: 3 of 4 checks failed
  - **`CALL_MISSING`** get_order was not called
    ```diff
    - expected  get_order(order_id="W443")
    + actual    nothing
    ```
  - **`PARAM_WRONG_FORMAT`** amount of request_refund: expected 5, got '5'
    ```diff
    @@ at amount @@
    - expected  5 (number)
    + actual    "5" (string)
    ```
  - **`STATE_COLLATERAL`** call 0 changed orders W1, which nothing asked for
    ```diff
    @@ at orders @@
    - expected  null
    + actual    {"id":"W1"} (object)
    ```
  - note: amount was read as a number

### Broken runs

- AGENT_ERROR **`c`**: the run ended as error: connection reset
"""


def test_what_a_model_said_is_no_markup():
    told = markdown_of(report_of(a_run()))

    assert kinds_in(told) <= OUR_TOKENS
    assert html_in(told) <= {"<!-- -->"}


MARKUP = {
    "a mention": ("@someone and a@b.example", "@<!-- -->someone and a@<!-- -->b.example"),
    "addresses": ("http://x.example www.x.example", "http<!-- -->://x.example www<!-- -->.x.example"),
    "emphasis": ("*a* _b_ get_order", "\\*a\\* \\_b\\_ get_order"),
    "a tag": ("<b>&amp;", "\\<b\\>\\&amp;"),
    "a list": ("1. one", "1\\. one"),
    "a heading": ("# one", "\\# one"),
    "a table cell": ("a | b", "a \\| b"),
    "a formula": ("$x$", "\\$x\\$"),
    "an emoji": (":tada: a:b", "\\:tada: a:b"),
    "an issue": ("fixes #12", "fixes \\#12"),
    "a terminal escape": ("\x1b[0m", "\\\\x1b\\[0m"),
}


@pytest.mark.parametrize(("text", "shown"), MARKUP.values(), ids=MARKUP)
def test_markup_is_written_out(text, shown):
    assert escaped(text) == shown


CODE = {"plain": ("a", "`a`"), "ticks": ("a``b", "```a``b```"), "outer ticks": ("`", "`` ` ``"), "nothing": ("", "")}


@pytest.mark.parametrize(("text", "shown"), CODE.values(), ids=CODE)
def test_code_stands_in_as_many_ticks_as_it_needs(text, shown):
    assert code_of(text) == shown


def saying(text):
    verdict = Verdict(Ruling.NOT_JUDGED, text, [], None, [text])
    return result_of(Subject(text, 1, text or None, text or None), verdict, trace=None)


@given(st.text() | st.text("`*_[]()<>#|~&$:@!\\-+=.1 \n", max_size=30))
def test_any_text_is_shown_and_is_no_markup(text):
    told = markdown_of(report_of([saying(text), failing("z", 2, text=text, actual=text)]))

    assert kinds_in(told) <= OUR_TOKENS
    assert html_in(told) <= {"<!-- -->"}
    assert "".join(visible_of(text).split()) in "".join(shown_in(told).split())


@given(st.text(max_size=200), st.integers(300, 5000))
def test_the_whole_stays_below_its_limit(text, largest):
    told = markdown_of(report_of([unjudged("a"), failing("b", text=text, actual=text)]), largest=largest)

    assert len(told.encode()) <= largest
    assert kinds_in(told) <= OUR_TOKENS | {"em"}


def test_what_is_cut_is_said():
    told = markdown_of(report_of([failing(f"c{number}", actual=HOSTILE) for number in range(20)]), largest=4000)

    assert told.endswith("\n_The summary is cut here: it has grown too long. The report file holds everything._\n")
