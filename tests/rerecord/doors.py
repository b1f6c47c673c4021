"""The two doors as a test opens them."""

from click.testing import CliRunner

from harness.cli import record as record_door
from harness.cli import replay as replay_door


def _command(main, arguments):
    done = CliRunner().invoke(main, [str(one) for one in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done


def fc_record(*arguments):
    return _command(record_door.main, arguments)


def fc_replay(*arguments):
    return _command(replay_door.main, arguments)
