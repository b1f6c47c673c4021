"""fc-replay diff: fixtures, recordings and runs side by side."""

import json

import pytest
from doors import fc_replay

from harness.fixture_lines import EMPTY_ASSERTIONS
from harness.value import digest_of

LEDGER = {"input": 1, "cache_read": None, "cache_creation": None, "output": 1}


def fixture(name, *, said="Paid.", amount=5, **meta):
    """Give the bytes of a fixture of one call."""
    call = {"type": "toolCall", "id": "call_1", "name": "pay", "arguments": {"amount": amount}}
    head = {
        "type": "meta", "formatVersion": 1, "fixtureId": name, "scenario": "A payment", "recordedAt": "2026-01-02T03:04:05Z",
        "systemPromptHash": digest_of(b"Be brief."),
    }  # fmt: skip
    turns = [
        {"role": "user", "content": [{"type": "text", "text": "Pay."}]},
        {"role": "assistant", "content": [call], "tokenLedger": LEDGER},
        {"role": "toolResult", "toolUseId": "call_1", "content": [{"type": "text", "text": "ok"}]},
        {"role": "assistant", "content": [{"type": "text", "text": said}], "tokenLedger": LEDGER},
    ]
    lines = [head | meta, *({"type": "turn", "turnIndex": index} | turn for index, turn in enumerate(turns))]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines) + EMPTY_ASSERTIONS + b"\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(path, **facts):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(fixture(file.stem, **facts))
        return path

    return write


def test_two_fixtures_are_compared_whatever_they_are_called(place):
    before, after = place("old/pay.jsonl"), place("new/pay-again.jsonl", amount=6)

    done = fc_replay("diff", before, after)

    assert (done.exit_code, done.stdout) == (
        0,
        "pay -> pay-again: 1 call changed\n  ~ pay (call_1) changed\n      amount: 5 -> 6\n",
    )


def test_where_nothing_changed_that_is_said(place):
    before = place("old/pay.jsonl")
    after = place("new/pay.jsonl", recordedAt="2027-01-01T00:00:00Z", agentVersion="9")

    done = fc_replay("diff", before, after, "--exit-code")

    assert (done.exit_code, done.stdout) == (0, "pay: no change in behaviour\n")


def test_a_difference_is_an_exit_code_on_wish(place):
    before, after = place("old/pay.jsonl"), place("new/pay.jsonl", said="Not paid.")

    assert fc_replay("diff", before, after, "--exit-code").exit_code == 1


def test_what_was_asked_otherwise_stands_above(place):
    tools = {"pay": digest_of(b"1"), "get": digest_of(b"2")}
    before = place("old/pay.jsonl", model="m-1", params={"temperature": 0}, toolHashes=tools)
    changed = {
        "systemPromptHash": digest_of(b"Be long."),
        "toolHashes": {"pay": digest_of(b"3"), "find": digest_of(b"2")},
    }
    after = place("new/pay.jsonl", model="m-2", params={"temperature": 1}, **changed)

    done = fc_replay("diff", before, after)

    assert done.stdout.splitlines() == [
        "pay: no change in behaviour",
        '  asked otherwise: model: "m-1" -> "m-2"',
        "  asked otherwise: params.temperature: 0 -> 1",
        "  asked otherwise: another system prompt",
        "  asked otherwise: tools changed: pay",
        "  asked otherwise: tools added: find",
        "  asked otherwise: tools removed: get",
    ]


def test_directories_are_compared_by_id(place):
    for path, facts in {"old/a.jsonl": {}, "old/b.jsonl": {}, "new/b.jsonl": {"amount": 6}, "new/c.jsonl": {}}.items():
        place(path, **facts)

    done = fc_replay("diff", "old", "new", "--json")

    told = json.loads(done.stdout)
    assert [(one["id"], one["before"], one["after"], one["differs"]) for one in told["conversations"]] == [
        ("a", "a", None, True),
        ("b", "b", "b", True),
        ("c", None, "c", True),
    ]
    assert told["conversations"][1]["calls"] == [
        {
            "kind": "changed",
            "name": "pay",
            "before": "call_1",
            "after": "call_1",
            "arguments": [{"path": "amount", "before": "5", "after": "6"}],
        }
    ]
    assert told["changed"] == 3


def test_other_names_are_no_hindrance_where_all_are_others(place):
    for path in ("old/a.jsonl", "old/b.jsonl", "new/c.jsonl", "new/d.jsonl"):
        place(path)

    done = fc_replay("diff", "old", "new")

    assert done.stdout == "2 conversations: 2 the same, 0 changed\n"


def test_what_is_only_on_one_side_is_said(place):
    for path in ("old/a.jsonl", "new/a.jsonl", "new/b.jsonl"):
        place(path)

    done = fc_replay("diff", "old", "new")

    assert done.stdout == "b: only in the second\n2 conversations: 1 the same, 1 changed\n"


@pytest.mark.parametrize(
    ("after", "code"), [pytest.param("nothing", 2, id="no file"), pytest.param("bad.jsonl", 4, id="no fixture")]
)
def test_what_cannot_be_read_is_refused(place, tmp_path, after, code):
    before = place("old/pay.jsonl")
    (tmp_path / "bad.jsonl").write_text("{}\n")

    assert fc_replay("diff", before, after).exit_code == code
