"""A second domain behind the same files: other tools, tables and ids than the retail desk."""

import copy

import pytest
from domains import domain_of, keys_of, marked, outcome_of

LIBRARY = domain_of("library-desk")
RETAIL = domain_of("retail")
RENEWAL = {"loan_id": "L71", "weeks": 2}
each_case = pytest.mark.parametrize("case", LIBRARY.cases, ids=[case["id"] for case in LIBRARY.cases])


def answer_of(state, name, arguments):
    assert LIBRARY.validators[name].is_valid(arguments)
    before = copy.deepcopy(state)

    after, result, is_error = LIBRARY.world.call(state, name, arguments)

    assert state == before
    return after, result, is_error


def fresh():
    return LIBRARY.world.start(LIBRARY.tables)


def with_ticket():
    after, ticket, _ = answer_of(fresh(), "request_renewal", RENEWAL)
    return after, {"ticket_id": ticket["ticket_id"]}


def test_the_domains_have_no_tool_and_no_table_in_common():
    assert LIBRARY.tools.keys() & RETAIL.tools.keys() == set()
    assert LIBRARY.tables.keys() & RETAIL.tables.keys() == set()


@each_case
def test_golden_calls_fit_schemas_and_tables_and_succeed(case):
    state, errors = outcome_of(LIBRARY, case)

    calls = case["golden"]["calls"]
    assert errors == []
    assert [call for call in calls if not LIBRARY.validators[call["tool"]].is_valid(call["params"])] == []
    assert [
        (name, call)
        for call in calls
        for name, table in marked(LIBRARY.tools[call["tool"]]["parameters"], "x-ref")
        if call["params"][name] not in keys_of(LIBRARY.tables, table)
    ] == []
    assert {ticket["status"] for ticket in state["tickets"]["rows"]} <= {"confirmed"}


@pytest.mark.parametrize("start", range(0, len(LIBRARY.cases), 3))
def test_variants_differ_in_id_and_instruction_only(start):
    triple = LIBRARY.cases[start : start + 3]

    shared = [{key: value for key, value in case.items() if key not in {"id", "instruction"}} for case in triple]

    assert len({case["instruction"].strip().casefold() for case in triple}) == 3
    assert shared == [shared[0]] * 3


def test_reads_answer_from_the_tables():
    assert answer_of(fresh(), "get_book", {"book_id": "B33"})[1:] == (
        {"book_id": "B33", "title": "The Salt Road", "shelf": "910 S", "copies_in": 1},
        False,
    )
    assert answer_of(fresh(), "list_loans", {"reader_id": "R12"})[1:] == (
        [{"loan_id": "L73", "title": "Field Guide to Mosses", "due": "2026-05-06"}],
        False,
    )


def test_a_confirmed_renewal_stands_beside_the_loan():
    state, ticket = with_ticket()

    after, renewal, is_error = answer_of(state, "confirm_ticket", ticket)

    _, loans, _ = answer_of(after, "list_loans", {"reader_id": "R11"})
    assert (renewal, is_error) == (ticket | {"loan_id": "L71", "due": "2026-05-18"}, False)
    assert [loan["due"] for loan in loans] == ["2026-05-18", "2026-05-11"]
    assert {table for table in after if after[table] != LIBRARY.tables[table]} == {"tickets", "renewals"}


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("get_book", {"book_id": "B99"}, "book_id B99 does not exist"),
        ("list_loans", {"reader_id": "R99"}, "reader_id R99 does not exist"),
        ("request_renewal", {"loan_id": "L99", "weeks": 1}, "loan_id L99 does not exist"),
        ("request_renewal", {"loan_id": "L72", "weeks": 1}, "another reader waits for loan L72"),
        ("request_renewal", RENEWAL, "a renewal of loan L71 has been requested before"),
        ("confirm_ticket", {"ticket_id": "T-1"}, "ticket_id T-1 does not exist"),
    ],
)
def test_what_the_desk_refuses(name, arguments, message):
    state, _ = with_ticket()

    assert answer_of(state, name, arguments) == (state, {"error": message}, True)


def test_a_ticket_is_confirmed_once():
    state, ticket = with_ticket()
    state, _, _ = answer_of(state, "confirm_ticket", ticket)

    _, result, is_error = answer_of(state, "confirm_ticket", ticket)

    assert (result, is_error) == ({"error": f"ticket {ticket['ticket_id']} is confirmed already"}, True)


def test_an_unknown_tool_is_refused():
    assert LIBRARY.world.call(fresh(), "burn_book", {}) == (
        LIBRARY.tables,
        {"error": "there is no tool burn_book"},
        True,
    )
