"""A value as deep as one may be is read wherever it was written, whatever stands around it in a line."""

import json

import pytest
from click.testing import CliRunner
from loopback import Loopback, plain
from recording_project import Project, record
from spoken import chat_body
from suite_project import RUN, TOOL, SuiteProject, case, is_first

from harness.cli.judge import main as judge
from harness.cli.replay import main as replay
from harness.depth import LINE_DEPTH, MAX_DEPTH
from harness.errors import MalformedLine
from harness.json_lines import struct_of
from harness.value import decoder_of

ANY = TOOL | {"parameters": {"type": "object", "properties": {"code": {"type": "string"}}}}
DEEPEST = MAX_DEPTH - 1  # the arguments themselves are a level


def answering(depth):
    """A model that makes one call whose arguments hold lists so deep."""
    arguments = '{"code":"K7-11","more":' + "[" * depth + "]" * depth + "}"

    def answer(request):
        if not is_first(request):
            return plain(chat_body("In Oslo."))
        return plain(chat_body(None, [("x1", "find_parcel", arguments)]))

    return Loopback(answer)


def codes_of(*commands):
    """The exit code of each command, and all that was told."""
    done = [CliRunner().invoke(main, list(words)) for main, words in commands]
    return [one.exit_code for one in done], [one.output for one in done]


@pytest.mark.parametrize("depth", [DEEPEST - 4, DEEPEST, DEEPEST + 1])
def test_a_deep_call_is_recorded_replayed_checked_and_judged(tmp_path, monkeypatch, capsys, depth):
    monkeypatch.chdir(tmp_path)
    project = Project(tmp_path)
    project.write("scenarios/find-parcel/tools.json", json.dumps([ANY]))

    with answering(depth) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url, "--json")
    codes, told = codes_of(
        (replay, ["--json", "--no-gate"]),
        (replay, ["check"]),
        (replay, ["check", "recordings"]),
        (replay, ["show", "find-parcel", "--json"]),
        (replay, ["diff", "find-parcel", "recordings/find-parcel.jsonl", "--json"]),
        (judge, ["fixtures", "--no-gate", "--report", "r.json"]),
        (judge, ["recordings", "--no-gate"]),
    )

    assert (ran.code, codes) == (0, [0] * 7), (ran.err, told)


@pytest.mark.parametrize("depth", [DEEPEST - 4, DEEPEST, DEEPEST + 1])
def test_a_deep_call_in_a_run_is_judged_and_goes_on(tmp_path, monkeypatch, capsys, depth):
    monkeypatch.chdir(tmp_path)
    project = SuiteProject(tmp_path, case(1))
    project.write("tools.json", json.dumps([ANY]))
    monkeypatch.setenv("SHOP_TOKEN", "K7-11 is no secret")

    with answering(depth) as server:
        ran = record(capsys, "scenarios/parcels", "--base-url", server.url, "--run-id", RUN)
    codes, told = codes_of(
        (judge, [str(project.run), "--no-gate", "--report", "r.json", "--html", "r.html"]),
        (judge, ["compare", "r.json", str(project.run), "--json"]),
        (judge, ["merge", "r.json", "--no-gate", "--report", "m.json"]),
        (replay, ["check", str(project.run)]),
        (replay, [str(project.run), "--json", "--no-gate"]),
    )

    assert (ran.code, codes) == (0, [0] * 5), (ran.err, told)
    assert (tmp_path / "m.json").read_bytes() == (tmp_path / "r.json").read_bytes()


def test_a_line_of_any_depth_is_still_refused():
    deep = "[" * LINE_DEPTH + "]" * LINE_DEPTH
    raw = f'{{"type":"tool","arguments":{{"a":{deep}}}}}'.encode()

    with pytest.raises(MalformedLine, match=f"nested deeper than {LINE_DEPTH}"):
        struct_of(raw, decoder_of(dict), file="x.jsonl", line=1)
