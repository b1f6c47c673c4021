"""docs/judge.md: its examples come out as it says, and its codes, rungs and verdicts are all there are."""

import json
import re

import pytest
from pages import ROOT

from harness.judge.domain import domain_from
from harness.judge.engine import judge
from harness.judge.finding import Code, Ruling, Rung
from harness.judge.golden import golden_holds
from harness.scenario import Tool
from harness.suite import Golden, JudgeConfig
from harness.trace import trace_of
from harness.transcript import AssistantTurn, Text, ToolCall, ToolResultTurn, Transcript, UserTurn

PAGE = (ROOT / "docs/judge.md").read_text("utf-8")
ORDER = {"type": "integer", "x-ref": "orders"}


def schema(**properties):
    return {"type": "object", "properties": properties, "required": ["order_id"], "additionalProperties": False}


TOOLS = [
    Tool(name="find_order", parameters=schema(order_id=ORDER)),
    Tool(name="create_refund", effect="write", parameters=schema(order_id=ORDER, amount={"type": "number"})),
]
DOMAIN = domain_from(TOOLS, {"orders": {"key": "order_id", "rows": [{"order_id": 4021}]}})
_CALL = re.compile(r"`(\w+) (\{.*?\})`")


def table_after(heading):
    """The rows of the first table of a section, each as its cells."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


EXAMPLES = [(*cells, f"{number}-{cells[2].strip('`')}") for number, cells in enumerate(table_after("Examples"))]


def calls_in(cell):
    return [(name, json.loads(arguments)) for name, arguments in _CALL.findall(cell)]


def trace_with(calls):
    """A conversation in which each of the calls was made in a turn of its own, and succeeded."""
    turns = [UserTurn([Text("Please.")])]
    for number, (name, arguments) in enumerate(calls, 1):
        turns += [AssistantTurn([ToolCall(f"call_{number}", name, arguments)])]
        turns += [ToolResultTurn(f"call_{number}", [Text("ok")])]
    return trace_of(Transcript([*turns, AssistantTurn([Text("Done.")])]))


@pytest.mark.parametrize(
    ("expected", "called", "told"), [one[:3] for one in EXAMPLES], ids=[one[3] for one in EXAMPLES]
)
def test_an_example_comes_out_as_told(expected, called, told):
    wanted = [{"tool": name, "params": arguments} for name, arguments in calls_in(expected)]
    golden = Golden.model_validate({"calls": wanted, "order_sensitive": expected.startswith("order ")})
    made = trace_with(calls_in(called))

    verdict = judge(made, [("golden", golden_holds(golden, JudgeConfig(), DOMAIN))])

    codes = {finding.code for finding in verdict.failures}
    assert (verdict.verdict, codes) == ((Ruling.PASS, set()) if told == "PASS" else (Ruling.FAIL, {told.strip("`")}))


def test_every_code_stands_on_its_rung_and_in_order():
    told = [re.findall(r"`(\w+)`", cells[1]) for cells in table_after("Rungs and codes")]

    assert [code for codes in told for code in codes] == [*Code]
    assert [cells[0].partition(":")[0] for cells in table_after("Rungs and codes")] == [*Rung, "none"]


def test_every_verdict_is_told_in_its_order():
    assert [cells[0].strip("`") for cells in table_after("From findings to a verdict")] == [*Ruling]
