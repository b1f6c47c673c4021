"""The front page: its two commands are there, its refusals come as told, its figures name what measured them."""

import os
import re
import subprocess
import sys
from pathlib import Path

from loopback import Loopback, plain
from spoken import chat_body

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent


def run(command, directory):
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command.split(), cwd=directory, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )


def test_an_unjudged_fixture_is_not_green(tmp_path):
    with Loopback(plain(chat_body("Hello."))) as server:
        run("fc-record new coffee-order", tmp_path)
        run(f"fc-record scenarios/coffee-order --base-url {server.url} --model my-model", tmp_path)

        judged = run("fc-judge fixtures/coffee-order.jsonl", tmp_path)

    assert judged.returncode == 6


def test_a_provider_without_its_key_is_refused_by_the_variables_name(tmp_path):
    run("fc-record new coffee-order", tmp_path)

    done = run("fc-record scenarios/coffee-order --provider anthropic --model claude-sonnet-5-5", tmp_path)

    assert (done.returncode, "ANTHROPIC_API_KEY is not set" in done.stderr) == (2, True)
    assert not (tmp_path / "recordings").exists()


def test_the_first_two_commands_are_make_targets():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    first = re.search(r"```sh\n(.*?)```", README, re.DOTALL)[1]

    assert re.findall(r"^make \w+", first, re.MULTILINE) == ["make demo", "make test"]
    assert all(f"\n{target}:" in makefile for target in ("demo", "test"))


def test_the_tables_figures_name_their_benchmark():
    rows = re.findall(r"`(benchmarks/[a-z_]+\.py)`", README)

    assert rows
    assert all((ROOT / name).exists() for name in rows)


def test_the_picture_is_small_and_says_in_words_what_it_shows():
    alt, target = re.search(r"!\[(.*?)\]\((.*?)\)", README).groups()

    assert len(alt) > 40
    assert (ROOT / target).stat().st_size < 20_000
