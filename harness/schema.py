"""What a tool's JSON Schema says about arguments: checked offline, numbers exact, patterns in linear time."""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from harness import errors
from harness.value import Json, JsonObject, encode, plain

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_SIZE_LIMIT = 1 << 20


class Refusal(NamedTuple):
    """One reason why a value is refused: the path (`items[0].sku`, empty for the whole), the keyword, a sentence."""

    path: str
    keyword: str
    message: str


def refusals_of(schema: JsonObject, value: Json, *, tool: str) -> list[Refusal]:
    """All reasons why the schema refuses the value, empty if it is valid; raises `BadSchema`."""
    validator = _validator_of(encode(schema), tool)
    try:
        return [] if validator.is_valid(value) else _all_of(validator, value)
    except (ValueError, UnicodeEncodeError, TypeError):
        return [] if validator.is_valid(plain(value)) else _all_of(validator, plain(value))


def check_schema(schema: JsonObject, *, tool: str) -> None:
    """Raises `BadSchema` where the schema is not valid or refers outside itself."""
    _validator_of(encode(schema), tool)


def _all_of(validator: "Validator", value: Json) -> list[Refusal]:
    return [
        Refusal(_path(error.instance_path), error.kind.name, error.message.splitlines()[0])
        for error in validator.iter_errors(value)
    ]


def _path(parts: list[str | int]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).removeprefix(".")


@lru_cache(maxsize=4096)
def _validator_of(schema: bytes, tool: str) -> "Validator":
    from jsonschema_rs import RegexOptions, ValidationError, validator_for

    try:
        options = RegexOptions(size_limit=_SIZE_LIMIT)
        return validator_for(schema.decode(), offline=True, validate_formats=True, pattern_options=options)
    except (ValidationError, ValueError) as error:
        raise errors.BadSchema(tool, found=str(error).splitlines()[0]) from None
