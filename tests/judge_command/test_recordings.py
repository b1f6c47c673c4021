"""fc-judge on recordings: judged by their scenario's spec, world included, or by one named on the command line."""

import json

import pytest
from recorded_run import LAMP, chat_answer, recorded

from harness.recording_lines import lines_of_recording
from harness.value import digest_of

ON = chat_answer(calls=[("c1", "set_lamp", '{"on": true}')])
WORLD = {"lamps": {"key": "id", "rows": []}}
SPEC = "must_call: [{tool: set_lamp, args: {on: true}, count: 1}]\nfinal_state: {lamps: {exactly: [{on: true}]}}\n"


@pytest.fixture
def recording(place, tmp_path):
    """A function that writes the recording of a run on these answers."""

    def write(*answers, name="two-lamps", tail=b"", **rest):
        run, _ = recorded("chat", [*answers, chat_answer("Done.")], **rest)
        path = tmp_path / "recordings" / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(lines_of_recording(run) + tail)
        tool = {"name": LAMP.name, "parameters": LAMP.parameters, "effect": "write"}
        place.scenario("two-lamps", **{"tools.json": json.dumps([tool]), "world.json": json.dumps(WORLD)})
        return path

    return write


def test_a_recording_is_judged_by_its_scenarios_spec(place, recording):
    recording(ON)
    place.scenario("two-lamps", **{"expect.yaml": SPEC})

    done = place.run("recordings")

    assert done.stdout.splitlines()[0] == "PASS         two-lamps  (4 checks passed; holds up to effects)"
    assert done.returncode == 0


def test_a_second_write_is_seen_in_the_calls_and_in_the_world(place, recording):
    recording(ON, ON)
    place.scenario("two-lamps", **{"expect.yaml": SPEC})

    done = place.run("recordings", "--json")

    [result] = json.loads(done.stdout)["results"]
    failed = [(one["check"], one["code"], one["call"]) for one in result["findings"] if one["outcome"] == "fail"]
    assert failed == [
        ("must_call[0] set_lamp", "CALL_DUPLICATE", 1),
        ("final_state lamps", "STATE_COLLATERAL", 1),
    ]


def test_a_key_that_the_model_wrote_twice_is_noted_and_decides_nothing(place, recording):
    recording(chat_answer(calls=[("c1", "set_lamp", '{"on": false, "on": true}')]))
    place.scenario("two-lamps", **{"expect.yaml": SPEC})

    done, told = place.run("recordings", "--json"), place.run("recordings").stdout

    [result] = json.loads(done.stdout)["results"]
    note = 'set_lamp: key "on" stands twice: the last one counts'
    assert (done.returncode, result["verdict"], result["warnings"]) == (0, "PASS", [note])
    assert f"  note: {note}\n" in told


def test_a_recording_in_which_a_key_stands_twice_is_refused(place, recording):
    path = recording(ON)
    place.scenario("two-lamps", **{"expect.yaml": SPEC})
    *lines, _ = (
        path.read_bytes().replace(b'"type":"recording",', b'"type":"recording","id":"other",', 1).splitlines(True)
    )
    end = json.loads(path.read_bytes().splitlines()[-1]) | {"digest": digest_of(b"".join(lines))}
    path.write_bytes(b"".join(lines) + json.dumps(end).encode() + b"\n")

    done = place.run("recordings")

    assert done.returncode == 4
    assert f"{path.relative_to(place.directory)}:1: a key stands twice in one object" in done.stderr


def test_a_recording_without_a_spec_is_not_judged(place, recording):
    recording(ON)

    assert place.run("recordings").returncode == 6


def test_a_spec_of_the_command_line_is_judged_with_the_tools_beside_it(place, recording):
    path = recording(ON)
    place.scenario("two-lamps", **{"expect.yaml": SPEC})
    (place.directory / "elsewhere").mkdir()

    done = place.run(path, "--scenarios", "elsewhere", "--expect", "scenarios/two-lamps/expect.yaml")

    assert done.returncode == 0


def test_a_torn_tail_is_told_and_the_whole_recordings_are_judged(place, recording):
    recording(ON, tail=b'{"type":"exchange","num')
    place.scenario("two-lamps", **{"expect.yaml": SPEC})

    done = place.run("recordings")

    assert done.stdout.startswith("PASS")
    assert "the last line is torn" in done.stderr
    assert done.returncode == 4


def test_a_run_that_reached_its_limit_is_an_agent_error(place, recording):
    recording(ON, ON, ON, max_steps=2)
    place.scenario("two-lamps", **{"expect.yaml": SPEC})

    done = place.run("recordings")

    assert done.stdout.startswith("AGENT_ERROR  two-lamps  (the run ended as max_steps")
    assert done.returncode == 6


def test_assertions_are_suggested_for_a_recording_too(place, recording):
    path = recording(ON)

    done = place.run("suggest", path)

    assert {"kind": "tool_called", "name": "set_lamp", "max_count": 1} in map(json.loads, done.stdout.splitlines())
