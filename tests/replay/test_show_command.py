"""fc-replay show: a conversation as a person would read it, with nothing hidden in it."""

import json

import pytest
from click.testing import CliRunner
from recorded_run import chat_answer, recorded
from refund_run import call, ended, fixture, lines, meta, refund_turns, result, says, user

from harness.cli.replay import main
from harness.cli.replaying.shown import conversations_in, text_of
from harness.recording_lines import lines_of_recording
from harness.transcript_text import text_of_transcript

STATE = {
    "type": "state",
    "initial": "sha256:" + "0" * 64,
    "changes": [
        {"call": "call_2", "table": "refunds", "key": "r-1", "before": None, "after": {"amount": 89.99}},
        {"call": "call_2", "table": "orders", "key": 4021, "before": {"open": True}, "after": {"open": False}},
        {"call": "call_2", "table": "carts", "key": 7, "before": {"n": 1}, "after": None},
    ],
}


def shown(turns=None, **parts):
    return text_of_transcript(fixture(turns, **parts).transcript)


def test_a_whole_run_is_told_turn_by_turn():
    assert shown(tail=[STATE]) == (
        "user\n"
        "  Refund order #4021, it arrived damaged.\n"
        "\n"
        "assistant  (10 input, 0 cache read, 5 output)\n"
        '  -> get_order (call_1) {"order_id":4021}\n'
        "\n"
        "result of get_order (call_1)\n"
        '  {"order_id":4021,"total":89.99}\n'
        "\n"
        "assistant  (10 input, 0 cache read, 5 output)\n"
        "  It is eligible.\n"
        '  -> create_refund (call_2) {"order_id":4021,"amount":89.99}\n'
        "\n"
        "result of create_refund (call_2)\n"
        '  {"refund_id":"refund-1","amount":89.99}\n'
        "\n"
        "assistant  (10 input, 0 cache read, 5 output)\n"
        "  I refunded 89.99 EUR.\n"
        "\n"
        "the world\n"
        '  refunds "r-1" added: {"amount":89.99}  (by create_refund (call_2))\n'
        '  orders 4021: {"open":true} -> {"open":false}  (by create_refund (call_2))\n'
        "  carts 7 removed  (by create_refund (call_2))\n"
        "\n"
        "completed  (6 turns, 2 calls, 30 tokens in, 15 out)"
    )


THINKING = {"type": "thinking", "thinking": "Let me see."}
OPAQUE = {"type": "opaque", "api": "messages", "block": {"type": "redacted_thinking", "data": "x"}}
UNREADABLE = {"type": "toolCall", "id": "call_1", "name": "get_order", "arguments": None, "rawArguments": "{oops"}
LONG = {f"field_{number}": "word " * 8 for number in range(3)}
PARTS = {
    "thinking": ([user(), says(THINKING, "Yes.")], "  Let me see.\n  Yes.\n"),
    "a provider's block": ([user(), says(OPAQUE, "Yes.")], "  (redacted_thinking of messages, kept as it came)\n"),
    "arguments that are no object": (
        [user(), says(UNREADABLE), result(1, "no", isError=True), says()],
        "  -> get_order (call_1) arguments that are no JSON object:\n     {oops\n",
    ),
    "an error": ([user(), says(call(1, "f")), result(1, "no", isError=True), says()], "\nerror of f (call_1)\n  no\n"),
    "no arguments": ([user(), says(call(1, "f")), result(1, "no"), says()], "  -> f (call_1) {}\n"),
    "long arguments": (
        [user(), says(call(1, "f", **LONG)), result(1, "no"), says()],
        f'  -> f (call_1)\n     field_0: "{"word " * 8}"\n     field_1: ',
    ),
    "several lines": ([user("one\ntwo"), says()], "user\n  one\n  two\n"),
    "a stop that says something": ([user(), says("hal", stop="length")], "5 output) [length]\n"),
    "colours in what was said": ([user("\x1b[31mred\x07"), says()], "user\n  \\x1b[31mred\\x07\n"),
    "a name that obeys": ([user(), says(call(1, "\x1b[2Jf")), result(1, ""), says()], "  -> \\x1b[2Jf (call_1) {}\n"),
    "text that turns round": ([user("a\u202eb"), says()], "  a\\u202eb\n"),
}


@pytest.mark.parametrize(("turns", "part"), PARTS.values(), ids=PARTS)
def test_each_part_has_its_form(turns, part):
    assert part in shown(turns)


def test_a_long_result_is_cut_with_a_note_of_how_much():
    turns = [user(), says(call(1, "f")), result(1, "x" * 700), says()]

    assert f"  {'x' * 600}… (100 more characters)\n" in shown(turns)
    assert f"  {'x' * 700}\n" in text_of_transcript(fixture(turns).transcript, whole=True)


def test_a_bad_end_says_its_reason():
    text = shown([user(), says("hal")], tail=[ended("truncated", "cut at 5\x1b tokens")])

    assert text.endswith("\ntruncated: cut at 5\\x1b tokens  (2 turns, 0 calls, 10 tokens in, 5 out)")


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("fixtures", "recordings"):
        (tmp_path / name).mkdir()
    (tmp_path / "fixtures" / "refund.jsonl").write_bytes(b"".join(lines(head=meta(model="m-1"))))
    calls = [("id-a", "set_lamp", '{"on":true}')]
    recording, _ = recorded("chat", [chat_answer("One moment.", calls), chat_answer("Done.")])
    (tmp_path / "recordings" / "two-lamps.jsonl").write_bytes(lines_of_recording(recording))
    return tmp_path


def show(*arguments):
    done = CliRunner().invoke(main, ["show", *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("what", ["refund", "fixtures/refund.jsonl"])
def test_a_fixture_is_shown_by_id_and_by_path(what):
    code, out, _ = show(what)

    assert code == 0
    assert out.startswith(
        "refund | Refund of a damaged item | m-1 | 2026-11-30T04:00:00Z\n\nuser\n  Refund order #4021"
    )


@pytest.mark.usefixtures("project")
def test_a_recording_is_shown_as_its_conversation():
    code, out, _ = show("two-lamps")

    assert code == 0
    assert out.startswith("two-lamps | two-lamps | m | 2026-01-02T03:04:05Z\n\nuser\n  Light, please.\n")
    assert out.endswith("completed  (4 turns, 1 call, 14 tokens in, 4 out)\n")


def test_a_torn_journal_is_shown_as_far_as_it_goes(project):
    whole = (project / "recordings" / "two-lamps.jsonl").read_bytes().split(b"\n")
    torn = b"\n".join(whole[:4]) + b"\n" + whole[4][:60]
    (project / "recordings" / "two-lamps.jsonl").unlink()
    (project / "recordings" / "two-lamps.jsonl.partial").write_bytes(torn)

    code, out, err = show("two-lamps")

    assert code == 0
    assert "  One moment.\n" in out
    assert "\nincomplete: the recording has no end line: its writer was stopped" in out
    assert err == (
        "recordings/two-lamps.jsonl.partial:5: the last line is torn (60 bytes): the writer was stopped in the middle\n"
        "  next:     what stands before it can be read; to have the rest, record it again\n"
    )


def test_a_journal_without_an_answer_is_shown_too(project):
    first = (project / "recordings" / "two-lamps.jsonl").read_bytes().split(b"\n")[0]
    (project / "recordings" / "begun.jsonl.partial").write_bytes(first + b"\n")

    code, out, _ = show("recordings/begun.jsonl.partial")

    assert (code, out.split("\n\n")[1]) == (0, "incomplete: no answer was finished  (0 turns, 0 calls)\n")


@pytest.mark.usefixtures("project")
def test_what_is_not_there_is_told_with_the_nearest_id():
    code, _, err = show("refnd")

    assert (code, err) == (2, "refnd: no such file or directory\n  nearest:  refund\n")


@pytest.mark.usefixtures("project")
def test_a_conversation_is_shown_as_json():
    _, out, _ = show("refund", "--json")

    (only,) = json.loads(out)
    assert only["turns"] == [
        {"type": "turn", "turnIndex": number}
        | turn
        | ({"stopReason": None} if turn["role"] == "assistant" else {})
        | ({"isError": False} if turn["role"] == "toolResult" else {})
        for number, turn in enumerate(refund_turns())
    ]
    assert (only["outcome"], only["error"], only["effects"]) == ("completed", None, None)


def test_colour_is_ours_alone(project):
    thinking = {"type": "thinking", "thinking": "\x1b[31mhm"}
    (project / "fixtures" / "refund.jsonl").write_bytes(b"".join(lines([user(), says(thinking)])))

    (only,) = conversations_in("refund")
    text = text_of(only, colour=True, whole=False)

    assert "\x1b[2m  \\x1b[31mhm\x1b[0m" in text
    assert "\x1b[36m\x1b[1muser\x1b[0m" in text


@pytest.mark.usefixtures("project")
def test_nothing_is_coloured_where_no_terminal_is():
    assert "\x1b" not in show("refund")[1]
