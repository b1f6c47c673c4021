"""Suites: what their files may hold, and every break of the rules by its line."""

import json
from pathlib import Path

import pytest

from harness import errors
from harness.files import load_suite
from harness.suite import InputHashes
from harness.suite_problems import problems_of
from harness.value import digest_of

TOOLS = [
    {
        "name": "get_order",
        "parameters": {
            "type": "object",
            "properties": {"order_id": {"type": "string", "x-ref": "orders"}},
            "required": ["order_id"],
            "additionalProperties": False,
        },
        "effect": "read",
    },
    {
        "name": "confirm_action",
        "parameters": {
            "type": "object",
            "properties": {
                "action_id": {"type": "string", "x-takes": "action_id"},
                "address": {"type": "object", "properties": {"near": {"type": "array", "items": {"x-ref": "orders"}}}},
            },
        },
        "effect": "confirm",
    },
]
TABLES = {"orders": {"key": "order_id", "rows": [{"order_id": "W1"}]}}


def case(number, **changes):
    made = {
        "id": f"fc-d1-{number:03}",
        "dimension": "D1",
        "category": "status",
        "instruction": f"Where is order W1? ({number})",
        "context": {"db_fixture": "standard", "notes": "One order, one look-up."},
        "golden": {"calls": [{"tool": "get_order", "params": {"order_id": "W1"}}], "order_sensitive": False},
        "negative": False,
        "skip": False,
        "skip_reason": None,
    }
    return {**made, **changes}


def golden(*calls, **more):
    return {"calls": list(calls), "order_sensitive": False, **more}


@pytest.fixture
def suite_of(tmp_path):
    """A function that makes a suite directory of cases and gives its path."""

    def make(*cases, config='[judge]\nallowed_extra = ["get_order"]\n', raw=None):
        directory = tmp_path / "desk"
        directory.mkdir(exist_ok=True)
        (directory / "suite.toml").write_text(config)
        (directory / "system.txt").write_text("Help.")
        (directory / "tools.json").write_text(json.dumps(TOOLS))
        (directory / "world.json").write_text(json.dumps(TABLES))
        text = "".join(json.dumps(one) + "\n" for one in cases)
        (directory / "cases.jsonl").write_text(text if raw is None else raw)
        return directory

    return make


def test_a_sound_suite_has_no_problems(suite_of):
    suite = load_suite(suite_of(case(1), case(2)))

    assert problems_of(suite) == []


SUITES = [Path(__file__).parent.parent / "scenarios" / name for name in ("retail", "library-desk")]


@pytest.mark.parametrize("directory", SUITES, ids=lambda path: path.name)
def test_the_suites_of_the_project_are_sound(directory):
    assert [str(problem) for problem in problems_of(load_suite(directory))] == []


def test_three_more_cases_touch_the_case_file_and_nothing_else(tmp_path):
    copy = tmp_path / "retail"
    copy.mkdir()
    for path in SUITES[0].iterdir():
        if path.is_file():
            (copy / path.name).write_bytes(path.read_bytes())
    before = load_suite(copy)
    told = [one for one in before.cases if one.dimension == "D1"]
    added = []
    for offset, variant in enumerate(
        ("查一下 W444 的订单状态。", "W444 那单到哪儿啦？", "帮我看下 W444 的 order status。"), 1
    ):
        one = told[0].model_dump(mode="json", exclude_unset=True)
        one |= {"id": f"fc-d1-{len(told) + offset:03}", "category": "one_more_status", "instruction": variant}
        added.append(json.dumps(one, ensure_ascii=False) + "\n")
    with (copy / "cases.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(added)

    after = load_suite(copy)

    assert problems_of(after) == []
    assert len(after.cases) == len(before.cases) + 3
    assert after.variant_of(after.cases[-1]) == before.variant_of(told[2])


UNREADABLE = {
    "a field too many": ([case(1, notes="x")], 1, "notes"),
    "a field too few": ([{key: value for key, value in case(1).items() if key != "skip"}], 1, "skip"),
    "an id of another form": ([case(1, id="fc-d5-001")], 1, "id"),
    "a number for a boolean": ([case(1, negative=0)], 1, "negative"),
    "another fixture": ([case(1, context={"db_fixture": "other", "notes": "x"})], 1, "context.db_fixture"),
    "blank notes": ([case(1, context={"db_fixture": "standard", "notes": " "})], 1, "context.notes"),
    "a blank instruction": ([case(1, instruction="\n")], 1, "instruction"),
    "an unknown rule": (
        [
            case(
                1,
                golden=golden(
                    {"tool": "get_order", "params": {"order_id": "W1"}, "param_rules": {"order_id": "fuzzy"}}
                ),
            )
        ],
        1,
        "golden.calls.0.param_rules.order_id",
    ),
    "an id twice": ([case(1), case(2), case(1)], 3, "twice"),
}


@pytest.mark.parametrize(("cases", "line", "reason"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_line_that_is_no_case_is_refused_with_its_number(suite_of, cases, line, reason):
    with pytest.raises(errors.BadCase) as refused:
        load_suite(suite_of(*cases))

    assert (refused.value.line, reason in refused.value.subject) == (line, True)


RAW = {
    "no final newline": (json.dumps(case(1)), 1),
    "a blank line": (json.dumps(case(1)) + "\n\n", 2),
    "half a line": (json.dumps(case(1)) + '\n{"id":\n', 2),
    "nothing": ("", None),
}


@pytest.mark.parametrize(("raw", "line"), RAW.values(), ids=RAW.keys())
def test_a_file_that_is_no_jsonl_is_refused_with_its_line(suite_of, raw, line):
    with pytest.raises(errors.BadCase) as refused:
        load_suite(suite_of(raw=raw))

    assert refused.value.line == line


CONFIRM = {"tool": "confirm_action", "params": {"action_id": "a"}}
PROBLEMS = {
    "the dimension of another id": (case(1, dimension="D2"), "dimension D2 does not fit the id"),
    "skipped without a reason": (case(1, skip=True), "says why"),
    "a reason without a skip": (case(1, skip_reason="later"), "skip_reason is null"),
    "negative with a golden call": (case(1, negative=True), "a negative case has no golden calls"),
    "no calls and no word on reads": (case(1, golden=golden()), "allowed_extra says which reads"),
    "an unknown tool": (case(1, golden=golden({"tool": "get_oder", "params": {}})), "did you mean get_order?"),
    "refused by the schema": (case(1, golden=golden({"tool": "get_order", "params": {"order_id": 1}})), "order_id: 1 is not of type"),
    "an order that no table holds": (case(1, golden=golden({"tool": "get_order", "params": {"order_id": "W9"}})), "'W9' is in no row of table orders"),
    "a nested id that no table holds": (
        case(1, golden=golden({"tool": "confirm_action", "params": {"action_id": "a", "address": {"near": ["W1", "W2"]}}})),
        "address.near[1]: 'W2' is in no row",
    ),
    "an empty action id": (case(1, golden=golden({"tool": "confirm_action", "params": {"action_id": ""}})), "action_id is empty"),
    "a rule for no param": (
        case(1, golden=golden({"tool": "confirm_action", "params": {"action_id": "a"}, "param_rules": {"action": "any"}})),
        "param_rules names action",
    ),
    "a write allowed as extra": (case(1, golden=golden(CONFIRM, allowed_extra=["confirm_action"])), "does not only read"),
    "an unknown extra": (case(1, golden=golden(CONFIRM, allowed_extra=["get_ordr"])), "did you mean get_order?"),
    "an extra twice": (case(1, golden=golden(CONFIRM, allowed_extra=["get_order", "get_order"])), "twice"),
    "a gap in the ids": (case(2), "the next id here is fc-d1-001"),
}  # fmt: skip


@pytest.mark.parametrize(("made", "reason"), PROBLEMS.values(), ids=PROBLEMS.keys())
def test_every_break_of_the_rules_is_a_problem_with_its_line(suite_of, made, reason):
    suite = load_suite(suite_of(made))

    problems = problems_of(suite)

    assert [(problem.line, reason in problem.subject) for problem in problems] == [(1, True)]


def test_all_problems_are_found_at_once(suite_of):
    suite = load_suite(
        suite_of(case(1, dimension="D2"), case(2, skip=True), config='[judge]\nallowed_extra = ["nope"]\n')
    )

    assert [problem.line for problem in problems_of(suite)] == [1, 2, None]


def test_an_instruction_stands_once_whatever_its_case_and_spaces(suite_of):
    suite = load_suite(suite_of(case(1, instruction="Where is W1?"), case(2, instruction=" where IS w1? ")))

    assert [problem.subject for problem in problems_of(suite)] == ["fc-d1-002: the instruction is that of fc-d1-001"]


VARIANTS = 'variants = ["plain", "terse"]\n'


def test_variants_differ_in_id_and_instruction_only(suite_of):
    other = case(2, negative=True, golden=golden())
    suite = load_suite(suite_of(case(1), other, config=VARIANTS))

    assert [problem.subject.split(": ")[1] for problem in problems_of(suite)] == [
        "golden differs from that of fc-d1-001, a variant of the same question",
        "negative differs from that of fc-d1-001, a variant of the same question",
    ]


def test_a_category_has_one_case_a_variant(suite_of):
    suite = load_suite(suite_of(case(1), case(2), case(3), config=VARIANTS))

    [problem] = problems_of(suite)
    assert problem.subject == "fc-d1-003: category status has 3 cases, and one a variant makes 2"
    assert problem.command == (
        "give the cases beyond the first 2 a category of their own; "
        f"or name other variants, or none, in {suite.directory}/suite.toml"
    )


def test_a_case_that_is_asked_in_one_way_only_is_told_which_ways_are_missing(suite_of):
    suite = load_suite(suite_of(case(1), config='variants = ["plain", "terse", "rude"]\n'))

    [problem] = problems_of(suite)

    assert problem.subject == "fc-d1-001: category status has 1 case, and one a variant makes 3"
    assert problem.command == (
        "add the same question asked in the other ways (terse, rude), a line each; "
        f"or name other variants, or none, in {suite.directory}/suite.toml"
    )


def test_an_unknown_case_is_answered_with_the_nearest(suite_of):
    suite = load_suite(suite_of(case(1)))

    with pytest.raises(errors.UnknownName) as refused:
        suite.case("fc-d1-01")

    assert refused.value.nearest == "fc-d1-001"


def test_the_hashes_are_those_of_the_files_and_an_absent_file_hashes_as_empty(suite_of):
    directory = suite_of(case(1))

    hashes = load_suite(directory).hashes

    files = ("suite.toml", "system.txt", "tools.json", "cases.jsonl", "world.json")
    expected = [digest_of((directory / name).read_bytes()) for name in files]
    assert hashes == InputHashes(*expected, policy=digest_of(b""), world=digest_of(b""))


def test_only_the_instruction_goes_to_the_model(suite_of):
    suite = load_suite(suite_of(case(1)))

    scenario = suite.scenario_of(suite.cases[0])

    assert (scenario.system, scenario.users) == ("Help.", ["Where is order W1? (1)"])


def test_a_case_longer_than_a_line_may_be_is_refused_with_the_limit_and_what_to_do(suite_of):
    directory = suite_of(case(1, instruction="x" * (8 << 20)))

    with pytest.raises(errors.BadCase) as refused:
        load_suite(directory)

    assert (refused.value.line, refused.value.expected, refused.value.found[-6:]) == (1, "8 MiB at most", " bytes")
    assert (
        refused.value.command
        == "let what it holds be smaller (a prompt, an answer, a tool's result), and write it again"
    )
