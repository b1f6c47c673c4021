"""Which command records a recording again."""

import shlex
from pathlib import Path

from harness.recording import Header


def command_for(header: Header, file: str) -> str:
    """The command, by what the recording's origin says."""
    kind, _, source = header.origin.partition(":")
    match kind:
        case "test":
            return f"pytest --fc-record {shlex.quote(source)}"
        case "proxy":
            output = shlex.quote(str(Path(file).parent))
            return f"fc-record proxy --upstream {shlex.quote(source)} --output {output} --id {shlex.quote(header.id)}"
        case "import":
            return f"fc-record import {source} {shlex.quote(header.source or 'FILE')}"
        case _:
            return f"fc-record scenarios/{header.scenario or header.id}"
