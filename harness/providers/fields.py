"""Fields of JSON that others wrote: there and of the right kind, or nothing."""

from harness.value import Json, JsonObject


def object_at(value: Json, key: str) -> JsonObject:
    """The object under a key; empty where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def list_at(value: Json, key: str) -> list[Json]:
    """The list under a key; empty where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def text_at(value: Json, key: str) -> str:
    """The string under a key; empty where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def count_at(value: Json, key: str) -> int | None:
    """The count under a key, None where there is none; a boolean is no count."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def objects_of(values: list[Json]) -> list[JsonObject]:
    """The objects among the values."""
    return [value for value in values if isinstance(value, dict)]


def without(value: JsonObject, *keys: str) -> JsonObject:
    """The fields that are not named here and that say something."""
    return {key: item for key, item in value.items() if key not in keys and item not in (None, [], {}, "")}


def text_of_parts(content: Json) -> str:
    """The text of a message: a string, or the text parts of a list; a part of another kind stands as `[kind]`."""
    match content:
        case str():
            return content
        case list():
            return "".join(map(_text_of_part, content))
        case dict():
            return _text_of_part(content)
        case _:
            return ""


def _text_of_part(part: Json) -> str:
    match part:
        case str():
            return part
        case {"text": str(text)} | {"refusal": str(text)}:
            return text
        case {"type": str(kind)}:
            return f"[{kind}]"
        case _:
            return ""
