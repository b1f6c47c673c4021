"""What went wrong, in the provider's own words, out of the many shapes of error bodies."""

from harness.providers.dialect import Reading
from harness.providers.halves import decoded
from harness.transcript import AssistantTurn, Outcome
from harness.value import Json, JsonObject, NotJsonError

_SHOWN = 300
FIRST_ERROR_STATUS = 300  # a redirect carries no answer either


def failed(reason: str) -> Reading:
    """The reading of an answer that is none."""
    return Reading(AssistantTurn([]), Outcome.ERROR, reason)


def object_in(body: bytes) -> JsonObject | Reading:
    """The object that a plain answer holds, or the reading of one that holds none or says that it failed."""
    try:
        value = decoded(body.removeprefix(b"\xef\xbb\xbf"))
    except NotJsonError as error:
        return failed(f"the answer is no JSON: {error}")
    failure = failure_in(value)
    if failure is not None:
        return failed(failure)
    return value if isinstance(value, dict) else failed("the answer is no JSON object")


def failure_of_status(status: int, body: bytes) -> Reading:
    """The reading of an answer whose status says that it failed."""
    try:
        reason = failure_in(decoded(body)) or _shown(body)
    except NotJsonError:
        reason = _shown(body)
    return failed(f"HTTP {status}: {reason}" if reason else f"HTTP {status}")


def _shown(body: bytes) -> str:
    text = body.decode("utf-8", "replace").strip()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def failure_in(value: Json) -> str | None:
    """The message of an error object, None where the value is none.

    Known shapes: `{"error": {"message", "type"}}`, `{"error": "text"}`, a list of these, `{"type": "error", …}`,
    `{"object": "error", "message"}`, `{"detail": …}`.
    """
    if isinstance(value, list):
        return failure_in(value[0]) if value else None
    if not isinstance(value, dict):
        return None
    error = value.get("error")
    if error:
        return error if isinstance(error, str) else _sentence(error)
    if value.get("object") == "error" or value.get("type") == "error":
        return _sentence(value)
    if "detail" in value and "choices" not in value and "content" not in value:
        return _sentence(value["detail"])
    return None


def _sentence(error: Json) -> str:
    match error:
        case str():
            return error
        case {"message": str(message), "type": str(kind)} if kind not in {"", "error"}:
            return f"{kind}: {message}"
        case {"message": str(message)}:
            return message
        case {"msg": str(message)}:
            return message
        case {"type": str(kind)} | {"code": str(kind)} if kind != "error":
            return kind
        case [first, *_]:
            return _sentence(first)
        case _:
            return "an error without a message"
