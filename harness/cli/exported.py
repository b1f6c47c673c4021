"""The recordings that paths name: files, or all in a directory."""

from pathlib import Path

from harness import errors, files
from harness.directories import files_below
from harness.recording import Recording


def recordings_of(paths: list[Path]) -> list[Recording]:
    """Every recording in these files and directories, in order; raises what is wrong with the first bad one."""
    found: list[Recording] = []
    for path in paths:
        for file in files_below([path], ".jsonl") if path.is_dir() else [path]:
            found += files.load_journal(file).recordings
    if not found:
        raise errors.WrongOption("no recording is there to export", file=str(paths[0]))
    return found
