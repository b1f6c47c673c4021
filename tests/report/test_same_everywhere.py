"""Reports do not depend on where and how they are made, and their size in memory not on how many cases there are."""

import hashlib
import os
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from report_samples import GOLDEN, a_run, transcript

from harness.judge.finding import Ruling, Verdict
from harness.report.html import html_chunks, html_of
from harness.report.junit import junit_chunks, junit_of
from harness.report.markdown import markdown_of
from harness.report.result import Subject, result_of
from harness.report.rows import Rows, result_in, row_of
from harness.report.tally import Tally
from harness.report.terminal import terminal_of
from harness.report.writing import About, bytes_of, chunks_of, head_of, report_of
from harness.trace import trace_of

HERE = Path(__file__).parent
SETTINGS = {
    "hash seed 1": {"PYTHONHASHSEED": "1"},
    "hash seed 2": {"PYTHONHASHSEED": "2"},
    "another zone": {"TZ": "Asia/Kathmandu"},
    "a bare locale": {"LC_ALL": "C"},
    "optimised": {"PYTHONOPTIMIZE": "1"},
}


def digests():
    report = report_of(a_run())
    texts = markdown_of(report), terminal_of(report, colour=True), terminal_of(report, colour=False)
    written = [bytes_of(report), html_of(report), junit_of(report), *(text.encode() for text in texts)]
    return [hashlib.sha256(one).hexdigest() for one in written]


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_every_report_has_the_same_bytes(setting, tmp_path):
    program = (
        f"import sys; sys.path.insert(0, {str(HERE)!r}); from test_same_everywhere import digests; print(*digests())"
    )

    told = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **setting}, cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout  # fmt: skip

    assert told.split() == digests()


def heap_of(cases):
    """Return the peak of memory while so many cases, each with results of 1 MB, are summed up and written."""
    tracemalloc.start()
    with tempfile.TemporaryFile() as file:
        rows, tally = Rows(file), Tally()
        for number in range(cases):
            trace = trace_of(transcript(*[("search", {"page": page}) for page in range(40)], text="x" * 1_048_576))
            verdict = Verdict(Ruling.PASS, "1 check passed", [])
            result = result_of(Subject(f"case-{number:05}", 1), verdict, trace=trace, golden=GOLDEN)
            rows.add(row_of(result))
            tally.add(result)
        head = head_of(tally, About())
        size = sum(len(chunk) for chunk in chunks_of(head, rows))
        size += sum(len(chunk) for chunk in junit_chunks(head, map(result_in, rows)))
        size += sum(len(chunk) for chunk in html_chunks(head, map(result_in, rows)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, size


def test_memory_does_not_grow_with_the_number_of_cases():
    heap_of(1)

    (few, small), (many, large) = heap_of(20), heap_of(400)

    assert many - few < 1_000_000
    assert large > 10 * small
