"""A run goes on as it was asked without being told again, and trials that had no answer are asked once more."""

import json
import threading

import pytest
from loopback import plain, until
from recording_project import record, start_recording
from suite_project import RUN, SuiteProject, answered, number_of, provider

from harness.cli.suites.run_files import run_problems
from harness.files import load_suite

ASKED = ["--model", "m-2", "--param", "top_p=0.5", "--param", "max_tokens=32", "--max-steps", "2", "--timeout", "4"]
MORE = [
    "--retries",
    "1",
    "--extra-body",
    '{"user": "u"}',
    "--trials",
    "2",
    "--case",
    "fc-d1-001",
    "--case",
    "fc-d1-002",
]


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return SuiteProject(tmp_path)


def begun(capsys, server, *arguments):
    return record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN, *arguments)


def params_in(server):
    """What each request asked beside its messages, each thing once."""
    bodies = [{key: value for key, value in one.json.items() if key != "messages"} for one in server.requests]
    return [one for at, one in enumerate(bodies) if one not in bodies[:at]]


def files_of(project):
    return {path.name: path.read_bytes() for path in project.run.iterdir()}


def change_manifest(project, **asked):
    path = project.run / "run.json"
    manifest = json.loads(path.read_bytes())
    manifest["asked"].update(asked)
    path.write_text(json.dumps(manifest))


def failing_at(*numbers):
    """A provider that breaks at some questions."""

    def answer(request):
        return (
            plain({"error": {"message": "broke"}}, status=500) if number_of(request) in numbers else answered(request)
        )

    return answer


class Moody:
    """An answer that can be changed while the provider is there."""

    def __init__(self, answer):
        self.now = answer

    def __call__(self, request):
        return self.now(request)


def test_a_run_goes_on_by_its_name_alone(project, capsys):
    with provider() as server:
        begun(capsys, server, *ASKED, *MORE)
        asked, whole = params_in(server), files_of(project)
        (project.run / "fc-d1-002.1.jsonl").unlink()
        (project.run / "fc-d1-001.2.jsonl").unlink()
        server.requests.clear()
        ran = record(capsys, "--resume", RUN)

    assert (ran.code, sorted({number_of(one) for one in server.requests})) == (0, [1, 2])
    assert params_in(server) == asked
    assert {
        "model": "m-2",
        "top_p": 0.5,
        "max_tokens": 32,
        "temperature": 0.2,
        "user": "u",
        "seed": 7,
        "tools": asked[0]["tools"],
    } in asked
    assert files_of(project).keys() == whole.keys()
    assert run_problems(project.run, load_suite(project.suite)) == []


def test_a_streamed_run_goes_on_streamed(project, capsys):
    with provider() as server:
        begun(capsys, server, "--stream")
        asked = params_in(server)
        (project.run / "fc-d1-002.1.jsonl").unlink()
        server.requests.clear()
        record(capsys, "--resume", str(project.run))

    assert asked[0]["stream"] is True
    assert params_in(server) == asked


def test_a_provider_at_an_address_of_this_machine_stays_the_provider(project, capsys):
    with provider() as server:
        begun(capsys, server, "--provider", "openai")
        (project.run / "fc-d1-002.1.jsonl").unlink()
        ran = record(capsys, "--resume", RUN)

    assert (ran.code, project.recording("fc-d1-002").header.provider) == (0, "openai")


def test_the_suite_of_a_run_that_lies_elsewhere_is_asked_for(project, capsys):
    with provider() as server:
        begun(capsys, server)
    project.suite.rename(project.root / "parcels")

    ran = record(capsys, "--resume", RUN)

    assert ran.code == 2
    assert ran.err == (
        "scenarios/parcels/suite.toml: no such file or directory\n"
        "  next:     name the suite's directory: fc-record SUITE --resume ID\n"
    )


def test_the_key_comes_from_the_environment(project, capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with provider() as server:
        begun(capsys, server)
    change_manifest(project, provider="openai", host="api.openai.com")

    ran = record(capsys, "--resume", RUN, "--json")

    [error] = json.loads(ran.out)["errors"]
    assert (ran.code, error["code"]) == (2, "MISSING_KEY")


def test_an_address_of_which_only_the_host_is_kept_is_asked_for(project, capsys):
    with provider() as server:
        begun(capsys, server)
    change_manifest(project, host="models.example")

    ran = record(capsys, "--resume", RUN)

    assert ran.code == 2
    assert "the run asked models.example: the manifest keeps no more of the address than that" in ran.err
    assert "next:     add --base-url https://models.example/… as it was asked" in ran.err


def test_a_secret_that_no_manifest_holds_is_not_replaced_by_its_place(project, capsys, monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", "shop-0123456789")
    with provider() as server:
        begun(capsys, server, "--param", "user=shop-0123456789")
        (project.run / "fc-d1-002.1.jsonl").unlink()
        server.requests.clear()
        without = record(capsys, "--resume", RUN, "--json")
        unasked = len(server.requests)
        again = record(capsys, "--resume", RUN, "--param", "user=shop-0123456789")

    [error] = json.loads(without.out)["errors"]
    assert (without.code, error["code"], unasked) == (2, "RUN_DIFFERS", 0)
    assert (again.code, {one["user"] for one in params_in(server)}) == (0, {"shop-0123456789"})


def test_trials_without_an_answer_are_asked_again_and_no_others(project, capsys):
    answer = Moody(failing_at(2, 5))
    with provider(answer) as server:
        first = begun(capsys, server)
        before = files_of(project)
        answer.now = failing_at(5)
        server.requests.clear()
        again = record(capsys, "--resume", RUN, "--retry-errors")

    after = files_of(project)
    changed = {name for name in after if after[name] != before[name]}
    assert (
        "2 trials without an answer; to ask again: fc-record --resume recordings/nightly --retry-errors\n" in first.err
    )
    assert "4 finished or skipped already, 2 to ask" in again.err
    assert "1 trial without an answer" in again.err
    assert (again.code, sorted({number_of(one) for one in server.requests})) == (0, [2, 5])
    assert changed == {"fc-d1-002.1.jsonl", "fc-d1-005.1.jsonl", "run.json"}
    assert [outcome for outcome in project.outcomes().values() if outcome != "completed"] == ["error"]
    assert run_problems(project.run, load_suite(project.suite)) == []


@pytest.mark.usefixtures("project")
def test_without_the_option_they_count_as_finished(capsys):
    with provider(failing_at(2)) as server:
        begun(capsys, server)
        server.requests.clear()
        ran = record(capsys, "--resume", RUN)

    assert (ran.code, server.requests) == (0, [])


def test_a_retry_that_is_killed_has_lost_nothing(project, capsys):
    released = threading.Event()
    answer = Moody(failing_at(2))
    with provider(answer) as server:
        begun(capsys, server)
        before = files_of(project)
        answer.now = lambda request: [released, *answered(request)]
        server.requests.clear()
        process = start_recording(project.root, "--resume", RUN, "--retry-errors")
        until(lambda: server.requests)
        process.kill()
        process.communicate()
        released.set()
        kept, problems = files_of(project), run_problems(project.run, load_suite(project.suite))
        answer.now = answered
        ran = record(capsys, "--resume", RUN, "--retry-errors")

    assert {**kept, "run.json": b""} == {**before, "run.json": b""}
    assert problems == []
    assert (ran.code, set(project.outcomes().values())) == (0, {"completed"})


def test_a_retry_that_is_refused_leaves_the_run_as_it_was(project, capsys):
    answer = Moody(failing_at(2))
    with provider(answer) as server:
        begun(capsys, server)
        before = files_of(project)
        answer.now = lambda _: plain({"error": {"message": "no such key"}}, status=401)
        ran = record(capsys, "--resume", RUN, "--retry-errors")

    assert (ran.code, files_of(project)) == (7, before)


def test_a_torn_trial_is_named_with_the_way_to_ask_it_again(project, capsys):
    torn = project.run / "fc-d1-002.1.jsonl"
    with provider() as server:
        begun(capsys, server)
        torn.write_bytes(torn.read_bytes()[:-40])
        refused = record(capsys, "--resume", RUN)
        server.requests.clear()
        torn.rename(torn.with_name(torn.name + ".aside"))
        ran = record(capsys, "--resume", RUN)

    there = "recordings/nightly/fc-d1-002.1.jsonl"
    assert refused.code == 4
    assert f"restore it from git, or move it away, and the case is asked again: mv {there} {there}.aside" in refused.err
    assert (ran.code, {number_of(one) for one in server.requests}) == (0, {2})


@pytest.mark.usefixtures("project")
def test_nothing_is_asked_again_where_no_run_is_named(capsys):
    ran = record(capsys, "scenarios/parcels", "--retry-errors")

    assert ran.code == 2
    assert "--retry-errors is for a run that is there: add --resume ID" in ran.err
