"""The retail suite: cases that are well-formed, three to a scenario, and whose expectations hold in the world."""

import re
from collections import Counter

import pytest
from domains import keys_of, marked, outcome_of
from retail_desk import EFFECTS, RETAIL

FIELDS = ["id", "dimension", "category", "instruction", "context", "golden", "negative", "skip", "skip_reason"]
RULES = {"exact", "normalized_str", "normalized_date", "contains", "any"}
READS = [name for name, tool in RETAIL.tools.items() if tool["effect"] == "read"]
IDS = [case["id"] for case in RETAIL.cases]
TRIPLES = [RETAIL.cases[start : start + 3] for start in range(0, len(RETAIL.cases), 3)]
CATEGORIES = [triple[0]["category"] for triple in TRIPLES]
each_case = pytest.mark.parametrize("case", RETAIL.cases, ids=IDS)
each_scenario = pytest.mark.parametrize("triple", TRIPLES, ids=CATEGORIES)


def calls_of(case):
    return case["golden"]["calls"]


def tools_of(case):
    return [call["tool"] for call in calls_of(case)]


def values_in(value):
    """Return the numbers and strings inside a JSON value."""
    match value:
        case dict():
            return [leaf for part in value.values() for leaf in values_in(part)]
        case list():
            return [leaf for part in value for leaf in values_in(part)]
        case _:
            return [value]


# --- form


def test_the_suite_covers_its_four_dimensions():
    """Lower bounds: a scenario more is no reason to touch this file."""
    dimensions = Counter(case["dimension"] for case in RETAIL.cases)

    assert sorted(dimensions) == ["D1", "D2", "D3", "D4"]
    assert min(dimensions.values()) >= 18
    assert sum(case["negative"] for case in RETAIL.cases) >= 12


@each_case
def test_a_case_has_its_nine_fields_and_no_other(case):
    assert list(case) == FIELDS
    assert case["category"]
    assert case["instruction"].strip() == case["instruction"] != ""
    assert list(case["context"]) == ["db_fixture", "notes"]
    assert case["context"]["db_fixture"] == "standard"
    assert case["context"]["notes"]
    assert (case["skip"], case["skip_reason"]) == (False, None)


def test_ids_name_their_dimension_and_count_without_gaps():
    expected = [
        f"fc-{dimension.lower()}-{number:03}"
        for dimension, count in sorted(Counter(case["dimension"] for case in RETAIL.cases).items())
        for number in range(1, count + 1)
    ]

    assert sorted(IDS) == expected
    assert [case["id"] for case in RETAIL.cases if case["id"][3:5] != case["dimension"].lower()] == []


def test_no_instruction_stands_twice():
    folded = Counter(case["instruction"].strip().casefold() for case in RETAIL.cases)

    assert [text for text, count in folded.items() if count > 1] == []


@each_case
def test_a_golden_holds_what_the_dialect_knows(case):
    golden = case["golden"]

    assert set(golden) - {"allowed_extra"} == {"calls", "order_sensitive"}
    assert [call for call in calls_of(case) if set(call) - {"param_rules"} != {"tool", "params"}] == []
    assert {rule for call in calls_of(case) for rule in call.get("param_rules", {}).values()} <= RULES
    assert [call for call in calls_of(case) if not call.get("param_rules", {}).keys() <= call["params"].keys()] == []
    assert len(set(golden.get("allowed_extra", []))) == len(golden.get("allowed_extra", []))
    assert set(golden.get("allowed_extra", [])) <= set(READS)


@each_case
def test_a_negative_case_expects_nothing_and_allows_nothing(case):
    strict = {"calls": [], "order_sensitive": False, "allowed_extra": []}

    assert case["negative"] == (case["golden"] == strict)


# --- three variants a scenario


@each_scenario
def test_variants_differ_in_id_and_instruction_only(triple):
    shared = [{key: value for key, value in case.items() if key not in {"id", "instruction"}} for case in triple]

    assert len(shared) == 3
    assert shared[0] == shared[1] == shared[2]


def test_a_category_is_one_scenario():
    assert len(set(CATEGORIES)) == len(TRIPLES)


def english_words_of(instruction):
    """Return the Latin words outside quotation marks that are no ids."""
    return re.findall(r"(?<![A-Za-z0-9])[A-Za-z]{2,}", re.sub("“.*?”", "", instruction))


@each_scenario
def test_the_third_variant_alone_mixes_english_in(triple):
    canonical, colloquial, mixed = [english_words_of(case["instruction"]) for case in triple]

    assert canonical == []
    # a dictated note may be English
    assert colloquial in ([], ["price", "drop"])
    assert len(mixed) >= 2
    assert [case["id"] for case in triple if not re.search("[\u4e00-\u9fff]", case["instruction"])] == []


# --- expectations against tools and tables


@each_case
def test_golden_arguments_fit_the_schemas(case):
    unfit = [call for call in calls_of(case) if not RETAIL.validators[call["tool"]].is_valid(call["params"])]

    assert unfit == []


@each_case
def test_golden_ids_stand_in_the_tables(case):
    refs = [
        (call["params"][name], table)
        for call in calls_of(case)
        for name, table in marked(RETAIL.tools[call["tool"]]["parameters"], "x-ref")
    ]

    assert [id_ for id_, table in refs if id_ not in keys_of(RETAIL.tables, table)] == []


@each_case
def test_golden_calls_succeed_in_a_fresh_world(case):
    state, errors = outcome_of(RETAIL, case)

    called = Counter(tools_of(case))
    statuses = Counter(action["status"] for action in state["actions"]["rows"])
    assert errors == []
    assert statuses.total() == sum(called[name] for name in EFFECTS)
    assert (statuses["confirmed"], statuses["aborted"]) == (called["confirm_action"], called["abort_action"])
    assert sum(len(state[table]["rows"]) for table in EFFECTS.values()) == called["confirm_action"]


@each_case
def test_only_chains_resolve_an_action_and_they_are_ordered_and_linked(case):
    resolving = [call for call in calls_of(case) if RETAIL.tools[call["tool"]]["effect"] == "confirm"]
    is_chain = case["dimension"] == "D4"

    assert bool(resolving) == is_chain
    assert case["golden"]["order_sensitive"] == is_chain
    assert [call for call in resolving if call["param_rules"] != {"action_id": "any"}] == []


@each_case
def test_an_agent_may_look_before_it_writes(case):
    writes = [name for name in tools_of(case) if RETAIL.tools[name]["effect"] == "write"]

    assert not writes or case["golden"]["allowed_extra"] == READS


@each_case
def test_what_nobody_could_look_up_stands_in_the_instruction(case):
    told = re.sub(r"(\d+) 块 (\d) 毛", r"\1.\2", case["instruction"])
    values = [
        leaf
        for call in calls_of(case)
        for name in ("order_id", "user_id", "product_id", "amount", "address", "note")
        for leaf in values_in(call["params"].get(name, []))
        if call.get("param_rules", {}).get(name) != "any"
    ]

    assert [leaf for leaf in values if str(leaf) not in told] == []


def test_every_tool_and_every_rule_is_put_to_use():
    calls = [call for case in RETAIL.cases for call in calls_of(case)]
    used = {rule for call in calls for rule in call.get("param_rules", {}).values()}

    assert {call["tool"] for call in calls} == set(RETAIL.tools)
    assert used | {"exact"} == RULES
