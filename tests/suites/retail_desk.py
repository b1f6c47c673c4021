"""Calls on the retail domain, for the tests of its world."""

from domains import domain_of

RETAIL = domain_of("retail")
SOURCES = ("users", "orders", "products", "items", "policies")
ADDRESS = {
    "recipient": "林一",
    "phone": "13800000101",
    "province": "浙江省",
    "city": "杭州市",
    "district": "西湖区",
    "street": "文三路90号",
    "postal_code": "310012",
}
REQUESTS = {
    "request_address_update": {"order_id": "W441", "address": ADDRESS},
    "request_cancel": {"order_id": "W441", "reason": "found_cheaper"},
    "request_return": {
        "order_id": "W447",
        "item_id": "I20801",
        "quantity": 1,
        "reason": "defective",
        "pickup_date": "2026-03-12",
    },
    "request_exchange": {
        "order_id": "W442",
        "item_id": "I20202",
        "replacement_item_id": "I20203",
        "reason": "different_color",
    },
    "request_refund": {
        "order_id": "W442",
        "item_id": "I20501",
        "amount": 20.5,
        "reason": "price_drop",
        "note": "price drop",
    },
}
EFFECTS = {
    "request_address_update": "address_updates",
    "request_cancel": "cancellations",
    "request_return": "returns",
    "request_exchange": "exchanges",
    "request_refund": "refunds",
}


def fresh():
    return RETAIL.world.start(RETAIL.tables)


def play(state, *calls):
    """Make calls that must succeed; return the state after them and the last result."""
    result = None
    for name, arguments in calls:
        assert RETAIL.validators[name].is_valid(arguments)
        state, result, is_error = RETAIL.world.call(state, name, arguments)
        assert not is_error, result
    return state, result


def opened(state, name, **changes):
    """Return the state with one more open action, and the action's id."""
    state, result = play(state, (name, REQUESTS[name] | changes))
    return state, result["action_id"]


def refusal_of(state, name, arguments):
    """Return what a refused call says; it must leave the state alone."""
    after, result, is_error = RETAIL.world.call(state, name, arguments)

    assert is_error
    assert after == state
    return result["error"]
