"""The page in a real browser: quiet, quick, usable by keyboard and on a phone, and deaf to what a model said.

Needs playwright and a Chromium (`chromium` on the path): `pip install playwright`, `apt-get install chromium`.
"""

import shutil
import time

import pytest
from report_samples import HOSTILE, a_run, failing, passing

from harness.judge.finding import Code, Finding, Ruling, Rung, Status, Verdict
from harness.report.html import html_chunks
from harness.report.notice import Notice
from harness.report.outline import Line, Span
from harness.report.result import Subject, result_of
from harness.report.writing import head_in, report_of

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the path")

QUIET = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
DESKTOP, PHONE = {"width": 1400, "height": 1000}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


class Visit:
    """One page open in its own context, with everything it asked for and complained of."""

    def __init__(self, context, url):
        self.requests, self.complaints = [], []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.goto(url)
        self.page.wait_for_selector("#main:not([hidden])")

    def texts(self, selector):
        return self.page.locator(selector).all_inner_texts()


@pytest.fixture
def visit(chromium, tmp_path):
    contexts = []

    def open_page(results, fragment="", viewport=None, scheme="light", notices=()):
        file, report = tmp_path / "report.html", report_of(results)
        file.write_bytes(b"".join(html_chunks(head_in(report), report.results, notices)))
        contexts.append(chromium.new_context(viewport=viewport or DESKTOP, color_scheme=scheme))
        return Visit(contexts[-1], file.as_uri() + fragment)

    yield open_page
    for context in contexts:
        context.close()


def test_a_page_asks_for_nothing_but_itself_and_says_nothing(visit, tmp_path):
    seen = visit(a_run(), "#case/fc-d2-002/1")
    seen.page.click("#theme")

    assert seen.requests == [(tmp_path / "report.html").as_uri()]
    assert seen.complaints == []


def test_what_a_model_said_is_shown_and_does_nothing(visit):
    seen = visit([failing(HOSTILE, text=HOSTILE, actual=HOSTILE, dimension=HOSTILE, group=HOSTILE)])
    seen.page.click(".row")

    assert seen.complaints == []
    assert "</script><script>alert(1)</script><svg onload=alert(2)>" in seen.texts(".words.assistant")[0]
    assert "\\u202eright to left" in seen.texts(".words.assistant")[0]
    assert seen.page.locator("#detail script, #detail svg").count() == 0


def test_a_case_shows_its_evidence(visit):
    seen = visit(a_run(), "#case/fc-d2-001/1")

    assert seen.texts("#detail h2") == ["fc-d2-001, trial 1"]
    assert seen.texts("#detail h3") == [
        "Broken promises", "Expected and actual calls", "What the calls changed", "Conversation", "Other checks", "Facts",
    ]  # fmt: skip
    assert seen.texts("tr.marked td") == ["5", '"5"']
    assert seen.texts(".changes p") == ['orders "W1" changed by call_1 request_refund']
    assert seen.page.locator(".words").count() == 4


def test_a_link_opens_its_case_with_any_name(visit):
    name = "a/b #1 ?é箱 <x>"
    seen = visit([passing("z"), failing(name)])
    seen.page.click(".row >> nth=0")
    link = seen.page.url

    other = visit([passing("z"), failing(name)], link[link.index("#") :])

    assert other.texts("#detail h2") == [name]


def test_search_and_filters_narrow_the_list(visit):
    seen = visit(a_run())

    seen.page.fill("#search", "refund fc-d2")
    after_search = seen.texts("#count")
    seen.page.click("text=Clear")
    seen.page.click("button.chip.FAIL")
    after_chip = seen.texts("#count")
    seen.page.select_option("select[data-kind=dimension]", "D2")
    after_both = seen.texts("#count")
    seen.page.click("text=Clear")

    playwright.expect(seen.page.locator("#count")).to_have_text("8 of 8")
    assert (after_search, after_chip, after_both) == (["2 of 8"], ["3 of 8"], ["2 of 8"])


def test_a_bar_finds_what_it_counts(visit):
    seen = visit(a_run())

    seen.page.click("[data-filter='rung:selection']")

    assert seen.texts("#count") == ["2 of 8"]


def test_keys_move_through_the_cases(visit):
    seen = visit(a_run())

    seen.page.keyboard.press("ArrowDown")
    first = seen.texts("#detail h2")
    seen.page.keyboard.press("ArrowDown")
    seen.page.keyboard.press("ArrowDown")
    third = seen.texts("#detail h2")
    seen.page.keyboard.press("ArrowUp")
    second = (seen.texts("#detail h2"), seen.page.url.partition("#")[2])
    seen.page.keyboard.press("Escape")
    seen.page.keyboard.press("/")
    seen.page.keyboard.type("d3")

    assert (first, third) == (["fc-d1-001, trial 1"], ["fc-d1-002, trial 2"])
    assert second == (["fc-d1-002, trial 1"], "case/fc-d1-002/1")
    assert seen.texts("#detail") == ["Choose a case."]
    assert seen.texts("#count") == ["2 of 8"]


def test_the_list_holds_every_case_but_draws_those_in_sight(visit):
    seen = visit([passing(f"c{number:04}") for number in range(5000)])

    drawn = seen.page.locator(".row").count()
    seen.page.keyboard.press("End")
    seen.page.wait_for_selector("text=c4999")

    assert drawn < 60
    assert seen.texts("#count") == ["5000 of 5000"]


def test_five_thousand_cases_are_quick(visit):
    cases = [
        (failing if number % 3 == 0 else passing)(f"c{number:04}", dimension=f"D{number % 4}") for number in range(5000)
    ]
    started = time.monotonic()
    seen = visit(cases)
    opened = time.monotonic() - started

    filtering = seen.page.evaluate("""() => {
        const started = performance.now(), search = document.getElementById("search");
        for (const text of ["c", "c4", "c49", "c499"]) {
            search.value = text;
            search.dispatchEvent(new Event("input", { bubbles: true }));
        }
        return performance.now() - started;
    }""")

    assert opened < 20
    assert filtering < 2000
    assert seen.texts("#count") == ["10 of 5000"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(visit, scheme):
    seen = visit(a_run(), "#case/fc-d2-001/1", scheme=scheme)

    ratios = seen.page.evaluate(CONTRASTS)

    assert {name: ratio for name, ratio in ratios.items() if ratio < 4.5} == {}
    assert len(ratios) > 10


# The contrast of each kind of text with the nearest ground behind it, as WCAG counts it.
CONTRASTS = """() => {
    const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
    const light = colour => numbers(colour).slice(0, 3).map(one => one / 255)
        .map(one => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
        .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
    const ground = element => {
        for (let one = element; one; one = one.parentElement) {
            const colour = getComputedStyle(one).backgroundColor;
            if (numbers(colour)[3] !== 0) return colour;
        }
        return getComputedStyle(document.body).backgroundColor;
    };
    const ratios = {};
    for (const element of document.querySelectorAll("body *")) {
        const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
        if (!own || element.closest("script, option, svg") || !element.offsetParent) continue;
        const [high, low] = [light(getComputedStyle(element).color), light(ground(element))].sort((one, other) => other - one);
        const name = `${element.tagName} ${element.className}`, ratio = (high + 0.05) / (low + 0.05);
        ratios[name] = Math.min(ratio, ratios[name] ?? 99);
    }
    return ratios;
}"""


def test_the_switch_changes_the_colours(visit):
    seen = visit(a_run(), scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"

    before = seen.page.evaluate(ground)
    seen.page.click("#theme")

    assert (before, seen.page.evaluate(ground)) == ("rgb(20, 23, 27)", "rgb(255, 255, 255)")


@pytest.mark.parametrize("fragment", ["", "#case/fc-d2-002/1"], ids=["the list", "a case"])
def test_a_phone_scrolls_one_way_only(visit, fragment):
    seen = visit(a_run(), fragment, viewport=PHONE)

    widths = seen.page.evaluate("[document.documentElement.scrollWidth, document.getElementById('detail').scrollWidth]")

    assert max(widths) <= PHONE["width"]


def test_a_phone_opens_a_case_over_the_list_and_goes_back(visit):
    seen = visit(a_run(), viewport=PHONE)
    seen.page.locator("#list").scroll_into_view_if_needed()

    seen.page.click("text=fc-d1-001")
    opened = seen.page.locator("#detail").bounding_box()
    seen.page.click("text=All cases")

    assert (opened["width"], opened["height"]) == (PHONE["width"], PHONE["height"])
    assert not seen.page.locator("#detail").is_visible()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_what_is_said_of_the_whole_run_stands_first_and_leads_to_the_cases(visit, viewport):
    lines = [Line((Span("worse", "bad"), Span(" "), Span("a b/(c)", "strong", code=True), Span(": passed 3 of 3")))]
    notice = Notice("baseline", "Against the baseline", "bad", "does not meet it", ["it is worse"], lines)

    seen = visit([failing("a b/(c)"), passing("z")], viewport=viewport, notices=[notice])
    seen.page.click(".notice a")

    assert seen.texts(".notice h2") == ["Against the baseline: does not meet it"]
    assert seen.texts("#detail h2") == ["a b/(c)"]
    assert (seen.complaints, seen.page.evaluate("document.documentElement.scrollWidth")) == ([], viewport["width"])


def test_a_run_away_agent_fills_no_page(visit):
    extra = [
        Finding("extra calls", Rung.SELECTION, Status.FAIL, Code.CALL_EXTRA, message=f"called f (call_{number})")
        for number in range(14)
    ]
    result = result_of(Subject("a", 1), Verdict(Ruling.FAIL, "14 of 14 checks failed", extra), trace=None)

    seen = visit([result], "#case/a/1")

    assert seen.texts("#detail summary") == ["11 more CALL_EXTRA"]
    assert seen.page.locator("#detail > .check").count() == 3
