"""fc-judge suggest: lines to paste, and what it writes by itself."""

import json

from places import CALLED

from harness.fixture_lines import fixture_of


def last_of(text):
    return text.splitlines()[-1]


def test_the_last_line_can_be_pasted_whole(place):
    path = place.fixture("case", calls=("ask", "cancel"))

    *each, whole = place.run("suggest", "case").stdout.splitlines()

    assert json.loads(whole) == {"type": "assertions", "assertions": [json.loads(line) for line in each]}
    kept = path.read_text().splitlines()[:-1]
    path.write_text("\n".join([*kept, whole, ""]))
    assert place.run("case").returncode == place.run("fixtures/case.jsonl").returncode == 0


def test_write_fills_an_empty_line_and_nothing_else(place):
    path = place.fixture("case")
    before = path.read_text().splitlines()

    done = place.run("suggest", "case", "--write")

    assert done.returncode == 0
    assert json.loads(last_of(path.read_text())) == json.loads(last_of(done.stdout))
    assert list(map(json.loads, path.read_text().splitlines()[:-1])) == list(map(json.loads, before[:-1]))
    assert fixture_of(path.read_bytes(), file=str(path)).assertions


def test_write_leaves_chosen_assertions_alone(place):
    path = place.fixture("case", assertions=[CALLED])
    before = path.read_bytes()

    done = place.run("suggest", "case", "--write")

    assert done.returncode == 2
    assert "--write fills an empty assertions line only" in done.stderr
    assert path.read_bytes() == before
