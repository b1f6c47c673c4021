"""fc-judge says the same wherever, whenever and however it runs: byte for byte, in every form."""

import os
import subprocess
import sys

import pytest
from places import ROOT, Place

NAMES = ["zeta", "alpha", "mid", "beta", "omega"]
UNEXPECTED = [*NAMES, "kilo", "lima"]
FORMS = {"--report": "report.json", "--html": "report.html", "--junit": "report.xml", "--markdown": "report.md"}
SETTINGS = {
    "hash seed 1": {"PYTHONHASHSEED": "1"},
    "hash seed 2": {"PYTHONHASHSEED": "2"},
    "hash seed 3": {"PYTHONHASHSEED": "3"},
    "another zone": {"TZ": "Pacific/Chatham"},
    "a bare locale": {"LC_ALL": "C"},
    "no colours asked for": {"NO_COLOR": "1"},
    "another width": {"COLUMNS": "43"},
}
OPTIONS = {"one job": ["--jobs", "1"], "eight jobs": ["--jobs", "8"], "no gate": ["--no-gate"]}


@pytest.fixture
def runs(tmp_path):
    """Three fixtures that fail in many ways at once, in a folder of their own."""

    def made(folder):
        (tmp_path / folder).mkdir()
        place = Place(tmp_path / folder)
        for number in range(3):
            unwanted = [{"kind": "no_tool_called", "name": name} for name in UNEXPECTED]
            twice = [{"kind": "tool_called", "name": name, "min_count": 2} for name in UNEXPECTED]
            place.fixture(f"c{number}", calls=NAMES, assertions=[*unwanted, *twice])
        return place

    return made


def outputs(place, options=(), **variables):
    words = [word for pair in FORMS.items() for word in pair]
    command = [sys.executable, "-c", "from harness.cli.judge import main; main()", "fixtures", *options, *words]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables}
    done = subprocess.run(command, cwd=place.directory, env=environment, capture_output=True, check=False)
    return done.stdout, done.stderr, *((place.directory / name).read_bytes() for name in FORMS.values())


def test_no_setting_changes_a_byte(runs):
    place = runs("here")
    plain = outputs(place)

    assert {name: outputs(place, **setting) == plain for name, setting in SETTINGS.items()} == dict.fromkeys(
        SETTINGS, True
    )
    assert b"c0" in plain[0]


def test_no_number_of_jobs_changes_a_byte(runs):
    place = runs("here")
    plain = outputs(place)

    assert {name: outputs(place, option) == plain for name, option in OPTIONS.items()} == dict.fromkeys(OPTIONS, True)


def test_no_folder_changes_a_byte(runs):
    assert outputs(runs("here")) == outputs(runs("somewhere else"))
