"""The README's commands, run in the order in which they stand there: its five minutes, and its pictures."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from loopback import Loopback, plain
from spoken import chat_body

from harness.fixture_lines import fixture_of

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent
LOCAL = "http://127.0.0.1:8080"


def commands():
    """The lines of the shell blocks, comments cut off."""
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    return [line.partition("  #")[0].strip() for block in blocks for line in block.splitlines() if line.strip()]


def run(command, directory):
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command.split(), cwd=directory, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )


def test_the_five_minutes_go_as_they_are_told(tmp_path):
    said = [line for line in commands() if line.startswith("fc-") and "anthropic" not in line]
    codes = {}

    with Loopback(plain(chat_body("One flat white, coming up."))) as server:
        for command in said:
            done = run(command.replace(LOCAL, server.url), tmp_path)
            codes[command] = done.returncode
            if command.startswith("fc-judge suggest"):
                _choose(tmp_path / "fixtures" / "coffee-order.jsonl", done.stdout)

    assert codes == dict.fromkeys(said, 0)
    assert len(said) == 5


def _choose(path, suggested):
    """Write the first suggestion into the fixture's last line, as a person would."""
    *lines, last = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(last) == {"type": "assertions", "assertions": []}
    chosen = [json.loads(suggested.splitlines()[0])]
    last = json.dumps({"type": "assertions", "assertions": chosen})
    path.write_text("\n".join([*lines, last]) + "\n", encoding="utf-8")


def test_an_unjudged_fixture_is_not_green(tmp_path):
    with Loopback(plain(chat_body("Hello."))) as server:
        run("fc-record new coffee-order", tmp_path)
        run(f"fc-record scenarios/coffee-order --base-url {server.url} --model my-model", tmp_path)

        judged = run("fc-judge fixtures/coffee-order.jsonl", tmp_path)

    assert judged.returncode == 6


def test_a_provider_without_its_key_is_refused_by_the_variables_name(tmp_path):
    (command,) = [line for line in commands() if "--provider anthropic" in line]
    run("fc-record new coffee-order", tmp_path)

    done = run(command, tmp_path)

    assert (done.returncode, "ANTHROPIC_API_KEY is not set" in done.stderr) == (2, True)
    assert not (tmp_path / "recordings").exists()


def test_the_first_two_commands_are_make_targets():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert commands()[:2] == ["make demo", "make test"]
    assert all(f"\n{line.split()[1]}:" in makefile for line in commands()[:2])


@pytest.mark.parametrize("kind", re.findall(r"^\| `(\{\"kind\".*?\})` \|", README, re.MULTILINE))
def test_each_assertion_of_the_table_is_one(kind):
    shown = kind.replace('"role":…', '"role":"assistant"').replace('"is":…', '"is":"completed"')
    shown = re.sub(r'("(?:max|max_count|order)"):…', r"\1:1", shown)
    shown = re.sub(r'("[a-z_]+"):…', r'\1:"x"', shown)
    fixture = (ROOT / "fixtures" / "refund-4021-damaged.jsonl").read_text(encoding="utf-8").splitlines()
    lines = [*fixture[:-1], f'{{"type":"assertions","assertions":[{shown}]}}']

    read = fixture_of("\n".join(lines).encode() + b"\n", file="fixtures/refund-4021-damaged.jsonl")

    assert len(read.assertions) == 1


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#]+)\)", README))
def test_each_link_leads_to_a_file(target):
    assert (ROOT / target).exists()


def test_the_tables_figures_name_their_benchmark():
    rows = re.findall(r"`(benchmarks/[a-z_]+\.py)`", README)

    assert rows
    assert all((ROOT / name).exists() for name in rows)
