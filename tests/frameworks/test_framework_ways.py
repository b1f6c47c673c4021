"""What the framework pages say beside their examples: other providers, clients out of reach, the SDK's own habits."""

import pytest
from shop_answers import MESSAGES, RESPONSES

pytest_plugins = ["pytester"]


@pytest.fixture(scope="module", autouse=True)
def _loaded(loaded):
    loaded("pydantic_ai.models.anthropic")
    loaded("pydantic_ai.models.openai")
    loaded("agents")


def told_of(result):
    return "\n".join(result.outlines)


def test_pydantic_ai_replays_over_messages(page_project):
    project = page_project("pydantic-ai.md", MESSAGES)
    for name in ("orders.py", "test_orders.py"):
        project.edit(name, "OpenAIChat|OpenAI", "Anthropic")
        project.edit(name, "openai", "anthropic")

    recorded, asked = project.run_beside("--fc-record")
    replayed = project.run_alone()

    recorded.assert_outcomes(passed=1)
    replayed.assert_outcomes(passed=1)
    assert [request.path for request in asked] == ["/v1/messages"] * 2


def test_pydantic_ai_replays_over_responses(page_project):
    project = page_project("pydantic-ai.md", RESPONSES)
    project.edit("orders.py", "OpenAIChatModel", "OpenAIResponsesModel")

    recorded, asked = project.run_beside("--fc-record")
    replayed = project.run_alone()

    recorded.assert_outcomes(passed=1)
    replayed.assert_outcomes(passed=1)
    assert [request.path for request in asked] == ["/v1/responses"] * 2


def test_an_agent_that_makes_its_own_client_is_caught_from_outside(page_project):
    project = page_project("pydantic-ai.md", RESPONSES)
    project.edit("orders.py", r"    model = .*\n", "")
    project.edit("orders.py", r"Agent\(model, (.*)tools=tools\)", r'Agent("openai:gpt-5-mini", \1tools=[find_order])')
    project.edit(
        "test_orders.py", r"    provider = .*\n    said = (.*)\n", r"    with fc.everywhere():\n        said = \1\n"
    )
    project.edit("test_orders.py", r"answer\(provider, ", "answer(None, ")

    recorded, asked = project.run_beside("--fc-record")
    replayed = project.run_alone()

    recorded.assert_outcomes(passed=1)
    replayed.assert_outcomes(passed=1)
    assert len(asked) == 2


def test_the_agents_sdks_key_of_each_run_is_a_change_of_params(page_project):
    project = page_project("openai-agents.md", RESPONSES)
    project.run_beside("--fc-record")[0].assert_outcomes(passed=1)
    project.edit("test_orders.py", r"    fc\.ignore.*\n", "")

    result = project.run_alone()

    result.assert_outcomes(passed=1, errors=1)
    assert "PARAMS" in told_of(result)
    assert "at        prompt_cache_key" in told_of(result)


def test_a_fixed_key_needs_no_ignoring(page_project):
    project = page_project("openai-agents.md", RESPONSES)
    project.edit("test_orders.py", r"    fc\.ignore.*\n", "")
    project.edit("orders.py", "from agents import Agent", "from agents import ModelSettings, Agent")
    settings = 'model_settings=ModelSettings(extra_args={"prompt_cache_key": "orders"})'
    project.edit("orders.py", 'Agent\\("orders", ', f'Agent("orders", {settings}, ')

    project.run_beside("--fc-record")[0].assert_outcomes(passed=1)
    result = project.run_alone()

    result.assert_outcomes(passed=1)


def test_the_agents_sdks_traces_are_refused_in_replay(page_project):
    project = page_project("openai-agents.md", RESPONSES)
    project.run_beside("--fc-record")[0].assert_outcomes(passed=1)
    project.edit("test_orders.py", r"import set_tracing_disabled\n", "import tracing\n")
    project.edit("test_orders.py", r"set_tracing_disabled\(True\)\n", "")
    project.edit("test_orders.py", "    assert", "    tracing.get_trace_provider().force_flush()\n    assert")

    result = project.run_apart()

    result.assert_outcomes(passed=1, errors=1)
    assert "NOT_INTERCEPTED: a connection to api.openai.com was tried" in told_of(result)
