"""fc-record of a suite from end to end: a file a case and trial, and a manifest that they prove."""

import json

import jsonschema
import pytest
from loopback import RESET, plain
from recording_project import record
from spoken import chat_body
from suite_project import RUN, SuiteProject, answered, case, is_first, number_of, provider

from harness.cli.schemas import schema_of
from harness.cli.suites.run_files import run_problems
from harness.files import load_suite
from harness.raw_run import bytes_of_run, run_of
from harness.recording import conversation_of
from harness.suite import hashes_of
from harness.transcript import TokenLedger
from harness.value import digest_of

IDS = [f"fc-d1-{number:03}" for number in range(1, 7)]


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return SuiteProject(tmp_path)


def run(capsys, server, *arguments):
    return record(capsys, "scenarios/parcels", "--base-url", server.url, *arguments)


def test_every_case_becomes_a_recording_and_the_manifest_lists_them(project, capsys):
    with provider() as server:
        ran = run(capsys, server, "--run-id", RUN)

    manifest = project.manifest()
    first = manifest.trials[0]
    assert (ran.code, ran.out) == (
        0,
        "nightly: 6 trials: 6 completed\n  tokens:  240 input, 60 output\n  raw run: recordings/nightly/run.json\n",
    )
    assert project.names() == [*(f"{one}.1.jsonl" for one in IDS), "run.json"]
    assert [(one.case, one.trial, one.file) for one in manifest.trials] == [(one, 1, f"{one}.1.jsonl") for one in IDS]
    assert (first.requests, first.calls, first.tokens) == (2, 1, TokenLedger(40, None, None, 10))
    assert first.digest == digest_of((project.run / first.file).read_bytes())
    assert (manifest.counts.finished, manifest.counts.outcomes) == (6, {"completed": 6})
    assert run_problems(project.run, load_suite(project.suite)) == []


def test_the_manifest_says_how_it_was_asked(project, capsys):
    with provider() as server:
        run(capsys, server, "--run-id", RUN, "--param", "top_p=0.5", "--retries", "1")

    manifest = project.manifest()
    files = {path.name: path.read_bytes() for path in project.suite.iterdir() if path.is_file()}
    assert (manifest.suite, manifest.model, manifest.asked.host) == ("parcels", "m-asked", server.url[7:])
    assert manifest.asked.params == {"max_tokens": 64, "temperature": 0.2, "seed": 7, "top_p": 0.5}
    assert (manifest.agent.max_steps, manifest.agent.timeout_s, manifest.agent.retries) == (3, 5, 1)
    assert manifest.inputs == hashes_of(files)._asdict()
    assert sorted(manifest.versions) == ["fc-harness", "openai", "python"]
    assert manifest.started_at < manifest.ended_at


def test_the_manifest_is_what_its_schema_says(project, capsys):
    with provider() as server:
        run(capsys, server, "--run-id", RUN, "--case", "fc-d1-001")

    raw = (project.run / "run.json").read_bytes()
    jsonschema.validate(json.loads(raw), schema_of("run"))
    assert bytes_of_run(run_of(raw, file="run.json")) == raw


def test_only_the_instruction_of_the_case_goes_to_the_model(project, capsys):
    with provider() as server:
        run(capsys, server, "--run-id", RUN, "--case", "fc-d1-002")

    sent = server.requests[0].json
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert sent["messages"][1]["content"] == case(2)["instruction"]
    assert "K7-11" not in sent["messages"][0]["content"]
    recording = project.recording("fc-d1-002")
    assert len(conversation_of(recording, recording.exchanges[-1])) == 3
    assert (recording.header.id, recording.header.scenario, recording.header.trial) == ("fc-d1-002", "parcels", 1)
    assert recording.tools[0].at


def test_every_trial_starts_from_the_same_tables(project, capsys):
    with provider() as server:
        run(capsys, server, "--run-id", RUN, "--trials", "2")

    asked = [project.recording(one, trial).state.changes[0].after["asked"] for one in IDS for trial in (1, 2)]
    assert asked == [1] * 12


def test_what_a_world_keeps_in_its_module_does_not_reach_the_next_trial(project, capsys):
    project.write(
        "world.py",
        "seen = []\ndef start(t): return t\ndef call(s, n, a):\n    seen.append(n)\n    return s, len(seen), False\n",
    )
    with provider() as server:
        run(capsys, server, "--run-id", RUN, "--concurrency", "3")

    assert [project.recording(one).tools[0].result for one in IDS] == ["1"] * 6


def test_trials_are_told_apart_by_number_and_seed(project, capsys):
    with provider() as server:
        ran = run(capsys, server, "--run-id", RUN, "--trials", "3", "--case", "fc-d1-003", "--case", "fc-d1-001")

    manifest = project.manifest()
    seeds = [next(iter(project.recording("fc-d1-001", trial).contexts.values())).params["seed"] for trial in (1, 2, 3)]
    assert ran.code == 0
    assert [(one.case, one.trial) for one in manifest.trials] == [
        (one, trial) for one in ("fc-d1-001", "fc-d1-003") for trial in (1, 2, 3)
    ]
    assert (seeds, manifest.asked.params["seed"]) == ([7, 8, 9], 7)


def timeless(project, directory):
    """Every recording of a run without its times, and the manifest without times and digests."""
    gone = {"recordedAt", "at", "ms", "digest", "host", "hash", "context", "id", "startedAt", "endedAt"}

    def clean(value):
        match value:
            case dict():
                return {key: clean(item) for key, item in value.items() if key not in gone}
            case list():
                return [clean(item) for item in value]
            case _:
                return value

    paths = sorted((project.root / "recordings" / directory).iterdir())
    return {path.name: [clean(json.loads(line)) for line in _values_in(path)] for path in paths}


def _values_in(path):
    raw = path.read_text()
    return [raw] if path.name == "run.json" else raw.splitlines()


def test_several_at_once_make_the_same_as_one_after_the_other(project, capsys):
    runs = {}
    for concurrency in ("1", "4"):
        with provider() as server:
            ran = run(capsys, server, "--run-id", f"by-{concurrency}", "--trials", "2", "--concurrency", concurrency)
        assert ran.code == 0
        runs[concurrency] = timeless(project, f"by-{concurrency}")

    assert runs["1"] == runs["4"]
    assert len(runs["1"]) == 13


def test_a_case_that_breaks_is_recorded_as_that_and_the_run_goes_on(project, capsys):
    def breaking(request):
        match number_of(request), is_first(request):
            case 2, _:
                return plain({"error": {"message": "overloaded"}}, status=529)
            case 3, False:
                return [RESET]
            case 4, _:
                return [60]
            case 5, _:
                return plain(chat_body(None, [("x5", "find_parcel", '{"code": "K7-11"}')]))
            case _:
                return answered(request)

    with provider(breaking) as server:
        ran = run(capsys, server, "--run-id", RUN, "--concurrency", "2", "--timeout", "0.5")

    broken = {one.case: one.error for one in project.manifest().trials if one.error}
    assert ran.code == 0
    assert list(project.outcomes().values()) == ["completed", "error", "error", "timeout", "max_steps", "completed"]
    assert (broken["fc-d1-002"].status, broken["fc-d1-002"].message) == (529, "HTTP 529: overloaded")
    assert broken["fc-d1-003"].status is None
    assert broken["fc-d1-004"].message == "the live call was not answered within 0.5 s"
    assert len(project.recording("fc-d1-003").tools) == 1
    assert run_problems(project.run, load_suite(project.suite)) == []


def test_a_key_that_the_provider_echoes_is_written_nowhere(project, monkeypatch, capsys):
    key = "or-v1-c0ffee-4242-beef"
    monkeypatch.setenv("OPENROUTER_API_KEY", key)

    def echoing(request):
        if number_of(request) == 2:
            return plain({"error": {"message": f"quota of {key} exceeded"}}, status=529)
        return answered(request)

    with provider(echoing) as server:
        ran = run(capsys, server, "--run-id", RUN, "--param", f"user={key}", "--json")

    written = [path.read_text() for path in project.run.iterdir()]
    assert (ran.code, len(written)) == (0, 7)
    assert [text for text in (*written, ran.out, ran.err) if key in text] == []
    assert project.manifest().asked.params["user"].startswith("[secret:")


def test_a_skipped_case_is_listed_and_not_asked(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    project = SuiteProject(tmp_path, case(1), case(2, skip=True, skip_reason="the shop is closed"))

    with provider() as server:
        ran = run(capsys, server, "--run-id", RUN, "--json")

    assert {number_of(request) for request in server.requests} == {1}
    assert project.manifest().trials[1].status == "skipped"
    assert json.loads(ran.out) == {
        "run": "recordings/nightly/run.json", "id": "nightly", "trials": 2, "finished": 1, "skipped": 1, "pending": 0,
        "outcomes": {"completed": 1}, "asked_again": {},
        "tokens": {"input": 40, "cache_read": None, "cache_creation": None, "output": 10}, "errors": [],
    }  # fmt: skip
    assert run_problems(project.run, load_suite(project.suite)) == []


REFUSED = {
    "a wrong key": (lambda _: plain({"error": {"message": "no such key"}}, status=401), "HTTP 401: no such key"),
    "an unknown model": (
        lambda _: plain({"error": {"message": "no such model"}}, status=404),
        "HTTP 404: no such model",
    ),
    "nothing there": (lambda _: [RESET], "APIConnectionError: Connection error."),
}


@pytest.mark.parametrize(("answer", "told"), REFUSED.values(), ids=REFUSED)
def test_a_provider_that_refuses_from_the_first_on_stops_the_run(project, capsys, answer, told):
    with provider(lambda request: [0.5 if number_of(request) > 3 else 0, *answer(request)]) as server:
        ran = run(capsys, server, "--run-id", RUN)

    assert ran.code == 7
    assert f"every case so far was refused alike, so the run stops here: {told}" in ran.err
    assert (
        f"  next:     check the address {server.url}/v1 (--base-url) and the model's name m-asked (--model); then "
        in ran.err
    )
    assert 3 <= len(server.requests) <= 4  # the next is asked while the third is looked at
    assert project.names() == []


def test_a_refusal_after_an_answer_stops_nothing(project, capsys):
    def expired(request):
        return answered(request) if number_of(request) == 1 else plain({"error": "expired"}, status=401)

    with provider(expired) as server:
        ran = run(capsys, server, "--run-id", RUN)

    assert ran.code == 0
    assert project.manifest().counts.outcomes == {"completed": 1, "error": 5}


def test_without_a_run_id_the_run_is_named_by_suite_model_and_time(project, capsys):
    with provider() as server:
        run(capsys, server, "--model", "Qwen/Qwen2.5:7b", "--case", "fc-d1-001")

    [directory] = (project.root / "recordings").iterdir()
    assert directory.name[:-15] == "parcels-qwen-qwen2-5-7b-"
    assert directory.name[-15:-7].isdigit()
