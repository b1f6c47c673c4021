"""fc-replay as a test runs it, and what it tells."""

import json

from click.testing import CliRunner

from harness.cli.replay import main

FIXTURE = "fixtures/refund.jsonl"


def write(project, parts):
    (project / FIXTURE).write_bytes(b"".join(parts))


def run(*arguments):
    done = CliRunner().invoke(main, [str(one) for one in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, done.stdout


def told(*arguments):
    """Return the exit code and the one result of `--json`."""
    code, out = run(*arguments, "--json")
    (only,) = json.loads(out)["results"]
    return code, only


def places(outcome):
    return [(error["code"], error["file"], error["line"]) for error in outcome["errors"]]
