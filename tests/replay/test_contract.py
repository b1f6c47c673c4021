"""The contract: what of a fixture's scenario is no longer what was recorded, each part as an error of its own."""

import copy

import pytest
from refund_run import (
    CREATE_REFUND,
    GET_ORDER,
    SYSTEM,
    TOOLS,
    USER,
    call,
    digest,
    ended,
    fixture,
    meta,
    result,
    says,
    tool_digest,
    user,
)

from harness import errors
from harness.contract import Today, asked_otherwise, drift_of, version_warning
from harness.scenario import Scenario, ScenarioConfig, Tool

FILE = "fixtures/refund.jsonl"
HASHES = {tool["name"]: tool_digest(tool) for tool in TOOLS}


def scenario(*, system=SYSTEM, users=(USER,), tools=TOOLS):
    return Scenario(
        id="refund",
        system=system,
        users=list(users),
        tools=[Tool.model_validate(one) for one in tools],
        directory="scenarios/refund",
    )


def changed(tool, **properties):
    """Copy a tool with further or other properties."""
    copied = copy.deepcopy(tool)
    copied["parameters"]["properties"] |= properties
    return copied


def drift(recorded=None, today=None):
    return drift_of(recorded or fixture(head=meta(toolHashes=HASHES)), today or Today(scenario()), file=FILE)


def facts(error):
    return type(error), error.file, error.line, error.expected, error.found


def test_a_scenario_as_recorded_has_no_drift():
    assert drift() == []


def test_marks_of_the_judge_are_no_change_of_a_tool():
    marked = changed(GET_ORDER, order_id={"type": "integer", "x-ref": "orders"})

    assert drift(today=Today(scenario(tools=[marked | {"effect": "write"}, CREATE_REFUND]))) == []


def test_a_changed_prompt_shows_both_hashes():
    other = SYSTEM.replace("once", "twice")

    (error,) = drift(today=Today(scenario(system=other)))

    assert facts(error) == (errors.PromptChanged, "scenarios/refund/system.txt", None, digest(SYSTEM), digest(other))
    assert (error.exit_code, error.command) == (3, "fc-record scenarios/refund")


def test_a_changed_prompt_shows_the_words_where_the_recorded_prompt_is_known():
    other = SYSTEM.replace("once", "twice")

    (error,) = drift(today=Today(scenario(system=other), recorded_prompt=SYSTEM))

    assert error.expected == "You refund orders. Call each function «once».\\n"
    assert error.found == "You refund orders. Call each function «twice».\\n"


def test_a_prompt_that_is_not_the_recorded_one_is_not_shown_as_such():
    (error,) = drift(today=Today(scenario(system="other"), recorded_prompt="foreign"))

    assert (error.expected, error.found) == (digest(SYSTEM), digest("other"))


def test_a_byte_at_the_end_of_the_prompt_counts():
    (error,) = drift(today=Today(scenario(system=SYSTEM + "\n")))

    assert type(error) is errors.PromptChanged


def test_a_prompt_that_the_code_no_longer_builds_is_stale():
    (error,) = drift(today=Today(scenario(), built=SYSTEM + "Be brief.\n"))

    assert facts(error) == (
        errors.PromptNotBuilt,
        "scenarios/refund/system.txt",
        None,
        "…refund orders. Call each function once.\\n«»",
        "…refund orders. Call each function once.\\n«Be brief.\\n»",
    )
    assert error.exit_code == 3


def test_a_prompt_as_built_is_fine():
    assert drift(today=Today(scenario(), built=SYSTEM)) == []


TWO = [user("one"), says("1"), user("two"), says("2")]
USERS = {
    "other words": (None, ["Refund order #4022, it arrived damaged."], [("user.txt", "Refund order #«4021», it arrived damaged.", "Refund order #«4022», it arrived damaged.")]),
    "a final newline": (None, [USER + "\n"], [("user.txt", "Refund order #4021, it arrived damaged.«»", "Refund order #4021, it arrived damaged.«\\n»")]),
    "each file": (TWO, ["1", "2"], [("user.txt", "«one»", "«1»"), ("user.2.txt", "«two»", "«2»")]),
    "a new file": (None, [USER, "thanks"], [("user.2.txt", "1 user file", "2 user files")]),
    "a file gone": (TWO, ["one"], [("user.2.txt", "2 user files", "1 user file")]),
}  # fmt: skip


@pytest.mark.parametrize(("turns", "users", "shown"), USERS.values(), ids=USERS)
def test_other_words_of_the_user_are_stale(turns, users, shown):
    found = drift(fixture(turns), Today(scenario(users=users)))

    assert [facts(error) for error in found] == [
        (errors.UserChanged, f"scenarios/refund/{name}", None, expected, actual) for name, expected, actual in shown
    ]
    assert {error.exit_code for error in found} == {3}


def test_a_placeholder_in_the_users_words_stands_for_any_text():
    recorded = fixture([user("My key is [secret:api-key:1], thanks."), says("ok")])

    assert drift(recorded, Today(scenario(users=["My key is abc, thanks."]))) == []
    assert len(drift(recorded, Today(scenario(users=["My key is abc."])))) == 1


def test_a_run_that_ended_early_says_nothing_of_what_the_user_would_have_said_later():
    recorded = fixture([user(), says("hal", stop="length")], tail=[ended("truncated")])

    assert drift(recorded, Today(scenario(users=[USER, "later"]))) == []


RENAMED = CREATE_REFUND | {"name": "make_refund"}
DESCRIBED = GET_ORDER | {"description": "Look up an order."}
TOOL_SETS = {
    "a description": ([DESCRIBED, CREATE_REFUND], "changed: get_order"),
    "one more": ([*TOOLS, GET_ORDER | {"name": "find_order"}], "added: find_order"),
    "one less": ([CREATE_REFUND], "removed: get_order"),
    "another name": ([GET_ORDER, RENAMED], "added: make_refund; removed: create_refund"),
    "all of it": ([DESCRIBED, RENAMED], "changed: get_order; added: make_refund; removed: create_refund"),
}


@pytest.mark.parametrize(("tools", "found"), TOOL_SETS.values(), ids=TOOL_SETS)
def test_other_tools_are_stale(tools, found):
    (error,) = drift(today=Today(scenario(tools=tools)))

    assert facts(error) == (errors.ToolChanged, "scenarios/refund/tools.json", None, None, found)
    assert error.exit_code == 3


def test_the_order_of_the_tools_is_no_change():
    assert drift(today=Today(scenario(tools=[CREATE_REFUND, GET_ORDER]))) == []


def test_a_changed_schema_names_each_recorded_call_that_it_refuses():
    strict = changed(CREATE_REFUND, amount={"type": "integer"})

    tool, refused = drift(today=Today(scenario(tools=[GET_ORDER, strict])))

    assert facts(tool)[0] is errors.ToolChanged
    assert facts(refused) == (
        errors.ArgumentsRefused,
        FILE,
        5,
        None,
        'create_refund({"amount":89.99,"order_id":4021}): amount: 89.99 is not of type "integer"',
    )
    assert refused.exit_code == 3


def test_a_fixture_without_tool_hashes_is_checked_by_the_schemas_alone():
    required = copy.deepcopy(GET_ORDER)
    required["parameters"]["required"] = ["order_id", "shop"]

    (refused,) = drift(fixture(), Today(scenario(tools=[required, CREATE_REFUND])))

    assert facts(refused)[:3] == (errors.ArgumentsRefused, FILE, 3)


def test_what_was_refused_when_it_was_recorded_is_no_drift():
    turns = [user(), says(call(1, "get_order", order="x")), result(1, "invalid", isError=True), says("sorry")]

    assert drift(fixture(turns)) == []


def test_unchanged_tools_are_not_asked_about_recorded_arguments():
    turns = [user(), says(call(1, "get_order", order="x")), result(1, "a lenient tool"), says("ok")]

    assert drift(fixture(turns, head=meta(toolHashes=HASHES))) == []


def test_everything_that_drifted_is_said_at_once():
    other = scenario(system="other", users=["other"], tools=[DESCRIBED])

    kinds = [type(error) for error in drift(today=Today(other, built="third"))]

    assert kinds == [errors.PromptChanged, errors.PromptNotBuilt, errors.UserChanged, errors.ToolChanged]


def test_a_fixture_of_a_scenario_needs_the_scenario():
    (error,) = drift_of(fixture(), None, file=FILE)

    assert facts(error)[:3] == (errors.ScenarioMissing, FILE, 1)
    assert error.exit_code == 3


@pytest.mark.parametrize("origin", ["test:tests/test_refund.py::test_refund", "import:har"])
def test_a_fixture_from_elsewhere_needs_no_scenario(origin):
    assert drift_of(fixture(head=meta(origin=origin)), None, file=FILE) == []


VERSIONS = {
    "none": ({}, None),
    "the same": ({"agentVersion": "0.1.0"}, None),
    "another": ({"agentVersion": "0.0.9"}, "recorded by agent version 0.0.9, replayed by 0.1.0"),
    "by its old name": ({"piAgentCoreVersion": "0.67.68"}, "recorded by agent version 0.67.68, replayed by 0.1.0"),
}


@pytest.mark.parametrize(("fields", "warning"), VERSIONS.values(), ids=VERSIONS)
def test_another_agent_version_is_a_warning(fields, warning):
    assert version_warning(fixture(head=meta(**fields)), installed="0.1.0") == warning


CHANGES = {
    "a description": ({"description": "Now other words."}, ".description: was "),
    "a schema": ({"parameters": changed(GET_ORDER, order_id={"type": "string"})["parameters"]}, ".parameters.properties.order_id.type: was «integer», is «string»"),
    "a further parameter": ({"parameters": changed(GET_ORDER, note={"type": "string"})["parameters"]}, '.parameters.properties.note: was «nothing», is «{"type":"string"}»'),
}  # fmt: skip


@pytest.mark.parametrize(("edit", "told"), CHANGES.values(), ids=CHANGES)
def test_a_changed_tool_shows_the_words_where_the_recorded_tool_is_known(edit, told):
    today = Today(scenario(tools=[GET_ORDER | edit, CREATE_REFUND]))
    recorded = {one.name: one.sent for one in scenario().tools}

    (without,) = [one for one in drift(today=today) if isinstance(one, errors.ToolChanged)]
    (shown,) = [
        one for one in drift(today=today._replace(recorded_tools=recorded)) if isinstance(one, errors.ToolChanged)
    ]

    assert without.found == "changed: get_order"
    assert shown.found.startswith(f"changed: get_order\n    get_order{told}")


def test_a_recorded_tool_of_another_hash_is_not_shown():
    today = Today(scenario(tools=[GET_ORDER | {"description": "x"}, CREATE_REFUND]), recorded_tools={"get_order": {}})

    (error,) = drift(today=today)

    assert error.found == "changed: get_order"


ASKED = {
    "as recorded": ({"name": "m", "stream": True, "params": {"seed": 7}}, []),
    "nothing more": ({}, ["params.seed nothing, recorded was 7"]),
    "the same in another place": ({"extra_body": {"seed": 7}}, []),
    "another value in another place": ({"extra_body": {"seed": 8}}, ["params.seed 8, recorded was 7"]),
    "another model": ({"name": "n", "params": {"seed": 7}}, ["model n, recorded was m"]),
    "another value": ({"params": {"seed": 8}}, ["params.seed 8, recorded was 7"]),
    "a value more": ({"params": {"seed": 7, "top_p": 0.5}}, ["params.top_p 0.5, recorded was nothing"]),
    "no stream": ({"stream": False, "params": {"seed": 7}}, ["stream false, recorded was true"]),
}


@pytest.mark.parametrize(("model", "told"), ASKED.values(), ids=ASKED)
def test_what_a_scenario_would_ask_otherwise_is_told_and_not_stale(model, told):
    recorded = fixture(head=meta(model="m", params={"seed": 7, "stream": True}))
    today = scenario().model_copy(update={"config": ScenarioConfig.model_validate({"model": model})})

    assert asked_otherwise(recorded, today) == [f"scenarios/refund/scenario.toml asks for {one}" for one in told]
    assert drift_of(recorded, Today(today), file="fixtures/refund.jsonl") == []


def test_another_bound_of_the_loop_is_told():
    recorded = fixture(head=meta(model="m", params={}, maxSteps=5))

    (told,) = asked_otherwise(recorded, scenario())

    assert told == "scenarios/refund/scenario.toml asks for max_steps 20, recorded was 5"
