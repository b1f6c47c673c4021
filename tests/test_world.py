"""A sandbox: fresh state, refusals before the world, changes noted, user code that may do anything."""

from decimal import Decimal

import pytest

from harness import errors
from harness.scenario import Tool
from harness.transcript import Change, ToolCall
from harness.world import Answer, Sandbox, Stubs, changes_between, result_text

REFUND = Tool.model_validate(
    {
        "name": "create_refund",
        "parameters": {
            "type": "object",
            "properties": {"order_id": {"type": "integer"}, "amount": {"type": "number"}},
            "required": ["order_id", "amount"],
            "additionalProperties": False,
        },
    }
)
TABLES = {"orders": {"key": "id", "rows": [{"id": 4021}]}, "refunds": {"key": "order_id", "rows": []}}


class Shop:
    """A world that books refunds and misbehaves on demand."""

    def start(self, tables):
        return tables

    def call(self, state, name, arguments):  # noqa: ARG002  the shape of a world
        match arguments["amount"]:
            case 0:
                raise KeyError("rate")
            case 1:
                return state, {"rate": float("nan")}, False
        state["refunds"]["rows"].append(dict(arguments))
        return state, {"status": "created"}, False


def call(arguments, name="create_refund", raw=None):
    return ToolCall("call_1", name, arguments, raw)


def sandbox():
    return Sandbox([REFUND], Shop(), TABLES)


def test_an_added_row_is_noted_with_the_call_that_added_it():
    box = sandbox()

    answer = box.execute(call({"order_id": 4021, "amount": Decimal("89.90")}))

    row = {"order_id": 4021, "amount": 89.9}
    assert answer == Answer('{"status":"created"}', is_error=False)
    assert box.effects().changes == [Change("call_1", "refunds", 4021, None, row)]


def test_each_sandbox_starts_from_the_tables():
    sandbox().execute(call({"order_id": 4021, "amount": 5}))

    assert TABLES["refunds"]["rows"] == []
    assert sandbox().effects() == sandbox().effects()


NEVER_REACH_THE_WORLD = {
    "unknown tool": (call({}, name="create_refnd"), "there is no tool 'create_refnd'; did you mean create_refund?"),
    "unreadable": (call(None, raw='{"a":'), "the arguments of create_refund are no JSON object: '{\"a\":'"),
    "refused by the schema": (
        call({"order_id": "4021", "amount": 5}),
        'invalid arguments for create_refund: order_id: "4021" is not of type "integer"',
    ),
}


@pytest.mark.parametrize(("made", "text"), NEVER_REACH_THE_WORLD.values(), ids=NEVER_REACH_THE_WORLD.keys())
def test_a_wrong_call_never_reaches_the_world(made, text):
    box = sandbox()

    answer = box.execute(made)

    assert answer == Answer(text, is_error=True)
    assert box.effects().changes == []


def test_an_exception_in_the_users_code_is_an_error_result():
    answer = sandbox().execute(call({"order_id": 1, "amount": 0}))

    assert answer == Answer("tool create_refund failed: KeyError: 'rate'", is_error=True)


def test_a_result_that_is_no_json_is_an_error_result():
    answer = sandbox().execute(call({"order_id": 1, "amount": 1}))

    assert answer == Answer("tool create_refund gave a result that is no JSON: $.rate: nan is no JSON number", True)


def test_stubs_answer_whatever_the_arguments():
    box = Sandbox([REFUND], Stubs({"create_refund": "done"}), {})

    answer = box.execute(call({"order_id": 1, "amount": 2}))

    assert answer == Answer("done", is_error=False)


def test_a_tool_without_a_stub_is_an_error_result():
    box = Sandbox([REFUND], Stubs({}), {})

    assert box.execute(call({"order_id": 1, "amount": 2})).is_error


class Gives:
    """A world that gives what it was made with."""

    def __init__(self, returned, started=TABLES):
        self.returned, self.started = returned, started

    def start(self, tables):  # noqa: ARG002  the shape of a world
        return self.started

    def call(self, state, name, arguments):  # noqa: ARG002  the shape of a world
        return self.returned


ODD_RETURNS = {
    "the result alone": {"status": "created"},
    "nothing": None,
    "two of three": (TABLES, "done"),
    "four": (TABLES, "done", False, 1),
    "an error as a number": (TABLES, "done", 1),
    "no state": (None, "done", False),
    "a list of rows": ({"orders": [{"id": 1}]}, "done", False),
    "a state without a form": ({"orders": {"id": 1}}, "done", False),
    "a state that is no JSON": ({"orders": {"key": "id", "rows": [{1, 2}]}}, "done", False),
}


@pytest.mark.parametrize("returned", ODD_RETURNS.values(), ids=ODD_RETURNS.keys())
def test_a_call_that_returns_another_shape_stops_everything(returned):
    box = Sandbox([REFUND], Gives(returned), TABLES, directory="scenarios/shop")

    with pytest.raises(errors.BadScenario) as refused:
        box.execute(call({"order_id": 1, "amount": 2}))

    assert "call must return (state, result, is_error)" in refused.value.subject
    assert "create_refund" in refused.value.subject
    assert (refused.value.file, refused.value.exit_code) == ("scenarios/shop/world.py", 4)
    assert box.effects().changes == []


ODD_TABLES = {
    "a typo": ({"orders": {"keys": "id", "rows": []}}, "key"),
    "a plain list": ({"orders": [{"id": 1}]}, None),
    "rows as an object": ({"orders": {"key": "id", "rows": {}}}, None),
    "one key too many": ({"orders": {"key": "id", "rows": [], "note": ""}}, None),
}


@pytest.mark.parametrize(("tables", "nearest"), ODD_TABLES.values(), ids=ODD_TABLES.keys())
def test_tables_of_another_shape_are_refused_before_the_world_starts(tables, nearest):
    with pytest.raises(errors.BadScenario) as refused:
        Sandbox([REFUND], Shop(), tables, directory="scenarios/shop")

    assert "table orders must be" in refused.value.subject
    assert (refused.value.file, refused.value.nearest) == ("scenarios/shop/world.json", nearest)


class Slips:
    """A world whose functions have other names."""

    def __init__(self, **functions):
        self.__dict__ |= functions


LACKING = {
    "no start": (Slips(strat=dict, call=print), "start(tables) -> state", "strat"),
    "no call": (Slips(start=lambda tables: tables, calls=print), "call(state, name, arguments)", "calls"),
    "a call that is none": (Slips(start=lambda tables: tables, call=7), "call(state, name, arguments)", None),
}


@pytest.mark.parametrize(("world", "said", "nearest"), LACKING.values(), ids=LACKING.keys())
def test_a_world_without_one_of_its_functions_is_refused(world, said, nearest):
    with pytest.raises(errors.BadScenario) as refused:
        Sandbox([REFUND], world, TABLES)

    assert refused.value.subject == f"a world has a function {said}, but there is none"
    assert refused.value.nearest == nearest


@pytest.mark.parametrize("started", [None, [], {"orders": []}], ids=["nothing", "a list", "a table that is a list"])
def test_a_start_that_returns_another_shape_is_refused(started):
    with pytest.raises(errors.BadScenario) as refused:
        Sandbox([REFUND], Gives(None, started), TABLES, directory="scenarios/shop")

    assert "start must return the state" in refused.value.subject
    assert refused.value.file == "scenarios/shop/world.py"


def table(*rows):
    return {"t": {"key": "id", "rows": list(rows)}}


CHANGES = {
    "removed": (table({"id": 1}), table(), [Change("c", "t", 1, {"id": 1}, None)]),
    "changed": (
        table({"id": 1, "n": 1}),
        table({"id": 1, "n": 2}),
        [Change("c", "t", 1, {"id": 1, "n": 1}, {"id": 1, "n": 2})],
    ),
    "true is not one": (
        table({"id": 1, "n": 1}),
        table({"id": 1, "n": True}),
        [Change("c", "t", 1, {"id": 1, "n": 1}, {"id": 1, "n": True})],
    ),
    "1 is 1.0": (table({"id": 1, "n": 1}), table({"id": 1, "n": 1.0}), []),
    "only the order differs": (table({"id": 1}, {"id": 2}), table({"id": 2}, {"id": 1}), []),
    "a new table": ({}, table({"id": 1}), [Change("c", "t", 1, None, {"id": 1})]),
    "keys of two kinds": (table({"id": 1}), table({"id": 1}, {"id": "1"}), [Change("c", "t", "1", None, {"id": "1"})]),
}


@pytest.mark.parametrize(("before", "after", "changes"), CHANGES.values(), ids=CHANGES.keys())
def test_changes_are_rows_by_key(before, after, changes):
    assert changes_between("c", before, after) == changes


def test_a_text_result_stays_text():
    assert result_text('{"a": 1}') == '{"a": 1}'
