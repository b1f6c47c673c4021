"""fc-replay of recordings and runs: derived, played by the loop, held against scenario or suite, judged."""

import json
from pathlib import Path

import msgspec
import pytest
from recorded_run import HEADER, LAMP, chat_answer, recorded
from refund_run import write_scenario
from replay_door import places, run, told

from harness.cli.suites.run_trials import trial_of
from harness.files import load_suite
from harness.raw_run import Asked, Bounds, Head, Selection, Trial, bytes_of_run, file_of, run_with
from harness.recording_lines import lines_of_recording

TOOL = LAMP.model_dump(exclude={"issues"})
CALL = [("id-a", "set_lamp", '{"on":true}')]
FILE = "recordings/two-lamps.jsonl"


def lamps(*answers, **more):
    recording, _ = recorded("chat", list(answers) or [chat_answer("One moment.", CALL), chat_answer("Done.")], **more)
    return recording


@pytest.fixture
def directory(tmp_path, monkeypatch):
    """Make a directory with a scenario and its recording, and work in it."""
    monkeypatch.chdir(tmp_path)
    write_scenario(tmp_path / "scenarios" / "two-lamps", system="Be brief.", users=["Light, please."], tools=[TOOL])
    (tmp_path / "recordings").mkdir()
    (tmp_path / FILE).write_bytes(lines_of_recording(lamps()))
    return tmp_path


def expects(directory, tool):
    (directory / "scenarios" / "two-lamps" / "expect.yaml").write_text(f"must_call:\n  - tool: {tool}\n")


def test_a_recording_is_judged_by_its_scenario(directory):
    expects(directory, "set_lamp")

    code, outcome = told(FILE)

    assert (code, outcome["status"], outcome["errors"]) == (0, "PASS", [])


def test_a_recording_of_which_nothing_is_expected_is_not_judged(directory):
    assert told(FILE)[0] == 6
    assert directory.exists()


def test_a_tests_recording_is_replayed_whatever_its_name(directory):
    recording = lamps()
    header = msgspec.structs.replace(
        recording.header,
        id="tests-test_lamps-test_two-4021_eur",
        scenario=None,
        origin="test:tests/test_lamps.py::test_two",
    )
    path = directory / "recordings" / f"{header.id}.jsonl"
    path.write_bytes(lines_of_recording(msgspec.structs.replace(recording, header=header)))

    code, outcome = told(f"recordings/{header.id}.jsonl")

    assert (code, outcome["status"], outcome["errors"]) == (6, "NOT_JUDGED", [])


def test_a_recording_whose_prompt_changed_is_stale(directory):
    (directory / "scenarios" / "two-lamps" / "system.txt").write_text("Be long.")

    code, outcome = told(FILE)

    assert code == 3
    assert places(outcome) == [("PROMPT_CHANGED", "scenarios/two-lamps/system.txt", None)]


def test_a_journal_that_was_cut_off_is_told_and_judged_as_far_as_it_goes(directory):
    whole = (directory / FILE).read_bytes().split(b"\n")
    (directory / FILE).write_bytes(b"\n".join(whole[:4]) + b"\n" + whole[4][:50])
    expects(directory, "set_lamp")

    code, out = run(FILE, "--json")

    results = json.loads(out)["results"]
    assert code == 4
    assert [one["status"] for one in results] == ["NOT_JUDGED", "UNREADABLE"]
    assert places(results[1]) == [("TORN_LINE", FILE, 5)]


def case(name, *calls, **fields):
    golden = {"calls": [{"tool": tool, "params": params} for tool, params in calls], "order_sensitive": False}
    return {
        "id": name,
        "dimension": "D1",
        "category": "light",
        "instruction": "Light, please.",
        "context": {"db_fixture": "standard", "notes": "A lamp."},
        "golden": golden,
        "negative": not calls,
        "skip": False,
        "skip_reason": None,
    } | fields


GOOD, BAD, LATE, LEFT = (f"fc-d1-00{number}" for number in range(1, 5))
CASES = [
    case(GOOD, ("set_lamp", {"on": True})),
    case(BAD, ("set_lamp", {"on": False})),
    case(LATE, ("set_lamp", {"on": True})),
    case(LEFT, skip=True, skip_reason="not today"),
]


@pytest.fixture
def night(tmp_path, monkeypatch):
    """Make a suite and a run of it: one case passes, one fails, one never ended, one is skipped."""
    monkeypatch.chdir(tmp_path)
    suite = write_scenario(
        tmp_path / "scenarios" / "lamps", system="Be brief.", users=[], tools=[TOOL], suite_toml='title = "Lamps"\n'
    )
    (suite / "cases.jsonl").write_text("".join(json.dumps(one) + "\n" for one in CASES))
    directory = tmp_path / "recordings" / "night"
    directory.mkdir(parents=True)
    trials = [finished(directory, GOOD), finished(directory, BAD), finished(directory, LATE, max_steps=1)]
    trials.append(Trial(case=LEFT, trial=1, status="skipped"))
    head = Head(
        id="night",
        suite="lamps",
        selection=Selection(cases=[one["id"] for one in CASES], trials=1),
        model="m",
        asked=Asked(provider="local", api="chat", host="127.0.0.1", params={}),
        agent=Bounds(max_steps=9, timeout_s=9, retries=0),
        inputs=load_suite(suite).hashes._asdict(),
        versions={},
        redaction=HEADER.redaction,
        started_at="2026-01-02T03:04:05Z",
    )
    (directory / "run.json").write_bytes(bytes_of_run(run_with(head, trials)))
    return tmp_path


def finished(directory, name, **more):
    recording = lamps(**more)
    header = msgspec.structs.replace(HEADER, id=name, scenario="lamps", trial=1)
    raw = lines_of_recording(msgspec.structs.replace(recording, header=header))
    (directory / file_of(name, 1)).write_bytes(raw)
    return trial_of(raw, name, 1, file=file_of(name, 1))


def test_a_run_is_judged_case_by_case_by_its_suite(night):
    code, out = run("recordings", "--json")

    results = json.loads(out)["results"]
    assert code == 1
    assert {one["id"]: one["status"] for one in results} == {
        f"{GOOD}.1": "PASS",
        f"{BAD}.1": "FAIL",
        f"{LATE}.1": "AGENT_ERROR",
        f"{LEFT}.1": "SKIP",
    }
    assert [one["errors"] for one in results] == [[], [], [], []]
    assert night.exists()


@pytest.mark.parametrize(("name", "status"), [(GOOD, "PASS"), (BAD, "FAIL"), (LATE, "AGENT_ERROR")])
def test_a_single_file_of_a_run_is_judged_by_its_suite_too(night, name, status):
    file = night / "recordings" / "night" / file_of(name, 1)

    _, one = told(file)

    assert (one["id"], one["status"], one["errors"]) == (f"{name}.1", status, [])


def test_a_case_that_asks_otherwise_today_is_stale_with_its_line(night):
    cases = [one | {"instruction": "Dark, please."} if one["id"] == BAD else one for one in CASES]
    (night / "scenarios" / "lamps" / "cases.jsonl").write_text("".join(json.dumps(one) + "\n" for one in cases))

    code, out = run("recordings/night", "--json")

    stale = [one for one in json.loads(out)["results"] if one["errors"]]
    assert code == 4
    assert [places(one) for one in stale] == [
        [("USER_CHANGED", "scenarios/lamps/cases.jsonl", 2)],
        [("BAD_RUN", "recordings/night/run.json", None)],
    ]
    assert stale[0]["errors"][0]["next"] == "fc-record scenarios/lamps --case fc-d1-002"


def test_a_file_of_a_run_that_was_changed_is_named(night):
    path = night / "recordings" / "night" / f"{GOOD}.1.jsonl"
    path.write_bytes(path.read_bytes() + b"\n")

    code, out = run("recordings/night", "--json")

    assert code == 4
    assert places(json.loads(out)["results"][0]) == [("BAD_RUN", f"recordings/night/{GOOD}.1.jsonl", None)]


def rewritten(night, change):
    """The run with a manifest that says something else."""
    path = night / "recordings" / "night" / "run.json"
    manifest = json.loads(path.read_bytes())
    change(manifest)
    path.write_text(json.dumps(manifest))


def _golden(night):
    cases = [one | {"golden": None} if one["id"] == BAD else one for one in CASES]
    (night / "scenarios" / "lamps" / "cases.jsonl").write_text("".join(json.dumps(one) + "\n" for one in cases))
    return "scenarios/lamps/cases.jsonl is not what the run was recorded with"


def _policy(night):
    (night / "scenarios" / "lamps" / "policy.md").write_text("Anything goes.")
    return "scenarios/lamps/policy.md is not what the run was recorded with"


def _dropped(night):
    rewritten(night, lambda manifest: manifest["trials"].pop(1))
    return "the trials are not those that were selected"


def _file_gone(night):
    (night / "recordings" / "night" / f"{BAD}.1.jsonl").unlink()
    return f"the recording of {BAD}, trial 1, is missing"


def _said_otherwise(night):
    rewritten(night, lambda manifest: manifest["trials"][1].update(calls=7))
    return "the manifest says another calls than the file"


def _said_skipped(night):
    rewritten(night, lambda manifest: manifest["trials"].__setitem__(1, {"case": BAD, "trial": 1, "status": "skipped"}))
    return f"case {BAD}, trial 1, is skipped, and the suite says otherwise"


FORGED = [_golden, _policy, _dropped, _file_gone, _said_otherwise, _said_skipped]


@pytest.mark.parametrize("forge", FORGED, ids=lambda one: one.__name__.strip("_"))
def test_a_run_that_is_not_what_was_recorded_is_no_evidence(night, forge):
    told = forge(night)

    code, out = run("recordings/night", "--json")

    messages = [error["message"] for one in json.loads(out)["results"] for error in one["errors"]]
    assert code == 4
    assert messages.count(told) == 1


def test_a_changed_prompt_of_a_suite_is_drift_and_told_once(night):
    (night / "scenarios" / "lamps" / "system.txt").write_text("Be long.")

    code, out = run("recordings/night", "--json")

    codes = {error["code"] for one in json.loads(out)["results"] for error in one["errors"]}
    assert (code, codes) == (3, {"PROMPT_CHANGED"})


def test_a_run_of_skipped_cases_is_no_evidence(night):
    cases = [one | {"skip": True, "skip_reason": "later"} for one in CASES]
    (night / "scenarios" / "lamps" / "cases.jsonl").write_text("".join(json.dumps(one) + "\n" for one in cases))
    inputs = load_suite(night / "scenarios" / "lamps").hashes._asdict()
    trials = [{"case": one["id"], "trial": 1, "status": "skipped"} for one in CASES]
    counts = {"trials": len(CASES), "finished": 0, "skipped": len(CASES), "pending": 0, "outcomes": {}}
    rewritten(night, lambda manifest: manifest.update(trials=trials, inputs=inputs, counts=counts))
    for path in (night / "recordings" / "night").glob("*.jsonl"):
        path.unlink()

    code, out = run("recordings/night", "--json")

    results = json.loads(out)["results"]
    assert (code, [one["status"] for one in results]) == (6, ["SKIP"] * len(CASES))
    assert [one["errors"] for one in results] == [[]] * len(CASES)


def test_a_run_without_its_suite_is_named(night):
    Path("elsewhere").mkdir()

    code, outcome = told("recordings/night", "--scenarios", "elsewhere")

    assert code == 2
    assert places(outcome) == [("PATH_NOT_FOUND", "elsewhere/lamps/cases.jsonl", None)]
    assert night.exists()
