"""Recordings served until their end is asked for, and what drifted meanwhile."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from harness import errors, files
from harness.cli.common import print_json, say
from harness.cli.environment import environment, secrets_of
from harness.cli.judging.judged import evidence_files, is_recording
from harness.cli.listening import Place, base_urls, direct, guard_of, listening_at, until_ended, url_of
from harness.cli.recording.rerecorded import command_for
from harness.errors import HarnessError, exit_code_of
from harness.excerpt import counted
from harness.nearest import nearest_of
from harness.recording import Header, Recording
from harness.recording_lines import journal_of
from harness.session.runs import error_of
from harness.session.surroundings import placeholder_keys
from harness.wire.drift import CATEGORIES, Category, Drift
from harness.wire.drift_report import causes_of, report_of
from harness.wire.joined import script_of
from harness.wire.redact import Redactor
from harness.wire.replay import Replay, Script
from harness.wire.replay_server import ReplayServer, drift_facts, progress_of
from harness.wire.server import Listener


class Wish(NamedTuple):
    """What is to be served, to which program, where."""

    path: str
    program: tuple[str, ...]
    place: Place
    recorded_waits: bool
    allow: tuple[str, ...]
    as_json: bool


def served(wish: Wish) -> int:
    """Serve until the program, or somebody's patience, ends; the exit code."""
    replay = Replay(
        script_at(wish.path, wish.program),
        allowed=_categories(wish.allow),
        scrub=Redactor(secrets_of(environment())).value,
    )
    refused: list[HarnessError] = []
    with listening_at(wish.place, has_program=bool(wish.program)) as listening:
        app = ReplayServer(replay, recorded_waits=wish.recorded_waits).app(guard_of(wish.place, _told))
        url = url_of(listening, wish.place)
        with Listener(app, listening):
            _begin(wish, url, replay)
            try:
                code = until_ended(wish.program, {**base_urls(url), **placeholder_keys(), **direct(environment())})
            except HarnessError as error:
                code = None
                refused.append(error)
    if code:
        refused.append(errors.ProgramFailed(str(code)))
    return _end(wish, replay, refused)


def script_at(path: str, program: tuple[str, ...] = ()) -> Script:
    """What a path or id holds to play from, to which program; raises `WrongOption` where that is nothing."""
    found = [*_recordings_at(_found(path))]
    if not found:
        raise errors.WrongOption("there is no recording to serve", file=path)
    commands = list(dict.fromkeys(_command_for(recording.header, file, program) for file, recording in found))
    more = f" (and {counted(len(commands) - 1, 'more command')})" if len(commands) > 1 else ""
    name = found[0][0] if len(found) == 1 else path
    return script_of(found, name=name, command=commands[0] + more)


def _command_for(header: Header, file: str, program: tuple[str, ...]) -> str:
    """What records it again: through a proxy, with the same program."""
    command = command_for(header, file)
    if not program or not header.origin.startswith("proxy:"):
        return command
    return f"{command} -- {Redactor(secrets_of(environment())).text(shlex.join(program))}"


def _found(path: str) -> Path:
    named = Path("recordings") / f"{path}.jsonl"
    if Path(path).exists():
        return Path(path)
    if named.is_file():
        return named
    known = [one.stem for one in Path("recordings").glob("*.jsonl")]
    raise errors.PathNotFound(file=path, nearest=nearest_of(path, known))


def _recordings_at(path: Path) -> Iterator[tuple[str, Recording]]:
    for file in evidence_files([path]):
        raw = files.read_bytes(file)
        if is_recording(raw):
            yield from _whole_recordings(raw, str(file))
        elif not path.is_dir():
            sentence = "a fixture holds what was said and not what crossed the wire: serve its recording"
            raise errors.WrongOption(sentence, file=str(file))


def _whole_recordings(raw: bytes, file: str) -> Iterator[tuple[str, Recording]]:
    journal = journal_of(raw, file=file)
    if journal.torn is not None:
        raise journal.torn
    for recording in journal.recordings:
        if recording.end is None:
            sentence = f"recording {recording.header.id} has no end line: its writer was stopped"
            raise errors.MalformedLine(sentence, file=file)
        yield (file if len(journal.recordings) == 1 else f"{file} ({recording.header.id})"), recording


def _categories(names: tuple[str, ...]) -> frozenset[Category]:
    for name in names:
        if name not in CATEGORIES:
            raise errors.UnknownName(name, expected=", ".join(CATEGORIES), nearest=nearest_of(name, CATEGORIES))
    return frozenset(known for known in CATEGORIES if known in names)


def _told(line: str) -> None:
    click.echo(line, err=True)


def _begin(wish: Wish, url: str, replay: Replay) -> None:
    script = replay.script
    _told(f"serving {counted(len(script.recording.exchanges), 'recorded exchange')} of {script.name} at {url}")
    if wish.as_json:
        print_json({"url": url})
    elif not wish.program:
        click.echo(url)
        _told("".join(f"  {name}={value}\n" for name, value in base_urls(url).items()) + "Ctrl-C ends it")


def _end(wish: Wish, replay: Replay, refused: list[HarnessError]) -> int:
    drifts = _drifts(replay, wish.allow)
    if drifts and all(isinstance(error, errors.ProgramFailed) for error in refused):  # else it had no chance to ask
        placed = [replay.script.placed(drift) for drift in drifts]
        refused = [error_of(drifts, report_of(causes_of(placed), replay.script.command)), *refused]
    code = exit_code_of([error.exit_code for error in refused])
    given, exchanges = len(replay.given()), len(replay.script.recording.exchanges)
    _told(f"{given} of {counted(exchanges, 'recorded exchange')} given, {counted(replay.requests, 'request')}")
    for error in refused:
        say(error)
    if wish.as_json:
        failed = [drift_facts(*replay.script.placed(drift)) for drift in drifts]
        told = [error.facts() for error in refused]
        print_json({**progress_of(replay), "drifts": failed, "errors": told, "code": code})
    return code


def _drifts(replay: Replay, allowed: tuple[str, ...]) -> list[Drift]:
    """What failed; a program that asked nothing at all never came here."""
    if replay.requests or "NOT_INTERCEPTED" in allowed:
        return replay.failures()
    return [Drift("NOT_INTERCEPTED", "no request came to this address: the program asks somewhere else, or nothing")]
