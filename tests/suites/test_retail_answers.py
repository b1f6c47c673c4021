"""What the retail world answers to reads, and which calls it refuses with which words."""

import pytest
from retail_desk import REQUESTS, RETAIL, fresh, opened, play, refusal_of

READS = {
    "get_user": (
        {"user_id": "U103"},
        {"user_id": "U103", "name": "王三", "email": "u103@example.com", "level": "silver"},
    ),
    "list_orders": (
        {"user_id": "U101", "status": "delivered"},
        {
            "user_id": "U101",
            "orders": [{"order_id": "W442", "placed_on": "2026-03-01", "total": 508.5, "status": "delivered"}],
        },
    ),
    "get_product": (
        {"product_id": "P204"},
        {
            "product_id": "P204",
            "name": "机械键盘 / mechanical keyboard",
            "price": 459,
            "final_sale": False,
            "options": [{"item_id": "I20401", "option": "茶轴"}, {"item_id": "I20402", "option": "红轴"}],
        },
    ),
    "check_stock": (
        {"product_id": "P204"},
        {
            "product_id": "P204",
            "name": "机械键盘 / mechanical keyboard",
            "options": [
                {"item_id": "I20401", "option": "茶轴", "available": 6},
                {"item_id": "I20402", "option": "红轴", "available": 0},
            ],
        },
    ),
    "get_return_policy": ({}, {"policy": RETAIL.policy}),
}


@pytest.mark.parametrize(("name", "asked", "answer"), [(name, *pair) for name, pair in READS.items()], ids=READS)
def test_a_read_answers_from_the_tables(name, asked, answer):
    state, result = play(fresh(), (name, asked))

    assert result == answer
    assert state == fresh()


def test_an_order_is_shown_with_what_was_bought_and_asked_for():
    state, action_id = opened(fresh(), "request_cancel", order_id="W448")

    _, result = play(state, ("get_order", {"order_id": "W448"}))

    [home] = [row["address"] for row in RETAIL.tables["orders"]["rows"] if row["order_id"] == "W448"]
    assert result == {
        "order_id": "W448",
        "user_id": "U103",
        "status": "pending",
        "placed_on": "2026-03-10",
        "shipped_on": None,
        "delivered_on": None,
        "cancelled_on": None,
        "lines": [
            {
                "item_id": "I20701",
                "quantity": 1,
                "unit_price": 129,
                "product_id": "P207",
                "name": "充电宝 / power bank",
                "option": "10000mAh",
            }
        ],
        "total": 129,
        "address": home,
        "requests": [{"action_id": action_id, "kind": "cancel", "status": "pending"}],
    }


def test_all_orders_of_a_customer_are_listed_on_demand():
    _, result = play(fresh(), ("list_orders", {"user_id": "U102", "status": "all"}))

    assert [order["order_id"] for order in result["orders"]] == ["W444", "W445", "W446"]


def test_what_a_read_gives_out_is_no_part_of_the_state():
    state, result = play(fresh(), ("get_order", {"order_id": "W442"}))

    result["lines"].clear()
    result["address"]["city"] = "elsewhere"

    assert state == fresh()


@pytest.mark.parametrize(
    ("name", "asked", "key"),
    [
        ("get_user", {"user_id": "U999"}, "user_id U999"),
        ("list_orders", {"user_id": "U999", "status": "all"}, "user_id U999"),
        ("get_order", {"order_id": "W999"}, "order_id W999"),
        ("get_order", {"order_id": "w441"}, "order_id w441"),
        ("get_product", {"product_id": "P999"}, "product_id P999"),
        ("check_stock", {"product_id": "I20101"}, "product_id I20101"),
        *[(name, asked | {"order_id": "W999"}, "order_id W999") for name, asked in REQUESTS.items()],
        ("request_return", REQUESTS["request_return"] | {"item_id": "I9"}, "item_id I9"),
        ("request_exchange", REQUESTS["request_exchange"] | {"replacement_item_id": "I9"}, "item_id I9"),
    ],
)
def test_an_unknown_id_is_refused_by_name(name, asked, key):
    assert refusal_of(fresh(), name, asked) == f"{key} does not exist"


def test_an_unknown_tool_is_refused():
    assert refusal_of(fresh(), "delete_order", {}) == "there is no tool delete_order"


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("request_cancel", {"order_id": "W442"}, "order W442 is delivered; cancel needs a pending order"),
        ("request_cancel", {"order_id": "W443"}, "order W443 is shipped; cancel needs a pending order"),
        ("request_cancel", {"order_id": "W445"}, "order W445 is cancelled; cancel needs a pending order"),
        ("request_address_update", {"order_id": "W443"}, "order W443 is shipped; address_update needs a pending order"),
        ("request_return", {"order_id": "W441"}, "order W441 is pending; return needs a delivered order"),
        ("request_exchange", {"order_id": "W443"}, "order W443 is shipped; exchange needs a delivered order"),
        ("request_refund", {"order_id": "W445"}, "order W445 is cancelled; refund needs a delivered order"),
        ("request_return", {"item_id": "I20202"}, "order W447 does not contain item I20202"),
        ("request_return", {"item_id": "I21001"}, "item I21001 is final sale"),
        ("request_refund", {"order_id": "W446", "item_id": "I20901"}, "item I20901 is final sale"),
        ("request_return", {"order_id": "W444", "item_id": "I20401"}, "the window for order W444 closed on 2026-02-14"),
        ("request_return", {"quantity": 3}, "at most 2 of item I20801 can be returned"),
        ("request_return", {"pickup_date": "2026-03-10"}, "pickup is between 1 and 7 days after 2026-03-10"),
        ("request_return", {"pickup_date": "2026-03-18"}, "pickup is between 1 and 7 days after 2026-03-10"),
        (
            "request_exchange",
            {"replacement_item_id": "I20301"},
            "an item is exchanged for another option of the same product only",
        ),
        (
            "request_exchange",
            {"replacement_item_id": "I20202"},
            "an item is exchanged for another option of the same product only",
        ),
        ("request_exchange", {"replacement_item_id": "I20204"}, "item I20204 is out of stock"),
        ("request_refund", {"amount": 109.51}, "at most 109.5 can be refunded for item I20501"),
    ],
)
def test_a_request_that_the_policy_excludes_is_refused(name, changes, message):
    asked = REQUESTS[name] | changes

    assert RETAIL.validators[name].is_valid(asked)
    assert refusal_of(fresh(), name, asked) == message


@pytest.mark.parametrize("day", ["2026-03-11", "2026-03-17"])
def test_the_first_and_the_last_pickup_day_are_offered(day):
    _, result = play(fresh(), ("request_return", REQUESTS["request_return"] | {"pickup_date": day}))

    assert result["status"] == "pending"


def test_all_that_was_paid_can_be_refunded():
    _, result = play(fresh(), ("request_refund", REQUESTS["request_refund"] | {"amount": 109.5}))

    assert result["status"] == "pending"
