"""Foreign code may raise anything: it is told in words, and ends nothing but itself."""

import asyncio
import sys

import pytest

from harness.errors import BadScenario
from harness.foreign import ForeignError, given_by


class Stop(BaseException):
    """No `Exception`."""


class Mute(Exception):
    """Says nothing."""

    def __str__(self):
        raise RuntimeError("no words")


class Leaves(Exception):
    """Ends the process where it is asked what it says."""

    def __str__(self):  # noqa: PLE0307  that is the point
        sys.exit(0)


def raising(error):
    def raises():
        raise error

    return raises


RAISED = {
    "an exception": (KeyError("rate"), "KeyError: 'rate'"),
    "an end": (SystemExit(0), "SystemExit: 0"),
    "an end without a code": (SystemExit(), "SystemExit: "),
    "the end of a generator": (GeneratorExit(), "GeneratorExit: "),
    "the end of an iterator": (StopIteration(3), "StopIteration: 3"),
    "a cancelled task": (asyncio.CancelledError("late"), "CancelledError: late"),
    "no exception": (Stop("here"), "Stop: here"),
    "words that raise": (Mute(), "Mute: (its message cannot be read: RuntimeError)"),
    "words that end": (Leaves(), "Leaves: (its message cannot be read: SystemExit)"),
    "a lone surrogate": (ValueError("a\ud800b"), "ValueError: a\\ud800b"),
}


@pytest.mark.parametrize(("error", "said"), RAISED.values(), ids=RAISED.keys())
def test_whatever_is_raised_is_told_in_words(error, said):
    with pytest.raises(ForeignError) as told:
        given_by(raising(error))

    assert str(told.value) == said


def test_what_is_given_is_given():
    assert given_by(divmod, 7, 2) == (3, 1)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BadScenario("no world")], ids=["ctrl-c", "a refusal"])
def test_ctrl_c_and_refusals_pass(error):
    with pytest.raises(type(error)) as passed:
        given_by(raising(error))

    assert passed.value is error


def test_what_was_told_once_is_not_told_of():
    with pytest.raises(ForeignError) as told:
        given_by(given_by, raising(SystemExit(3)))

    assert str(told.value) == "SystemExit: 3"
