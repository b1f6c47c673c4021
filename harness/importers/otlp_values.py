"""OTLP's typed values as plain ones."""

from harness.providers.fields import list_at, object_at, objects_of, text_at
from harness.value import Json, JsonObject, NotJsonError, decode


def attributes_of(owner: JsonObject) -> JsonObject:
    """The attributes of a span, an event or a log record; plain JSON objects are taken too."""
    attributes = owner.get("attributes")
    if isinstance(attributes, dict):
        return attributes
    return {text_at(one, "key"): value_of(one.get("value")) for one in objects_of(list_at(owner, "attributes"))}


def value_of(value: Json) -> Json:
    """`{stringValue: …}` and its kin as what they hold."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    [(kind, inner)] = value.items()
    match kind:
        case "stringValue" | "boolValue" | "doubleValue" | "bytesValue":
            return inner
        case "intValue":
            return _integer(inner)
        case "arrayValue":
            return [value_of(one) for one in list_at(value[kind], "values")]
        case "kvlistValue":
            values = objects_of(list_at(object_at(value, kind), "values"))
            return {text_at(one, "key"): value_of(one.get("value")) for one in values}
        case _:
            return value


def _integer(written: Json) -> Json:
    try:
        return int(str(written))
    except ValueError:
        return written


def loaded(value: Json) -> Json:
    """What a text of JSON holds; other values as they are."""
    if not isinstance(value, str):
        return value
    try:
        return decode(value)
    except NotJsonError:
        return value
