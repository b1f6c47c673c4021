"""What requests, confirmations and aborts do to the retail world, alone and in any sequence."""

import copy
import json
from datetime import date, timedelta

import pytest
from domains import domain_of, keys_of
from hypothesis import given
from hypothesis import strategies as st
from retail_desk import ADDRESS, EFFECTS, REQUESTS, RETAIL, SOURCES, fresh, opened, play, refusal_of


def today_moved(days_after_delivery, order_id="W442"):
    state = fresh()
    [order] = [row for row in state["orders"]["rows"] if row["order_id"] == order_id]
    day = date.fromisoformat(order["delivered_on"]) + timedelta(days=days_after_delivery)
    state["policies"]["rows"][0]["today"] = day.isoformat()
    return state


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_opens_an_action_and_changes_nothing_else(name):
    before = fresh()

    after, result = play(before, (name, REQUESTS[name]))

    [action] = after["actions"]["rows"]
    assert action == result | {"request": REQUESTS[name]}
    assert result["status"] == "pending"
    assert {table for table in after if after[table] != before[table]} == {"actions"}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_confirmation_brings_the_effect_about_in_its_overlay(name):
    state, action_id = opened(fresh(), name)

    after, result = play(state, ("confirm_action", {"action_id": action_id}))

    assert result["status"] == "confirmed"
    assert after[EFFECTS[name]]["rows"] == [{"action_id": action_id} | REQUESTS[name]]
    assert {table for table in after if after[table] != state[table]} == {"actions", EFFECTS[name]}


@pytest.mark.parametrize("name", REQUESTS)
def test_an_aborted_action_has_no_effect(name):
    state, action_id = opened(fresh(), name)

    after, result = play(state, ("abort_action", {"action_id": action_id}))

    assert result["status"] == "aborted"
    assert {table for table in after if after[table] != fresh()[table]} == {"actions"}


@pytest.mark.parametrize("second", ["confirm_action", "abort_action"])
@pytest.mark.parametrize(("first", "became"), [("confirm_action", "confirmed"), ("abort_action", "aborted")])
def test_an_action_is_resolved_once(first, became, second):
    state, action_id = opened(fresh(), "request_cancel")
    state, _ = play(state, (first, {"action_id": action_id}))

    assert refusal_of(state, second, {"action_id": action_id}) == f"action {action_id} is already {became}"


@pytest.mark.parametrize("name", ["confirm_action", "abort_action"])
def test_an_action_that_nobody_opened_cannot_be_resolved(name):
    assert refusal_of(fresh(), name, {"action_id": "ACT-1"}) == "action_id ACT-1 does not exist"


def test_the_same_calls_give_the_same_ids_and_other_calls_other_ids():
    ids = [opened(fresh(), name)[1] for name in REQUESTS]

    assert ids == [opened(fresh(), name)[1] for name in REQUESTS]
    assert len(set(ids)) == len(REQUESTS)


def test_a_state_that_is_handed_in_is_left_as_it_is():
    state, action_id = opened(fresh(), "request_return")
    kept = copy.deepcopy(state)

    play(state, ("confirm_action", {"action_id": action_id}), ("get_order", {"order_id": "W447"}))

    assert state == kept


@pytest.mark.parametrize(("days", "is_open"), [(30, True), (31, False)])
def test_the_window_includes_its_last_day(days, is_open):
    state = today_moved(days)

    _, result, is_error = RETAIL.world.call(state, "request_exchange", REQUESTS["request_exchange"])

    assert is_error is not is_open
    assert is_open or result == {"error": "the window for order W442 closed on 2026-04-04"}


# --- what earlier actions mean for later calls


def confirmed(state, name, **changes):
    state, action_id = opened(state, name, **changes)
    return play(state, ("confirm_action", {"action_id": action_id}))[0]


def test_an_order_has_one_open_action_at_most():
    state, action_id = opened(fresh(), "request_cancel")

    said = refusal_of(state, "request_address_update", REQUESTS["request_address_update"])

    assert said == f"action {action_id} of this order is still open; confirm or abort it first"


def test_an_aborted_request_can_be_made_again_under_another_id():
    state, first = opened(fresh(), "request_cancel")
    state, _ = play(state, ("abort_action", {"action_id": first}))

    state, second = opened(state, "request_cancel")

    assert first != second
    assert [row["status"] for row in state["actions"]["rows"]] == ["aborted", "pending"]


def test_a_cancelled_order_shows_as_cancelled_and_takes_no_further_request():
    state = confirmed(fresh(), "request_cancel")

    _, listed = play(state, ("list_orders", {"user_id": "U101", "status": "cancelled"}))

    assert [order["order_id"] for order in listed["orders"]] == ["W441"]
    assert refusal_of(state, "request_cancel", REQUESTS["request_cancel"]).startswith("order W441 is cancelled")


def test_a_changed_address_shows_in_the_order():
    state = confirmed(fresh(), "request_address_update")

    _, order = play(state, ("get_order", {"order_id": "W441"}))

    assert order["address"] == ADDRESS


def test_no_piece_goes_back_twice():
    state = confirmed(confirmed(fresh(), "request_return"), "request_return")

    said = refusal_of(state, "request_return", REQUESTS["request_return"])

    assert said == "every piece of item I20801 has been returned or exchanged"


def test_no_more_is_refunded_than_was_paid_for_what_is_kept():
    state = confirmed(fresh(), "request_return")
    lamp = {"order_id": "W447", "item_id": "I20801", "amount": 100}
    state = confirmed(state, "request_refund", **lamp)

    said = refusal_of(state, "request_refund", REQUESTS["request_refund"] | lamp)

    assert said == "at most 59 can be refunded for item I20801"


def test_an_open_exchange_holds_a_piece_until_it_is_aborted():
    def black_42(state):
        _, stock = play(state, ("check_stock", {"product_id": "P202"}))
        return {option["item_id"]: option["available"] for option in stock["options"]}["I20203"]

    held, action_id = opened(fresh(), "request_exchange")
    released, _ = play(held, ("abort_action", {"action_id": action_id}))

    assert [black_42(state) for state in (fresh(), held, released)] == [3, 2, 3]


# --- any sequence of calls

GOOD_VALUE = {key: value for asked in REQUESTS.values() for key, value in asked.items()}
IDS = {name: keys_of(RETAIL.tables, name) for name in SOURCES}


def values_of(name, part):
    """Values for one parameter: mostly such as the tables know, since only these get anywhere."""
    match part:
        case {"x-ref": table}:
            return st.sampled_from([*IDS[table], "none"])
        case {"enum": values}:
            return st.sampled_from(values)
        case {"x-takes": _}:
            return st.integers(0, 3)
        case _:
            return st.sampled_from({"quantity": [1, 2], "amount": [1, 20.5, 159]}.get(name, [GOOD_VALUE[name]]))


ANY_CALL = st.sampled_from(list(RETAIL.tools)).flatmap(
    lambda name: st.tuples(
        st.just(name),
        st.fixed_dictionaries(
            {key: values_of(key, part) for key, part in RETAIL.tools[name]["parameters"]["properties"].items()}
        ),
    )
)
# Chance alone seldom finds a request that is accepted, and less often its confirmation.
GOOD_REQUEST = st.sampled_from(list(REQUESTS.items()))
RESOLUTION = st.tuples(st.sampled_from(["confirm_action", "confirm_action", "abort_action"]), st.just({"action_id": 0}))
CALLS = st.one_of(GOOD_REQUEST, RESOLUTION, ANY_CALL)


def with_known_action(state, arguments):
    """Return the arguments with an action's id in place of a number that counts back from the newest."""
    if "action_id" not in arguments:
        return arguments
    ids = [row["action_id"] for row in reversed(state["actions"]["rows"])]
    return {"action_id": dict(enumerate(ids)).get(arguments["action_id"], "none")}


@given(st.lists(CALLS, max_size=20))
def test_no_sequence_of_calls_breaks_what_the_world_promises(calls):
    state = fresh()
    for name, drawn in calls:
        before, arguments = copy.deepcopy(state), with_known_action(state, drawn)
        answer = RETAIL.world.call(state, name, arguments)

        assert state == before
        assert RETAIL.world.call(state, name, copy.deepcopy(arguments)) == answer
        assert answer == tuple(json.loads(json.dumps(answer)))
        state = answer[0]

    actions = state["actions"]["rows"]
    effects = [row["action_id"] for table in EFFECTS.values() for row in state[table]["rows"]]
    assert {name: state[name] for name in SOURCES} == {name: RETAIL.tables[name] for name in SOURCES}
    assert len({action["action_id"] for action in actions}) == len(actions)
    assert sorted(effects) == sorted(action["action_id"] for action in actions if action["status"] == "confirmed")


def test_two_worlds_share_nothing():
    first, _ = opened(fresh(), "request_cancel")

    assert domain_of("retail").tables == RETAIL.tables
    assert fresh()["actions"]["rows"] == []
    assert len(first["actions"]["rows"]) == 1
