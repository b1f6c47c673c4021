"""fc-judge compare: in the terminal, as JSON, Markdown and a page; prices; and what is refused."""

import json
import shutil

import pytest
from evidence_project import judge, record_run
from evidence_samples import GOLDEN, member, reviewed
from markdown_it import MarkdownIt

from harness.cli.suites.run_report import load_report
from harness.evidence.baseline import Evidence, Named, baseline_of
from harness.evidence.broken_text import told_of
from harness.evidence.comparison import comparison_of
from harness.evidence.comparison_page import page_of_comparison
from harness.evidence.comparison_text import outline_of_comparison
from harness.evidence.consistency import Broken, consistency_of
from harness.evidence.gate import gate_of
from harness.evidence.gate_text import outline_of_gate
from harness.judge.finding import Code
from harness.report.markdown import markdown_of_blocks
from harness.report.plain import plain_of
from harness.report.terminal import text_of
from harness.report.writing import bytes_of

HOSTILE = "</td><script>alert(1)</script><svg onload=alert(2)>|\x1b[31m\u202eleft\n# x"


def test_two_runs_are_compared_in_words(project):
    done = judge("compare", "recordings/one", "recordings/worse")

    assert done.code == 0
    assert "worse 33.3 %, one 83.3 % over 12 cases: -50.0 points (95 % interval -" in done.out
    assert "scores lower (exact McNemar, p = 0.0312)" in done.out
    assert "6 down, 0 up, of 12 cases" in done.out
    assert "fc-d1-001: PASS → FAIL  (D1 plain)" in done.out
    assert project.exists()


@pytest.mark.usefixtures("project")
def test_noise_is_called_no_difference_shown():
    done = judge("compare", "recordings/one", "recordings/three")

    assert "no difference shown (exact McNemar, p = 1.0000)" in done.out
    assert "equal" not in done.out


@pytest.mark.usefixtures("project")
def test_repeated_trials_take_the_bootstrap():
    done = judge("compare", "recordings/one", "recordings/twice", "--json")

    [duel] = done.json["duels"]
    assert (duel["shift"]["test"], duel["up"][0]["case"], duel["up"][0]["second"]["verdicts"]) == (
        "bootstrap", "fc-d1-007", ["PASS", "PASS"],
    )  # fmt: skip


def test_all_forms_are_written_and_the_same_each_time(project):
    words = (
        "compare",
        "recordings/one",
        "recordings/two",
        "recordings/worse",
        "--output",
        "c.json",
        "--html",
        "c.html",
        "--markdown",
        "c.md",
    )
    names = ("c.json", "c.html", "c.md")

    first = [judge(*words).code, *((project / name).read_bytes() for name in names)]
    second = [judge(*words).code, *((project / name).read_bytes() for name in names)]

    assert first == second
    assert json.loads(first[1])["type"] == "comparison"
    assert first[3].startswith(b"## fc-judge compare\n")
    assert [one["name"] for one in json.loads(first[1])["runs"]] == ["one", "two", "worse"]


def test_runs_and_reports_of_one_name_are_told_apart(project):
    (project / "elsewhere").mkdir()
    (project / "elsewhere/one.json").write_bytes(bytes_of(load_report(project / "recordings/worse").report))

    done = judge("compare", "recordings/one", "elsewhere/one.json", "--json")

    assert [one["name"] for one in done.json["runs"]] == ["one", "one (2)"]
    assert [one["basis"]["run"] for one in done.json["runs"]] == ["one", None]


def test_a_run_recorded_with_other_inputs_is_compared_and_told_in_every_form(project):
    with (project / "scenarios/parcels/policy.md").open("a") as file:
        file.write("Be kind.\n")

    done = judge("compare", "recordings/one", "recordings/two", "--html", "c.html", "--markdown", "c.md")
    as_json = judge("compare", "recordings/one", "recordings/two", "--json").json

    assert done.code == 0
    told = "one: recorded with other inputs than it is judged by now: policy.md"
    assert [told in text for text in (done.out, (project / "c.html").read_text(), (project / "c.md").read_text())] == [
        True, True, True,
    ]  # fmt: skip
    assert [run["changed"] for run in as_json["runs"]] == [["policy.md"], ["policy.md"]]


def test_runs_that_were_recorded_with_different_inputs_are_told_apart(project):
    with (project / "scenarios/parcels/policy.md").open("a") as file:
        file.write("Be kind.\n")
    record_run(project, "kind", wrong={3, 7})

    done = judge("compare", "recordings/one", "recordings/kind")

    assert "differs in policy.md, as it was when they were recorded" in done.out


def test_cases_that_are_not_paired_say_why():
    one, other = member({"a-1": "P", "b-2": "P", "c-3": "P"}, "a"), member({"a-1": "F", "b-2": "A"}, "b")

    comparison = comparison_of([one, other])

    told = plain_of(outline_of_comparison(comparison))
    assert "2 cases not paired\n  1 only in a: c-3\n  1 not scored in b (1 AGENT_ERROR): b-2\n" in told
    page = page_of_comparison(comparison).decode()
    assert ">2 cases not paired" in page
    assert "<summary>1 not scored in b (1 AGENT_ERROR)</summary><p>b-2</p>" in page


def test_a_run_away_agent_is_one_line_a_code():
    extra = [Broken(Code.CALL_EXTRA, f"called f (call_{number})") for number in range(14)]

    told = [*map(str, told_of([extra[0], Broken(Code.CALL_MISSING, "g was not called"), *extra[1:]]))]

    assert told == ["CALL_EXTRA \u00d7 14 called f (call_0) (and 13 more)", "CALL_MISSING g was not called"]


def test_a_few_broken_promises_of_one_code_are_all_told():
    wrong = [Broken(Code.PARAM_WRONG_VALUE, name) for name in "abc"]

    assert [one.message for one in told_of(wrong)] == ["a", "b", "c"]


@pytest.mark.usefixtures("project")
def test_prices_give_the_cost_of_a_conversation():
    done = judge("compare", "recordings/one", "recordings/two", "--price", "one=0.5,2", "--json")

    costs = [one["spent"]["cost"] for one in done.json["runs"]]
    assert costs == [(40 * 0.5 + 10 * 2) / 1_000_000, None]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(["recordings/one"], "two runs or more", id="one-run"),
        pytest.param(["recordings/one", "recordings/tow"], "nearest:  recordings/two", id="no-such-run"),
        pytest.param(
            ["recordings/one", "recordings/two", "--price", "tow=1,2"], "nearest:  two", id="a-price-of-no-run"
        ),
        pytest.param(
            ["recordings/one", "recordings/two", "--price", "two=1"], "RUN=IN,OUT[,CACHED]", id="half-a-price"
        ),
        pytest.param(["recordings/one", "recordings/two", "--price", "two=1,NaN"], "RUN=IN,OUT", id="no-number"),
        pytest.param(["recordings/one", "recordings/two", "--price", "two=1e400,2"], "from 0 to", id="beyond-money"),
        pytest.param(
            ["recordings/one", "recordings/two", "--price", "two=1,2", "--price", "two=1,3"],
            "--price two is said twice",
            id="two-prices",
        ),
        pytest.param(["recordings/one", "recordings/two", "--price", "two=-1,2"], "RUN=IN,OUT", id="below-nothing"),
    ],
)
def test_a_wrong_command_line_says_why(words, told):
    done = judge("compare", *words)

    assert (done.code, told in done.err) == (2, True)


def hostile_comparison():
    golden = {**GOLDEN, "calls": [{"tool": HOSTILE, "params": {}}]}
    return comparison_of([
        member({"c-1": "PP", "c-2": "P"}, HOSTILE, golden=golden), member({"c-1": "FF", "c-2": "F"}, "b", golden=golden),
    ])  # fmt: skip


def test_what_names_and_models_say_is_no_markup():
    comparison = hostile_comparison()

    page = page_of_comparison(comparison).decode()
    text = markdown_of_blocks(outline_of_comparison(comparison), title="x")

    assert "<script" not in page
    assert "\x1b" not in page + text
    assert "\u202e" not in page + text
    assert "<script" not in MarkdownIt().enable("table").render(text)


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the path")
@pytest.mark.parametrize("width", [1300, 390], ids=["desktop", "phone"])
def test_the_page_is_quiet_and_fits(tmp_path, width):
    player = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    (tmp_path / "c.html").write_bytes(page_of_comparison(hostile_comparison()))
    requests, complaints = [], []

    with player.sync_playwright() as opened:
        browser = opened.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--no-first-run"])
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.goto((tmp_path / "c.html").as_uri())
        page.locator(".duel details summary").first.click()
        shown, overflow = page.inner_text(".duel details"), page.evaluate("document.documentElement.scrollWidth")
        browser.close()

    assert "0 of 2 passed" in shown
    assert (requests, complaints, overflow) == ([(tmp_path / "c.html").as_uri()], [], width)


def gate(verdicts, **options):
    runs = [member("PPPF", run) for run in ("one", "two", "three")]
    baseline = baseline_of(
        Evidence(runs, [Named("r", reviewed(runs[0], method="assisted"))], consistency_of(runs), "c"),
        locked_on="2026-11-30",
    )
    return gate_of(baseline, member(verdicts, "new").report, **options)


def test_a_gate_says_in_words_what_got_worse_and_better():
    told = plain_of(outline_of_gate(gate("FPPP")))

    assert told == (
        "\n"
        "Against the baseline of 2026-11-30\n"
        "assisted: the baseline rests on answers or a decision that no person gave\n"
        "this run 75.0 %, the baseline 75.0 % over 4 cases: +0.0 points (95 % interval -75.0 to +75.0), "
        "no difference shown (paired bootstrap, p = 1.0000)\n"
        "worse fc-d1-001: passed 3 of 3, now 0 of 1\n"
        "  PARAM_WRONG_VALUE order_id of get_order: expected W443, got W444\n"
        "better fc-d4-004: passed 0 of 3, now 1 of 1\n"
        "does not meet the baseline: passed every trial of the baseline, and fails every one here: fc-d1-001\n"
    )


def test_a_gate_that_cannot_be_held_says_why_and_does_not_say_passed():
    told = plain_of(outline_of_gate(gate("PPP")))

    assert "not comparable: 1 of the baseline's 4 cases are not in the run" in told
    assert "the run is not held to this baseline" in told
    assert "meets the baseline" not in told


def test_a_gate_is_drawn_in_colour_too():
    assert "\x1b[" in text_of(outline_of_gate(gate("PPPF")), colour=True)
