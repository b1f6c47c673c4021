"""The JSON Schemas that come with the package: made from the readers' types, current, and true of all committed files."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from harness.cli.schemas import DIALECT, FORMATS, schema_files, schema_of

ROOT = Path(__file__).parent.parent
SHIPPED = ROOT / "harness" / "schemas"
SUITES = [path.parent for path in sorted(ROOT.glob("scenarios/*/cases.jsonl"))]


def lines_in(pattern):
    paths = sorted(ROOT.glob(pattern))
    return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]


def values_in(pattern, read):
    return [read(path.read_text("utf-8")) for path in sorted(ROOT.glob(pattern))]


COMMITTED = {
    "scenario": values_in("scenarios/*/scenario.toml", tomllib.loads),
    "tools": values_in("scenarios/*/tools.json", json.loads),
    "world": values_in("scenarios/*/world.json", json.loads),
    "expect": values_in("scenarios/*/expect.yaml", yaml.safe_load),
    "suite": values_in("scenarios/*/suite.toml", tomllib.loads),
    "case": lines_in("scenarios/*/cases.jsonl"),
    "fixture": lines_in("fixtures/*.jsonl"),
    "recording": lines_in("recordings/*.jsonl"),
    "run": values_in("recordings/*/run.json", json.loads),
}


def test_the_shipped_files_are_current():
    """Write them anew with `make docs`."""
    assert {path.name: path.read_bytes() for path in SHIPPED.iterdir()} == schema_files()


@pytest.mark.parametrize("name", FORMATS)
def test_a_schema_is_one(name):
    schema = schema_of(name)

    assert jsonschema_rs.meta.is_valid(schema)
    assert (schema["$schema"], r"\Z" in json.dumps(schema)) == (DIALECT, False)


@pytest.mark.parametrize("name", COMMITTED)
def test_a_schema_accepts_what_is_committed(name):
    validator = jsonschema_rs.validator_for(schema_of(name))

    assert COMMITTED[name]
    assert [value for value in COMMITTED[name] if not validator.is_valid(value)] == []


@pytest.mark.parametrize("name", [name for name in COMMITTED if name not in {"tools", "world", "expect"}])
def test_a_schema_refuses_a_key_that_the_reader_does_not_know(name):
    validator = jsonschema_rs.validator_for(schema_of(name))

    assert not any(validator.is_valid({**value, "surprise": 1}) for value in COMMITTED[name])


REFUSED = {
    "a tool of an unknown effect": ("tools", [{"name": "a", "effect": "delete"}]),
    "a table without a key": ("world", {"orders": {"rows": []}}),
    "a call without a tool": ("expect", {"must_call": [{"args": {}}]}),
    "a state that is no word of ours": ("expect", {"final_state": {"orders": "the same"}}),
    "a count below none": ("expect", {"must_call": [{"tool": "a", "count": {"min": -1}}]}),
    "a name that leads elsewhere": ("recording", {"type": "recording", "id": "../up"}),
}


@pytest.mark.parametrize(("name", "value"), REFUSED.values(), ids=REFUSED.keys())
def test_a_schema_refuses(name, value):
    assert not jsonschema_rs.validator_for(schema_of(name)).is_valid(value)


ACCEPTED = {
    "a tool in a wrapper": ("tools", [{"type": "function", "function": {"name": "a"}, "effect": "write"}]),
    "a forbidden call by its name": ("expect", {"must_not_call": ["a", {"tool": "b"}]}),
    "an order of names": ("expect", {"must_call_before": [{"first": "a", "then": "b"}]}),
    "a count that is a number": ("expect", {"must_call": [{"tool": "a", "count": 2}]}),
    "what a state leaves out": ("expect", {"final_state": {"others": "ignore", "ignore": ["orders.at"]}}),
}


@pytest.mark.parametrize(("name", "value"), ACCEPTED.values(), ids=ACCEPTED.keys())
def test_a_schema_accepts_each_way_of_writing(name, value):
    assert jsonschema_rs.validator_for(schema_of(name)).is_valid(value)


def test_one_command_writes_them_all(tmp_path):
    command = [sys.executable, "-m", "harness.cli.schemas", str(tmp_path)]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, f"{len(FORMATS)} schemas written to {tmp_path}\n")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == schema_files()


def test_without_a_directory_it_says_how():
    command = [sys.executable, "-m", "harness.cli.schemas"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (2, "usage: python -m harness.cli.schemas DIRECTORY\n")
