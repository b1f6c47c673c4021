"""What the tests of importers share: a file imported from its bytes, and what was said in it."""

import gzip
import json
from pathlib import Path

from harness.derivation import conversations_of, transcript_of
from harness.importers.found import Source
from harness.importers.importing import imported
from harness.importers.many import Settings
from harness.importers.registry import importer_of, recognised
from harness.transcript import AssistantTurn, ToolResultTurn, text_of
from harness.wire.redact import Redactor

CHAT = json.dumps([{"role": "user", "content": "Tide?"}, {"role": "assistant", "content": "Low."}])
SETTINGS = Settings("auto", "1", (), replace=False)
SHARED = Path(__file__).parents[3] / "shared" / "data"


def source_of(raw, name="a file", **parts):
    return Source(name, raw if isinstance(raw, bytes) else raw.encode(), parts)


def import_of(raw, format_=None, secrets=(), **parts):
    importer = importer_of(format_) if format_ else None
    source = source_of(raw, **parts)
    return imported(source, importer, id_="found", agent_version="1", redactor=lambda: Redactor(secrets))


def written(directory):
    """Return the names of all recordings below a directory."""
    return sorted(path.name for path in directory.rglob("*.jsonl"))


def format_of(raw):
    importer = recognised(source_of(raw))
    return importer and importer.name


def transcripts_of(result):
    """Return every conversation of all recordings."""
    return [transcript_of(recording, leaf) for recording in result.recordings for leaf in conversations_of(recording)]


def lines_said(transcript):
    """Return a conversation in short: who said what, which calls were made, what they gave."""
    lines = []
    for turn in transcript.turns:
        match turn:
            case AssistantTurn():
                calls = [(call.name, call.arguments) for call in turn.calls]
                lines.append(("assistant", text_of(turn), *calls))
            case ToolResultTurn():
                lines.append(("error" if turn.is_error else "result", text_of(turn)))
            case _:
                lines.append(("user", text_of(turn)))
    return lines


def said_in(result):
    """Return the one conversation of a file in short."""
    [transcript] = transcripts_of(result)
    return lines_said(transcript)


def real_files(folder, *endings):
    """Yield the name and the bytes of each real file of a folder; none where it is not there."""
    for path in sorted((SHARED / folder).rglob("*")):
        if path.name.endswith(endings):
            raw = path.read_bytes()
            yield str(path.relative_to(SHARED)), gzip.decompress(raw) if path.suffix == ".gz" else raw
