"""A review in a terminal that somebody else ends: what was answered is kept, and the terminal is as it was."""

import signal
import termios

import pytest
from evidence_project import Terminal
from evidence_samples import saved_answers

_LOCAL = 3  # the place of the local modes among the attributes: echo, and lines instead of keys


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("asks_for_a_note", [False, True])
def test_a_review_that_is_ended_leaves_the_terminal_as_it_was(project, number, asks_for_a_note):
    with Terminal(project, "review", "recordings/one", "--reviewer", "ada") as screen:
        screen.read_until("every answer is saved")
        during = termios.tcgetattr(screen.own)[_LOCAL]
        screen.type("m")
        screen.read_until("every answer is saved")
        if asks_for_a_note:
            screen.type("G")
            screen.read_until("note:")
        screen.process.send_signal(number)
        last = screen.read_until("interrupted; what was finished is kept")
        code = screen.ended()
        after = termios.tcgetattr(screen.own)[_LOCAL]

    assert (code, "Traceback" in last) == (130, False)
    assert (bool(during & termios.ICANON), bool(after & termios.ICANON), bool(after & termios.ECHO)) == (
        False,
        True,
        True,
    )
    assert saved_answers(project / "recordings/one/review.json") == [("fc-d1-003", "model_error", "")]
