"""fc-replay check: what is wrong without playing anything: orphans, secrets, schemas, derivation."""

import json

import pytest
from click.testing import CliRunner
from recorded_run import HEADER, LAMP, chat_answer, recorded
from refund_run import GET_ORDER, TOOLS, lines, meta, refund_turns, result, write_scenario

from harness.cli.replay import main
from harness.fixture_derivation import fixture_of_recording
from harness.fixture_lines import lines_of_fixture
from harness.recording_lines import lines_of_recording

FIXTURE = "fixtures/refund.jsonl"
KEY = "sk-ant-api03-" + "k3y" * 12
ABSENT = "the recording is not here, so that the fixture derives from it was not checked"


def check(*arguments):
    """Return the exit code and all results."""
    done = CliRunner().invoke(main, ["check", *arguments, "--json"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, json.loads(done.stdout)["results"]


def found(results):
    return [(error["code"], error["file"], error["line"]) for one in results for error in one["errors"]]


def test_a_good_project_is_ok(project):
    done = CliRunner().invoke(main, ["check", "--no-derive"])

    assert (done.exit_code, done.stdout) == (0, "OK           refund\n1 checked: 1 OK\n")
    assert found(check()[1]) == []
    assert project.exists()


@pytest.mark.usefixtures("project")
def test_a_recording_that_is_not_there_is_said_and_counted():
    done = CliRunner().invoke(main, ["check"])

    assert done.exit_code == 0
    assert f"warning: {ABSENT} (1 of the fixtures)\n" in done.stdout


def test_a_scenario_without_a_fixture_is_an_orphan(project):
    write_scenario(project / "scenarios" / "exchange")

    code, results = check()

    assert code == 3
    assert found(results) == [("SCENARIO_ORPHAN", "scenarios/exchange", None)]
    assert results[1]["errors"][0]["next"] == "fc-record scenarios/exchange"


def test_a_suite_is_no_orphan(project):
    suite = write_scenario(project / "scenarios" / "retail")
    (suite / "cases.jsonl").write_text("")

    assert found(check()[1]) == []


def test_a_directory_without_a_prompt_is_no_scenario(project):
    (project / "scenarios" / "shared").mkdir()

    assert found(check()[1]) == []


def test_orphans_are_looked_for_only_where_all_fixtures_were_read(project):
    write_scenario(project / "scenarios" / "exchange")

    assert found(check(FIXTURE)[1]) == []
    assert found(check("fixtures")[1]) == [("SCENARIO_ORPHAN", "scenarios/exchange", None)]


@pytest.mark.parametrize("part", ["recordings", "recordings/nightly", "fixtures/shop"])
def test_a_directory_that_holds_not_all_fixtures_has_no_orphans(derived, part):
    (derived / part).mkdir(exist_ok=True)
    (derived / part / "copy.jsonl").write_bytes((derived / "recordings" / "two-lamps.jsonl").read_bytes())
    write_scenario(derived / "scenarios" / "exchange")

    code, results = check(part, "--no-derive")

    assert (code, found(results)) == (0, [])


@pytest.mark.parametrize(
    "whole", [["."], ["fixtures", "recordings"], ["recordings", "fixtures/two-lamps.jsonl", "fixtures"]]
)
def test_orphans_are_looked_for_where_the_fixtures_are_among_what_was_read(derived, whole):
    write_scenario(derived / "scenarios" / "exchange")

    code, results = check(*whole)

    assert (code, found(results)) == (3, [("SCENARIO_ORPHAN", "scenarios/exchange", None)])


def test_the_scenario_of_an_unreadable_fixture_is_no_orphan(project):
    (project / FIXTURE).write_bytes(b"{")

    assert found(check()[1]) == [("MALFORMED_LINE", FIXTURE, 1)]


def test_a_secret_in_a_fixture_is_named_by_kind_and_never_shown(project):
    turns = refund_turns()
    turns[2] = result(1, f"key {KEY}")
    (project / FIXTURE).write_bytes(b"".join(lines(turns)))

    code, results = check()

    assert code == 2
    assert found(results) == [("SECRET_IN_FILE", FIXTURE, 4)]
    assert results[0]["errors"][0]["message"] == "holds a secret (anthropic-key)"
    assert KEY not in json.dumps(results)


@pytest.mark.parametrize("name", ["notes.md", "world.py", "world.json"])
def test_a_secret_in_a_scenarios_file_is_named_with_its_line(project, name):
    text = {"world.json": '{\n"users": {"key": "id", "rows": [{"id": "%s"}]}}'}.get(name, "\n# %s")
    (project / "scenarios" / "refund" / name).write_text(text % KEY)

    assert found(check()[1]) == [("SECRET_IN_FILE", f"scenarios/refund/{name}", 2)]


def test_the_value_of_a_secret_variable_is_a_secret(project, monkeypatch):
    monkeypatch.setenv("SHOP_PASSWORD", "correct horse battery")
    (project / "scenarios" / "refund" / "notes.md").write_text("correct horse battery")

    assert found(check()[1]) == [("SECRET_IN_FILE", "scenarios/refund/notes.md", 1)]


def test_a_placeholder_is_no_secret(project):
    turns = refund_turns()
    turns[2] = result(1, '{"api_key":"[secret:api-key:1]"}')
    (project / FIXTURE).write_bytes(b"".join(lines(turns)))

    assert found(check()[1]) == []


def test_a_schema_that_is_none_is_named(project):
    write_scenario(
        project / "scenarios" / "refund", tools=[*TOOLS, GET_ORDER | {"name": "x", "parameters": {"type": "objekt"}}]
    )

    code, results = check()

    assert code == 4
    assert [code for code, _, _ in found(results)] == ["TOOL_CHANGED", "BAD_SCHEMA"]
    assert results[0]["errors"][1]["file"] == "scenarios/refund/tools.json"


@pytest.fixture
def derived(tmp_path, monkeypatch):
    """Make a project whose fixture derives from its recording; return its directory."""
    monkeypatch.chdir(tmp_path)
    calls = [("id-a", "set_lamp", '{"on":true}')]
    recording, _ = recorded("chat", [chat_answer("One moment.", calls), chat_answer("Done.")])
    write_scenario(
        tmp_path / "scenarios" / HEADER.id,
        system="Be brief.",
        users=["Light, please."],
        tools=[LAMP.model_dump(exclude={"issues"})],
    )
    for name in ("fixtures", "recordings"):
        (tmp_path / name).mkdir()
    (tmp_path / "recordings" / "two-lamps.jsonl").write_bytes(lines_of_recording(recording))
    fixture = fixture_of_recording(recording, title="Two lamps")
    (tmp_path / "fixtures" / "two-lamps.jsonl").write_bytes(lines_of_fixture(fixture))
    return tmp_path


def edit(path, old, new):
    raw = path.read_bytes()
    assert raw.count(old) == 1
    path.write_bytes(raw.replace(old, new))


@pytest.mark.usefixtures("derived")
def test_a_fixture_that_its_recording_gives_is_ok():
    code, results = check()

    assert (code, found(results), results[0]["warnings"]) == (0, [], [])


EDITS = {
    "an answer": (b'"One moment."', b'"A moment."', 3),
    "an argument": (b'{"on":true}}', b'{"on":false}}', 3),
    "a ledger": (b'"input":7,"cache_read":null,"cache_creation":null,"output":2},"stopReason":"stop"', b'"input":8,"cache_read":null,"cache_creation":null,"output":2},"stopReason":"stop"', 5),
    "the model": (b'"model":"m"', b'"model":"n"', 1),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "number"), EDITS.values(), ids=EDITS)
def test_a_fixture_that_was_edited_is_not_derived(derived, old, new, number):
    edit(derived / "fixtures" / "two-lamps.jsonl", old, new)

    code, results = check()

    assert code == 3
    assert found(results) == [("NOT_DERIVED", "fixtures/two-lamps.jsonl", number)]
    assert found(check("--no-derive")[1]) == []


def test_assertions_and_title_are_a_persons_own(derived):
    path = derived / "fixtures" / "two-lamps.jsonl"
    edit(path, b'"assertions":[]', b'"assertions":[ {"kind":"trace_max_turns","max":9} ]')
    edit(path, b'"scenario":"Two lamps"', b'"scenario":"Lamps, two"')

    assert found(check()[1]) == []


def test_a_turn_that_was_cut_off_is_not_derived(derived):
    path = derived / "fixtures" / "two-lamps.jsonl"
    kept = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*kept[:4], *kept[5:]]))

    assert found(check()[1]) == [("NOT_DERIVED", "fixtures/two-lamps.jsonl", 5)]


def test_a_recording_that_was_edited_is_named(derived):
    edit(derived / "recordings" / "two-lamps.jsonl", b'"agentVersion":"0.1.0"', b'"agentVersion":"0.1.1"')

    code, results = check()

    assert code == 4
    assert [code for code, _, _ in found(results)] == ["DIGEST_MISMATCH"]


def test_a_changed_prompt_is_shown_word_by_word_where_the_recording_has_the_old_one(derived):
    (derived / "scenarios" / "two-lamps" / "system.txt").write_text("Be very brief.")

    _, results = check()

    (error,) = results[0]["errors"]
    assert (error["code"], error["expected"]) == ("PROMPT_CHANGED", "Be «brief».")
    assert error["found"] == "Be «very brief»."


def test_a_recording_without_a_fixture_is_an_orphan(derived):
    (derived / "fixtures" / "two-lamps.jsonl").unlink()

    code, results = check()

    assert code == 3
    assert found(results) == [
        ("SCENARIO_ORPHAN", "scenarios/two-lamps", None),
        ("RECORDING_ORPHAN", "recordings/two-lamps.jsonl", None),
    ]


def test_a_recording_outside_the_recordings_is_never_read(derived):
    edit(derived / "fixtures" / "two-lamps.jsonl", b'"recording":"two-lamps"', b'"recording":"../two-lamps"')
    (derived / "recordings" / "two-lamps.jsonl").rename(derived / "two-lamps.jsonl")

    code, results = check()

    assert (code, found(results)) == (4, [("MALFORMED_LINE", "fixtures/two-lamps.jsonl", 1)])


def test_a_recording_is_checked_for_its_form_and_its_secrets(derived):
    path = derived / "recordings" / "two-lamps.jsonl"

    assert found(check("recordings/two-lamps.jsonl")[1]) == []

    path.write_bytes(path.read_bytes().split(b"\n")[0] + f'\n{{"type": "{KEY}'.encode())

    assert found(check("recordings/two-lamps.jsonl")[1]) == [
        ("TORN_LINE", "recordings/two-lamps.jsonl", 2),
        ("SECRET_IN_FILE", "recordings/two-lamps.jsonl", 2),
    ]


def test_a_fixture_that_names_a_recording_is_checked_against_it_or_not_at_all(project):
    (project / FIXTURE).write_bytes(b"".join(lines(head=meta(recording="run-1/refund.1"))))

    code, results = check()

    assert (code, found(results)) == (3, [("RECORDING_LOST", FIXTURE, 1)])
    assert found(check("--no-derive")[1]) == []
