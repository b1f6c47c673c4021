"""Errors: one tree, one sentence each, the exit codes of the commands."""

import inspect

import pytest

from harness import errors

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.HarnessError)]
FACTS = {"file": "fixtures/a.jsonl", "line": 3, "expected": "{2}", "found": "{4}", "nearest": "b"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_says_its_facts(kind):
    error = kind("{x}", **FACTS)

    text = str(error)

    assert text.startswith("fixtures/a.jsonl:3: ")
    assert "nearest:  b" in text
    assert error.facts()["line"] == 3


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_stands_in_the_tree_of_the_docstring(kind):
    assert kind.__name__ in errors.__doc__


def test_codes_are_unique():
    codes = [kind.code for kind in KINDS]

    assert sorted(set(codes)) == sorted(codes)


def test_the_json_form_has_the_promised_keys():
    facts = errors.PromptChanged("refund", file="scenarios/refund/system.txt", expected="a", found="b").facts()

    assert facts == {
        "code": "PROMPT_CHANGED",
        "message": "system.txt is no longer the prompt that was recorded",
        "file": "scenarios/refund/system.txt",
        "line": None,
        "expected": "a",
        "found": "b",
        "nearest": None,
        "next": "fc-record scenarios/refund",
    }


PRECEDENCE = {
    "nothing": ([], 0),
    "all good": ([0, 0], 0),
    "usage wins": ([4, 2, 1], 2),
    "unreadable before diverged": ([5, 4], 4),
    "diverged before stale": ([3, 5, 1], 5),
    "stale before live": ([7, 3], 3),
    "failed before unjudged": ([6, 1, 0], 1),
    "unjudged": ([0, 6], 6),
    "interrupted alone": ([130], 130),
}


@pytest.mark.parametrize(("codes", "code"), PRECEDENCE.values(), ids=PRECEDENCE.keys())
def test_of_several_exit_codes_the_first_in_order_wins(codes, code):
    assert errors.exit_code_of(codes) == code


def test_a_name_with_a_line_break_in_it_stays_in_its_line():
    facts = {"file": "a\nb.jsonl", "expected": "a\nb\t\x1b[31m", "found": "c\nd", "nearest": "e\nf"}

    assert str(errors.NameMismatch("x", **facts)) == (
        "a\\nb.jsonl: the id x is no kebab-case name equal to the file's\n"
        "  expected: a\\nb\\t\\x1b[31m\n"
        "  found:    c\\nd\n"
        "  nearest:  e\\nf"
    )
