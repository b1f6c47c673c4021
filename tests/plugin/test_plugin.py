"""The pytest plugin: a test's agent is recorded on wish, replayed by default, and every drift fails its test."""

import json
import os

import pytest
from greeter import TEST, text_of

from harness.files import load_journal

pytest_plugins = ["pytester"]


def test_a_test_is_recorded_and_then_replayed_without_a_provider(project):
    project.write()

    recorded, server = project.record()
    replayed = project.run()

    recorded.assert_outcomes(passed=1)
    replayed.assert_outcomes(passed=1)
    assert len(server.requests) == 1
    assert [path.name for path in project.recordings.iterdir()] == ["test_greeter-test_hello.jsonl"]
    assert "0 replayed, 1 recorded" in text_of(recorded)
    assert "1 replayed, 0 recorded" in text_of(replayed)


def test_the_mode_takes_no_path_that_follows_it(project):
    project.write()

    recorded, _ = project.record("test_greeter.py::test_hello")

    recorded.assert_outcomes(passed=1)


def test_a_missing_recording_names_the_one_command_that_makes_it(project):
    project.write()

    result = project.run()

    result.assert_outcomes(errors=1)
    assert "pytest --fc-record test_greeter.py::test_hello" in text_of(result)
    assert "During handling" not in text_of(result)


def test_a_drift_fails_at_teardown_and_is_summed_up(project, monkeypatch):
    project.write(TEST + """
def test_again(fc):
    assert ask(fc, "again") == "Hello"
""")  # fmt: skip
    project.record()
    monkeypatch.setenv("PROMPT", "Be long.")

    result = project.run()

    result.assert_outcomes(passed=2, errors=2)
    assert "Be «long»." in text_of(result)
    assert "1 prompt segment changed → 2 recordings stale" in text_of(result)


def test_a_drift_that_the_marker_allows_passes(project, monkeypatch):
    project.write(TEST.replace("def test", 'import pytest\n\n@pytest.mark.fc(allow=["PROMPT"])\ndef test'))
    project.record()
    monkeypatch.setenv("PROMPT", "Be long.")

    project.run().assert_outcomes(passed=1)


@pytest.mark.parametrize("mark", ["fc('PROMPT')", "fc(alow=['PROMPT'])", "fc(allow=['PROMT'])"])
def test_a_marker_that_says_nothing_known_is_an_error(project, mark):
    project.write(TEST.replace("def test", f"import pytest\n\n@pytest.mark.{mark}\ndef test"))
    project.record()

    project.run().assert_outcomes(errors=1)


def test_a_miss_that_the_agent_swallows_fails(project):
    project.write()
    project.record()
    project.write("""
from agent import ask

def test_hello(fc):
    try:
        ask(fc, "ho")
    except KeyError:
        pass
""")  # fmt: skip

    result = project.run()

    result.assert_outcomes(passed=1, errors=1)
    assert "CONVERSATION" in text_of(result)


def test_unplayed_exchanges_fail(project):
    project.write(TEST + "    assert ask(fc, 'bye') == 'Hello'\n")
    project.record()
    project.write()

    result = project.run()

    result.assert_outcomes(passed=1, errors=1)
    assert "UNPLAYED" in text_of(result)


def test_a_run_without_a_request_fails_both_ways(project):
    project.write()
    project.record()
    project.write("def test_hello(fc):\n    pass\n")

    replayed = project.run()
    recorded, _ = project.record()

    replayed.assert_outcomes(passed=1, errors=1)
    recorded.assert_outcomes(passed=1, errors=1)
    assert "NOT_INTERCEPTED" in text_of(replayed)


def test_a_failing_test_replaces_no_recording(project):
    project.write()
    project.record()
    path = project.recordings / "test_greeter-test_hello.jsonl"
    before = path.read_bytes()
    project.write(TEST.replace('"Hello"', '"Bye"'))

    recorded, _ = project.record()

    recorded.assert_outcomes(failed=1)
    assert path.read_bytes() == before
    assert "0 replayed, 0 recorded, 1 not recorded" in text_of(recorded)
    assert "mv recordings/test_greeter-test_hello.jsonl.failed recordings/test_greeter-test_hello.jsonl" in text_of(
        recorded
    )


def test_new_records_what_has_no_recording_and_replays_the_rest(project):
    project.write()
    project.record()
    project.write(TEST + "\ndef test_bye(fc):\n    assert ask(fc, 'bye') == 'Hello'\n")

    recorded, server = project.record(option="--fc-record=new")

    recorded.assert_outcomes(passed=2)
    assert "1 replayed, 1 recorded" in text_of(recorded)
    assert len(server.requests) == 1


def test_stale_records_only_what_drifted(project):
    project.write(TEST + "\ndef test_bye(fc):\n    assert ask(fc, 'bye') == 'Hello'\n")
    project.record()
    kept = project.recordings / "test_greeter-test_hello.jsonl"
    before = kept.read_bytes()
    project.write(TEST + "\ndef test_bye(fc):\n    assert ask(fc, 'bye', seed=7) == 'Hello'\n")

    recorded, server = project.record(option="--fc-record=stale")
    replayed = project.run()

    recorded.assert_outcomes(passed=2)
    replayed.assert_outcomes(passed=2)
    assert [request.json["seed"] for request in server.requests] == [7]
    assert kept.read_bytes() == before
    assert "1 replayed, 1 recorded" in text_of(recorded)


def test_two_tests_with_one_file_name_are_an_error(project):
    project.write(TEST + "\ndef test_Hello(fc):\n    assert ask(fc, 'hi') == 'Hello'\n")

    recorded, _ = project.record()

    recorded.assert_outcomes(passed=1, errors=1)
    assert "test_greeter.py::test_hello has the same recording" in text_of(recorded)


def test_a_recording_of_another_test_is_not_replayed(project):
    project.write()
    project.record()
    project.write(TEST.replace("test_hello", "test_hi"))
    old = project.recordings / "test_greeter-test_hello.jsonl"
    old.rename(project.recordings / "test_greeter-test_hi.jsonl")

    result = project.run()

    result.assert_outcomes(errors=1)
    assert "test:test_greeter.py::test_hello" in text_of(result)


def test_replay_shows_clients_placeholder_keys_and_no_profile(project, monkeypatch):
    source = """
import os
from pathlib import Path
from agent import ask

def test_hello(fc):
    ask(fc, "hi")
    keys = [os.environ.get(name) for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")]
    assert keys == {keys}
    assert "ANTHROPIC_CONFIG_DIR" not in os.environ or not list(Path(os.environ["ANTHROPIC_CONFIG_DIR"]).iterdir())
"""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "a1B2" * 8)
    project.write(source.replace("{keys}", repr([os.environ["OPENAI_API_KEY"], None])))
    recorded, _ = project.record()
    project.write(source.replace("{keys}", repr(["fc-placeholder-key", "fc-placeholder-key"])))

    replayed = project.run()

    recorded.assert_outcomes(passed=1)
    replayed.assert_outcomes(passed=1)
    assert os.environ["OPENAI_API_KEY"] == "sk-" + "a1B2" * 8


def test_the_recording_stands_under_the_directory_that_the_project_names(project):
    (project.path / "pyproject.toml").write_text('[tool.pytest]\nminversion = "9"\nfc_recordings = "cassettes"\n')
    project.write()

    project.record()

    [recording] = load_journal(project.path / "cassettes" / "test_greeter-test_hello.jsonl").recordings
    assert recording.header.origin == "test:test_greeter.py::test_hello"


def test_tests_that_do_not_use_fc_see_nothing_of_it(project):
    project.write("def test_one():\n    pass\n")

    result = project.run("--fc-record")

    result.assert_outcomes(passed=1)
    assert "recorded" not in text_of(result)
    assert not project.recordings.exists()


def test_workers_share_the_tests_and_one_summary(project, pytester, monkeypatch):
    project.write(TEST + "\ndef test_bye(fc):\n    assert ask(fc, 'bye') == 'Hello'\n")
    project.record()
    monkeypatch.setenv("PROMPT", "Be long.")

    result = pytester.runpytest_subprocess("-n", "2", "-p", "no:cacheprovider")

    result.assert_outcomes(passed=2, errors=2)
    assert "1 prompt segment changed → 2 recordings stale" in text_of(result)


def test_starting_pytest_costs_no_heavy_import(pytester):
    code = (
        "import json, sys\n"
        "before = set(sys.modules)\n"
        "import harness.pytest_plugin\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names)))"
    )

    done = pytester.run(__import__("sys").executable, "-c", "import pytest\n" + code)

    assert json.loads(done.outlines[-1]) == ["harness"]


def test_a_client_made_at_import_without_a_key_is_told_what_to_do(project, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    project.write(test_early="import openai\nclient = openai.OpenAI()\n\ndef test_early(fc):\n    pass\n")

    ran = project.run()

    ran.assert_outcomes(errors=1)
    assert 'os.environ.setdefault("OPENAI_API_KEY", "placeholder") in conftest.py' in text_of(ran)


@pytest.mark.parametrize("mark", ['allow="PROMT"', 'timing="slow"'])
@pytest.mark.parametrize("option", [(), ("--fc-record",)], ids=["replay", "record"])
def test_a_marks_value_that_is_none_is_refused_before_the_test(project, mark, option):
    project.write()
    project.record()
    project.write(f"import pytest\npytestmark = pytest.mark.fc({mark})\n{TEST}")

    ran = project.run(*option)

    ran.assert_outcomes(errors=1)
    assert "is not known here" in text_of(ran)
