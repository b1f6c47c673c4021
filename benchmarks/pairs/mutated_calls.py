"""Calls made from lists of accepted values: right ones, and ones with a single mistake each."""

from collections.abc import Iterator
from typing import Any

Fields = dict[str, Any]
Calls = list[tuple[str, Fields]]
Change = tuple[str, Calls]


def right_calls(functions: list[Fields], answers: list[Fields]) -> Iterator[Change]:
    """The calls with first values, with last ones, and without what may be left out."""
    yield "first values", first_calls(functions, answers)
    yield "last values", [chosen(answer, functions, -1) for answer in answers]
    yield "fewest values", [chosen(answer, functions, 0, fewest=True) for answer in answers]


def first_calls(functions: list[Fields], answers: list[Fields]) -> Calls:
    return [chosen(answer, functions, 0) for answer in answers]


def chosen(answer: Fields, functions: list[Fields], index: int, *, fewest: bool = False) -> tuple[str, Fields]:
    """One call out of the accepted values of each parameter."""
    [(name, params)] = answer.items()
    required = next(one for one in functions if one["name"] == name)["parameters"].get("required", [])
    made: Fields = {}
    for param, accepted in params.items():
        values = [one for one in accepted if one != ""]
        if values and not (fewest and "" in accepted and param not in required):
            made[param] = plain(values[index], index)
        elif not values and param in required:
            made[param] = ""
    return name, made


def plain(value: Any, index: int) -> Any:  # noqa: ANN401  any JSON value
    """An accepted value as a model would write it: in objects each field has a list of accepted ones."""
    if isinstance(value, dict):
        choices = {
            key: [one for one in listed if one != ""] for key, listed in value.items() if isinstance(listed, list)
        }
        return {key: values[index] for key, values in choices.items() if values}
    if isinstance(value, list):
        return [plain(one, index) if isinstance(one, dict) else one for one in value]
    return value


def wrong_calls(functions: list[Fields], answers: list[Fields]) -> Iterator[Change]:
    """The first values with one change each; some changes are none to the rules, such as folded punctuation."""
    calls = first_calls(functions, answers)
    for place, (name, arguments) in enumerate(calls):
        for what, changed in changed_calls(name, arguments):
            yield f"call {place}: {what}", [*calls[:place], changed, *calls[place + 1 :]]
        yield f"call {place} left out", [*calls[:place], *calls[place + 1 :]]
        yield f"call {place} twice", [*calls[: place + 1], *calls[place:]]
    yield "calls in reverse", calls[::-1]
    yield "a call too many", [*calls, ("get_time", {})]
    yield "no call", []
    if len(calls) > 1:
        yield "names exchanged", [(calls[1][0], calls[0][1]), (calls[0][0], calls[1][1]), *calls[2:]]
        yield "the first call for all", [calls[0]] * len(calls)


def changed_calls(name: str, arguments: Fields) -> Iterator[tuple[str, tuple[str, Fields]]]:
    yield "another name", (f"{name}_now", arguments)
    yield "a name in capitals", (name.upper(), arguments)
    yield "a parameter too many", (name, {**arguments, "verbosity": 1})
    yield "no arguments", (name, {})
    for param, value in arguments.items():
        rest = {key: one for key, one in arguments.items() if key != param}
        yield f"{param} left out", (name, rest)
        yield f"{param} under another name", (name, {**rest, f"{param}s": value})
        for what, changed in changed_values(value):
            yield f"{param} {what}", (name, {**arguments, param: changed})


def changed_values(value: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  any JSON value
    yield "null", None
    yield "in a list", [value]
    match value:
        case bool():
            yield from (("negated", not value), ("as a number", int(value)), ("as text", str(value).lower()))
        case int() | float():
            yield from changed_numbers(value)
        case str():
            yield from changed_texts(value)
        case list():
            yield from changed_lists(value)
        case dict():
            yield from changed_objects(value)


def changed_numbers(value: float) -> Iterator[tuple[str, Any]]:
    yield from (("one more", value + 1), ("negative", -value), ("as text", str(value)), ("a hair off", value + 1e-9))
    yield "with a point", float(value)
    if float(value).is_integer():
        yield "without a point", int(value)


def changed_texts(value: str) -> Iterator[tuple[str, Any]]:
    yield from (
        ("in capitals", value.upper()),
        ("with spaces", f" {value.replace(' ', '  ')} "),
        ("longer", f"{value}x"),
    )
    yield from (("without its first letter", value[1:]), ("empty", ""), ("with dots", f"{value}./-_*^,"))
    yield from (("with a colon", f"{value}:"), ("quoted", f"'{value}'"), ("with a tab", f"{value}\t"))
    yield from (("with an accent", f"{value}\u0301"), ("as a number", 7), ("as true", True))


def changed_lists(value: list[Any]) -> Iterator[tuple[str, Any]]:
    yield from (
        ("reversed", value[::-1]),
        ("without its first item", value[1:]),
        ("empty", []),
        ("as text", str(value)),
    )
    yield from (("with one item more", [*value, value[0] if value else 1]), ("with null", [*value, None]))
    yield from (("of texts", [str(item) for item in value]), ("in an object", {"items": value}))
    if value:
        for what, changed in changed_values(value[0]):
            yield f"first item {what}", [changed, *value[1:]]


def changed_objects(value: Fields) -> Iterator[tuple[str, Any]]:
    yield from (("with a field more", {**value, "note": "x"}), ("empty", {}), ("as text", str(value)))
    for key, one in value.items():
        rest = {name: other for name, other in value.items() if name != key}
        yield f"without {key}", rest
        for what, changed in changed_values(one):
            yield f"{key} {what}", {**value, key: changed}
