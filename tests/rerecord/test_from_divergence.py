"""fc-record --from-divergence: what is unchanged is given by the last recording, the rest is asked live."""

import json

import pytest
from doors import fc_record, fc_replay
from loopback import Loopback, plain, stream
from recording_project import TABLES, Project
from spoken import chat_body, chat_events

from harness.files import load_fixture, load_journal

CALL = [("x1", "find_parcel", '{"code": "K7-11"}')]
LOOK, OSLO, THERE = (chat_body("Let me look.", CALL), chat_body("It is in Oslo."), chat_body("Still there."))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Give a project whose scenario has two user turns and was recorded: a call, an answer, an answer."""
    monkeypatch.chdir(tmp_path)
    project = Project(tmp_path)
    project.write("scenarios/find-parcel/user.2.txt", "And now?")
    record(LOOK, OSLO, THERE)
    return project


def record(*answers, options=()):
    """Record the scenario: what the command told, and the requests that the provider got."""
    with Loopback(*[one if isinstance(one, list) else plain(one) for one in answers or ({},)]) as server:
        done = fc_record("scenarios/find-parcel", "--base-url", server.url, *options)
    return done, [request.json for request in server.requests]


def again(*answers, options=()):
    return record(*answers, options=["--from-divergence", *options])


def exchanges(project):
    [recording] = load_journal(project.recording).recordings
    return recording.exchanges


def test_what_comes_before_a_changed_question_is_not_asked_again(project):
    before = exchanges(project)
    project.write("scenarios/find-parcel/user.2.txt", "And tomorrow?")

    done, asked = again(chat_body("In Rome."))

    after = exchanges(project)
    assert (done.exit_code, [body["messages"][-1]["content"] for body in asked]) == (0, ["And tomorrow?"])
    assert after[:2] == before[:2]
    assert [one.text for turn in load_fixture(project.fixture).transcript.turns[-2:] for one in turn.content] == [
        "And tomorrow?",
        "In Rome.",
    ]
    assert "  2 exchanges as recorded before, 1 asked live" in done.stdout
    assert fc_replay("check").exit_code == 0


def test_where_nothing_differs_nothing_is_asked(project):
    before = project.fixture.read_bytes().splitlines()

    done, asked = again()

    after = project.fixture.read_bytes().splitlines()
    metas = [json.loads(lines[0]) for lines in (before, after)]
    assert (done.exit_code, asked) == (0, [])
    assert after[1:] == before[1:]
    assert {name for name in metas[0] if metas[0][name] != metas[1][name]} == {"recordedAt"}
    assert done.stdout.splitlines()[-2:] == [
        "  3 exchanges as recorded before, 0 asked live",
        "  since the last recording: no change in behaviour",
    ]


def test_a_tool_that_answers_otherwise_is_a_divergence(project):
    tables = json.loads(json.dumps(TABLES).replace("Oslo", "Rome"))
    project.write("scenarios/find-parcel/world.json", json.dumps(tables))

    done, asked = again(chat_body("It is in Rome."), THERE)

    assert (done.exit_code, len(asked)) == (0, 2)
    assert asked[0]["messages"][-1]["content"] == '{"place":"Rome"}'
    assert [one.number for one in exchanges(project)] == [0, 1, 2]


def test_what_follows_the_first_difference_is_asked_live_though_it_is_equal(project):
    project.write("scenarios/find-parcel/user.txt", "Where is K7-12?")

    done, asked = again(LOOK, OSLO, THERE)

    assert (done.exit_code, len(asked)) == (0, 3)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["--model", "another"], id="another model"),
        pytest.param(["--param", "temperature=1"], id="another parameter"),
        pytest.param(["--provider", "openai"], id="another provider"),
    ],
)
def test_another_request_is_asked_live_from_its_start(project, options, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k-of-nobody-at-all")

    done, asked = again(LOOK, OSLO, THERE, options=options)

    assert (done.exit_code, len(asked)) == (0, 3)
    assert project.recording.exists()


def test_a_changed_prompt_is_asked_live_from_its_start(project):
    project.write("scenarios/find-parcel/system.txt", "Be brief.\n")

    _, asked = again(LOOK, OSLO, THERE)

    assert len(asked) == 3


def test_without_a_recording_everything_is_asked_live(project):
    project.recording.unlink()

    done, asked = again(LOOK, OSLO, THERE)

    assert (done.exit_code, len(asked)) == (0, 3)


def test_a_stream_keeps_its_chunks_and_times(project):
    record(
        stream(*chat_events(["Let me ", "look."], CALL)),
        stream(*chat_events(["Oslo."])),
        stream(*chat_events(["There."])),
        options=["--stream"],
    )
    before = exchanges(project)
    project.write("scenarios/find-parcel/user.2.txt", "And tomorrow?")

    _, asked = again(stream(*chat_events(["Rome."])), options=["--stream"])

    assert (len(asked), exchanges(project)[:2]) == (1, before[:2])


def test_an_answer_with_a_secret_is_asked_for_again(project):
    """What was recorded holds a placeholder, which the model never said."""
    calls = [("x1", "find_parcel", json.dumps({"code": "sk-" + "a1" * 20}))]
    record(chat_body("Let me look.", calls), OSLO, THERE)

    done, asked = again(chat_body("Let me look.", calls), OSLO, THERE)

    assert (done.exit_code, len(asked)) == (0, 3)
    assert b"[secret:openai-key:1]" in project.recording.read_bytes()


def test_tries_that_failed_are_remembered(project):
    busy = plain({"error": {"message": "busy"}}, status=429, headers={"retry-after-ms": "1"})
    record(busy, LOOK, OSLO, THERE, options=["--retries", "2"])
    before = exchanges(project)

    again()

    assert exchanges(project) == before
    assert (before[0].attempts, before[0].retried) == (2, [429])


def test_where_the_live_part_fails_the_old_recording_stays(project):
    before = project.files()
    project.write("scenarios/find-parcel/user.2.txt", "And tomorrow?")

    done, _ = again(plain({"error": {"message": "down"}}, status=503))

    after = project.files()
    assert done.exit_code == 7
    assert {name: after[name] for name in before} == before
    [kept] = load_journal(project.partial).recordings
    assert [one.status for one in kept.exchanges] == [200, 200, 503]


def test_only_the_stale_are_asked_and_only_from_where_they_differ(project):
    project.write("scenarios/find-parcel/user.2.txt", "And tomorrow?")

    done, asked = again(chat_body("In Rome."), options=["--stale", "--json"])

    [told] = json.loads(done.stdout)["recordings"]
    assert (done.exit_code, len(asked), told["served"], told["requests"]) == (0, 1, 2, 3)
