"""The pages in docs/: their examples are read by the code they explain, and their tables name all there is."""

import json
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from harness.files import load_journal
from harness.fixture import Assertion
from harness.fixture_lines import fixture_of
from harness.judge.constraint_spec import Spec
from harness.judge.constraints import expectation_of
from harness.judge.matcher_forms import _FORMS
from harness.scenario import AgentConfig, ModelConfig, ScenarioConfig, tools_of
from harness.session.traced import Traced
from harness.transcript import ToolCall
from harness.world import Sandbox

DOCS = Path(__file__).parent.parent / "docs"
SCENARIOS, EXPECTATIONS, PYTEST = (
    (DOCS / f"{name}.md").read_text("utf-8") for name in ("scenarios", "expectations", "pytest")
)


def blocks(page, kind):
    return re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)


def test_the_example_of_expect_yaml_is_one():
    written, *_ = blocks(EXPECTATIONS, "yaml")

    assert expectation_of(written.encode(), file="docs/expectations.md") is not None


@pytest.mark.parametrize("kind", re.findall(r"^\| `(\{\"kind\".*?\})` \|", EXPECTATIONS, re.MULTILINE))
def test_each_assertion_of_the_table_is_one(kind):
    shown = kind.replace('"role":…', '"role":"assistant"').replace('"is":…', '"is":"completed"')
    shown = re.sub(r'("(?:max|max_count|order)"):…', r"\1:1", shown)
    shown = re.sub(r'("[a-z_]+"):…', r'\1:"x"', shown)
    fixture = (DOCS.parent / "fixtures" / "refund-4021-damaged.jsonl").read_text("utf-8").splitlines()
    lines = [*fixture[:-1], f'{{"type":"assertions","assertions":[{shown}]}}']

    read = fixture_of("\n".join(lines).encode() + b"\n", file="fixtures/refund-4021-damaged.jsonl")

    assert len(read.assertions) == 1


def test_every_kind_of_assertion_is_explained():
    kinds = {kind.__struct_config__.tag for kind in get_args(Assertion)}

    assert set(re.findall(r'^\| `\{"kind":"(\w+)"', EXPECTATIONS, re.MULTILINE)) == kinds


def test_every_matcher_is_explained():
    table = EXPECTATIONS.partition("| matcher | fits |")[2].partition("\n\n")[0]

    assert set(re.findall(r"`\{([a-z_]+):", table)) == set(_FORMS)


def test_every_key_of_a_spec_is_explained():
    assert [name for name in Spec.model_fields if f"{name}" not in EXPECTATIONS] == []


def test_the_examples_matchers_are_read():
    table = EXPECTATIONS.partition("| matcher | fits |")[2].partition("\n\n")[0]
    shown = re.findall(r"`(\{.*?\})`", table)

    for matcher in shown:
        spec = f"must_call:\n  - tool: a\n    args: {{x: {matcher}}}\n"
        assert expectation_of(spec.encode(), file="docs/expectations.md") is not None


def test_the_example_of_scenario_toml_names_every_key():
    (written,) = blocks(SCENARIOS, "toml")
    held = tomllib.loads(written)

    config = ScenarioConfig.model_validate(held)

    assert config.title == "A table for four"
    assert set(held["model"]) == set(ModelConfig.model_fields)
    assert set(held["agent"]) == set(AgentConfig.model_fields)


def test_the_example_of_a_world_does_what_it_says():
    tools, tables = (json.loads(one) for one in blocks(SCENARIOS, "json"))
    (source,) = blocks(SCENARIOS, "python")
    world = {}
    exec(source, world)  # noqa: S102  the page's own code

    class World:
        start = staticmethod(world["start"])
        call = staticmethod(world["call"])

    sandbox = Sandbox(tools_of(tools, file="docs/scenarios.md"), World(), tables)
    booked = sandbox.execute(ToolCall("call_1", "book_table", {"table_id": "T4", "guests": 4}))
    refused = sandbox.execute(ToolCall("call_2", "book_table", {"table_id": "T9", "guests": 4}))

    assert (booked.text, refused.is_error) == ('{"status":"booked"}', True)
    assert [change.key for change in sandbox.effects().changes] == ["T4"]


def test_the_options_of_the_plugin_are_the_ones_explained(pytestconfig):
    settings = {"fc_recordings", "fc_fixtures", "fc_reachable"}

    assert all(f"`{name}`" in PYTEST for name in settings)
    assert all(pytestconfig.getini(name) is not None for name in settings)


def test_the_trace_offers_what_the_page_names():
    (recording,) = load_journal(DOCS.parent / "recordings" / "refund-4021-damaged.jsonl").recordings
    trace = Traced(recording)

    named = re.findall(r"`\.([a-z_]+)", PYTEST.partition("| `fc.trace` |")[2].partition("\n")[0])

    assert named
    assert [name for name in named if not hasattr(trace, name)] == []
