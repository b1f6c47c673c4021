"""What foreign code leaves as it was, whatever it does: stdout, variables, working directory, import paths, signals."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from decimal import getcontext, setcontext
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO, TypeVar, cast

from harness.foreign import given_by

_Result = TypeVar("_Result")
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGALRM)


class Confinement:
    """Where one scenario's code runs, from its import to its last call; what has no directory is installed.

    What it imports from its own directory, and the paths that it imports from, are its own: another scenario's
    `import rules` finds another file. So are its context variables: a world that sets `decimal.getcontext().prec`
    rounds its own numbers only. So are the environment's: what it sets, its own later calls find, and nobody else.
    """

    def __init__(self, directory: str | None) -> None:
        self._directory = Path(directory).absolute() if directory is not None else None
        self._context = copy_context()
        self._context.run(setcontext, getcontext().copy())
        self._path: tuple[str, ...] = ()
        self._modules: dict[str, ModuleType] = {}
        self._variables: dict[str, str | None] = {}

    def run(self, function: Callable[..., _Result], *arguments: object) -> _Result:
        """What the code gives; raises `ForeignError` for whatever it raises."""
        with _process_kept(), self._own_imports(), self._own_variables():
            return given_by(self._context.run, partial(function, *arguments))

    @contextmanager
    def _own_imports(self) -> Iterator[None]:
        known = set(sys.modules)
        sys.modules.update(self._modules)
        sys.path[:] = self._path or sys.path
        try:
            yield
        finally:
            self._path = tuple(sys.path)
            for name in set(sys.modules) - known:  # another thread may import meanwhile
                module = sys.modules.get(name)
                if module is not None and self._is_own(module):
                    self._modules[name] = module
                    sys.modules.pop(name, None)

    @contextmanager
    def _own_variables(self) -> Iterator[None]:
        before = dict(os.environ)
        _set_variables(self._variables)
        try:
            yield
        finally:
            self._variables = _changed(before, dict(os.environ))

    def _is_own(self, module: ModuleType) -> bool:
        file = getattr(module, "__file__", None)
        if self._directory is None or not isinstance(file, str):
            return False
        path = Path(file).absolute()
        return path.is_relative_to(self._directory) and not path.is_relative_to(sys.prefix)  # a venv may be below it


def _changed(before: dict[str, str], after: dict[str, str]) -> dict[str, str | None]:
    """The variables of `after` that `before` has not so; None for what is gone."""
    names = {name for name, _ in before.items() ^ after.items()}
    return {name: after.get(name) for name in names}


def _set_variables(changed: dict[str, str | None]) -> None:
    for name, value in changed.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


class Confined:
    """An object of the user's own, whose functions run in confinement; it has what the object has."""

    def __init__(self, inner: object, confinement: Confinement) -> None:
        self._inner = inner
        self._confinement = confinement

    def __dir__(self) -> list[str]:
        return self._confinement.run(dir, self._inner)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever the object has there
        found = self._confinement.run(_attribute_of, self._inner, name)
        if not callable(found):
            return found
        confined = self.__dict__[name] = partial(self._confinement.run, found)
        return confined


def _attribute_of(inner: object, name: str) -> object:
    return getattr(inner, name, None)


class _Process:
    """What all threads share. Several may run foreign code at once: all go back to what was before the first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._directory: str | None = None
        self._path, self._places = sys.path, tuple(sys.path)
        self._variables: dict[str, str] = {}
        self.own: _Own | None = None

    def enter(self) -> None:
        """Foreign code begins to run."""
        with self._lock:
            if not self._running:
                self._directory = _directory()
                self._path, self._places = sys.path, tuple(sys.path)
                self._variables = dict(os.environ)
            self._running += 1

    def leave(self) -> None:
        """It has ended."""
        with self._lock:
            self._running -= 1
            if not self._running:
                sys.path = self._path
                sys.path[:] = self._places
                _set_variables(_changed(dict(os.environ), self._variables))
            if self._directory is not None and _directory() != self._directory:
                with suppress(OSError):  # it is not there any more: whoever looks for a file in it is told
                    os.chdir(self._directory)


_process = _Process()


def _directory() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109  a path object is made for nothing
    except OSError:
        return None


@contextmanager
def _process_kept() -> Iterator[None]:
    with ExitStack() as kept:
        _process.enter()
        kept.callback(_process.leave)
        if threading.current_thread() is threading.main_thread():
            kept.enter_context(_signals_kept())
        if _process.own is not None and _process.own.is_here():
            kept.enter_context(_process.own.lent())
        yield


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Only the main thread can set a handler. A timer that was set and not stopped would meet another handler."""
    before = [(number, signal.getsignal(number)) for number in _SIGNALS]
    timed = any(signal.getitimer(signal.ITIMER_REAL))
    try:
        yield
    finally:
        if not timed and any(signal.getitimer(signal.ITIMER_REAL)):
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before:
            if handler is not None and signal.getsignal(number) != handler:
                signal.signal(number, handler)


class _Own:
    """A command's own stdout: what is written by anyone else, or while foreign code runs, goes to stderr."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._thread = threading.get_ident()
        self._lent = False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  as the stream's
        return getattr(self._stream if self.is_here() and not self._lent else sys.stderr, name)

    def is_here(self) -> bool:
        """Whether this is the command's own thread."""
        return threading.get_ident() == self._thread

    @contextmanager
    def lent(self) -> Iterator[None]:
        """While this is open, foreign code has the stream."""
        streams, was = (sys.stdout, sys.stderr), self._lent
        with _descriptor_aside():
            self._lent, sys.stdout = True, sys.stderr  # what it keeps of them outlives its run
            try:
                yield
            finally:
                self._lent = was
                sys.stdout, sys.stderr = streams


@contextmanager
def _descriptor_aside() -> Iterator[None]:
    """The same for programs that foreign code starts: they know descriptors only."""
    if sys.__stdout__ is None or sys.__stderr__ is None:  # closed: the number may be another file's by now
        yield
        return
    sys.__stdout__.flush()
    try:
        stdout = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # one of them is closed
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            sys.__stdout__.flush()
        os.dup2(stdout, 1)
        os.close(stdout)


@contextmanager
def own_stdout() -> Iterator[None]:
    """While this is open, stdout is for what this thread itself says, outside all foreign code."""
    before, stdout = _process.own, sys.stdout
    if stdout is None:  # closed by the caller: nothing is said there
        yield
        return
    _process.own = _Own(stdout)
    sys.stdout = cast("TextIO", _process.own)
    try:
        yield
    finally:
        sys.stdout, _process.own = stdout, before
