"""A suite with runs on the disk, made by fc-record from a provider that gets told cases wrong; and fc-judge run on them."""

import json
import os
import subprocess
import sys
from pathlib import Path

from loopback import plain
from recording_project import record
from spoken import chat_body
from suite_project import TOML, SuiteProject, case, is_first, number_of, provider

ROOT = Path(__file__).parents[2]
VARIANTS = 'variants = ["plain", "blunt"]\n\n[model]'
COUNT = 12


def suite_cases():
    """Twelve cases: six questions, each asked in two ways."""
    return [case(number, category=f"where-{(number + 1) // 2}") for number in range(1, COUNT + 1)]


def answering(wrong, silent=()):
    """A provider that looks up another parcel in the cases numbered `wrong`, and answers `silent` ones with a fault."""

    def answer(request):
        number = number_of(request)
        if number in silent:
            return plain({"error": {"message": "overloaded"}}, status=503)
        if not is_first(request):
            return plain(chat_body(f"In Oslo, to question {number}."))
        code = "K9-99" if number in wrong else "K7-11"
        return plain(chat_body(None, [(f"x{number}", "find_parcel", json.dumps({"code": code}))]))

    return answer


class EvidenceProject(SuiteProject):
    """scenarios/parcels/ with its runs in recordings/, and the commands that make evidence of them."""

    def __init__(self, root):
        super().__init__(root, *suite_cases(), toml=TOML.replace("[model]", VARIANTS, 1))

    def record(self, capsys, monkeypatch, run, *, wrong=(), silent=(), options=()):
        """Make a run."""
        monkeypatch.chdir(self.root)
        with provider(answering(wrong, silent)) as server:
            done = record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", run, *options)
        assert done.code == 0, done.err


class Done:
    """What a command gave."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)


def run_command(capsys, command, *words):
    """Run a command of fc-judge in this process, with its errors as exit codes."""
    from harness.cli.common import fail
    from harness.errors import HarnessError

    capsys.readouterr()
    try:
        command.main([*map(str, words)], prog_name=f"fc-judge {command.name}", standalone_mode=True)
        code = 0
    except HarnessError as error:
        try:
            fail(error, as_json="--json" in words)
        except SystemExit as end:
            code = end.code
    except SystemExit as end:
        code = end.code or 0
    shown = capsys.readouterr()
    return Done(code, shown.out, shown.err)


def start_command(root, module, name, *words, **options):
    """Start a command in a process of its own."""
    code = f"from harness.cli.{module} import {name} as it; it.main(prog_name='fc-judge {name}')"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", code, *map(str, words)], cwd=root, env=environment, **options)
