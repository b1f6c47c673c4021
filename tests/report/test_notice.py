"""What is said beside a report: in every form the same, first, and never as markup."""

from xml.etree import ElementTree as ET

from markdown_it import MarkdownIt
from report_samples import HOSTILE, passing

from harness.report.html import html_chunks
from harness.report.junit import junit_chunks
from harness.report.markdown import markdown_text
from harness.report.notice import MOST, Notice, notice_of_problems
from harness.report.outline import Line, Span
from harness.report.writing import head_in, report_of

REPORT = report_of([passing()])


def test_what_does_not_fit_is_told_with_what_belongs_to_it():
    notice = notice_of_problems(["cases.jsonl is another\n  expected: a\n  found:    b", "a file is missing"])

    assert (notice.style, notice.reasons) == ("warn", ["cases.jsonl is another", "a file is missing"])
    assert [("".join(span.text for span in line.spans), line.level) for line in notice.lines] == [
        ("cases.jsonl is another", 0), ("expected: a", 1), ("found:    b", 1), ("a file is missing", 0),
    ]  # fmt: skip


def test_where_everything_fits_nothing_is_said():
    assert notice_of_problems([]) is None


def test_many_problems_are_counted():
    notice = notice_of_problems([f"file {number} is missing" for number in range(MOST + 5)])

    assert len(notice.lines) == MOST + 1
    assert notice.lines[-1].spans[0].text == "… 5 more"


def test_nothing_in_a_notice_is_markup():
    lines = [Line((Span(HOSTILE, "bad"), Span(HOSTILE, "strong", code=True), Span(HOSTILE, "bad", code=True)), 1)]
    notice = Notice("baseline", HOSTILE, "bad", HOSTILE, [HOSTILE], lines)

    page = b"".join(html_chunks(head_in(REPORT), REPORT.results, [notice])).decode()
    text = MarkdownIt().enable("table").render(markdown_text(head_in(REPORT), REPORT.results, notices=[notice]))
    root = ET.fromstring(b"".join(junit_chunks(head_in(REPORT), REPORT.results, [notice])))  # noqa: S314  our own

    assert (page.count("<script"), "<script" in text, "\x1b" in page + text) == (2, False, False)
    assert [one.tag for one in root.iter()] == ["testsuites", "testsuite", "testcase", "failure", "testcase"]
