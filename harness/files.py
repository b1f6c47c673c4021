"""Files in and out: the one place that reads and writes the disk. Writes are whole or not at all."""

import os
import re
import stat
import tempfile
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from harness import errors
from harness.depth import MAX_DEPTH
from harness.encoding import misencoded, written_in
from harness.fixture import Fixture
from harness.fixture_lines import fixture_of
from harness.nearest import nearest_of
from harness.recording_lines import Journal, journal_of
from harness.repeats import decode_unique
from harness.scenario import Scenario, ScenarioConfig, refused, tools_of
from harness.suite import CASES, HASHED_FILES, Suite, SuiteConfig, cases_of, hashes_of
from harness.value import MAX_DIGITS, MAX_LINE_BYTES, Json, JsonObject, NotJsonError, checked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PREFIX = 100  # of a temporary file's name: one of the allowed length would become too long
_TOO_MANY_DIGITS = re.compile(rb"[0-9](?:_?[0-9]){%d}" % MAX_DIGITS)
_OPEN_FILES = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")

_Config = TypeVar("_Config", ScenarioConfig, SuiteConfig)


def read_bytes(path: Path) -> bytes:
    """A file's bytes; raises `PathNotFound`, or `UnreadablePath` for what is there and cannot be read."""
    try:
        refuse_endless(path)
        return path.read_bytes()
    except IsADirectoryError:
        raise errors.UnreadablePath("a directory, where a file should be", file=str(path)) from None
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink() and not path.exists():
            raise errors.UnreadablePath("a link to what is not there", file=str(path)) from None
        raise errors.PathNotFound(file=str(path), nearest=_sibling(path)) from None
    except OSError as error:
        raise errors.UnreadablePath(f"cannot be read: {error.strerror or error}", file=str(path)) from None


def refuse_endless(path: Path, *, twice: bool = False) -> None:
    """Raises `UnreadablePath` for a pipe or a device by its name: it may never end, or nobody may ever write into it.

    What the shell has opened is read, as in `--answers <(make-answers)`, unless it is to be read `twice`.
    """
    mode = path.stat().st_mode
    given = not twice and path.absolute().as_posix().startswith(_OPEN_FILES)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or given):
        sentence = "no file: a pipe, a socket or a device, which is never read"
        refusal = errors.UnreadablePath(sentence, file=str(path))
        refusal.mend = "write what comes out of it into a file, and name that"
        raise refusal


def is_there(path: Path) -> bool:
    """Whether something is called so, were it a link to nothing: that is refused where it is read, never left out."""
    return os.path.lexists(path)


def _sibling(path: Path) -> str | None:
    names = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
    near = nearest_of(path.name, names)
    return str(path.parent / near) if near else None


@contextmanager
def writing(path: Path) -> "Iterator[None]":
    """What the system refuses while this file is written: raises `NotWritten`."""
    try:
        yield
    except OSError as error:
        raise errors.NotWritten(error.strerror or str(error), file=str(path)) from None


def check_target(path: Path) -> None:
    """Raises `NotWritten` where no file can be written: better known before that which goes there is paid for."""
    with writing(path):
        home = path.parent
        while not os.path.lexists(home):
            home = home.parent
        if path.is_dir():
            reason = "a directory stands there"
        elif is_written_into(path):
            reason = "" if path.parent.is_dir() else f"{path.parent} is no directory"
        elif not home.is_dir():
            reason = f"{home} is no directory"
        else:
            reason = "" if os.access(home, os.W_OK | os.X_OK) else f"{home} may not be written into"
    if reason:
        raise errors.NotWritten(reason, file=str(path))


def write_whole(path: Path, content: bytes) -> None:
    """The file with this content: at no moment is there half of it, and the old one stays until the new one is safe."""
    write_parts(path, [content])


def write_parts(path: Path, parts: "Iterable[bytes]") -> None:
    """As `write_whole`, for content that is made piece by piece and never held as a whole; raises `NotWritten`."""
    with writing(path):
        if is_written_into(path):
            with path.open("wb") as opened:
                opened.writelines(parts)
            return
        temporary = staged(path, parts)
        try:
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_directory(path.parent)


def is_written_into(path: Path) -> bool:
    """Whether this is a pipe, a device or the name of an open file: a file in its place would take it away."""
    if path.absolute().as_posix().startswith(_OPEN_FILES):
        return True
    return path.exists() and not path.is_file() and not path.is_dir()


def staged(path: Path, parts: "Iterable[bytes]") -> Path:
    """A file with this content beside `path`, whole on the disk and ready to take its place; raises `NotWritten`."""
    check_target(path)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:_PREFIX]}.", suffix=".tmp")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(parts)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o644)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    return temporary


def sync_directory(directory: Path) -> None:
    """Make the names in a directory as lasting as the files."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def load_fixture(path: Path) -> Fixture:
    """The fixture in a file; raises `PathNotFound`, or an `InputError` that names the line."""
    return fixture_of(read_bytes(path), file=str(path))


def load_journal(path: Path) -> Journal:
    """The recordings in a file, and its torn last line where there is one; raises as `load_fixture` does."""
    return journal_of(read_bytes(path), file=str(path))


def load_scenario(directory: Path) -> Scenario:
    """A scenario directory; raises `BadScenario`, `EmptyPrompt` or `PathNotFound`."""
    return scenario_in(directory, prompt=directory / "system.txt", users=user_files(directory))


def scenario_in(directory: Path, *, prompt: Path, users: list[Path]) -> Scenario:
    """A scenario directory whose prompt files are these, wherever they are."""
    tools_file, world_file, stubs_file = (directory / name for name in ("tools.json", "world.json", "stubs.json"))
    return Scenario(
        id=directory.name,
        system=read_prompt(prompt),
        users=[read_prompt(path) for path in users],
        tools=tools_of(read_json(tools_file), file=str(tools_file)) if is_there(tools_file) else [],
        tables=_read_object(world_file) if is_there(world_file) else None,
        stubs=_read_object(stubs_file) if is_there(stubs_file) else None,
        config=_read_toml(directory / "scenario.toml", ScenarioConfig),
        directory=str(directory),
    )


def load_suite(directory: Path) -> Suite:
    """A suite directory; raises an `InputError` or `UsageError`. What lint finds beyond the form is not looked for."""
    files = {name: read_bytes(path) for name in HASHED_FILES if is_there(path := directory / name)}
    cases_file, tables_file, tools_file = (directory / name for name in (CASES, "world.json", "tools.json"))
    cases, lines = cases_of(read_bytes(cases_file), file=str(cases_file))
    return Suite(
        id=directory.name,
        system=read_prompt(directory / "system.txt"),
        tools=tools_of(read_json(tools_file), file=str(tools_file)),
        tables=_read_object(tables_file) if is_there(tables_file) else None,
        cases=cases,
        lines=lines,
        config=_read_toml(directory / "suite.toml", SuiteConfig),
        hashes=hashes_of(files),
        directory=str(directory),
    )


def user_files(directory: Path) -> list[Path]:
    """user.txt, user.2.txt, user.3.txt … as far as they go."""
    files = [directory / "user.txt"]
    while is_there(following := directory / f"user.{len(files) + 1}.txt"):
        files.append(following)
    return files


def read_prompt(path: Path) -> str:
    """A prompt file's text, byte for byte; raises `EmptyPrompt` where it holds only white space, or `BadScenario`."""
    raw = read_bytes(path)
    if len(raw) > MAX_LINE_BYTES:
        sentence = f"holds {len(raw)} bytes, and a line of a recording holds {MAX_LINE_BYTES} at most"
        long = errors.BadScenario(sentence, file=str(path))
        long.mend = f"make {path} shorter, or let a tool give what stands in it"
        raise long
    if (refusal := misencoded(raw, errors.BadScenario, file=str(path))) is not None:
        raise refusal  # also for a mark, which would be sent
    text = raw.decode()
    if not text.strip():
        raise errors.EmptyPrompt(file=str(path))
    return text


def read_json(path: Path) -> Json:
    """A JSON file's value."""
    raw = written_in(read_bytes(path), errors.BadScenario, file=str(path))
    try:
        return decode_unique(raw)
    except NotJsonError as error:
        raise _not_json(str(error), raw, str(path)) from None


def _not_json(reason: str, raw: bytes, file: str) -> errors.BadScenario:
    """The refusal with the place that a person looks for: line and column instead of the byte."""
    sentence, _, place = reason.rpartition(" (byte ")
    number = place.removesuffix(")")
    at = int(number) if sentence and number.isdigit() else None
    if at is None and "truncated" in reason:
        sentence, at = reason, len(raw.rstrip())
    bad = errors.BadScenario(f"not JSON: {sentence or reason}", file=file)
    if at is not None:
        bad.line = raw.count(b"\n", 0, at) + 1
        column = len(raw[raw.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", "replace")) + 1
        bad.subject += f" (column {column})"
    bad.mend = f"mend {file}, then run the same command again"
    return bad


def _read_object(path: Path) -> JsonObject:
    value = read_json(path)
    if not isinstance(value, dict):
        raise errors.BadScenario("holds a JSON object", file=str(path))
    return value


def _read_toml(path: Path, kind: type[_Config]) -> _Config:
    if not is_there(path):
        return kind()
    raw = written_in(read_bytes(path), errors.BadScenario, file=str(path))
    try:
        return kind.model_validate(checked(tomllib.loads(raw.decode())))
    except ValueError as error:  # TOML, JSON and pydantic errors are all of this kind
        if "integer string conversion" in str(error) and (digits := _TOO_MANY_DIGITS.search(raw)):
            sentence, line = f"a whole number of more than {MAX_DIGITS} digits", raw.count(b"\n", 0, digits.start()) + 1
            raise errors.BadScenario(sentence, file=str(path), line=line) from None
        raise refused(error, kind, file=str(path)) from None
    except RecursionError:
        raise errors.BadScenario(f"nested deeper than {MAX_DEPTH}", file=str(path)) from None


def installed_version() -> str:
    """The version of this package, as fixtures and recordings name it."""
    from importlib.metadata import PackageNotFoundError, version  # 20 ms that --help spares

    try:
        return version("fc-harness")
    except PackageNotFoundError:
        return "not installed"
