"""The systems behind a library desk: tables and a call in, tables and a result out.

Loans and books never change; a confirmed renewal stands in `renewals`, beside the loan that it makes longer.
"""

from datetime import date, timedelta
from typing import Any

Row = dict[str, Any]
State = dict[str, dict[str, Any]]


def start(tables: State) -> State:
    """The state before the first call: the fixture, with no tickets and no renewals."""
    return tables


def call(state: State, name: str, arguments: Row) -> tuple[State, Any, bool]:
    """Answer one tool call: the state after it, its result, whether the result is an error."""
    match name:
        case "list_loans":
            return list_loans(state, **arguments)
        case "get_book":
            return found(state, "books", arguments["book_id"])
        case "request_renewal":
            return request_renewal(state, **arguments)
        case "confirm_ticket":
            return confirm_ticket(state, **arguments)
        case _:
            return refusal(state, f"there is no tool {name}")


def list_loans(state: State, reader_id: str) -> tuple[State, Any, bool]:
    """What a reader has on loan, with the day each is due by now."""
    _, reader, is_error = found(state, "readers", reader_id)
    if is_error:
        return state, reader, True
    loans = [
        {
            "loan_id": loan["loan_id"],
            "title": row_of(state, "books", loan["book_id"])["title"],
            "due": due_of(state, loan),
        }
        for loan in state["loans"]["rows"]
        if loan["reader_id"] == reader_id
    ]
    return state, loans, False


def request_renewal(state: State, loan_id: str, weeks: int) -> tuple[State, Any, bool]:
    """Open a ticket for a loan that may be renewed."""
    _, loan, is_error = found(state, "loans", loan_id)
    if is_error:
        return state, loan, True
    if loan["reserved"]:
        return refusal(state, f"another reader waits for loan {loan_id}")
    if any(ticket["loan_id"] == loan_id for ticket in state["tickets"]["rows"]):
        return refusal(state, f"a renewal of loan {loan_id} has been requested before")
    number = len(state["tickets"]["rows"]) + 1
    ticket = {"ticket_id": f"T-{loan_id}-{number}", "loan_id": loan_id, "weeks": weeks, "status": "open"}
    return with_row(state, "tickets", ticket), ticket, False


def confirm_ticket(state: State, ticket_id: str) -> tuple[State, Any, bool]:
    """Carry out an open ticket: the loan gets its new day."""
    _, ticket, is_error = found(state, "tickets", ticket_id)
    if is_error:
        return state, ticket, True
    if ticket["status"] != "open":
        return refusal(state, f"ticket {ticket_id} is {ticket['status']} already")
    loan = row_of(state, "loans", ticket["loan_id"])
    due = (date.fromisoformat(loan["due"]) + timedelta(weeks=ticket["weeks"])).isoformat()
    renewal = {"ticket_id": ticket_id, "loan_id": loan["loan_id"], "due": due}
    after = with_row(state, "tickets", {**ticket, "status": "confirmed"})
    return with_row(after, "renewals", renewal), renewal, False


def due_of(state: State, loan: Row) -> str:
    """The day a loan is due, a renewal included."""
    renewed = [row["due"] for row in state["renewals"]["rows"] if row["loan_id"] == loan["loan_id"]]
    return str([loan["due"], *renewed][-1])


def row_of(state: State, table: str, value: str) -> Row:
    """The row that is known to be there."""
    key = state[table]["key"]
    return next(row for row in state[table]["rows"] if row[key] == value)


def found(state: State, table: str, value: str) -> tuple[State, Any, bool]:
    """The row with this key as an answer, or the answer that there is none."""
    key = state[table]["key"]
    if all(row[key] != value for row in state[table]["rows"]):
        return refusal(state, f"{key} {value} does not exist")
    return state, row_of(state, table, value), False


def refusal(state: State, reason: str) -> tuple[State, Any, bool]:
    """The answer that nothing was done, and why."""
    return state, {"error": reason}, True


def with_row(state: State, table: str, row: Row) -> State:
    """A state with one row more, or with the row of the same key replaced."""
    key = state[table]["key"]
    others = [other for other in state[table]["rows"] if other[key] != row[key]]
    return {**state, table: {**state[table], "rows": [*others, row]}}
