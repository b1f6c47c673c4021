"""A suite with runs on the disk, made by fc-record from a provider that gets told cases wrong; and fc-judge run on them."""

import contextlib
import io
import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

from loopback import plain
from recording_project import start_recording
from spoken import chat_body
from suite_project import TOML, SuiteProject, case, is_first, number_of, provider

from harness.cli.common import fail
from harness.errors import HarnessError

ROOT = Path(__file__).parents[2]
VARIANTS = 'variants = ["plain", "blunt"]\n\n[model]'
COUNT = 12
COMMANDS = {
    "review": "review", "consistency": "consistency", "adjudicate": "consistency", "lock": "lock", "verify": "verify",
    "compare": "compare",
}  # fmt: skip
_WAIT_S = 20
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


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


def project_in(root):
    """scenarios/parcels/: six questions, each asked in two ways."""
    cases = [case(number, category=f"where-{(number + 1) // 2}") for number in range(1, COUNT + 1)]
    return SuiteProject(root, *cases, toml=TOML.replace("[model]", VARIANTS, 1))


def record_run(root, run, *options, wrong=(), silent=()):
    """Make a run."""
    with provider(answering(wrong, silent)) as server:
        making = start_recording(root, "scenarios/parcels", "--base-url", server.url, "--run-id", run, *options)
        _, told = making.communicate(timeout=60)
    assert making.returncode == 0, told


class Done:
    """What a command gave."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def codes(self):
        """The codes of the errors in the JSON."""
        return [one["code"] for one in self.json["errors"]]


def judge(name, *words):
    """Run a subcommand of fc-judge in this process, errors as exit codes."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            command_of(name).main([*map(str, words)], prog_name=f"fc-judge {name}")
            code = 0
        except SystemExit as end:
            code = end.code or 0
        except HarnessError as error:
            code = _failed(error, as_json="--json" in words)
    return Done(code, out.getvalue(), err.getvalue())


def command_of(name):
    return getattr(import_module(f"harness.cli.evidence.{COMMANDS[name]}"), name)


def _failed(error, *, as_json):
    try:
        fail(error, as_json=as_json)
    except SystemExit as end:
        return end.code


def start(root, name, *words, **options):
    """Start a subcommand in a process of its own."""
    code = "from harness.cli.judge import main; main(prog_name='fc-judge')"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    return subprocess.Popen([sys.executable, "-c", code, name, *map(str, words)], cwd=root, env=environment, **options)


class Terminal:
    """A subcommand with a person at its terminal."""

    def __init__(self, root, name, *words):
        self.own, theirs = pty.openpty()
        self.process = start(root, name, *words, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        self.text = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(_WAIT_S)
        os.close(self.own)

    def read_until(self, words):
        """Everything shown up to the first screen that holds the words; escapes of the terminal are left out."""
        end = time.monotonic() + _WAIT_S
        while words not in self.text:
            ready, _, _ = select.select([self.own], [], [], 0.1)
            if ready:
                try:
                    self.text += _ESCAPES.sub("", os.read(self.own, 65536).decode())
                except OSError:  # the process has gone
                    break
            assert time.monotonic() < end, self.text
        seen, self.text = self.text, ""
        assert words in seen, seen
        return seen

    def type(self, keys):
        os.write(self.own, keys.encode())

    def ended(self):
        """The exit code, when the process has ended by itself."""
        return self.process.wait(_WAIT_S)


def answers_file(path, **others):
    """Answers that agree with every verdict: cases 3 and 7 fail, all others pass."""
    lines = []
    for number in range(1, COUNT + 1):
        name = f"fc-d1-{number:03}"
        right = "model_error" if number in (3, 7) else "correct"
        lines.append({"case": name, "answer": others.get(name.replace("-", "_"), right)})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines if line["answer"]))
    return path
