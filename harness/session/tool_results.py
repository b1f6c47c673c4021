"""A tool's result on its way into a recording and back: text, JSON, a typed value, an exception."""

import ast
import builtins
import inspect
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias, get_type_hints

from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from harness import errors
from harness.excerpt import sayable_of
from harness.foreign import ForeignError, given_by, message_of
from harness.recording import ToolRun
from harness.session.tools import Wanted
from harness.value import Json, JsonObject, NotJsonError, checked, decode, encode, plain

Form: TypeAlias = Literal["text", "json", "raised"]

# Types that are their own JSON; anything else that a tool is annotated with is built again on replay.
_PLAIN = (Any, None, type(None), object, str, int, float, bool, dict, list)


class Written(NamedTuple):
    """A result as a recording holds it."""

    form: Form
    text: str


class RecordedToolError(Exception):
    """An exception that a tool raised when it was recorded, of a type that cannot be found again."""


def written_of(function: Callable[..., object], result: object) -> Written:
    """A result to be recorded; raises `WrongOption` where replay could not give the same back."""
    adapter = None if type(result) is str else _adapter_of(function)
    try:
        value = checked(given_by(adapter.dump_python, result, mode="json") if adapter else result)
    except (ForeignError, NotJsonError) as error:
        name, kind = getattr(function, "__name__", "a tool"), type(result).__name__
        sentence = f"tool {name} gave a {kind}, which replay cannot give back: annotate what the tool returns ({error})"
        raise errors.WrongOption(sentence) from None
    return Written("text", result) if type(result) is str else Written("json", encode(value).decode())


def raised(error: BaseException) -> Written:
    """An exception to be recorded."""
    return Written("raised", f"{type(error).__qualname__}: {message_of(error)}")


def result_of(function: Callable[..., object], run: ToolRun) -> object:
    """What the tool gave when it was recorded; raises what it raised."""
    match run.form:
        case "text":
            return run.result
        case "raised":
            raise _error_of(function, run.result)
        case "json":
            value = plain(decode(run.result))
            adapter = _adapter_of(function)
            return adapter.validate_python(value) if adapter else value


def arguments_of(wanted: Wanted) -> JsonObject:
    """What a tool is called with, by parameter; what has no JSON form stands as its type's name."""
    try:
        bound = inspect.signature(wanted.function).bind(*wanted.args, **wanted.kwargs)
    except (TypeError, ValueError):
        return _jsonable({str(at): value for at, value in enumerate(wanted.args)} | wanted.kwargs)
    named: dict[str, object] = {}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            named |= value
        else:
            named[name] = value
    return _jsonable(named)


def _jsonable(named: dict[str, object]) -> JsonObject:
    return {sayable_of(name): _json_or_kind(value) for name, value in named.items()}


def _json_or_kind(value: object) -> Json:
    try:
        return given_by(lambda: checked(to_jsonable_python(value, fallback=_kind)))
    except ForeignError:
        return _kind(value)


def _kind(value: object) -> str:
    return f"<{type(value).__name__}>"


def _adapter_of(function: Callable[..., object]) -> TypeAdapter[Any] | None:
    """What writes and builds the type that a tool says it returns; None where JSON is enough, or nothing is said."""
    try:
        returns = get_type_hints(inspect.unwrap(function)).get("return")
        return None if returns in _PLAIN else TypeAdapter(returns)
    except Exception:  # noqa: BLE001  an annotation may be anything
        return None


def _error_of(function: Callable[..., object], text: str) -> BaseException:
    """The exception again, where its type is a built-in one or known where the tool was written."""
    name, _, message = text.partition(": ")
    inner = inspect.unwrap(function)
    known = getattr(inner, "__globals__", {})
    kind = known.get(name, getattr(builtins, name, None))
    if not (isinstance(kind, type) and issubclass(kind, BaseException)) or issubclass(kind, KeyboardInterrupt):
        return RecordedToolError(text)
    made = (_made(kind, *arguments) for arguments in _arguments_in(kind, message))
    fitting = next((error for error in made if error is not None and message_of(error) == message), None)
    error = fitting if fitting is not None else _made(kind.__new__, kind, message)
    return RecordedToolError(text) if error is None else error


def _arguments_in(kind: type[BaseException], message: str) -> list[tuple[object, ...]]:
    """What an exception of this message may have been made with: `KeyError('x')` says `'x'`."""
    if not message:
        return [(), (message,)]
    try:
        said: list[tuple[object, ...]] = [(message,), (given_by(ast.literal_eval, message),)]
    except ForeignError:
        return [(message,)]
    return said[::-1] if issubclass(kind, SystemExit) else said  # whose number is no text


def _made(make: Callable[..., BaseException], *arguments: object) -> BaseException | None:
    try:
        return given_by(make, *arguments)
    except ForeignError:  # its constructor may want anything
        return None
