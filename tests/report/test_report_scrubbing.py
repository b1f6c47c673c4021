"""Secrets: what the scrubber takes out of results and origins is in no output."""

import json
from pathlib import Path

import pytest
from report_samples import broken, failing, passing

from harness.report.html import html_of
from harness.report.junit import junit_of
from harness.report.markdown import markdown_of
from harness.report.report import Origin
from harness.report.rows import scrubbed
from harness.report.terminal import terminal_of
from harness.report.writing import About, bytes_of, report_of

SECRET = "FAKE-SECRET-20"
CASE = Path(__file__).parents[3] / "shared" / "cases" / "B70-secrets-in-report.json"


def scrub(text):
    return text.replace(SECRET, "<secret 1>")


def outputs_of(results, origin):
    report = report_of([scrubbed(one, scrub) for one in results], About(origin=scrubbed(origin, scrub)))
    yield bytes_of(report)
    yield html_of(report)
    yield junit_of(report)
    yield markdown_of(report).encode()
    yield terminal_of(report, colour=True).encode()
    yield terminal_of(report, colour=False).encode()


def test_no_output_holds_a_secret():
    origin = Origin(model="tiny", request={"url": f"https://api.example.test/v1?key={SECRET}", "X-Team": "blue"})
    results = [
        failing(SECRET, text=SECRET, actual={SECRET: [SECRET]}, dimension=SECRET, group=SECRET, variant=SECRET),
        broken(error=f"401 for https://api.example.test/v1?key={SECRET}"),
        passing(),
    ]

    outputs = list(outputs_of(results, origin))

    assert [SECRET.encode() in output for output in outputs] == [False] * 6
    assert b'"X-Team":"blue"' in outputs[0]


@pytest.mark.skipif(not CASE.exists(), reason="the shared case is not here")
def test_the_published_case_leaves_no_secret():
    case = json.loads(CASE.read_bytes())
    results = [broken(error=case["error_text"]), failing(text=case["env"]["MY_KEY"])]

    outputs = list(outputs_of(results, Origin(request={"team": "blue"})))

    assert [case["env"]["MY_KEY"].encode() in output for output in outputs] == [False] * 6


def test_equal_secrets_stay_equal():
    clean = scrubbed(failing(text=f"{SECRET} and {SECRET}"), scrub)

    assert clean.trace.said[-1].text == "<secret 1> and <secret 1>"
