"""Who answers: a script takes the place of no person unaided, nothing that was said is lost, and what is asked is listed."""

import json

import pytest
from evidence_project import Terminal, answers_file, judge
from evidence_samples import member, reviewed

from harness.evidence.documents import bytes_of_document, read_document
from harness.evidence.review import Given, Review, Sheet, check_review
from harness.evidence.review_text import lines_of_review
from harness.report.terminal import text_of

FILE = "recordings/one/review.json"


@pytest.fixture
def by_anna(project):
    """A review of which anna, at a terminal, has answered the first question."""
    with Terminal(project, "review", "recordings/one", "--reviewer", "anna") as screen:
        screen.read_until("every answer is saved")
        screen.type("J")
        screen.read_until("note:")
        screen.type("it was right\n")
        screen.read_until("judge error, saved")
        screen.type("q")
        screen.read_until(f"review: {FILE}")
        screen.ended()
    return project


def by_script(tmp_path, *options, **answers):
    file = answers_file(tmp_path / "a.jsonl", **answers)
    return judge("review", "recordings/one", "--answers", file, "--reviewer", "triage", *options)


def test_a_script_replaces_no_answer_of_a_person(by_anna, tmp_path):
    before = (by_anna / FILE).read_bytes()

    done = by_script(tmp_path)

    assert done.code == 2
    assert "a person has answered: anna said judge_error of fc-d1-003, trial 1" in done.err
    assert "--replace" in done.err
    assert (by_anna / FILE).read_bytes() == before


def test_a_script_answers_beside_a_person(by_anna, tmp_path):
    done = by_script(tmp_path, "--json", fc_d1_003=None)

    assert done.code == 0
    assert {one["reviewer"] for one in done.json["answers"]} == {"anna", "triage"}
    assert "replaced" not in done.json
    assert by_anna.exists()


def test_what_is_replaced_on_purpose_is_kept(by_anna, tmp_path):
    done = by_script(tmp_path, "--replace", "--json")

    assert done.code == 0
    assert [one["reviewer"] for one in done.json["answers"]] == ["triage"] * 12
    [kept] = done.json["replaced"]
    assert (kept["case"], kept["answer"], kept["note"], kept["reviewer"], kept["method"]) == (
        "fc-d1-003", "judge_error", "it was right", "anna", "human",
    )  # fmt: skip
    assert done.json["earlier"] == []  # nothing was mended
    assert json.loads((by_anna / FILE).read_bytes()) == done.json
    assert "given anew by somebody else, and kept: 1 answer" in judge("review", "recordings/one", "--status").out


def test_an_answer_that_is_changed_by_the_same_hand_is_a_correction():
    one = member("F")
    sheet = Sheet(one.report, one.run)

    review = sheet.with_answer(reviewed(one), 0, Given("judge_error", "on second thoughts", "ada", "human"))

    assert review == reviewed(one, answers={"fc-d1-001": "judge_error"}, note="on second thoughts")


def test_another_person_takes_the_place_of_one_and_both_stand_there():
    one = member("F")
    sheet = Sheet(one.report, one.run)

    review = sheet.with_answer(reviewed(one), 0, Given("unclear", "", "ben", "human"))

    check_review(review, file="r.json")
    assert [(each.reviewer, each.answer) for each in review.replaced] == [("ada", "model_error")]
    assert read_document(bytes_of_document(review), Review, file="r.json") == review
    assert sheet.resumed(review, file="r.json") == review
    assert "and kept: 1 answer" in text_of(lines_of_review(review), colour=False)


def test_replace_is_for_answers_out_of_a_file(by_anna):
    done = judge("review", "recordings/one", "--replace", "--status")

    assert done.code == 2
    assert by_anna.exists()


def test_what_is_asked_about_can_be_listed_for_a_script(by_anna, tmp_path):
    done = judge("review", "recordings/one", "--list", "--json")

    asked = done.json["asked"]
    assert done.code == 6
    assert asked[0] == {
        "case": "fc-d1-003", "trial": 1, "verdict": "FAIL",
        "choices": ["model_error", "judge_error", "golden_error", "unclear"],
        "answer": "judge_error", "reviewer": "anna", "method": "human",
    }  # fmt: skip
    answers = tmp_path / "b.jsonl"
    lines = [{"case": one["case"], "trial": one["trial"], "answer": one["choices"][0]} for one in asked[1:]]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert judge("review", "recordings/one", "--answers", answers, "--reviewer", "triage").code == 0
    assert by_anna.exists()


def test_a_list_for_people_begins_no_review(project):
    done = judge("review", "recordings/one", "--list")

    assert done.code == 6
    assert "FAIL  fc-d1-003, trial 1  open: model_error, judge_error, golden_error, unclear" in done.out
    assert len(done.out.splitlines()) == 12
    assert not (project / FILE).exists()


def test_a_line_about_what_is_not_asked_says_where_that_stands(project, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"case": "fc-d1-999", "answer": "unclear"}')

    done = judge("review", "recordings/one", "--answers", file, "--reviewer", "triage")

    assert done.code == 4
    assert "fc-judge review RUN --list says what is asked about" in done.err
    assert project.exists()


ADJUDICATE = ("adjudicate", "recordings/consistency.json", "--decision", "accept", "--reason", "a coin", "--by", "ada")


@pytest.fixture
def apart(project):
    """A check that does not meet the standard."""
    judge("consistency", "recordings/one", "recordings/two", "recordings/worse", "--output", ADJUDICATE[1])
    return project


@pytest.mark.parametrize(("words", "method"), [((), "assisted"), (("--method", "human"), "human")])
def test_a_decision_without_a_terminal_is_a_persons_only_where_that_is_said(apart, words, method):
    done = judge(*ADJUDICATE, *words, "--output", "recordings/adjudication.json", "--json")

    assert (done.code, done.json["method"]) == (0, method)
    assert apart.exists()


def test_a_decision_at_a_terminal_is_a_persons(apart):
    with Terminal(apart, *ADJUDICATE, "--output", "recordings/adjudication.json") as screen:
        screen.read_until("decision: recordings/adjudication.json")
        screen.ended()

    assert json.loads((apart / "recordings/adjudication.json").read_bytes())["method"] == "human"
