"""Reports to hold evidence against: cases whose verdicts are said in a word, of runs that differ only in their recordings."""

import json

from msgspec.structs import replace

from harness.evidence.baseline import content_digest
from harness.evidence.consistency import Member
from harness.evidence.review import Given, Sheet
from harness.judge.finding import Code, Finding, Ruling, Rung, Status, Verdict
from harness.report.report import Origin
from harness.report.result import Subject, result_of
from harness.report.writing import About, report_of
from harness.suite import InputHashes
from harness.trace import trace_of
from harness.transcript import AssistantTurn, Outcome, Text, TokenLedger, ToolCall, ToolResultTurn, Transcript, UserTurn
from harness.value import digest_of

RULINGS = {"P": Ruling.PASS, "F": Ruling.FAIL, "S": Ruling.SKIP, "A": Ruling.AGENT_ERROR, "N": Ruling.NOT_JUDGED}
ENDED = {"A": Outcome.MAX_STEPS}
GOLDEN = {"calls": [{"tool": "get_order", "params": {"order_id": "W443"}}], "order_sensitive": False}
INPUTS = {name: digest_of(name.encode()) for name in InputHashes._fields}
ORIGIN = Origin(
    provider="local", api="chat", model="m-asked", request={"temperature": 0.2, "seed": 7}, agent={"max_steps": 8}
)


def said(order, tokens, outcome=Outcome.COMPLETED):
    """A conversation with one call."""
    return Transcript(
        [
            UserTurn([Text("Where is order W443?")]),
            AssistantTurn(
                [ToolCall("call_1", "get_order", {"order_id": order})], TokenLedger(tokens, 0, 0, 5), "toolUse"
            ),
            ToolResultTurn("call_1", [Text("in the post")]),
            AssistantTurn([Text("In the post.")], TokenLedger(tokens, 10, 0, 7), "stop"),
        ],
        outcome,
    )


def verdict_of(ruling):
    if ruling is Ruling.PASS:
        finding = Finding(
            "calls[0] get_order", Rung.SELECTION, Status.PASS, golden=0, call=0, message="get_order was called"
        )
        return Verdict(ruling, "1 check passed", [finding], Rung.SELECTION)
    if ruling is Ruling.FAIL:
        finding = Finding(
            "calls[0].order_id", Rung.ARGUMENTS, Status.FAIL, Code.PARAM_WRONG_VALUE, "order_id", 0, 0, "W443", "W444",
            "order_id of get_order: expected W443, got W444",
        )  # fmt: skip
        return Verdict(ruling, "1 of 1 checks failed", [finding])
    return Verdict(ruling, f"it is {ruling}", [])


def result(case, trial, letter, *, run="one", golden=GOLDEN, tokens=100, variants=1):
    """A result; cases are numbered, `variants` of them in a row are the ways of asking one thing."""
    number = int(case.rpartition("-")[2]) - 1
    ruling = RULINGS[letter]
    group, variant = (f"scenario-{number // variants}", f"way {number % variants}") if variants > 1 else (None, None)
    return result_of(
        Subject(case, trial, case[3:5].upper(), group, variant),
        verdict_of(ruling),
        trace=None
        if letter == "S"
        else trace_of(said("W443" if letter == "P" else "W444", tokens, ENDED.get(letter, Outcome.COMPLETED))),
        golden=golden,
        registered={"get_order"},
        evidence=digest_of(f"{run} {case} {trial}".encode()),
    )


def cases_of(verdicts):
    """`"PPF"` as cases fc-d1-001 …; `"PP FF"` gives each its trials."""
    words = verdicts.split() if " " in verdicts else list(verdicts)
    return {f"fc-d{1 + number % 4}-{number + 1:03}": word for number, word in enumerate(words)}


def report(verdicts, *, run="one", origin=ORIGIN, inputs=INPUTS, complete=True, **facts):
    """The report of a run whose cases came out so."""
    cases = cases_of(verdicts) if isinstance(verdicts, str) else verdicts
    results = [
        result(case, trial, letter, run=run, **facts)
        for case, word in cases.items()
        for trial, letter in enumerate(word, 1)
    ]
    return report_of(results, About(complete, None, origin, inputs))


def member(verdicts, run="one", **facts):
    return Member(run, report(verdicts, run=run, **facts), run)


RIGHT = {Ruling.FAIL: "model_error", Ruling.PASS: "correct"}


def reviewed(one, *, except_for=(), answers=None, method="human", reviewer="ada", note=""):
    """A review of a member in which every answer says that the judge is right, but those told otherwise or left out."""
    sheet = Sheet(one.report, one.run)
    review = sheet.opened()
    for place, asked in enumerate(sheet.asked):
        if asked.case not in except_for:
            choice = (answers or {}).get(asked.case, RIGHT[asked.verdict])
            review = sheet.with_answer(review, place, Given(choice, note, reviewer, method))
    return review


def saved_answers(path):
    """The answers in a review's file."""
    return [(one["case"], one["answer"], one["note"]) for one in json.loads(path.read_bytes())["answers"]]


def sealed(baseline):
    """A baseline with the digest of what it says, as one who edits it may write it."""
    return replace(baseline, digest=content_digest(baseline))
