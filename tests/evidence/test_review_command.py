"""fc-judge review: keystrokes in a terminal, answers out of files, and what is refused."""

import json
import shutil
import time

import pytest
from evidence_project import Terminal, answers_file, judge
from evidence_samples import saved_answers

from harness.cli.evidence.review_file import Reviewer, ReviewFile
from harness.cli.suites.run_report import load_report
from harness.errors import EvidenceTaken
from harness.evidence.review import Given
from harness.report.report import UNFINISHED
from harness.report.writing import bytes_of


def test_one_keystroke_an_answer_saved_before_the_next_is_shown(project):
    file = project / "recordings/one/review.json"
    with Terminal(project, "review", "recordings/one", "--reviewer", "ada") as screen:
        first = screen.read_until("every answer is saved")
        screen.type("m")
        screen.read_until("fc-d1-003, trial 1: model error, saved")
        saved = saved_answers(file)
        screen.type("G")
        screen.read_until("note:")
        screen.type("the parcel is lost — 丢了\n")
        screen.read_until("fc-d1-007, trial 1: golden error, saved")
        screen.type("q")
        last = screen.read_until("review: recordings/one/review.json")
        code = screen.ended()

    assert "1 of 12  FAIL  fc-d1-003, trial 1  D1  where-2  plain" in first
    assert 'code: expected "K7-11", got "K9-99"' in first
    assert saved == [("fc-d1-003", "model_error", "")]
    assert saved_answers(file) == [
        ("fc-d1-003", "model_error", ""),
        ("fc-d1-007", "golden_error", "the parcel is lost — 丢了"),
    ]
    assert "2 of 2 failures answered: 1 model error, 1 golden error" in last
    assert code == 6


def test_a_killed_review_has_lost_nothing_and_goes_on(project):
    with Terminal(project, "review", "recordings/one", "--reviewer", "ada") as screen:
        screen.read_until("every answer is saved")
        screen.type("m")
        screen.read_until("model error, saved")
        screen.process.kill()

    with Terminal(project, "review", "recordings/one", "--reviewer", "ben") as again:
        seen = again.read_until("every answer is saved")
        again.type("j" + "c" * 10)  # typed ahead
        again.read_until("review: recordings/one/review.json")
        code = again.ended()

    assert "1 of 11  FAIL  fc-d1-007" in seen
    assert code == 0
    review = json.loads((project / "recordings/one/review.json").read_bytes())
    assert [one["reviewer"] for one in review["answers"]] == ["ada", *["ben"] * 11]
    assert (review["method"], review["reviewers"], review["failures"]["misjudged"]) == ("human", ["ada", "ben"], 0.5)


def test_keys_go_back_and_forth_and_an_answer_can_be_changed(project):
    with Terminal(project, "review", "recordings/one", "--reviewer", "ada") as screen:
        screen.read_until("every answer is saved")
        screen.type("ubmcsb")  # c is no answer on a failure
        screen.read_until("2 of 12")
        for key in ("\x1b[D", "\x1b[C", "q"):
            screen.type(key)
            time.sleep(0.3)
        screen.read_until("review:")
        code = screen.ended()

    assert saved_answers(project / "recordings/one/review.json") == [("fc-d1-003", "model_error", "")]
    assert code == 6


def test_a_key_that_says_nothing_is_told_with_those_that_do(project):
    with Terminal(project, "review", "recordings/one", "--reviewer", "ada") as screen:
        screen.read_until("every answer is saved")
        screen.type("?")
        told = screen.read_until("every answer is saved")
        screen.type("q")
        screen.ended()

    assert "? says nothing here: the keys are" in told


@pytest.mark.usefixtures("project")
def test_without_a_terminal_it_says_how_else():
    done = judge("review", "recordings/one", "--reviewer", "ada")

    assert done.code == 2
    assert "in a browser: --web, out of a file: --answers FILE" in done.err


def test_answers_out_of_a_file_are_assisted(project, tmp_path):
    done = judge(
        "review", "recordings/one", "--answers", answers_file(tmp_path / "a.jsonl"), "--reviewer", "triage", "--json"
    )

    assert done.code == 0
    assert (done.json["method"], done.json["reviewers"], done.json["type"]) == ("assisted", ["triage"], "review")
    assert json.loads((project / "recordings/one/review.json").read_bytes()) == done.json


WRONG_LINES = {
    "an unknown case": ('{"case": "fc-d1-0033", "answer": "unclear"}', "is not asked about", "fc-d1-003"),
    "another trial": (
        '{"case": "fc-d1-003", "trial": 2, "answer": "unclear"}',
        "trial 2, is not asked about",
        "fc-d1-003",
    ),
    "an unknown answer": ('{"case": "fc-d1-003", "answer": "judge_eror"}', "answer", "judge_error"),
    "an answer that does not suit": (
        '{"case": "fc-d1-003", "answer": "correct"}',
        "correct is no answer on a FAIL",
        None,
    ),
    "an unknown field": ('{"case": "fc-d1-003", "answer": "unclear", "notes": ""}', "notes", "note"),
    "a key twice": ('{"case": "fc-d1-003", "answer": "unclear", "answer": "model_error"}', "a key stands twice", None),
    "a result twice": ('{"case": "fc-d1-007", "answer": "unclear"}', "trial 1, is answered by a line before", None),
    "no JSON": ('{"case": "fc-d1-003" "answer": "unclear"}', "not JSON", None),
}


@pytest.mark.parametrize(("line", "told", "nearest"), WRONG_LINES.values(), ids=WRONG_LINES)
def test_of_a_file_with_a_wrong_line_nothing_is_taken(project, tmp_path, line, told, nearest):
    file = tmp_path / "a.jsonl"
    file.write_text(f'{{"case": "fc-d1-007", "answer": "model_error"}}\n{line}\n')

    done = judge("review", "recordings/one", "--answers", file, "--reviewer", "triage")

    assert done.code == 4
    assert f"{file}:2: " in done.err
    assert told in done.err
    assert nearest is None or f"nearest:  {nearest}" in done.err
    assert f"next:     mend line 2 of {file}, then run the same command again: no answer was taken" in done.err
    assert "record it again" not in done.err
    assert saved_answers(project / "recordings/one/review.json") == []


def test_a_wrong_word_names_those_that_are_allowed(project, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"case": "fc-d1-003", "answer": "wrong"}\n')

    done = judge("review", "recordings/one", "--answers", file, "--reviewer", "triage", "--json")

    assert (done.json["code"], done.json["line"]) == ("BAD_EVIDENCE", 1)
    assert done.json["expected"] == "correct, golden_error, judge_error, model_error, unclear"
    assert project.exists()


SECRET = "hunter2-hunter2-hunter2"


def test_a_secret_in_a_note_or_a_name_is_not_written(project, tmp_path, monkeypatch):
    monkeypatch.setenv("DESK_PASSWORD", SECRET)
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"case": "fc-d1-003", "answer": "unclear", "note": f"log in with {SECRET}"}) + "\n")

    judge("review", "recordings/one", "--answers", file, "--reviewer", f"ada {SECRET}")

    raw = (project / "recordings/one/review.json").read_text()
    assert SECRET not in raw
    assert saved_answers(project / "recordings/one/review.json") == [
        ("fc-d1-003", "unclear", "log in with [secret:value:1]")
    ]


def test_status_asks_and_writes_nothing(project):
    done = judge("review", "recordings/one", "--status")

    assert done.code == 6
    assert "0 of 2 failures answered" in done.out
    assert done.err == "not begun, recordings/one/review.json is not there yet: fc-judge review recordings/one\n"
    assert not (project / "recordings/one/review.json").exists()


def test_status_names_a_review_that_is_there(project):
    (project / "none.jsonl").touch()
    judge("review", "recordings/one", "--answers", project / "none.jsonl", "--reviewer", "ada")

    assert judge("review", "recordings/one", "--status").err == "review: recordings/one/review.json\n"


def test_a_persons_answers_take_the_place_of_assisted_ones(project, tmp_path):
    judge("review", "recordings/one", "--answers", answers_file(tmp_path / "a.jsonl"), "--reviewer", "triage")
    with Terminal(project, "review", "recordings/one", "--reviewer", "ada", "--again") as screen:
        screen.read_until("answered before: model error, by triage, assisted")
        screen.type("mm" + "c" * 10)
        screen.read_until("review:")
        code = screen.ended()

    assert code == 0
    assert json.loads((project / "recordings/one/review.json").read_bytes())["method"] == "human"


def test_a_review_of_another_run_is_refused(project, tmp_path):
    answers = answers_file(tmp_path / "a.jsonl")
    judge("review", "recordings/one", "--answers", answers, "--reviewer", "triage", "--output", "kept.json")
    before = (project / "kept.json").read_bytes()

    done = judge("review", "recordings/two", "--output", "kept.json", "--status")

    assert done.code == 4
    assert "made for other recordings of the same suite" in done.err
    assert (project / "kept.json").read_bytes() == before


def test_a_run_whose_inputs_have_changed_since_is_not_reviewed(project):
    with (project / "scenarios/parcels/policy.md").open("a") as file:
        file.write("Be kind.\n")

    done = judge("review", "recordings/one", "--status")

    assert done.code == 4
    assert "the run was recorded with other inputs than are here now: policy.md" in done.err


def test_a_run_whose_files_were_changed_is_not_reviewed(project):
    recording = project / "recordings/one/fc-d1-003.1.jsonl"
    recording.write_bytes(recording.read_bytes().replace(b"K9-99", b"K8-88"))

    done = judge("review", "recordings/one", "--status", "--json")

    assert (done.code, done.json["code"], done.json["file"]) == (4, "BAD_RUN", "recordings/one/fc-d1-003.1.jsonl")


def test_a_run_that_was_stopped_is_not_reviewed_yet(project):
    run = project / "recordings/one/run.json"
    told = json.loads(run.read_bytes())
    told["trials"][0] = {**told["trials"][0], "status": "pending", "outcome": None, "file": None, "digest": None}
    told["counts"].update(finished=11, pending=1, outcomes={"completed": 11})
    told["endedAt"] = None
    run.write_text(json.dumps(told))
    (project / "recordings/one/fc-d1-001.1.jsonl").unlink()

    done = judge("review", "recordings/one", "--status")

    assert done.code == 4
    assert f"{UNFINISHED}; evidence is of whole runs" in done.err


def test_a_report_file_can_be_reviewed_too(project, tmp_path):
    (project / "nightly.json").write_bytes(bytes_of(load_report(project / "recordings/one").report))

    done = judge("review", "nightly.json", "--answers", answers_file(tmp_path / "a.jsonl"), "--reviewer", "triage")

    assert done.code == 0
    assert len(saved_answers(project / "nightly.review.json")) == 12


@pytest.mark.usefixtures("project")
def test_what_an_earlier_review_found_wrong_is_kept_in_the_next(tmp_path):
    wrong = answers_file(tmp_path / "a.jsonl", fc_d1_003="golden_error", fc_d1_001="judge_error")
    judge("review", "recordings/one", "--answers", wrong, "--reviewer", "triage")

    done = judge(
        "review", "recordings/two", "--after", "recordings/one/review.json",
        "--answers", answers_file(tmp_path / "b.jsonl"), "--reviewer", "triage", "--json",
    )  # fmt: skip

    assert done.code == 0
    assert [(one["case"], one["answer"]) for one in done.json["earlier"]] == [
        ("fc-d1-003", "golden_error"), ("fc-d1-001", "judge_error"),
    ]  # fmt: skip
    assert done.json["goldenErrors"] == 0


def test_a_review_that_someone_else_writes_meanwhile_is_not_written_over(project):
    loaded = load_report(project / "recordings/one")
    book, other = (ReviewFile(project / "review.json", loaded) for _ in range(2))
    book.begin()
    with pytest.raises(EvidenceTaken):
        other.answer(0, Given("unclear", "", *Reviewer("ben", "human")))

    book.answer(0, Given("model_error", "", *Reviewer("ada", "human")))

    assert saved_answers(project / "review.json") == [("fc-d1-003", "model_error", "")]


def test_the_report_of_a_run_is_the_same_wherever_it_lies(project, tmp_path):
    shutil.copytree(project / "recordings/one", tmp_path / "elsewhere")

    there = load_report(tmp_path / "elsewhere", suite=project / "scenarios/parcels")

    assert bytes_of(there.report) == bytes_of(load_report(project / "recordings/one").report)
    assert (there.run, there.name, there.changed) == ("one", "elsewhere", ())
