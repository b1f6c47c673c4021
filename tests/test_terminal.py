"""On a real terminal no command passes on what a model, a tool, a file or its name would tell the terminal."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EVIL = "x\x1b[31my\x1b]0;title\x07\x08\r\u202egnp.exe\u2066\x9b2J\x7f\u200b\U000e0041z"
FORBIDDEN = {*map(chr, range(0x20)), "\x7f", "\x9b", "\u202e", "\u2066", "\u200b", "\U000e0041"} - {"\n"}
READABLE = "杭州 👩🏽‍💻 ❤️"
HASH = "sha256:" + "a" * 64
COMMANDS = {
    "replay": ["fixtures"],
    "replay check": ["check", "fixtures"],
    "replay show": ["show", "evil"],
    "replay show whole": ["show", "evil", "--whole"],
    "replay show json": ["show", "evil", "--json"],
    "replay diff": ["diff", "fixtures/evil.jsonl", "other/evil.jsonl", "--whole"],
    "judge": ["fixtures", "--all"],
    "judge json": ["fixtures", "--json"],
    "judge markdown": ["fixtures", "--markdown", "-"],
    "judge lint": ["lint", "scenarios", "fixtures"],
    "judge suggest": ["suggest", "evil"],
    "judge a file with such a name": [f"fixtures/{EVIL}.jsonl"],
    "record a scenario with such a name": [f"scenarios/{EVIL}"],
    "record import": ["import", "auto", f"fixtures/{EVIL}.jsonl"],
}


def fixture(project, directory, said):
    call = {"type": "toolCall", "id": "call_1", "name": f"find{EVIL}", "arguments": {EVIL: [EVIL, READABLE], "n": said}}
    wanted = [
        {"kind": "message_contains_substring", "role": "assistant", "substring": f"other{EVIL}"},
        {"kind": "tool_called", "name": f"other{EVIL}"},
        {"kind": "tool_call_arg_matches", "name": f"find{EVIL}", "arg_path": EVIL, "matches_regex": f"q{EVIL[0]}"},
    ]
    ledger = {"input": 1, "cache_read": 0, "cache_creation": 0, "output": 1}
    meta = {"type": "meta", "fixtureId": "evil", "scenario": f"title{EVIL}", "recordedAt": "2026-01-01T00:00:00Z"}
    turns = [
        {"role": "user", "content": [{"type": "text", "text": f"{READABLE} {EVIL}"}]},
        {"role": "assistant", "content": [{"type": "text", "text": EVIL + said}, call], "tokenLedger": ledger},
        {"role": "toolResult", "toolUseId": "call_1", "content": [{"type": "text", "text": EVIL}], "isError": True},
        {"role": "assistant", "content": [{"type": "text", "text": READABLE}], "tokenLedger": ledger},
    ]
    lines = [
        meta | {"systemPromptHash": HASH, "origin": f"test:{EVIL}", "model": EVIL, "toolHashes": {EVIL: HASH}},
        *({"type": "turn", "turnIndex": at} | turn for at, turn in enumerate(turns)),
        {"type": "assertions", "assertions": wanted},
    ]
    path = project / directory / "evil.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = tmp_path_factory.mktemp("project")
    fixture(project, "fixtures", "one")
    fixture(project, "other", "two")
    (project / "fixtures" / f"{EVIL}.jsonl").write_text(f'{{"{EVIL[:1]}": 1, "\u202e": "{READABLE}"}}\n')
    scenario = project / "scenarios" / "evil"
    scenario.mkdir(parents=True)
    (scenario / "expect.yaml").write_text(f'must_call: [{{tool: "other\u202e{READABLE}"}}]\n')
    return project


def shown(project, words, **variables):
    """What a command writes to a terminal, and its exit code."""
    command, *arguments = words
    code = f"from harness.cli.{command} import main; main(prog_name='fc-{command}')"
    leader, follower = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TERM": "xterm", **variables}
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments], cwd=project, env=environment, stdin=follower, stdout=follower, stderr=follower
    ) as process:  # fmt: skip
        os.close(follower)
        pieces = []
        try:
            while piece := os.read(leader, 1 << 16):
                pieces.append(piece)
        except OSError:  # how a terminal ends whose other side is closed
            pass
        os.close(leader)
    return b"".join(pieces).decode().replace("\r\n", "\n"), process.returncode


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_nothing_foreign_moves_the_cursor_or_turns_the_text(project, words, request):
    command = request.node.callspec.id.split()[0]

    told, code = shown(project, [command, *words], NO_COLOR="1")

    assert code not in {70, 120}, told
    assert FORBIDDEN & {*told} == set()
    assert "u202e" in told


@pytest.mark.parametrize("words", [["replay", "show", "evil"], ["judge", "fixtures", "--all"]], ids=["show", "judge"])
def test_in_colour_only_the_colours_of_the_command_pass(project, words):
    told, _ = shown(project, words)

    assert READABLE in told
    assert "\x1b[" in told
    assert "x\x1b[31my" not in told
    assert (FORBIDDEN - {"\x1b"}) & {*told} == set()
