"""The pages on a plain loop, pydantic-ai and the OpenAI Agents SDK: what they show is recorded, replayed, and fails."""

import re
from pathlib import Path

import pytest
from shop_answers import CHAT, RESPONSES, STREAMED_MESSAGES

pytest_plugins = ["pytester"]

DOCS = Path(__file__).parents[2] / "docs"

PAGES = {
    "plain-loop": ("plain-loop.md", "anthropic.resources.messages", STREAMED_MESSAGES),
    "pydantic-ai": ("pydantic-ai.md", "pydantic_ai.models.openai", CHAT),
    "openai-agents": ("openai-agents.md", "agents", RESPONSES),
}


@pytest.fixture(scope="module", params=PAGES.values(), ids=PAGES)
def shown(request, loaded):
    name, package, answers = request.param
    loaded(package)
    return name, answers


@pytest.fixture
def page(shown, page_project):
    return page_project(*shown)


@pytest.fixture
def recorded(page):
    result, asked = page.run_beside("--fc-record")
    result.assert_outcomes(passed=1)
    assert len(asked) == 2
    return page


def told_of(result):
    return "\n".join(result.outlines)


def test_an_agent_is_recorded_once_and_replays_with_every_socket_closed(recorded):
    recorded.edit("orders.py", r"return \{.order_id.*\}", 'raise AssertionError("it ran")')

    result = recorded.run_alone()

    result.assert_outcomes(passed=1)
    assert [path.name for path in recorded.recordings.iterdir()] == ["test_orders-test_a_damaged_order.jsonl"]
    assert "1 replayed, 0 recorded" in told_of(result)


def test_a_changed_prompt_fails_as_the_page_shows(recorded):
    (message,) = re.findall(r"```text\n(.*?)```", recorded.text, re.DOTALL)
    recorded.edit("orders.py", "before you speak of it", "if you like")

    result = recorded.run_alone()

    result.assert_outcomes(passed=1, errors=1)
    assert message in told_of(result) + "\n"


def test_an_agent_that_asks_past_the_fixture_fails_though_its_answer_is_right(recorded):
    recorded.edit("test_orders.py", r"http_client=fc\.\w+\(\)", "")
    recorded.edit("test_orders.py", r"    fc\.trace\.calls.*\n", "")

    result, asked = recorded.run_beside()

    result.assert_outcomes(passed=1, errors=1)
    assert "NOT_INTERCEPTED" in told_of(result)
    assert len(asked) == 2


def test_an_agent_that_asks_nothing_fails(recorded):
    recorded.edit("test_orders.py", r"said = .*answer\(.*\)", 'said = "damaged"')
    recorded.edit("test_orders.py", r"    fc\.trace\.calls.*\n", "")

    result = recorded.run_alone()

    result.assert_outcomes(passed=1, errors=1)
    assert "NOT_INTERCEPTED" in told_of(result)


def test_no_recording_is_made_of_an_agent_that_asks_past_the_fixture(page):
    page.edit("test_orders.py", r"http_client=fc\.\w+\(\)", "")
    page.edit("test_orders.py", r"    fc\.trace\.calls.*\n", "")

    result, _ = page.run_beside("--fc-record")

    result.assert_outcomes(passed=1, errors=1)
    assert not list(page.recordings.glob("*.jsonl"))


@pytest.mark.parametrize("name", [page for page, _, _ in PAGES.values()])
def test_each_link_of_a_framework_page_leads_to_a_file(name):
    prose = re.sub(r"```.*?```", "", (DOCS / name).read_text("utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#:]+)\)", prose)

    assert links
    assert [link for link in links if not (DOCS / link).exists()] == []
