"""The systems behind a shop's support desk: tables and a call in, tables and a result out.

The source tables (users, orders, products, items, policies) never change. What a request opens
stands in `actions`; what a confirmation brings about stands in the overlay table of its kind.
Nothing here reads a clock, a file or chance, and a state that is handed in is left as it is.
Arguments are taken to fit the schemas of `tools.json`: whoever calls has checked that.
"""

import copy
import hashlib
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

Row = dict[str, Any]
State = dict[str, dict[str, Any]]
Answer = tuple[State, Any]

# What each kind of request needs the order to be, and the table that its effect goes to.
KINDS = {
    "address_update": ("pending", "address_updates"),
    "cancel": ("pending", "cancellations"),
    "return": ("delivered", "returns"),
    "exchange": ("delivered", "exchanges"),
    "refund": ("delivered", "refunds"),
}


class Refusal(Exception):
    """What the systems answer instead of doing something; its text goes to the caller."""


def start(tables: State) -> State:
    """The state before the first call: every table of the fixture, the overlays empty."""
    return copy.deepcopy(tables)


def call(state: State, name: str, arguments: Row) -> tuple[State, Any, bool]:
    """Answer one tool call: the state after it, its result, whether the result is an error."""
    if name not in TOOLS:
        return state, {"error": f"there is no tool {name}"}, True
    try:
        after, result = TOOLS[name](state, arguments)
    except Refusal as refusal:
        return state, {"error": str(refusal)}, True
    return after, copy.deepcopy(result), False


# --- looking things up


def find(state: State, table: str, value: str) -> Row:
    """The row of a table with this key; Refusal where there is none."""
    key = state[table]["key"]
    for row in rows_of(state, table, **{key: value}):
        return row
    raise Refusal(f"{key} {value} does not exist")


def rows_of(state: State, table: str, **fields: object) -> list[Row]:
    """The rows of a table whose fields have these values."""
    rows: list[Row] = state[table]["rows"]
    return [row for row in rows if all(row[key] == value for key, value in fields.items())]


def status_of(state: State, order: Row) -> str:
    """What has become of an order, a confirmed cancellation included."""
    cancelled = rows_of(state, "cancellations", order_id=order["order_id"])
    return "cancelled" if cancelled else str(order["status"])


def available(state: State, item: Row) -> int:
    """Pieces in stock, less those that an open or confirmed exchange has taken."""
    exchanges = rows_of(state, "actions", kind="exchange")
    taken = [
        action
        for action in exchanges
        if action["status"] != "aborted" and action["request"]["replacement_item_id"] == item["item_id"]
    ]
    return int(item["stock"]) - len(taken)


def line_of(order: Row, item_id: str) -> Row:
    """The line of an order that holds an item; Refusal where none does."""
    for line in order["lines"]:
        if line["item_id"] == item_id:
            return dict(line)
    raise Refusal(f"order {order['order_id']} does not contain item {item_id}")


def pieces_kept(state: State, order: Row, line: Row) -> int:
    """Pieces of an order line that have been neither returned nor exchanged."""
    same = {"order_id": order["order_id"], "item_id": line["item_id"]}
    returned = sum(row["quantity"] for row in rows_of(state, "returns", **same))
    return int(line["quantity"] - returned - len(rows_of(state, "exchanges", **same)))


# --- reads


def get_user(state: State, arguments: Row) -> Answer:
    """A customer's account."""
    return state, find(state, "users", arguments["user_id"])


def get_order(state: State, arguments: Row) -> Answer:
    """An order as it stands now, with the names of what was bought and the requests made."""
    order = find(state, "orders", arguments["order_id"])
    mine = {"order_id": order["order_id"]}
    lines = []
    for line in order["lines"]:
        item = find(state, "items", line["item_id"])
        name = find(state, "products", item["product_id"])["name"]
        described = {"product_id": item["product_id"], "name": name, "option": item["option"]}
        lines.append({**line, **described})
    addresses = [row["address"] for row in rows_of(state, "address_updates", **mine)]
    shown = ("action_id", "kind", "status")
    requests = [{key: row[key] for key in shown} for row in rows_of(state, "actions", **mine)]
    now = {"status": status_of(state, order), "address": [order["address"], *addresses][-1]}
    return state, {**order, **now, "lines": lines, "requests": requests}


def list_orders(state: State, arguments: Row) -> Answer:
    """A customer's orders in short, all or those in one status."""
    user = find(state, "users", arguments["user_id"])
    orders = []
    for order in rows_of(state, "orders", user_id=user["user_id"]):
        status = status_of(state, order)
        if arguments["status"] in ("all", status):
            short = {key: order[key] for key in ("order_id", "placed_on", "total")}
            orders.append({**short, "status": status})
    return state, {"user_id": user["user_id"], "orders": orders}


def get_product(state: State, arguments: Row) -> Answer:
    """A product with its options."""
    product = find(state, "products", arguments["product_id"])
    items = rows_of(state, "items", product_id=product["product_id"])
    options = [{"item_id": item["item_id"], "option": item["option"]} for item in items]
    return state, {**product, "options": options}


def check_stock(state: State, arguments: Row) -> Answer:
    """A product's options, each with the pieces that can be had."""
    _, product = get_product(state, arguments)
    for option in product["options"]:
        option["available"] = available(state, find(state, "items", option["item_id"]))
    return state, {key: product[key] for key in ("product_id", "name", "options")}


def get_return_policy(state: State, _arguments: Row) -> Answer:
    """The shop's rules, as text."""
    return state, {"policy": find(state, "policies", "returns")["text"]}


# --- requests


def request(kind: str, check: Callable[[State, Row, Row], None]) -> Callable[[State, Row], Answer]:
    """A tool that opens an action of a kind, when `check` has nothing against it."""

    def tool(state: State, arguments: Row) -> Answer:
        order = find(state, "orders", arguments["order_id"])
        check_order(state, kind, order)
        check(state, order, arguments)
        return open_action(state, kind, arguments)

    return tool


def check_order(state: State, kind: str, order: Row) -> None:
    """Refuse a request that the order's status or an open action rules out."""
    needed, _ = KINDS[kind]
    status = status_of(state, order)
    if status != needed:
        raise Refusal(f"order {order['order_id']} is {status}; {kind} needs a {needed} order")
    for action in rows_of(state, "actions", order_id=order["order_id"], status="pending"):
        raise Refusal(f"action {action['action_id']} of this order is still open; confirm or abort it first")


def check_item(state: State, order: Row, item_id: str) -> int:
    """Pieces of an item for which something can still be requested; Refusal where none."""
    product = find(state, "products", find(state, "items", item_id)["product_id"])
    line = line_of(order, item_id)
    policy = find(state, "policies", "returns")
    last = date.fromisoformat(order["delivered_on"]) + timedelta(days=policy["window_days"])
    if date.fromisoformat(policy["today"]) > last:
        raise Refusal(f"the window for order {order['order_id']} closed on {last}")
    if product["final_sale"]:
        raise Refusal(f"item {item_id} is final sale")
    kept = pieces_kept(state, order, line)
    if kept < 1:
        raise Refusal(f"every piece of item {item_id} has been returned or exchanged")
    return kept


def nothing_more(_state: State, _order: Row, _arguments: Row) -> None:
    """Cancelling and sending elsewhere depend on the order alone."""


def check_return(state: State, order: Row, arguments: Row) -> None:
    """Refuse a return of more pieces than kept, or with a pickup day that is not offered."""
    kept = check_item(state, order, arguments["item_id"])
    if arguments["quantity"] > kept:
        raise Refusal(f"at most {kept} of item {arguments['item_id']} can be returned")
    policy = find(state, "policies", "returns")
    wait = date.fromisoformat(arguments["pickup_date"]) - date.fromisoformat(policy["today"])
    if not 1 <= wait.days <= policy["pickup_days"]:
        raise Refusal(f"pickup is between 1 and {policy['pickup_days']} days after {policy['today']}")


def check_exchange(state: State, order: Row, arguments: Row) -> None:
    """Refuse an exchange against the same item, another product, or what is out of stock."""
    check_item(state, order, arguments["item_id"])
    item = find(state, "items", arguments["item_id"])
    other = find(state, "items", arguments["replacement_item_id"])
    if other["product_id"] != item["product_id"] or other["item_id"] == item["item_id"]:
        raise Refusal("an item is exchanged for another option of the same product only")
    if available(state, other) < 1:
        raise Refusal(f"item {other['item_id']} is out of stock")


def check_refund(state: State, order: Row, arguments: Row) -> None:
    """Refuse to pay back more than was paid for the pieces kept."""
    item_id = arguments["item_id"]
    paid = check_item(state, order, item_id) * Decimal(str(line_of(order, item_id)["unit_price"]))
    earlier = rows_of(state, "refunds", order_id=order["order_id"], item_id=item_id)
    left = paid - sum(Decimal(str(row["amount"])) for row in earlier)
    if Decimal(str(arguments["amount"])) > left:
        raise Refusal(f"at most {left} can be refunded for item {item_id}")


# --- actions


def open_action(state: State, kind: str, arguments: Row) -> Answer:
    """Put down a pending action. Its id follows from the state, yet cannot be guessed from a schema."""
    order_id = arguments["order_id"]
    number = len(state["actions"]["rows"]) + 1
    digest = hashlib.sha256(f"{number}/{kind}/{order_id}".encode()).hexdigest()
    action = {
        "action_id": f"ACT-{number}{digest[:6].upper()}",
        "kind": kind,
        "status": "pending",
        "order_id": order_id,
        "request": copy.deepcopy(arguments),
    }
    shown = {key: action[key] for key in ("action_id", "kind", "status", "order_id")}
    return with_rows(state, "actions", [*state["actions"]["rows"], action]), shown


def resolve(state: State, action_id: str, status: str) -> Answer:
    """Close a pending action; Refusal where it is unknown or closed already."""
    action = find(state, "actions", action_id)
    if action["status"] != "pending":
        raise Refusal(f"action {action_id} is already {action['status']}")
    closed = {**action, "status": status}
    rows = [closed if row is action else row for row in state["actions"]["rows"]]
    shown = {key: closed[key] for key in ("action_id", "kind", "status", "order_id")}
    return with_rows(state, "actions", rows), shown


def confirm_action(state: State, arguments: Row) -> Answer:
    """Carry out a pending action: its effect becomes a row of the overlay table of its kind."""
    after, shown = resolve(state, arguments["action_id"], "confirmed")
    action = find(after, "actions", arguments["action_id"])
    _, table = KINDS[action["kind"]]
    effect = {"action_id": action["action_id"], **copy.deepcopy(action["request"])}
    return with_rows(after, table, [*after[table]["rows"], effect]), shown


def abort_action(state: State, arguments: Row) -> Answer:
    """Withdraw a pending action; nothing but its status changes."""
    return resolve(state, arguments["action_id"], "aborted")


def with_rows(state: State, table: str, rows: list[Row]) -> State:
    """A state that differs in the rows of one table."""
    return {**state, table: {**state[table], "rows": rows}}


TOOLS: dict[str, Callable[[State, Row], Answer]] = {
    "get_user": get_user,
    "get_order": get_order,
    "list_orders": list_orders,
    "get_product": get_product,
    "check_stock": check_stock,
    "get_return_policy": get_return_policy,
    "request_address_update": request("address_update", nothing_more),
    "request_cancel": request("cancel", nothing_more),
    "request_return": request("return", check_return),
    "request_exchange": request("exchange", check_exchange),
    "request_refund": request("refund", check_refund),
    "confirm_action": confirm_action,
    "abort_action": abort_action,
}
