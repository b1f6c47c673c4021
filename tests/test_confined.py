"""Confinement: what foreign code does to the process is undone, and stdout stays the command's own."""

import os
import signal
import sys
import threading
from decimal import Decimal, getcontext
from pathlib import Path

import click
import pytest

from harness.confined import Confined, Confinement, own_stdout
from harness.foreign import ForeignError
from harness.value import canonical


@pytest.fixture
def confinement(tmp_path):
    return Confinement(str(tmp_path))


@pytest.fixture
def here():
    """What the process is like, as far as foreign code may not change it."""
    return lambda: (
        Path.cwd(),
        sys.path,
        list(sys.path),
        signal.getsignal(signal.SIGINT),
        sys.stdout,
        getcontext().prec,
        dict(os.environ),
    )


def roams():
    os.environ["ROAMS"] = "1"
    del os.environ["PATH"]
    os.chdir("/")
    sys.path = ["/nowhere"]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    getcontext().prec = 2
    sys.exit(0)


def test_the_process_is_as_before_however_foreign_code_ends(confinement, here):
    before = here()

    with own_stdout(), pytest.raises(ForeignError):
        confinement.run(roams)

    assert here() == before


def test_the_process_is_as_before_ctrl_c(confinement, here):
    before = here()

    def roams_until_stopped():
        os.chdir("/")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        confinement.run(roams_until_stopped)

    assert here() == before


def test_a_working_directory_that_is_gone_stops_nothing(confinement, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    confinement.run(os.chdir, "/")

    assert Path.cwd() == Path("/")


def test_foreign_code_keeps_its_own_numbers_and_leaves_ours(confinement):
    def sets():
        getcontext().prec = 3

    confinement.run(sets)

    assert confinement.run(lambda: Decimal(10) / Decimal(3)) == Decimal("3.33")
    assert Decimal(10) / Decimal(3) != Decimal("3.33")


def test_canonical_numbers_keep_their_digits_whatever_is_set():
    before = getcontext().prec
    getcontext().prec = 2
    try:
        written = canonical([Decimal("1234.50"), 1.2345e30])
    finally:
        getcontext().prec = before

    assert written == b"[1234.5,1.2345e+30]"


def test_a_timer_that_foreign_code_left_behind_never_rings(confinement):
    def sets():
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 600)

    confinement.run(sets)

    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_paths_that_foreign_code_adds_are_its_own(confinement, tmp_path):
    (tmp_path / "only_here.py").write_text("VALUE = 7\n")
    confinement.run(sys.path.insert, 0, str(tmp_path))

    value = confinement.run(lambda: __import__("only_here").VALUE)

    assert value == 7
    assert "only_here" not in sys.modules
    with pytest.raises(ForeignError, match="ModuleNotFoundError"):
        Confinement(str(tmp_path)).run(__import__, "only_here")


def test_variables_that_foreign_code_sets_are_its_own(confinement, tmp_path):
    def sets():
        os.environ["WORLD"] = "mine"
        os.environ.pop("HOME", None)

    def sees():
        return os.environ.get("WORLD"), os.environ.get("HOME")

    confinement.run(sets)

    assert confinement.run(sees) == ("mine", None)
    assert Confinement(str(tmp_path)).run(sees) == sees() == (None, os.environ["HOME"])


def test_threads_go_back_to_what_was_before_the_first(tmp_path, here):
    before, inside, may_end = here(), threading.Barrier(3), threading.Event()

    def roams_slowly():
        os.chdir("/")
        sys.path.insert(0, "/nowhere")
        inside.wait()
        may_end.wait()

    threads = [threading.Thread(target=Confinement(str(tmp_path)).run, args=(roams_slowly,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    inside.wait()
    may_end.set()
    for thread in threads:
        thread.join()

    assert here() == before


def test_stdout_is_for_the_command_alone(confinement, capfd):
    with own_stdout():
        click.echo("ours")
        confinement.run(print, "foreign")
        confinement.run(os.system, "echo foreign program")
        other = threading.Thread(target=print, args=("foreign thread",))
        other.start()
        other.join()
        click.echo("ours again")

    assert capfd.readouterr() == ("ours\nours again\n", "foreign\nforeign program\nforeign thread\n")


def test_without_a_command_foreign_code_prints_where_it_always_did(confinement, capsys):
    confinement.run(print, "foreign")

    assert capsys.readouterr() == ("foreign\n", "")


class Shop:
    """A world with a property that ends the process."""

    stock = 3

    def count(self):
        return self.stock

    @property
    def call(self):
        sys.exit(0)


def test_a_confined_object_has_what_the_object_has(confinement):
    shop = Confined(Shop(), confinement)

    assert (shop.stock, shop.count(), shop.lacking) == (3, 3, None)
    assert {"stock", "count", "call"} <= set(dir(shop))
    with pytest.raises(ForeignError, match="SystemExit: 0"):
        _ = shop.call
