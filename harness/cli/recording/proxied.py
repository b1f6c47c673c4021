"""A program recorded through a proxy until its end is asked for."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import click

from harness import errors, files
from harness.cli.common import print_json, say
from harness.cli.environment import command_line, environment, now, proxy_for, secrets_of
from harness.cli.listening import BOTH, Place, base_urls, direct, guard_of, listening_at, until_ended, url_of
from harness.cli.recording.endpoints import base_url_of
from harness.cli.recording.providers import BUILT_IN, Provider, names, provider_of
from harness.derivation import conversations_of
from harness.errors import HarnessError, exit_code_of
from harness.excerpt import counted
from harness.fixture_lines import KEBAB
from harness.nearest import nearest_of
from harness.session.growing import Growing
from harness.wire.capture import Attempt
from harness.wire.proxy_server import Keeping, ProxyServer, Upstream
from harness.wire.redact import Redactor
from harness.wire.server import Listener

_OPENAI, _ANTHROPIC = BOTH


class Known(NamedTuple):
    """A provider's address, and the variables in which the SDKs that speak to it look for another."""

    url: str
    variables: tuple[str, ...]


def _upstream_of(provider: Provider) -> Known:
    """Where a provider that has an address is asked in its own API."""
    api, address = next(iter(provider.addresses.items()))
    return Known(address, (_ANTHROPIC if api == "messages" else _OPENAI,))


UPSTREAMS = {name: _upstream_of(one) for name, one in BUILT_IN.items() if one.addresses}


class Wish(NamedTuple):
    """What is to be recorded, from where, into which file."""

    upstream: str
    program: tuple[str, ...]
    place: Place
    output: str
    id: str | None
    as_json: bool


def proxied(wish: Wish) -> int:
    """Record until the program, or somebody's patience, ends; the exit code."""
    known = _known(wish.upstream)
    variables = environment()
    secrets = secrets_of(variables)
    redactor = Redactor(secrets)
    growing = Growing(_path_of(wish), f"proxy:{Redactor(secrets).text(wish.upstream)}", redactor)
    kept = _Keeper(growing)
    with listening_at(wish.place, has_program=bool(wish.program)) as listening, ThreadPoolExecutor(1) as keeper:
        url = url_of(listening, wish.place)
        if base_url_of(url, "messages") == base_url_of(known.url, "messages"):
            raise errors.WrongOption("the upstream is the proxy itself", found=url)
        kept.open()
        keeping = Keeping(lambda one: keeper.submit(kept.add, one), redactor.learn, time.monotonic, now)
        server = ProxyServer(Upstream(known.url, proxy_for(known.url, variables)), keeping)
        with Listener(server.app(guard_of(wish.place, _told)), listening):
            urls = base_urls(url + urlsplit(known.url).path.rstrip("/"), known.variables)
            _begin(wish, url, urls)
            failure = _failure_of(wish.program, {**variables, **urls, **direct(variables)})
    growing.intake.flush()
    return _end(wish, growing, failure)


class _Keeper:
    """Keeps what passes; what cannot be kept is said at once, since a program may run for hours."""

    def __init__(self, growing: Growing) -> None:
        self._growing = growing
        self._failed = False

    def open(self) -> None:
        """Begin the journal; raises `NotWritten`, or `WrongOption` where another proxy writes it."""
        try:
            self._growing.open()
        except OSError as error:
            raise errors.NotWritten(error.strerror or str(error), file=error.filename) from None
        aside = self._growing.journal and self._growing.journal.aside
        if aside:
            _told(f"an unfinished journal of an earlier run is kept as {aside}")

    def add(self, attempt: Attempt) -> None:
        """Keep an attempt."""
        self._growing.intake.add(attempt)
        failure = self._growing.intake.failure
        if failure is not None and not self._failed:
            self._failed = True
            _told(f"from here on nothing whole can be recorded: {type(failure).__name__}: {failure}")


def _known(upstream: str) -> Known:
    """The upstream by its name or address; raises `WrongOption`, or `UnknownName` where it is neither."""
    if upstream in UPSTREAMS:
        return UPSTREAMS[upstream]
    if "://" not in upstream:
        known = [one for one in names() if one in UPSTREAMS or one not in BUILT_IN]
        if upstream in known and (provider := provider_of(upstream)).addresses:
            return _upstream_of(provider)
        expected = f"{', '.join(known)}, or an address"
        raise errors.UnknownName(upstream, expected=expected, nearest=nearest_of(upstream, known))
    base_url_of(upstream, "messages")
    return Known(upstream, BOTH)


def _path_of(wish: Wish) -> Path:
    """The recording's file; raises `WrongOption` where its name is none, or another origin's recording is there."""
    id_ = wish.id or "proxy-" + now().partition(".")[0].translate({ord(":"): None, ord("-"): None, ord("T"): "-"})
    if not KEBAB.match(id_):
        raise errors.WrongOption("--id is a kebab-case name (refund-by-phone)", found=id_)
    path = Path(wish.output) / f"{id_}.jsonl"
    if path.exists():
        origins = {one.header.origin for one in files.load_journal(path).recordings}
        if any(not origin.startswith("proxy:") for origin in origins):
            raise errors.WrongOption("this is a recording of another kind; choose another --id", file=str(path))
    return path


def _told(line: str) -> None:
    click.echo(line, err=True)


def _begin(wish: Wish, url: str, urls: dict[str, str]) -> None:
    _told(f"recording what passes {url} to {Redactor().text(wish.upstream)}")
    if wish.as_json:
        print_json({"url": url})
    elif not wish.program:
        click.echo(url)
        _told(
            "".join(f"  {name}={value}\n" for name, value in urls.items()) + "Ctrl-C ends it and writes the recording"
        )


def _failure_of(program: tuple[str, ...], variables: dict[str, str]) -> HarnessError | None:
    try:
        code = until_ended(program, variables)
    except HarnessError as error:
        return error
    return errors.ProgramFailed(str(code)) if code else None


def _end(wish: Wish, growing: Growing, failure: HarnessError | None) -> int:
    """Write the recording; where the program or the recorder failed, an older one stays in its place.

    A request that nothing answered leaves the rest whole: whoever plays it meets a request that was not recorded.
    """
    problem = failure or growing.failure()
    is_whole = problem is None or isinstance(problem, errors.LiveCallFailed)
    if is_whole and growing.exchanges:
        growing.write()
    else:
        growing.leave()
    if isinstance(problem, errors.UnfinishedRun):
        problem.again = Redactor(secrets_of(environment())).text(command_line())
        problem.kept = str(growing.journal.path) if growing.journal and growing.exchanges and not is_whole else ""
    elif isinstance(problem, OSError):
        problem = errors.NotWritten(problem.strerror or str(problem), file=problem.filename)
    elif problem is not None and not isinstance(problem, HarnessError):
        raise problem
    return _said(wish, growing, problem, written=is_whole and bool(growing.exchanges))


def _said(wish: Wish, growing: Growing, problem: HarnessError | None, *, written: bool) -> int:
    exchanges = len(growing.exchanges)
    conversations = len(conversations_of(growing.recording)) if exchanges else 0
    for note in growing.notes():
        _told(note)
    if problem is not None:
        say(problem)
    if written:
        _told(f"{growing.path}: {counted(exchanges, 'exchange')}, {counted(conversations, 'conversation')}")
    code = exit_code_of([problem.exit_code] if problem else [])
    if wish.as_json:
        facts = {"exchanges": exchanges, "conversations": conversations, "notes": growing.notes(), "code": code}
        told = [problem.facts()] if problem else []
        print_json({"recording": str(growing.path) if written else None, **facts, "errors": told})
    return code
