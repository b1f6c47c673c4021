"""The page as bytes: self-contained, the same each time, and whole whatever a model said."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from report_samples import HOSTILE, a_run, broken, failing, passing

from harness.judge.finding import SEMANTICS_VERSION, Ruling, Verdict
from harness.report.html import html_chunks, html_of
from harness.report.report import UNFINISHED, Origin
from harness.report.result import Subject, result_of
from harness.report.view import entry_of, view_of
from harness.report.writing import About, head_in, report_of
from harness.value import encode


class Page(HTMLParser):
    """Collects tags, texts of scripts and styles, and everything that could load something."""

    def __init__(self, raw):
        super().__init__()
        self.tags, self.texts, self.loads, self.handlers = [], [], [], []
        self.inside_one = False
        self.feed(raw.decode())
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.texts.append("")
        self.inside_one = True
        self.loads += [value for name, value in attrs if name in ("src", "href", "srcset", "action", "data")]
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]

    def handle_data(self, data):
        if self.inside_one:
            self.texts[-1] += data

    def handle_endtag(self, _tag):
        self.inside_one = False

    def inside(self, tag):
        return [text for name, text in zip(self.tags, self.texts, strict=True) if name == tag]


def test_a_page_loads_nothing_and_has_no_inline_handler():
    page = Page(html_of(report_of(a_run())))

    assert (page.loads, page.handlers) == ([], [])
    assert not {"link", "img", "iframe", "object", "base"} & set(page.tags)


def test_only_our_script_and_style_may_run():
    raw = html_of(report_of(a_run())).decode()
    page = Page(raw.encode())

    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', raw)[1].replace("&#39;", "'")
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (page.inside("style")[0], page.inside("script")[1])
    ]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; base-uri 'none'; form-action 'none'"
    )  # fmt: skip


def test_the_same_report_gives_the_same_page():
    assert html_of(report_of(a_run()[::-1])) == html_of(report_of(a_run()))


def test_rows_are_read_back_as_they_were():
    results = report_of(a_run()).results

    rows = Page(html_of(report_of(results))).inside("script")[0].strip().split("\n")

    assert [json.loads(row) for row in rows] == [
        json.loads(encode(part)) for result in results for part in (entry_of(result), view_of(result))
    ]


def test_a_page_is_written_result_by_result():
    taken = []

    def results():
        for result in report_of(a_run()).results:
            taken.append(result.case)
            yield result

    chunks = html_chunks(head_in(report_of(a_run())), results())
    first = next(chunk for chunk in chunks if b'"case"' in chunk)

    assert b'"fc-d1-001"' in first
    assert taken == ["fc-d1-001"]


def test_an_empty_report_has_a_page():
    page = Page(html_of(report_of([])))

    assert "no score" in page.inside("p")[0]


def test_what_was_judged_is_told():
    about = About(
        complete=False, origin=Origin(model="<tiny>", request={"seed": 1}), inputs={"cases": "sha256:" + "1" * 64}
    )

    page = Page(html_of(report_of([passing(), broken()], about)))

    assert page.inside("dd") == ["<tiny>", '{"seed":1}', f"version {SEMANTICS_VERSION}", "sha256:" + "1" * 64]
    assert page.inside("p")[0] == f"Incomplete: {UNFINISHED}."


def test_hostile_names_stay_text():
    page = Page(html_of(report_of([failing(HOSTILE, dimension=HOSTILE, group=HOSTILE, variant=HOSTILE)])))

    assert page.tags.count("script") == 2
    assert page.inside("h2") == ["Dimensions", "Variants", "What fails", "Worst tools"]
    assert page.tags.count("svg") == 1 + 1 + 1 + 3 + 2


@given(st.text())
def test_any_text_gives_a_whole_page(text):
    said = result_of(Subject(text, 1, text, text, text), Verdict(Ruling.FAIL, text, [], None, [text]), trace=None)

    page = Page(html_of(report_of([said, failing("z", 2, text=text, actual=text)])))

    assert page.tags.count("script") == 2
    assert (page.loads, page.handlers) == ([], [])
    assert all(json.loads(row) for row in page.inside("script")[0].strip().split("\n"))
