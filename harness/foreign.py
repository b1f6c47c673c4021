"""Code that is not ours, called so that whatever it raises is data: the one guard of worlds, prompts and tools."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from harness.errors import HarnessError
from harness.excerpt import sayable_of

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class ForeignError(Exception):
    """What foreign code raised, said in one line: `KeyError: 'rate'`."""


def given_by(
    function: Callable[_Arguments, _Result], *arguments: _Arguments.args, **named: _Arguments.kwargs
) -> _Result:
    """What foreign code gives; raises `ForeignError` for whatever that raises, but for Ctrl-C.

    A module that ends in `sys.exit(main())` raises no `Exception`: it would end the command with a code of its own,
    and 0 would say that everything was judged and good.
    """
    try:
        return function(*arguments, **named)
    except (ForeignError, HarnessError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001  see above
        raise ForeignError(said_of(error)) from None


def said_of(error: BaseException) -> str:
    """An exception as a message names it."""
    return f"{type(error).__name__}: {message_of(error)}"


def message_of(error: BaseException) -> str:
    """An exception's own words; its `__str__` is foreign code, too."""
    try:
        return sayable_of(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as other:  # noqa: BLE001  it may raise anything
        return f"(its message cannot be read: {type(other).__name__})"
