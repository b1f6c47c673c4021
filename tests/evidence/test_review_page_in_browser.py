"""The page of a review in a real browser: answered by keys, quiet, and deaf to what a model said.

Needs playwright and a Chromium (`chromium` on the path): `pip install playwright`, `apt-get install chromium`.
"""

import shutil
from urllib.parse import urlsplit

import pytest
from evidence_samples import saved_answers

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the path")
HOSTILE = "</script><script>alert(1)</script><svg onload=alert(2)>\x1b[31m\u202eright to left"


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--no-first-run"])
        yield browser
        browser.close()


class Visit:
    """The page in a browser, with everything it asked for and complained of."""

    def __init__(self, browser, site, **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.goto(site.url)
        self.page.wait_for_selector("#main:not([hidden])")

    def press(self, *keys, progress):
        for key in keys:
            self.page.keyboard.press(key)
        playwright.expect(self.page.locator("#progress")).to_have_text(progress)


def test_a_person_answers_by_keys(chromium, site, tmp_path):
    one = site()
    seen = Visit(chromium, one)

    seen.press("m", progress="1 of 3 answered")
    seen.page.keyboard.press("n")
    seen.page.keyboard.type("the golden is old; m and c are letters")
    seen.press("Escape", "g", progress="2 of 3 answered")
    seen.press("m", progress="2 of 3 answered")  # no answer on a pass
    seen.press("c", progress="3 of 3 answered")

    assert saved_answers(tmp_path / "review.json") == [
        ("fc-d1-001", "model_error", ""),
        ("fc-d2-002", "golden_error", "the golden is old; m and c are letters"),
        ("fc-d3-003", "correct", ""),
    ]
    assert seen.page.is_visible("#finish")
    assert "golden errors: 1" in seen.page.inner_text("#told")
    assert (seen.complaints, {urlsplit(url).netloc for url in seen.requests}) == ([], {one.server.host})
    seen.context.close()


def test_an_answer_that_could_not_be_saved_is_said(chromium, site, tmp_path):
    seen = Visit(chromium, site())
    (tmp_path / "review.json").write_text("{}")

    seen.page.keyboard.press("m")

    playwright.expect(seen.page.locator("#lost")).to_contain_text("Not saved")
    assert seen.page.inner_text("#progress") == "0 of 3 answered"
    seen.context.close()


@pytest.mark.parametrize(
    "size", [{"width": 1300, "height": 900}, {"width": 390, "height": 844}], ids=["desktop", "phone"]
)
def test_what_a_model_said_is_shown_and_does_nothing(chromium, site, size):
    golden = {"calls": [{"tool": HOSTILE, "params": {HOSTILE: HOSTILE}}], "order_sensitive": False}
    seen = Visit(chromium, site(golden=golden), viewport=size)

    assert "</script><script>alert(1)</script><svg onload=alert(2)>\\x1b[31m\\u202eright" in seen.page.inner_text(
        "#detail"
    )
    assert seen.page.locator("#detail script, #detail svg").count() == 0
    assert seen.page.locator("#choices button").first.is_visible()
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert seen.complaints == []
    seen.context.close()
