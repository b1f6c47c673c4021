"""A recording that is no longer as it was written is refused, with the command that makes it anew."""

import pytest
from loopback import Loopback, plain
from spoken import chat_body
from weather_agent import QUESTION, openai_for

from harness import errors
from harness.session.runs import record, replay

HELLO = plain(chat_body("Hello"))


@pytest.fixture
def path(tmp_path):
    """A recording of one answer."""
    with Loopback(HELLO) as server, record(tmp_path / "run.jsonl") as fc:
        client = openai_for(fc, f"{server.url}/v1")
        client.chat.completions.create(model="m-test", messages=[QUESTION])
    return tmp_path / "run.jsonl"


def refusal_of(path):
    with pytest.raises(errors.InputError) as caught, replay(path):
        pass
    return caught.value


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[:0],
        lambda raw: raw[: len(raw) // 2],
        lambda raw: b"".join(raw.splitlines(keepends=True)[:-1]),
        lambda raw: raw.replace(b"Hello", b"Hallo"),
        lambda raw: b"<<<<<<< HEAD\n" + raw,
    ],
    ids=["empty", "cut", "no end", "edited", "conflict"],
)
def test_a_damaged_recording_is_recorded_again_by_its_own_command(path, damage):
    path.write_bytes(damage(path.read_bytes()))

    refused = refusal_of(path)

    again = f"with harness.record({str(path)!r}) as fc: …"
    assert refused.command == f"restore the file from git, or record it again: {again}"


def test_line_ends_that_git_changed_are_named_with_what_keeps_them(path):
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    refused = refusal_of(path)

    assert isinstance(refused, errors.DigestMismatch)
    assert "put 'recordings/** -text' into .gitattributes" in refused.command
