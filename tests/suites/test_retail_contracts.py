"""The retail domain's tools and tables agree with themselves and with one another."""

import json
import re

import pytest
from domains import keys_of, marked, objects_in
from retail_desk import EFFECTS, REQUESTS, RETAIL, SOURCES


def test_there_are_thirteen_tools_in_three_groups():
    groups = {
        effect: [n for n, tool in RETAIL.tools.items() if tool["effect"] == effect]
        for effect in ("read", "write", "confirm")
    }

    assert groups == {
        "read": ["get_user", "get_order", "list_orders", "get_product", "check_stock", "get_return_policy"],
        "write": ["request_address_update", "request_cancel", "request_return", "request_exchange", "request_refund"],
        "confirm": ["confirm_action", "abort_action"],
    }


@pytest.mark.parametrize("name", RETAIL.tools)
def test_a_schema_asks_for_every_field_and_allows_no_other(name):
    schemas = list(objects_in(RETAIL.tools[name]["parameters"]))

    assert [schema for schema in schemas if schema["additionalProperties"] is not False] == []
    assert [schema for schema in schemas if schema["required"] != list(schema["properties"])] == []


def test_one_schema_holds_a_nested_object():
    nested = {name for name, tool in RETAIL.tools.items() if len(list(objects_in(tool["parameters"]))) > 1}

    assert nested == {"request_address_update"}


def test_every_id_parameter_names_its_table_or_its_chain():
    refs = {pair for tool in RETAIL.tools.values() for pair in marked(tool["parameters"], "x-ref")}
    ids = {name for tool in RETAIL.tools.values() for name in tool["parameters"]["properties"] if name.endswith("_id")}

    assert refs == {
        ("user_id", "users"),
        ("order_id", "orders"),
        ("product_id", "products"),
        ("item_id", "items"),
        ("replacement_item_id", "items"),
    }
    assert ids == {name for name, _ in refs} | {"action_id"}


def test_requests_issue_what_confirmations_take():
    issues = {name: tool["x-issues"] for name, tool in RETAIL.tools.items() if "x-issues" in tool}
    takes = {name: list(marked(tool["parameters"], "x-takes")) for name, tool in RETAIL.tools.items()}

    assert issues == dict.fromkeys(REQUESTS, "action_id")
    assert {name: pairs for name, pairs in takes.items() if pairs} == {
        "confirm_action": [("action_id", "action_id")],
        "abort_action": [("action_id", "action_id")],
    }


def test_neither_tools_nor_prompt_hold_an_id_to_copy():
    text = json.dumps(list(RETAIL.tools.values())) + RETAIL.system

    assert re.findall(r"\b(?:[UWPI]\d{3,}|ACT-\w+)", text) == []


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("wrong", [None, True, [], {}, "", 0, -1, "\u0000?"], ids=repr)
def test_a_schema_refuses_a_value_of_the_wrong_kind(name, wrong):
    closed = [
        key
        for key, part in RETAIL.tools[name]["parameters"]["properties"].items()
        if "x-ref" not in part and key != "note"
    ]

    accepted = [key for key in closed if RETAIL.validators[name].is_valid(REQUESTS[name] | {key: wrong})]

    assert closed
    assert accepted == []


@pytest.mark.parametrize("written", ["2026-3-12", "20260312", "2026-02-30", "12/03/2026", "2026-03-12T00:00:00Z"])
def test_a_pickup_date_is_a_plain_iso_date(written):
    assert not RETAIL.validators["request_return"].is_valid(REQUESTS["request_return"] | {"pickup_date": written})


# --- tables


def test_the_tables_hold_what_the_domain_promises():
    status = {row["order_id"]: row["status"] for row in RETAIL.tables["orders"]["rows"]}

    assert keys_of(RETAIL.tables, "users") == ["U101", "U102", "U103"]
    assert keys_of(RETAIL.tables, "products") == [f"P{number}" for number in range(201, 211)]
    assert status == {
        "W441": "pending",
        "W442": "delivered",
        "W443": "shipped",
        "W444": "delivered",
        "W445": "cancelled",
        "W446": "delivered",
        "W447": "delivered",
        "W448": "pending",
    }
    assert [name for name, table in RETAIL.tables.items() if not table["rows"]] == ["actions", *EFFECTS.values()]


def test_rows_refer_to_rows_that_are_there():
    tables = RETAIL.tables
    lines = [line for order in tables["orders"]["rows"] for line in order["lines"]]

    assert {order["user_id"] for order in tables["orders"]["rows"]} == set(keys_of(tables, "users"))
    assert {item["product_id"] for item in tables["items"]["rows"]} == set(keys_of(tables, "products"))
    assert {line["item_id"] for line in lines} - set(keys_of(tables, "items")) == set()
    assert [name for name in SOURCES if len(set(keys_of(tables, name))) != len(keys_of(tables, name))] == []


@pytest.mark.parametrize("order", RETAIL.tables["orders"]["rows"], ids=keys_of(RETAIL.tables, "orders"))
def test_an_order_agrees_with_itself(order):
    dates = [order[name] for name in ("placed_on", "shipped_on", "delivered_on") if order[name]]
    told = [name for name in ("shipped_on", "delivered_on", "cancelled_on") if order[name]]

    assert dates == sorted(dates)
    assert (
        told
        == {
            "pending": [],
            "shipped": ["shipped_on"],
            "delivered": ["shipped_on", "delivered_on"],
            "cancelled": ["cancelled_on"],
        }[order["status"]]
    )
    assert order["total"] == sum(line["quantity"] * line["unit_price"] for line in order["lines"])


def test_the_policy_stands_once_in_words_and_agrees_with_its_figures():
    [policy] = RETAIL.tables["policies"]["rows"]

    assert policy["text"] == RETAIL.policy
    assert f"{policy['window_days']} days from the day of delivery" in RETAIL.policy
    assert f"{policy['pickup_days']} days from today" in RETAIL.policy
    assert f"Today is {policy['today']}." in RETAIL.system
