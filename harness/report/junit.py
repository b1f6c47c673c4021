"""A report as JUnit XML: what CI systems show as test results. Valid whatever a model said."""

import re
from collections.abc import Iterable, Iterator, Sequence
from xml.etree import ElementTree as ET

from harness.excerpt import visible_of
from harness.judge.finding import Ruling, Status
from harness.raw_run import asked_again_text
from harness.report.notice import Notice
from harness.report.plain import diff_texts, plain_of
from harness.report.report import UNFINISHED, Head, Report, Result, Summary
from harness.report.writing import head_in

_NAME = "fc-judge"
_KINDS = {
    Ruling.FAIL: "failure", Ruling.AGENT_ERROR: "error", Ruling.SKIP: "skipped", Ruling.NOT_JUDGED: "skipped",
}  # fmt: skip
# XML 1.0 has no form at all for these, escaped or not; most of them `visible_of` has already written out.
_FORBIDDEN = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_of(report: Report) -> bytes:
    """The report as JUnit XML: FAIL a failure, AGENT_ERROR an error, SKIP and NOT_JUDGED skipped with the reason."""
    return b"".join(junit_chunks(head_in(report), report.results))


def junit_chunks(head: Head, results: Iterable[Result], notices: Sequence[Notice] = ()) -> Iterator[bytes]:
    """As `junit_of`, one result at a time; before them what is said of the whole run, each a test case of its own."""
    if not head.complete:  # the other forms say so in their own head
        notices = [Notice("complete", "Incomplete", "warn", UNFINISHED, [UNFINISHED], []), *notices]
    if again := asked_again_text(head.origin.asked_again if head.origin else {}):
        notices = [Notice("asked-again", "Of the trials", "good", again, [], []), *notices]
    counts = _counts_of(head.summary, notices)
    several = head.summary.trials.most > 1
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n'
    yield _opening("testsuites", counts) + _opening("testsuite", counts)
    for notice in notices:
        yield ET.tostring(_noticed(notice), encoding="unicode").encode() + b"\n"
    for result in results:
        yield ET.tostring(_case_of(result, several=several), encoding="unicode").encode() + b"\n"
    yield b"</testsuite>\n</testsuites>\n"


def _counts_of(summary: Summary, notices: Sequence[Notice]) -> dict[str, str]:
    counts = summary.verdict_counts
    styles = [one.style for one in notices]
    return {
        "name": _NAME,
        "tests": str(summary.result_count + len(notices)),
        "failures": str(counts[Ruling.FAIL] + styles.count("bad")),
        "errors": str(counts[Ruling.AGENT_ERROR] + styles.count("warn")),
        "skipped": str(counts[Ruling.SKIP] + counts[Ruling.NOT_JUDGED]),
    }


def _opening(tag: str, attributes: dict[str, str]) -> bytes:
    return f"<{tag}{''.join(f' {name}={chr(34)}{value}{chr(34)}' for name, value in attributes.items())}>\n".encode()


def _noticed(notice: Notice) -> ET.Element:
    """Its reasons are the message, the first and how many more; all that is said stands below."""
    case = ET.Element("testcase", {"classname": f"{_NAME}.run", "name": notice.name})
    if notice.style == "good":
        outcome = ET.SubElement(case, "system-out")
    else:
        first, *more = notice.reasons or [notice.verdict]
        message = f"{first} (and {len(more)} more)" if more else first
        kind = "failure" if notice.style == "bad" else "error"
        outcome = ET.SubElement(case, kind, {"message": xml_text(message), "type": notice.name.upper()})
    outcome.text = xml_text(f"{notice.title}: {notice.verdict}\n{plain_of(notice.lines)}".rstrip())
    return case


def _case_of(result: Result, *, several: bool) -> ET.Element:
    name = f"{result.case} [trial {result.trial}]" if several else result.case
    group = ".".join(part for part in (_NAME, result.dimension, result.group) if part)
    case = ET.Element("testcase", {"classname": xml_text(group), "name": xml_text(name)})
    kind = _KINDS.get(result.verdict)
    if kind is None:
        return case
    outcome = ET.SubElement(case, kind, {"message": xml_text(_message_of(result))})
    if kind != "skipped":
        outcome.set("type", result.taxonomy[0] if result.taxonomy else result.verdict)
    outcome.text = xml_text("\n".join(_detail_of(result)))
    return case


def _message_of(result: Result) -> str:
    """Why, in one line; an unjudged case says that it was no choice to skip it."""
    if result.verdict is Ruling.NOT_JUDGED:
        return f"not judged: {result.reason}"
    failed = [finding.message for finding in result.findings if finding.outcome is Status.FAIL]
    if result.verdict is not Ruling.FAIL or not failed:
        return result.reason
    return failed[0] if len(failed) == 1 else f"{failed[0]} (and {len(failed) - 1} more)"


def _detail_of(result: Result) -> Iterator[str]:
    places = {place.finding: place for place in result.diff}
    yield result.reason
    for number, finding in enumerate(result.findings):
        if finding.outcome in (Status.FAIL, Status.NOT_JUDGED):
            yield f"{finding.code or finding.outcome.upper()} {finding.check}: {finding.message}"
            lines = places[number].lines if number in places else []
            yield from (f"    {text}" for line in lines for text in diff_texts(line))
    yield from (f"note: {warning}" for warning in result.warnings)


def xml_text(text: str) -> str:
    """The text with everything that XML 1.0 forbids, or a reader would not see, written as an escape."""
    return _FORBIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", visible_of(text, keep="\n\t"))
