"""ReportV1: what is counted, what stays out of the rate, and one form of bytes whatever the order of the work."""

import io
import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import EVIDENCE, GOLDEN, HOSTILE, a_run, broken, failing, passing, skipped, unjudged

from harness import errors
from harness.cli.schemas import schema_of
from harness.judge.finding import Code, Ruling
from harness.report.reading import about_parts, read_report, read_results
from harness.report.report import Borders, Failure, Origin, PassPower, Shard, Trials, Usage, WorstTool
from harness.report.rows import Rows, result_in, row_of, scrubbed
from harness.report.statistics import clustered, wilson
from harness.report.tally import Tally, tally_of
from harness.report.writing import About, bytes_of, chunks_of, head_in, head_of, report_of
from harness.transcript import TokenLedger

ABOUT = About(origin=Origin(provider="local", model="tiny"), inputs={"cases": "sha256:" + "1" * 64})


def summary_of(*results):
    return report_of(results).summary


def test_errors_and_unjudged_cases_stay_out_of_the_rate_and_in_sight():
    results = [*(passing(f"t{number}") for number in range(8)), broken("t8"), broken("t9")]

    summary = summary_of(*results)

    assert summary.accuracy == 1.0
    assert summary.scored_count == 8
    assert summary.verdict_counts == {
        Ruling.PASS: 8, Ruling.FAIL: 0, Ruling.SKIP: 0, Ruling.AGENT_ERROR: 2, Ruling.NOT_JUDGED: 0,
    }  # fmt: skip


@pytest.mark.parametrize("result", [skipped(), broken(), unjudged()], ids=["skipped", "broken", "unjudged"])
def test_nothing_scored_has_no_accuracy(result):
    summary = summary_of(result)

    assert (summary.accuracy, summary.accuracy_interval) == (None, None)
    assert summary.scored_count == 0
    assert summary.result_count == 1


def test_a_report_on_nothing_says_so():
    summary = summary_of()

    assert (summary.result_count, summary.accuracy, summary.trials.pass_at_1) == (0, None, None)


def test_the_summary_has_the_names_that_readers_know():
    written = json.loads(bytes_of(report_of(a_run())))

    known = {
        "verdict_counts", "scored_count", "accuracy", "dimensions", "taxonomy_counts", "top_failures", "worst_tools",
        "top_worst_tools",
    }  # fmt: skip
    assert known <= written["summary"].keys()
    assert {
        "case",
        "trial",
        "verdict",
        "taxonomy",
        "golden",
        "trace",
        "warnings",
        "diff",
        "rung",
        "findings",
    } <= written["results"][0].keys()
    assert written["semanticsVersion"] == 2


def test_a_run_adds_up():
    summary = summary_of(*a_run())

    assert (summary.result_count, summary.case_count, summary.scored_count) == (8, 7, 5)
    assert summary.accuracy == 0.4
    assert summary.accuracy_interval == Borders(*clustered([(0, 2), (2, 3)]))
    assert {name: score.accuracy for name, score in summary.dimensions.items()} == {
        "D1": 2 / 3,
        "D2": 0,
        "D3": None,
        "D4": None,
    }
    assert {name: score.scored_count for name, score in summary.variants.items()} == {"1": 2, "2": 3}
    assert summary.rungs == {"none": 3, "selection": 0, "arguments": 2, "order": 0, "effects": 0}
    assert summary.taxonomy_counts == {Code.CALL_MISSING: 3, Code.PARAM_WRONG_FORMAT: 3, Code.STATE_COLLATERAL: 3}
    cases = ["fc-d1-002", "fc-d2-001", "fc-d2-002"]
    assert summary.top_failures[0] == Failure(Code.CALL_MISSING, 3, cases)
    assert summary.worst_tools == [WorstTool("get_order", 3, cases), WorstTool("request_refund", 3, cases)]
    assert summary.usage == Usage(call_count=5, turn_count=24, tokens=TokenLedger(190, 70, None, 74), reported_count=7)


def test_single_trials_that_stand_alone_have_wilsons_interval():
    summary = summary_of(passing("a"), passing("b"), failing("c"))

    assert summary.accuracy_interval == Borders(*wilson(2, 3))


def test_trials_are_told_a_case():
    results = [passing("a", 1), passing("a", 2), passing("b", 1), failing("b", 2), broken("c", 1), failing("c", 2)]

    assert summary_of(*results).trials == Trials(
        fewest=1, most=2, pass_at_1=0.5, pass_power=[PassPower(1, 0.5, 3), PassPower(2, 0.5, 2)]
    )


def test_only_the_tools_on_offer_are_among_the_worst():
    results = [failing("a", registered={"get_order"}), failing("b", registered={"get_order"})]

    assert summary_of(*results).top_worst_tools == ["get_order"]


def test_the_first_cases_of_a_failure_are_the_same_in_any_order():
    results = [failing(f"c{number}") for number in range(9)]

    cases = [summary_of(*order).top_failures[0].cases for order in (results, results[::-1])]

    assert cases == [["c0", "c1", "c2", "c3", "c4"]] * 2


def test_a_typed_diff_stands_beside_each_failed_finding():
    places = failing().diff

    assert [(place.finding, place.golden, place.call) for place in places] == [(0, 0, None), (1, 1, 0), (2, None, 0)]
    assert [(line.path, line.expected, line.actual) for place in places for line in place.lines] == [
        ("", 'get_order(order_id="W443")', "nothing"),
        ("amount", "5 (number)", '"5" (string)'),
        ("orders", "null", '{"id":"W1"} (object)'),
    ]


def spooled(results, file):
    rows, tally = Rows(file), Tally()
    for result in results:
        rows.add(row_of(result))
        tally.add(result)
    return b"".join(chunks_of(head_of(tally, ABOUT), rows))


@given(st.permutations(a_run()), st.integers(0, 8))
def test_order_and_shards_do_not_change_a_byte(results, cut):
    whole = bytes_of(report_of(a_run(), ABOUT))
    parts = [
        bytes_of(report_of(results[:cut], ABOUT._replace(shard=Shard(1, 2, EVIDENCE)))),
        bytes_of(report_of(results[cut:], ABOUT._replace(shard=Shard(2, 2, EVIDENCE)))),
    ]

    rows, tally, heads = Rows(io.BytesIO()), Tally(), []
    for number, part in enumerate(parts):
        head, read = read_results(io.BytesIO(part), file=f"{number}.json")
        heads.append(head)
        for result in read:
            rows.add(row_of(result))
            tally.add(result)
    merged = b"".join(chunks_of(head_of(tally, about_parts(heads, ["0.json", "1.json"])), rows))

    assert merged == whole
    assert spooled(results, io.BytesIO()) == whole


def test_tallies_of_parts_add_up_to_that_of_the_whole():
    results = a_run()
    whole, first, second = tally_of(results), tally_of(results[:3]), tally_of(results[3:])

    second.merge(first)

    assert head_of(second, ABOUT) == head_of(whole, ABOUT)


def test_a_report_comes_back_as_it_was():
    report = report_of(a_run(), ABOUT)

    assert read_report(bytes_of(report), file="report.json") == report


def test_a_report_that_was_spaced_otherwise_still_reads():
    report = report_of(a_run(), ABOUT)
    spaced = json.dumps(json.loads(bytes_of(report)), indent=2).encode()

    assert read_report(spaced, file="report.json") == report


def test_a_report_is_one_result_a_line():
    lines = bytes_of(report_of(a_run(), ABOUT)).split(b"\n")

    assert [json.loads(line.rstrip(b","))["case"] for line in lines[1:-2]] == sorted(one.case for one in a_run())
    assert lines[-2:] == [b"]}", b""]


def test_a_report_matches_its_schema():
    jsonschema.validate(json.loads(bytes_of(report_of(a_run(), ABOUT))), schema_of("report"))


def test_numbers_come_back_without_loss():
    big = failing(actual=json.loads("123456789012345678901234567890"))
    raw = bytes_of(report_of([big]))

    assert b'"amount":123456789012345678901234567890' in raw
    assert read_report(raw, file="r.json").results == [big]


HEAD = next(chunks_of(head_in(report_of([])), [])) + b"\n"

BAD = {
    "nothing": (b"", None, "no report: Input data was truncated"),
    "another thing": (b"[]", None, "Expected `object`, got `array`"),
    "something after it": (HEAD + b"]}\n{}\n", 3, "something follows the last line of the report"),
    "an unknown key": (b'{"formatVersion":1,"x":1,"results":[\n]}\n', 1, "Object contains unknown field `x`"),
    "a later version": (b'{"formatVersion":2,"results":[\n]}\n', None, "a report of another format version"),
}


@pytest.mark.parametrize(("raw", "line", "sentence"), BAD.values(), ids=BAD)
def test_a_file_that_is_no_report_is_refused(raw, line, sentence):
    with pytest.raises(errors.BadReport) as caught:
        read_report(raw, file="r.json")

    assert (caught.value.subject, caught.value.line) == (sentence, line)


def test_a_result_with_a_wrong_word_is_named_with_its_line():
    raw = bytes_of(report_of(a_run())).replace(b'"verdict":"SKIP"', b'"verdict":"SKIPPED"')

    with pytest.raises(errors.BadReport) as caught:
        read_report(raw, file="r.json")

    assert (caught.value.line, caught.value.found, caught.value.nearest) == (7, "SKIPPED", "SKIP")


def test_a_report_that_was_cut_off_is_refused():
    lines = bytes_of(report_of(a_run())).splitlines(keepends=True)

    for raw in (b"".join(lines[:4]), b"".join([*lines[:3], lines[3].replace(b"},\n", b"}\n"), *lines[4:]])):
        with pytest.raises(errors.BadReport):
            read_report(raw, file="r.json")


def test_one_trial_is_judged_once():
    rows = Rows(io.BytesIO())
    rows.add(row_of(passing("a")))

    with pytest.raises(errors.DuplicateResult) as caught:
        rows.add(row_of(failing("a")))

    assert (caught.value.subject, caught.value.found) == ("a", "1")
    with pytest.raises(errors.DuplicateResult):
        report_of([passing("a"), failing("a")])


def test_scrubbing_nothing_changes_nothing():
    result = failing(text=HOSTILE, actual=10**30)

    assert scrubbed(result, str) == result


def test_a_row_holds_the_whole_result():
    assert [result_in(row_of(result)) for result in a_run()] == a_run()


def test_the_expectation_is_kept_as_written():
    assert failing().golden == GOLDEN
