"""The recordings that paths name: files, or all in a directory."""

from pathlib import Path

from harness import errors, files
from harness.cli.environment import environment, secrets_of
from harness.directories import files_below
from harness.recording import Recording
from harness.wire.redact import Redactor


def recordings_of(paths: list[Path]) -> list[Recording]:
    """Every recording in these files and directories, in order, without what is a secret here.

    Raises what is wrong with the first bad one.
    """
    found: list[Recording] = []
    for path in paths:
        for file in files_below([path], ".jsonl") if path.is_dir() else [path]:
            found += files.load_journal(file).recordings
    if not found:
        raise errors.WrongOption("no recording is there to export", file=str(paths[0]))
    secrets = secrets_of(environment())
    return [Redactor(secrets).struct(one) for one in found]
