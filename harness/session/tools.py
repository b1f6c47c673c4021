"""A program's own tools, wrapped: what they give is recorded, and given again on replay."""

import asyncio
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from harness import errors
from harness.nearest import nearest_of

Mode: TypeAlias = Literal["recorded", "compare", "live"]
# What comes from who waits for a coroutine, and is no result of it.
_THROWN_IN = (KeyboardInterrupt, asyncio.CancelledError, GeneratorExit)
MODES: tuple[Mode, ...] = ("recorded", "compare", "live")


class Wanted(NamedTuple):
    """A tool that is called now, by this name and in this mode."""

    function: Callable[..., Any]
    name: str
    mode: Mode
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Given(NamedTuple):
    """An execution without the tool: `give` gives, or raises, what the caller gets."""

    give: Callable[[], object]


class Run(NamedTuple):
    """An execution of the tool: what the caller gets where it gave a result, and where it raised an error."""

    gave: Callable[[object], object]
    raised: Callable[[BaseException], object]


Execution: TypeAlias = Given | Run
Begin: TypeAlias = Callable[[Wanted], Execution]


def wrapped(tools: Any, begin: Begin, modes: Mapping[str, Mode]) -> Any:  # noqa: ANN401  the shape that came goes back
    """The tools in the shape they came in: a function, a list of them, a dict by name."""
    _check_modes(modes, _names_of(tools))
    match tools:
        case Mapping():
            return {name: _wrapped(one, name, begin, modes) for name, one in tools.items()}
        case list() | tuple():
            return type(tools)(_wrapped(one, _name_of(one), begin, modes) for one in tools)
        case _:
            return _wrapped(tools, _name_of(tools), begin, modes)


def _names_of(tools: Any) -> list[str]:  # noqa: ANN401  any of the shapes above
    if isinstance(tools, Mapping):
        return list(tools)
    return [_name_of(one) for one in tools] if isinstance(tools, list | tuple) else [_name_of(tools)]


def _name_of(tool: object) -> str:
    name = getattr(tool, "__name__", None)
    if not callable(tool) or not isinstance(name, str):
        sentence = f"{type(tool).__name__} is no function: give fc.tools plain functions, a list or a dict of them"
        raise errors.WrongOption(sentence)
    return name


def _check_modes(modes: Mapping[str, Mode], names: list[str]) -> None:
    for name, mode in modes.items():
        if name not in names:
            raise errors.UnknownName(name, expected=", ".join(names), nearest=nearest_of(name, names))
        if mode not in MODES:
            raise errors.UnknownName(mode, expected=", ".join(MODES), nearest=nearest_of(mode, MODES))


def _wrapped(function: Callable[..., Any], name: str, begin: Begin, modes: Mapping[str, Mode]) -> Callable[..., Any]:
    wrap = _wrapped_async if inspect.iscoroutinefunction(function) else _wrapped_sync
    return wrap(function, name, begin, modes.get(name, "recorded"))


def _wrapped_async(function: Callable[..., Any], name: str, begin: Begin, mode: Mode) -> Callable[..., Any]:
    @functools.wraps(function)
    async def run(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  as the tool's
        execution = begin(Wanted(function, name, mode, args, kwargs))
        if isinstance(execution, Given):
            return execution.give()
        try:
            result = await function(*args, **kwargs)
        except _THROWN_IN:
            raise
        except BaseException as error:  # noqa: BLE001  a tool may raise anything
            return execution.raised(error)
        return execution.gave(result)

    return run


def _wrapped_sync(function: Callable[..., Any], name: str, begin: Begin, mode: Mode) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  as the tool's
        execution = begin(Wanted(function, name, mode, args, kwargs))
        if isinstance(execution, Given):
            return execution.give()
        try:
            result = function(*args, **kwargs)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  a tool may raise anything
            return execution.raised(error)
        return execution.gave(result)

    return run
