"""Results of the Berkeley Function-Calling Leaderboard: one line a case, calls as JSON or as Python text.

The result files hold what the model answered. What it was asked stands in the data set, and here only where the run
kept its inference log.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from itertools import count

from harness.depth import exceeds_depth
from harness.importers.found import Found, Source, Told, objects_in
from harness.providers.fields import list_at, objects_of, text_at
from harness.transcript import Outcome
from harness.value import Json, JsonObject, NotJsonError, checked, encode

_FAILED = "Error during inference"
_LONGEST = 20_000  # a text beyond this is prose, not a list of calls
_CALL_BEGINS = re.compile(r"(?:```\w*\s*)?[\[(]?\s*[A-Za-z_][\w.]*\(")
_QUERY = "begin_of_turn_query"
_BESIDE = {"latency", "input_token_count", "output_token_count", "inference_log"}


class Bfcl:
    """The format `bfcl`."""

    name = "bfcl"

    def recognises(self, source: Source) -> bool:
        """Whether the first line is a case's result."""
        first = source.first
        if isinstance(first, list) and first:
            first = first[0]
        return isinstance(first, dict) and {"id", "result"} <= first.keys() and bool(_BESIDE & first.keys())

    def read(self, source: Source) -> Found:
        """Each case."""
        values = source.json_lines()
        cases = values[0] if len(values) == 1 and isinstance(values[0], list) else values
        found = Found()
        for case in objects_in(cases, "a case", found.left_out):
            found.told.append(_told(case, found))
            if not any(text_at(message, "role") == "user" for message in found.told[-1].messages):
                found.notes["a result of BFCL without its question"] += 1
        return found


def _told(case: JsonObject, found: Found) -> Told:
    told = Told(text_at(case, "id") or str(case.get("id")), [])
    result, numbers = case.get("result"), count(1)
    if isinstance(result, str) and result.startswith(_FAILED):
        told.outcome, told.error = Outcome.ERROR, result
    if not _is_several_turns(result):
        told.messages.append(_answer_of(result, numbers, found.notes))
        return told
    logs = [one for one in objects_of(list_at(case, "inference_log")) if _QUERY in one]
    for turn, steps in enumerate(result if isinstance(result, list) else []):
        log = logs[turn] if turn < len(logs) else {}
        told.messages += [{**one} for one in objects_of(list_at(log, _QUERY))]
        for step, answer in enumerate(steps if isinstance(steps, list) else [steps]):
            message = _answer_of(answer, numbers, found.notes)
            told.messages += [message, *_results_of(message, list_at(log, f"step_{step}"), found.left_out)]
    return told


def _is_several_turns(result: Json) -> bool:
    return isinstance(result, list) and any(isinstance(turn, list) for turn in result)


def _results_of(answer: JsonObject, entries: list[Json], left_out: Counter[str]) -> Iterator[Json]:
    """The results that the log holds for an answer's calls, in order."""
    results = [one.get("content") for one in objects_of(entries) if text_at(one, "role") == "tool"]
    calls = objects_of(list_at(answer, "tool_calls"))
    left_out["a result without its call"] += max(len(results) - len(calls), 0)
    for call, said in zip(calls, results, strict=False):
        yield {"role": "tool", "tool_call_id": text_at(call, "id"), "content": said or ""}


def _answer_of(result: Json, numbers: "count[int]", notes: Counter[str]) -> JsonObject:
    """The answer: calls where the result is a list of them or such a list in Python, else its text."""
    calls = _calls_in_json(result) if isinstance(result, list) else _calls_in_python(result)
    if calls is None:
        if _is_like_calls(result):
            notes["text that looks like calls but cannot be read as them"] += 1
        text = result if isinstance(result, str) else encode(result).decode()
        return {"role": "assistant", "content": text}
    written: list[Json] = [
        {"id": f"bfcl_{next(numbers)}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for name, arguments in calls
    ]
    return {"role": "assistant", "content": None if written else "", **({"tool_calls": written} if written else {})}


def _is_like_calls(result: Json) -> bool:
    """Whether an answer that is no calls was meant as some: it starts as one does, and ends as one, fenced or not."""
    if not isinstance(result, str):
        return isinstance(result, list) and bool(objects_of(result))
    text = result.strip().removesuffix("```").rstrip()
    return _CALL_BEGINS.match(text) is not None and text.endswith((")", "]"))


def _calls_in_json(result: list[Json]) -> list[tuple[str, str]] | None:
    """`[{name: arguments}, …]`, the arguments an object or its text."""
    calls: list[tuple[str, str]] = []
    for one in result:
        if not isinstance(one, dict) or len(one) != 1:
            return None
        [(name, arguments)] = one.items()
        calls.append((name, arguments if isinstance(arguments, str) else encode(arguments).decode()))
    return calls


def _calls_in_python(result: Json) -> list[tuple[str, str]] | None:
    """`[f(a=1), g(b="x")]`, read and never run; None where the text is anything else."""
    if not isinstance(result, str) or len(result) > _LONGEST or exceeds_depth(result.encode("utf-8", "replace")):
        return None
    try:
        tree = ast.parse(result.strip(), mode="eval").body
        nodes = tree.elts if isinstance(tree, ast.List | ast.Tuple) else [tree]
        calls = [_call_of(node) for node in nodes]
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return None
    return calls or None


def _call_of(node: ast.expr) -> tuple[str, str]:
    """Name and arguments of a call; raises `ValueError` where they are no plain values given by name."""
    if not isinstance(node, ast.Call) or node.args or any(one.arg is None for one in node.keywords):
        raise ValueError
    arguments = {str(one.arg): _literal(one.value) for one in node.keywords}
    try:
        return ast.unparse(node.func), encode(checked(arguments)).decode()
    except NotJsonError:
        raise ValueError from None


def _literal(node: ast.expr) -> object:
    value: object = ast.literal_eval(node)
    return value


IMPORTER = Bfcl()
