"""A run of a suite that was stopped goes on where it was; and what does not fit a run is found."""

import json
import signal
import threading

import pytest
from loopback import until
from recording_project import record, start_recording
from suite_project import RUN, TOML, SuiteProject, answered, number_of, provider

from harness import errors
from harness.cli.suites.run_files import cases_of_run, run_problems
from harness.cli.suites.suite_run import resuming
from harness.files import load_suite

IDS = [f"fc-d1-{number:03}" for number in range(1, 7)]


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return SuiteProject(tmp_path)


@pytest.fixture
def recorded(project, capsys):
    """The project with a whole run."""
    with provider() as server:
        record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN)
    return project


def hanging_at(number, released):
    """A provider that does not answer one question until it is told to."""

    def answer(request):
        return [released, *answered(request)] if number_of(request) == number else answered(request)

    return answer


def asked_in(server):
    return sorted({number_of(request) for request in server.requests})


def recordings_of(project):
    return {path.name: path.read_bytes() for path in project.run.glob("*.jsonl")}


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda one: one.name)
def test_a_stopped_run_goes_on_without_asking_a_finished_case_again(project, capsys, stop):
    released = threading.Event()
    with provider(hanging_at(4, released)) as server:
        arguments = ["scenarios/parcels", "--base-url", server.url]
        process = start_recording(project.root, *arguments, "--run-id", RUN)
        until(lambda: number_of(server.requests[-1]) == 4 if server.requests else False)
        until(lambda: len(recordings_of(project)) == 3)
        process.send_signal(stop)
        _, told = process.communicate()
        kept = recordings_of(project)
        released.set()
        server.requests.clear()
        ran = record(capsys, *arguments, "--resume", RUN)

    assert process.returncode == (-9 if stop is signal.SIGKILL else 130)
    assert ("--resume nightly" in told) == (stop is not signal.SIGKILL)
    assert (ran.code, asked_in(server)) == (0, [4, 5, 6])
    assert kept.items() <= recordings_of(project).items()
    assert [(one.case, one.trial, one.status) for one in project.manifest().trials] == [
        (one, 1, "finished") for one in IDS
    ]
    assert (project.manifest().counts.finished, project.names()) == (
        6,
        [*(f"{one}.1.jsonl" for one in IDS), "run.json"],
    )
    assert run_problems(project.run, load_suite(project.suite)) == []


def test_a_killed_run_can_be_read_and_says_what_is_missing(project):
    released = threading.Event()
    with provider(hanging_at(3, released)) as server:
        process = start_recording(project.root, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN)
        until(lambda: len(recordings_of(project)) == 2)
        process.kill()
        process.communicate()
        released.set()

    manifest = project.manifest()
    assert (manifest.ended_at, manifest.counts.trials) == (None, 6)
    assert {(one.case, type(one.error)) for one in cases_of_run(project.run) if one.error} >= {
        (one, errors.NotRun) for one in IDS[2:]
    }


def test_what_was_finished_while_the_manifest_was_behind_counts(project, capsys):
    path, stale = project.run / "run.json", {"trial": 1, "status": "pending"}

    with provider() as server:
        arguments = ["scenarios/parcels", "--base-url", server.url]
        record(capsys, *arguments, "--run-id", RUN)
        manifest = json.loads(path.read_bytes())
        manifest["trials"][1:] = [stale | {"case": one} for one in IDS[1:]]
        path.write_text(json.dumps(manifest | {"endedAt": None}))
        (project.run / "fc-d1-006.1.jsonl").unlink()
        server.requests.clear()
        ran = record(capsys, *arguments, "--resume", str(project.run))

    assert (ran.code, asked_in(server)) == (0, [6])
    assert project.manifest().counts.finished == 6
    assert run_problems(project.run, load_suite(project.suite)) == []


def test_half_a_file_that_a_kill_left_is_cleared_away(recorded, capsys):
    torn = recorded.run / ".fc-d1-004.1.jsonl.x9y8.tmp"
    torn.write_bytes(b"{")

    record(capsys, "scenarios/parcels", "--base-url", f"http://{recorded.manifest().asked.host}", "--resume", RUN)

    assert not torn.exists()


def test_a_whole_run_has_nothing_to_go_on_with(recorded, capsys):
    host, before = recorded.manifest().asked.host, (recorded.run / "run.json").read_bytes()

    ran = record(capsys, "scenarios/parcels", "--base-url", f"http://{host}", "--resume", RUN)

    assert (ran.code, (recorded.run / "run.json").read_bytes()) == (0, before)
    assert "6 finished or skipped already, 0 to ask" in ran.err


def test_a_run_is_not_begun_over_another(recorded, capsys):
    before = recordings_of(recorded)

    ran = record(capsys, "scenarios/parcels", "--base-url", "http://127.0.0.1:9", "--run-id", RUN)

    assert ran.code == 2
    assert "--resume nightly goes on with it" in ran.err
    assert recordings_of(recorded) == before


DIFFERENT = {
    "the model": ((), {"--model": "m-2"}, "model: m-asked there, m-2 here"),
    "a parameter": ((), {"--param": "seed=8"}, "params: "),
    "the address": ((), {"--base-url": "http://127.0.0.1:1"}, "host: "),
    "the steps": ((), {"--max-steps": "9"}, "max_steps: 3 there, 9 here"),
    "the trials": ((), {"--trials": "2"}, "trials: 1 there, 2 here"),
    "the cases": ((), {"--case": "fc-d1-001"}, "cases: 6 of the suite's there, 1 of the suite's here"),
    "the prompt": (("system.txt", "Be brief.\n"), {}, "system.txt changed since then"),
    "the world": (
        ("world.py", "def start(tables): return tables\ndef call(state, name, arguments): return state, None, True\n"),
        {},
        "world.py changed since then",
    ),
    "the configuration": (("suite.toml", TOML + "\n"), {}, "suite.toml changed since then"),
}


@pytest.mark.parametrize(("written", "options", "told"), DIFFERENT.values(), ids=DIFFERENT)
def test_a_run_that_was_asked_otherwise_is_not_gone_on_with(recorded, capsys, written, options, told):
    address = {"--base-url": f"http://{recorded.manifest().asked.host}"}
    before = {**recordings_of(recorded), "run.json": (recorded.run / "run.json").read_bytes()}
    if written:
        recorded.write(*written)

    words = [word for pair in (address | options).items() for word in pair]
    ran = record(capsys, "scenarios/parcels", *words, "--resume", RUN, "--json")

    [error] = json.loads(ran.out)["errors"]
    assert (ran.code, error["code"]) == (2, "RUN_DIFFERS")
    assert error["message"].startswith(f"the run was asked otherwise:\n  - {told}")
    assert error["message"].count("\n") == 1
    assert {**recordings_of(recorded), "run.json": (recorded.run / "run.json").read_bytes()} == before


def test_two_processes_do_not_record_one_run(project, capsys):
    released = threading.Event()
    with provider(hanging_at(1, released)) as server:
        arguments = ["scenarios/parcels", "--base-url", server.url]
        process = start_recording(project.root, *arguments, "--run-id", RUN)
        until(lambda: server.requests)
        second = record(capsys, *arguments, "--resume", RUN)
        released.set()
        process.communicate()

    assert (second.code, process.returncode) == (2, 0)
    assert "another process is recording this run" in second.err


def change_manifest(project, change):
    path = project.run / "run.json"
    manifest = json.loads(path.read_bytes())
    change(manifest)
    path.write_text(json.dumps(manifest))


def swap_files(project):
    first, second = (project.run / f"{one}.1.jsonl" for one in IDS[:2])
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    trials = {one.case: one for one in project.manifest().trials}

    def swap(manifest):
        manifest["trials"][0]["digest"] = trials[IDS[1]].digest
        manifest["trials"][1]["digest"] = trials[IDS[0]].digest

    change_manifest(project, swap)


BROKEN = {
    "a recording is gone": (lambda one: (one.run / "fc-d1-002.1.jsonl").unlink(), "fc-d1-002, trial 1, is missing"),
    "a recording was changed": (
        lambda one: (one.run / "fc-d1-002.1.jsonl").write_bytes(b"{}\n"),
        "not the file that the run made",
    ),
    "a file too many": (
        lambda one: (one.run / "fc-d1-002.2.jsonl").write_bytes(b""),
        "the manifest does not list this file",
    ),
    "two files were swapped": (swap_files, "the recording is of another trial"),
    "a trial stands twice": (
        lambda one: change_manifest(one, lambda it: it["trials"].append(it["trials"][0])),
        "case fc-d1-001, trial 1, stands 2 times",
    ),
    "a trial is not listed": (
        lambda one: change_manifest(one, lambda it: it["trials"].pop()),
        "the trials are not those that were selected",
    ),
    "more trials were selected than any disk holds": (
        lambda one: change_manifest(one, lambda it: it["selection"].update(trials=10**9)),
        "the trials are not those that were selected",
    ),
    "a count is wrong": (
        lambda one: change_manifest(one, lambda it: it["counts"].update(finished=5)),
        "the counts are not those of the trials",
    ),
    "an outcome was bettered": (
        lambda one: change_manifest(one, lambda it: it["trials"][0].update(outcome="refused")),
        "the manifest says another outcome than the file",
    ),
    "an unknown key": (
        lambda one: change_manifest(one, lambda it: it.update(modle="x")),
        "Object contains unknown field `modle`",
    ),
    "no JSON": (lambda one: (one.run / "run.json").write_bytes(b"{"), "the manifest is no JSON"),
    "a path out of the directory": (
        lambda one: change_manifest(one, lambda it: it["trials"][0].update(case="../../x")),
        "Expected `str` matching regex",
    ),
    "the policy changed": (lambda one: one.write("policy.md", "New.\n"), "policy.md is not what the run was recorded"),
    "a case is gone": (
        lambda one: one.write("cases.jsonl", "\n".join((one.suite / "cases.jsonl").read_text().split("\n")[:5]) + "\n"),
        "case fc-d1-006 is not in the suite",
    ),
}


@pytest.mark.parametrize(("change", "told"), BROKEN.values(), ids=BROKEN)
def test_what_does_not_fit_a_run_is_named(recorded, change, told):
    change(recorded)

    problems = run_problems(recorded.run, load_suite(recorded.suite))

    assert any(told in str(problem) for problem in problems), list(map(str, problems))
    assert {problem.exit_code for problem in problems} == {4}


def test_the_trials_of_a_run_are_read_one_by_one(recorded):
    (recorded.run / "fc-d1-002.1.jsonl").write_bytes(b"{}\n")
    (recorded.run / "fc-d1-003.1.jsonl").unlink()

    trials = list(cases_of_run(recorded.run))

    assert [(one.case, one.trial) for one in trials] == [(one, 1) for one in IDS]
    assert [one.recording.header.id if one.recording else None for one in trials] == [IDS[0], None, None, *IDS[3:]]
    assert [type(one.error) for one in trials[1:3]] == [errors.BadRun, errors.BadRun]


def test_the_command_that_goes_on_is_the_one_that_began():
    begun = "fc-record scenarios/x --run-id nightly --param 'a=b c'"

    assert resuming(begun, "nightly") == "fc-record scenarios/x --param 'a=b c' --resume nightly"
    assert resuming("fc-record x --resume=other --json", "n") == "fc-record x --json --resume n"
