"""Words, variables and names of files that are no UTF-8: refused before anything is done, and told without a crash."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from suite_project import SuiteProject

BIN = Path(sys.executable).parent
ODD = b"caf\xe9"
WORDS = {
    "a path": [b"fc-judge", ODD],
    "a path below": [b"fc-judge", b"compare", b"recordings/" + ODD, b"recordings/b"],
    "a reason": [b"fc-judge", b"adjudicate", b"c.json", b"--decision", b"accept", b"--output", b"z", b"--reason", ODD],
    "who decides": [b"fc-judge", b"adjudicate", b"c.json", b"--decision", b"accept", b"--by", ODD],
    "who reviews": [b"fc-judge", b"review", b"run", b"--reviewer", ODD],
    "an output": [b"fc-judge", b"scenarios", b"--report", ODD],
    "a fixture": [b"fc-replay", ODD],
    "a suite": [b"fc-record", b"scenarios/" + ODD],
    "a model": [b"fc-record", b"scenarios/desk", b"--model", ODD],
    "a parameter": [b"fc-record", b"scenarios/desk", b"--param", b"stop=" + ODD],
    "a parameter, in one word": [b"fc-record", b"scenarios/desk", b"--param=stop=" + ODD],
    "a body": [b"fc-record", b"scenarios/desk", b"--extra-body", b'{"a":"' + ODD + b'"}'],
    "an address": [b"fc-record", b"scenarios/desk", b"--base-url", b"http://" + ODD],
    "a title": [b"fc-record", b"--scenario", ODD],
    "a new scenario's model": [b"fc-record", b"new", b"fresh", b"--model", ODD],
    "a proxy's journal": [b"fc-record", b"proxy", b"--output", ODD, b"--", b"true"],
}


@pytest.fixture
def place(tmp_path):
    return SuiteProject(tmp_path).root


def run(place, words, **variables):
    program, *rest = words
    return subprocess.run(
        [os.fsencode(BIN) + b"/" + program, *rest],
        cwd=place,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def names(place):
    return sorted(os.walk(place))


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_a_word_that_is_no_utf_8_is_refused_before_anything_is_done(place, words):
    before = names(place)

    done = run(place, words)

    assert (done.returncode, done.stdout) == (2, "")
    assert " is not UTF-8\n" in done.stderr
    assert "Traceback" not in done.stderr
    assert names(place) == before


def test_to_a_program_it_is_told_as_json(place):
    done = run(place, [*WORDS["a model"], b"--json"])

    told = json.loads(done.stdout)
    assert (told["code"], told["message"], told["found"]) == ("WRONG_OPTION", "--model is not UTF-8", "caf\\udce9")


@pytest.mark.parametrize("name", ["EVAL_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"])
def test_a_variable_that_a_command_reads_is_refused_by_its_name_alone(place, name):
    done = run(place, [b"fc-record", b"scenarios/desk"], **{name: os.fsdecode(ODD)})

    assert (done.returncode, done.stderr.splitlines()[0]) == (2, f"{name} is not UTF-8")
    assert "udce9" not in done.stderr


def test_any_other_variable_is_kept_out_of_what_is_written_and_ends_nothing(place):
    done = run(place, [b"fc-judge", b"lint", b"scenarios"], SOME_SECRET=os.fsdecode(b"long-caf\xe9-secret"))

    assert "Traceback" not in done.stderr
    assert done.returncode == run(place, [b"fc-judge", b"lint", b"scenarios"]).returncode


def test_what_a_program_is_given_is_its_own_affair(place):
    words = [b"fc-record", b"proxy", b"openai", b"--id", b"odd", b"--", b"echo", ODD]

    assert "is not UTF-8" not in run(place, words).stderr


DISK = {
    "fc-judge": ["fixtures"],
    "fc-judge of runs": ["recordings"],
    "fc-judge lint": ["lint", "scenarios"],
    "fc-replay": ["fixtures"],
    "fc-replay check": ["check"],
    "fc-judge verify": ["verify"],
    "fc-record export": ["export", "har", "recordings"],
    "fc-record import": ["import", "vcr", "recordings", "--output", "new"],
}


@pytest.mark.parametrize("line", DISK)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_name_on_the_disk_that_is_no_utf_8_ends_no_command(place, line, form):
    suite = next((place / "scenarios").iterdir())
    odd = os.fsdecode(ODD)
    for home in ("recordings", "fixtures"):
        (place / home / odd).mkdir(parents=True)
        (place / home / f"{odd}.jsonl").write_text('{"type":"recording"}\n')
        (place / home / odd / "run.json").write_text("{}")
        (place / home / odd / "review.json").write_text('{"type":"baseline"}')
    shutil.copytree(suite, place / "scenarios" / odd)
    (place / "scenarios" / odd / "cases.jsonl").write_text("{\n")

    done = run(place, [os.fsencode(line.split()[0]), *map(os.fsencode, [*DISK[line], *form])])

    assert "Traceback" not in done.stderr
    assert done.returncode in {0, 1, 2, 3, 4, 5, 6}
