"""What a baseline says of a run, as a notice beside the run's report."""

from harness.evidence.gate import Gate
from harness.evidence.gate_text import outline_of_gate
from harness.excerpt import counted
from harness.report.notice import Notice
from harness.report.outline import Line, Span


def notice_of_gate(gate: Gate) -> Notice:
    """The notice: why the run does not meet the baseline, and each case that got worse or better."""
    lines = [block for block in outline_of_gate(gate) if isinstance(block, Line)]
    title = f"Against the baseline of {gate.locked_on}"
    if not gate.comparable:
        reasons = [one.reason for one in gate.obstructions if not one.allowed]
        return Notice("baseline", title, "warn", "cannot be held to it", reasons, lines)
    if gate.passes and gate.unjudged:
        cases = f"{counted(len(gate.unjudged), 'case')} broke off or could not be judged, and nothing is said of them"
        lines.append(Line((Span(cases, "warn"), Span(f": {', '.join(gate.unjudged)}"))))
        return Notice("baseline", title, "good", "meets it, where cases have a verdict", [], lines)
    if gate.passes:
        return Notice("baseline", title, "good", "meets it", [], lines)
    return Notice("baseline", title, "bad", "does not meet it", gate.reasons, lines)
