"""Reviews: who is asked about what, what an answer is bound to, and what the answers add up to."""

import msgspec
import pytest
from evidence_samples import INPUTS, ORIGIN, member, report, reviewed

from harness import errors
from harness.cli.schemas import schema_of
from harness.evidence.documents import bytes_of_document, read_document
from harness.evidence.review import Given, Review, Sheet, check_review
from harness.report.report import Borders
from harness.report.statistics import wilson
from harness.value import digest_of

ADA = ("ada", "human")


def test_all_failures_are_asked_about_and_ten_passes():
    sheet = Sheet(report("P" * 30 + "F" * 5 + "SANS"), "one")

    verdicts = [one.verdict for one in sheet.asked]

    assert verdicts == ["FAIL"] * 5 + ["PASS"] * 10


def test_where_there_are_fewer_passes_all_are_asked_about():
    assert len(Sheet(report("PPPF"), "one").asked) == 4


def test_the_sample_depends_on_the_inputs_alone():
    def drawn(**facts):
        return [one.case for one in Sheet(report("P" * 60, **facts), "one").asked]

    assert drawn() == drawn(run="two", origin=None)
    assert drawn() != drawn(inputs={**INPUTS, "cases": digest_of(b"others")})


def test_a_larger_sample_holds_the_smaller_one():
    whole = report("P" * 60)

    few, many = ({one.case for one in Sheet(whole, "one", passes=count).asked} for count in (10, 25))

    assert (len(few), len(many)) == (10, 25)
    assert few < many


def test_no_smaller_sample_than_ten_can_be_asked_for():
    assert len(Sheet(report("P" * 60), "one", passes=3).asked) == 10


def test_rates_are_counted_for_failures_and_passes_apart():
    one = member("FFFFPPP")
    answers = {
        "fc-d1-001": "judge_error",
        "fc-d2-002": "golden_error",
        "fc-d3-003": "unclear",
        "fc-d1-005": "judge_error",
    }

    review = reviewed(one, answers=answers, except_for={"fc-d3-007"})

    assert msgspec.to_builtins(review.failures) == {
        "total": 4, "asked": 4, "answered": 4,
        "counts": {"model_error": 1, "judge_error": 1, "golden_error": 1, "unclear": 1},
        "misjudged": 0.25, "interval": msgspec.to_builtins(Borders(*wilson(1, 4))),
    }  # fmt: skip
    assert (review.passes.total, review.passes.answered, review.passes.misjudged) == (3, 2, 0.5)
    assert (review.golden_errors, review.method, review.reviewers) == (1, "human", ["ada"])


def test_a_review_without_answers_has_no_rate():
    review = Sheet(report("FP"), "one").opened()

    assert (review.failures.misjudged, review.failures.interval, review.method) == (None, None, None)


def test_one_assisted_answer_makes_the_review_assisted():
    sheet = Sheet(report("FF"), "one")
    review = sheet.with_answer(sheet.opened(), 0, Given("model_error", "", *ADA))

    review = sheet.with_answer(review, 1, Given("unclear", "", "helper", "assisted"))

    assert (review.method, review.reviewers) == ("assisted", ["ada", "helper"])
    assert sheet.open_places(review) == []
    assert sheet.open_places(review, again=True) == [1]


def test_an_answer_can_be_given_anew():
    sheet = Sheet(report("FF"), "one")
    review = sheet.with_answer(sheet.opened(), 1, Given("unclear", "look again", *ADA))

    review = sheet.with_answer(review, 1, Given("model_error", "", *ADA))

    assert [(one.case, one.answer, one.note) for one in review.answers] == [("fc-d2-002", "model_error", "")]


@pytest.mark.parametrize(
    ("verdict", "answer"),
    [
        pytest.param("F", "correct", id="a-failure-is-not-correct"),
        pytest.param("P", "model_error", id="a-pass-is-no-error-of-the-model"),
    ],
)
def test_an_answer_must_suit_the_verdict(verdict, answer):
    sheet = Sheet(report(verdict), "one")

    with pytest.raises(errors.WrongOption) as refused:
        sheet.with_answer(sheet.opened(), 0, Given(answer, "", *ADA))

    assert refused.value.expected.endswith("judge_error, golden_error, unclear")


def test_a_review_reads_back_as_it_was_written():
    review = reviewed(member("FFPPP"), answers={"fc-d1-001": "unclear"})
    raw = bytes_of_document(review)

    assert read_document(raw, Review, file="r.json") == review
    assert bytes_of_document(read_document(raw, Review, file="r.json")) == raw
    assert [line[:8] for line in raw.splitlines()][-6:] == [b'{"case":'] * 5 + [b"]}"]


def test_a_review_can_be_gone_on_with():
    one = member("FFP")
    sheet = Sheet(one.report, one.run)
    review = reviewed(one, except_for={"fc-d2-002"})

    resumed = sheet.resumed(review, file="r.json")

    assert resumed == review
    assert [sheet.asked[place].case for place in sheet.open_places(resumed)] == ["fc-d2-002"]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        pytest.param({"inputs": {**INPUTS, "cases": digest_of(b"x")}}, "cases", id="other-goldens"),
        pytest.param({"inputs": {**INPUTS, "policy": digest_of(b"x")}}, "policy", id="another-policy"),
        pytest.param({"origin": msgspec.structs.replace(ORIGIN, model="m-2")}, "model: m-2 there", id="another-model"),
        pytest.param({"run": "two"}, "other recordings", id="another-run-of-the-same-suite"),
    ],
)
def test_a_review_made_for_other_inputs_is_refused(facts, told):
    other = reviewed(member("FFP", **facts))

    with pytest.raises(errors.OtherEvidence, match=told):
        Sheet(report("FFP"), "one").resumed(other, file="r.json")


def test_where_the_judge_changed_answers_to_what_stayed_the_same_are_kept():
    before = reviewed(member("FFP"), answers={"fc-d2-002": "judge_error"})
    sheet = Sheet(report("FPP"), "one")

    resumed = sheet.resumed(before, file="r.json")

    assert [one.case for one in resumed.answers] == ["fc-d1-001", "fc-d3-003"]
    assert [(one.case, one.answer) for one in resumed.earlier] == [("fc-d2-002", "judge_error")]
    assert [sheet.asked[place].case for place in sheet.open_places(resumed)] == ["fc-d2-002"]


def test_a_judge_that_says_the_same_in_other_words_leaves_the_answers():
    before = reviewed(member("FFP"))
    said = report("FFP")
    reworded = [
        msgspec.structs.replace(
            one, reason="otherwise", findings=[msgspec.structs.replace(finding, message="in other words") for finding in one.findings]
        )
        for one in said.results
    ]  # fmt: skip
    sheet = Sheet(msgspec.structs.replace(said, results=reworded), "one")

    resumed = sheet.resumed(before, file="r.json")

    assert resumed.answers == before.answers
    assert resumed.basis.report != before.basis.report


def test_a_review_after_another_keeps_what_that_one_found_wrong():
    before = reviewed(member("FFFP"), answers={"fc-d1-001": "golden_error", "fc-d3-003": "judge_error"})
    sheet = Sheet(report("PFPP", run="two", inputs={**INPUTS, "cases": digest_of(b"mended")}), "two")

    review = sheet.after(sheet.after(sheet.opened(), before), before)

    assert [(one.case, one.answer) for one in review.earlier] == [
        ("fc-d1-001", "golden_error"),
        ("fc-d3-003", "judge_error"),
    ]
    assert review.golden_errors == 0


REVIEW = reviewed(member("FFPP"))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        pytest.param({"golden_errors": 3}, "goldenErrors", id="golden-errors"),
        pytest.param({"method": "assisted"}, "method", id="method"),
        pytest.param({"answers": REVIEW.answers[:-1]}, "counts of the PASS", id="an-answer-taken-out"),
        pytest.param({"answers": [*REVIEW.answers, REVIEW.answers[0]]}, "answered twice", id="an-answer-twice"),
        pytest.param(
            {"answers": [msgspec.structs.replace(REVIEW.answers[0], answer="correct"), *REVIEW.answers[1:]]},
            "correct is no answer on a FAIL", id="an-answer-that-does-not-suit",
        ),
    ],
)  # fmt: skip
def test_a_review_whose_figures_were_changed_is_refused(changes, told):
    with pytest.raises(errors.BadEvidence, match=told):
        check_review(msgspec.structs.replace(REVIEW, **changes), file="r.json")


def test_an_untouched_review_is_sound():
    check_review(REVIEW, file="r.json")


@pytest.mark.parametrize(
    ("change", "told", "nearest"),
    [
        pytest.param((b'"type":"review"', b'"type":"baseline"'), "another kind of file", None, id="another-kind"),
        pytest.param((b'"formatVersion":1', b'"formatVersion":2'), "formatVersion", None, id="another-version"),
        pytest.param((b'"answer":"model_error"', b'"answer":"model_eror"'), "answer", "model_error", id="a-typo"),
        pytest.param((b'"goldenErrors"', b'"goldenError"'), "goldenError", "goldenErrors", id="an-unknown-field"),
        pytest.param((b"{", b"{{"), "no JSON", None, id="no-json"),
    ],
)
def test_a_file_that_is_no_review_says_why(change, told, nearest):
    raw = bytes_of_document(REVIEW).replace(*change, 1)

    with pytest.raises(errors.BadEvidence, match=told) as refused:
        read_document(raw, Review, file="r.json")

    assert (refused.value.file, refused.value.nearest) == ("r.json", nearest)


def test_the_schema_names_every_field():
    fields = schema_of("review")["$defs"]["Review"]["properties"]

    assert {"type", "formatVersion", "basis", "goldenErrors", "answers"} <= fields.keys()
