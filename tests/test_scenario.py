"""Scenarios: tools as they are sent and hashed, and directories as they are read."""

import json

import pytest

from harness import errors
from harness.files import load_scenario
from harness.scenario import Tool, tools_of
from harness.user_code import built_prompt, load_world
from harness.value import digest_of

LOOKUP = {
    "name": "get_order",
    "description": "Reads an order.",
    "parameters": {
        "type": "object",
        "properties": {"x-id": {"type": "string", "x-ref": "orders", "enum": ["x-1"]}},
        "x-issues": "action_id",
    },
    "effect": "read",
    "x-issues": "action_id",
}
SENT = {
    "name": "get_order",
    "description": "Reads an order.",
    "parameters": {"type": "object", "properties": {"x-id": {"type": "string", "enum": ["x-1"]}}},
}


def test_marks_are_never_sent():
    assert Tool.model_validate(LOOKUP).sent == SENT


def test_marks_are_never_hashed():
    assert Tool.model_validate(LOOKUP).digest == Tool.model_validate(SENT).digest


def test_a_described_property_is_hashed():
    other = json.loads(json.dumps(SENT))
    other["parameters"]["properties"]["x-id"]["description"] = "the id"

    assert Tool.model_validate(other).digest != Tool.model_validate(SENT).digest


def test_the_openai_wrapper_is_the_same_tool():
    wrapped = {"type": "function", "function": SENT, "effect": "write"}

    (tool,) = tools_of([wrapped], file="tools.json")

    assert (tool.digest, tool.effect) == (Tool.model_validate(SENT).digest, "write")


BAD_TOOLS = {
    "no list": ({}, "holds a list"),
    "no name": ([{"description": "x"}], "tool 0: name"),
    "unknown key": ([{"name": "a", "efect": "read"}], "tool 0: efect"),
    "unknown effect": ([{"name": "a", "effect": "rread"}], "tool 0: effect"),
    "twice": ([{"name": "a"}, {"name": "a"}], "tool a stands twice"),
    "no object": (["a"], "tool 0"),
}


@pytest.mark.parametrize(("raw", "reason"), BAD_TOOLS.values(), ids=BAD_TOOLS.keys())
def test_tools_that_cannot_be_used_are_refused(raw, reason):
    with pytest.raises(errors.BadScenario) as refused:
        tools_of(raw, file="scenarios/a/tools.json")

    assert reason in refused.value.subject


@pytest.fixture
def directory(tmp_path):
    """A scenario of two user turns, with trailing newlines that count."""
    path = tmp_path / "refund"
    path.mkdir()
    (path / "system.txt").write_bytes(b"Be short.\r\n")
    (path / "user.txt").write_bytes(b"Refund it.\n")
    (path / "user.2.txt").write_bytes("谢谢".encode())
    (path / "tools.json").write_text(json.dumps([LOOKUP]))
    return path


def test_prompt_files_count_as_they_are(directory):
    scenario = load_scenario(directory)

    assert (scenario.system, scenario.users) == ("Be short.\r\n", ["Refund it.\n", "谢谢"])
    assert digest_of(scenario.system.encode()) == digest_of((directory / "system.txt").read_bytes())


@pytest.mark.parametrize("name", ["system.txt", "user.txt", "user.2.txt"])
def test_a_blank_prompt_file_is_refused(directory, name):
    (directory / name).write_text(" \n\t")

    with pytest.raises(errors.EmptyPrompt) as refused:
        load_scenario(directory)

    assert refused.value.file == str(directory / name)


def test_a_missing_prompt_file_is_named(directory):
    (directory / "system.txt").rename(directory / "systm.txt")

    with pytest.raises(errors.PathNotFound) as refused:
        load_scenario(directory)

    assert refused.value.nearest == str(directory / "systm.txt")


BAD_CONFIGS = {
    "unknown key": ("[agent]\nmax_step = 3", "agent.max_step"),
    "not TOML": ("[agent", "Expected"),
    "longer than can be waited": ("[agent]\ntimeout_s = 1e300", "agent.timeout_s"),
    "out of range": ("[agent]\nmax_steps = 0", "agent.max_steps"),
}


NEAREST_KEYS = {
    "a slip": ("[agent]\nmax_step = 3", "agent.max_step: there is no such key", "max_steps"),
    "a slip in a section": ("[agnet]\nmax_steps = 3", "agnet: there is no such key", "agent"),
    "in no section": ("max_steps = 3", "max_steps: there is no such key", "agent.max_steps"),
    "in another section": ("[model]\nmax_steps = 3", "model.max_steps: there is no such key", "agent.max_steps"),
    "nothing like it": ("zzz = 1", "zzz: there is no such key", None),
}


@pytest.mark.parametrize(("text", "reason", "nearest"), NEAREST_KEYS.values(), ids=NEAREST_KEYS.keys())
def test_a_key_that_is_not_known_is_told_with_the_nearest(directory, text, reason, nearest):
    (directory / "scenario.toml").write_text(text)

    with pytest.raises(errors.BadScenario) as refused:
        load_scenario(directory)

    assert (refused.value.subject, refused.value.nearest) == (reason, nearest)
    assert refused.value.command == f"mend {directory}/scenario.toml, then run the same command again"


@pytest.mark.parametrize(("key", "nearest"), [("input_schema", "parameters"), ("descripton", "description")])
def test_a_tools_key_that_is_not_known_is_told_with_the_nearest(key, nearest):
    with pytest.raises(errors.BadScenario) as refused:
        tools_of([{"name": "a", key: {}}], file="tools.json")

    assert (refused.value.subject, refused.value.nearest) == (f"tool 0: {key}: there is no such key", nearest)
    assert refused.value.expected == "name, description, parameters, effect, x-issues"


KINDS = {
    "a number as text": ('[agent]\nmax_steps = "8"', "agent.max_steps"),
    "a number as a bool": ("[agent]\nmax_steps = true", "agent.max_steps"),
    "a bool as text": ('[model]\nstream = "yes"', "model.stream"),
    "text as a number": ("title = 3", "title"),
}


@pytest.mark.parametrize(("text", "where"), KINDS.values(), ids=KINDS.keys())
def test_no_kind_is_turned_into_another(directory, text, where):
    (directory / "scenario.toml").write_text(text)

    with pytest.raises(errors.BadScenario) as refused:
        load_scenario(directory)

    assert refused.value.subject.startswith(f"{where}: Input should be a valid ")


def test_a_whole_number_of_seconds_is_a_number_of_seconds(directory):
    (directory / "scenario.toml").write_text("[agent]\ntimeout_s = 300")

    assert load_scenario(directory).config.agent.timeout_s == 300


BROKEN_JSON = {
    "in the middle": ('[\n  {"name": "t"}\n  {"name": "u"}\n]', 3, "(column 3)"),
    "after letters of two bytes": ('[\n"中文" 1]', 2, "(column 6)"),
    "cut off": ('[\n  {"name":\n', 2, "(column 11)"),
}


@pytest.mark.parametrize(("text", "line", "said"), BROKEN_JSON.values(), ids=BROKEN_JSON.keys())
def test_json_that_cannot_be_read_is_told_with_line_and_column(directory, text, line, said):
    (directory / "tools.json").write_text(text, encoding="utf-8")

    with pytest.raises(errors.BadScenario) as refused:
        load_scenario(directory)

    assert (refused.value.file, refused.value.line) == (f"{directory}/tools.json", line)
    assert refused.value.subject.startswith("not JSON: ")
    assert refused.value.subject.endswith(said)


@pytest.mark.parametrize(("text", "reason"), BAD_CONFIGS.values(), ids=BAD_CONFIGS.keys())
def test_a_configuration_that_cannot_be_used_is_refused(directory, text, reason):
    (directory / "scenario.toml").write_text(text)

    with pytest.raises(errors.BadScenario) as refused:
        load_scenario(directory)

    assert reason in refused.value.subject


WORLD = """
def start(tables):
    return tables


def call(state, name, arguments):
    return state, name, False
"""


def test_a_world_is_the_module_beside_the_prompts(directory):
    (directory / "world.py").write_text(WORLD)

    world = load_world(load_scenario(directory))

    assert world.call({}, "get_order", {}) == ({}, "get_order", False)


def test_a_scenario_without_world_and_stubs_has_none(directory):
    assert load_world(load_scenario(directory)) is None


def test_a_world_that_cannot_be_imported_is_refused_with_its_reason(directory):
    (directory / "world.py").write_text("import nothing_of_the_kind")

    with pytest.raises(errors.BadScenario) as refused:
        load_world(load_scenario(directory))

    assert "nothing_of_the_kind" in refused.value.subject


def test_a_name_that_the_module_lacks_is_refused_with_the_nearest(directory):
    (directory / "prompts.py").write_text("def build(): return 'x'")
    (directory / "scenario.toml").write_text('prompt = "prompts:biuld"')

    with pytest.raises(errors.BadScenario) as refused:
        built_prompt(load_scenario(directory))

    assert refused.value.nearest == "build"
