"""Many files at once: each under its own name, in parallel, a bad one beside the good."""

import gzip
import json
import os
import subprocess
import sys
import zipfile

import pytest
from click.testing import CliRunner
from imports import SHARED

from harness import errors
from harness.cli.recording.import_ import import_files
from harness.files import load_journal
from harness.importers import opening
from harness.importers.many import Settings, imports_of
from harness.importers.tasks import tasks_of

CHAT = json.dumps([{"role": "user", "content": "Tide?"}, {"role": "assistant", "content": "Low."}])
SETTINGS = Settings("auto", "1", (), replace=False)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs `import` in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(import_files, list(map(str, arguments)))

    return run


def written(directory):
    return sorted(path.name for path in directory.rglob("*.jsonl"))


def test_a_directory_is_imported_file_by_file(tmp_path):
    for name in ("a/chat.json", "b/chat.json", "b/Talk (2).json", "b/readme.md"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(CHAT if name.endswith("json") else "hello")
    tasks = tasks_of([tmp_path / "in"], tmp_path / "out")

    done = list(imports_of(tasks, SETTINGS, jobs=2))

    assert written(tmp_path / "out") == ["a-chat.jsonl", "b-chat.jsonl", "b-talk-2.jsonl"]
    assert [(one.format, one.recordings) for one in done] == [
        ("openai-messages", 1), ("openai-messages", 1), ("openai-messages", 1), ("", 0),
    ]  # fmt: skip


def test_files_of_one_name_do_not_meet(tmp_path):
    paths = [tmp_path / name / "chat.json" for name in ("one", "two")]
    again = tmp_path / "three" / "one" / "chat.json"

    for path in (*paths, again):
        path.parent.mkdir(parents=True)
        path.write_text(CHAT)
    tasks = tasks_of([*paths, again], tmp_path)

    assert [task.target.name for task in tasks] == ["one-chat.jsonl", "two-chat.jsonl", "one-chat-2.jsonl"]


def test_a_file_that_says_so_in_its_first_bytes_is_unpacked(tmp_path, run):
    (tmp_path / "chat.json.gz").write_bytes(gzip.compress(CHAT.encode()))

    result = run("auto", "chat.json.gz")

    assert result.exit_code == 0
    assert [one.header.id for one in load_journal(tmp_path / "recordings" / "chat.jsonl").recordings] == ["chat"]


def test_a_packed_file_cannot_fill_the_memory(tmp_path, run, monkeypatch):
    monkeypatch.setattr("harness.importers.opening.MAX_FILE_BYTES", 10000)
    (tmp_path / "bomb.json.gz").write_bytes(gzip.compress(b" " * 1_000_000))

    result = run("auto", "bomb.json.gz")

    assert result.exit_code == 4
    assert "larger than 10000 bytes when unpacked" in result.stderr


def test_a_bad_file_is_reported_and_the_rest_goes_on(tmp_path, run):
    (tmp_path / "good.json").write_text(CHAT)
    (tmp_path / "bad.json").write_text('{"messages": [')
    (tmp_path / "odd.txt").write_text("hello")

    result = run("auto", "bad.json", "good.json", "odd.txt")

    assert result.exit_code == 4
    assert written(tmp_path) == ["good.jsonl"]
    assert "bad.json: of no known format" in result.stderr
    assert "odd.txt: of no known format" in result.stderr


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        pytest.param(gzip.compress(CHAT.encode())[:-6], "a gzip file that breaks off", id="torn"),
        pytest.param(b"\x1f\x8b", "a gzip file that breaks off", id="two bytes"),
        pytest.param(gzip.compress(CHAT.encode()) + b"more", "a broken gzip file", id="something after it"),
        pytest.param(gzip.compress(b"[") + gzip.compress(CHAT.encode())[:-3], "a gzip file that breaks off", id="second"),
    ],
)  # fmt: skip
def test_a_broken_gzip_file_stops_no_other(tmp_path, run, raw, why):
    (tmp_path / "bad.json.gz").write_bytes(raw)
    (tmp_path / "good.json").write_text(CHAT)

    result = run("auto", "bad.json.gz", "good.json")

    assert result.exit_code == 4
    assert result.stderr.startswith(f"bad.json.gz: {why}")
    assert written(tmp_path) == ["good.jsonl"]


def test_pieces_of_a_gzip_file_are_one_and_bounded_together(tmp_path, run, monkeypatch):
    half = len(CHAT) // 2
    packed = gzip.compress(CHAT[:half].encode()) + b"\0\0" + gzip.compress(CHAT[half:].encode())
    (tmp_path / "chat.json.gz").write_bytes(packed)

    whole = run("auto", "chat.json.gz")
    monkeypatch.setattr("harness.importers.opening.MAX_FILE_BYTES", len(CHAT) - 1)
    bounded = run("auto", "chat.json.gz")

    assert whole.exit_code == 0
    assert f"larger than {len(CHAT) - 1} bytes" in bounded.stderr


@pytest.mark.parametrize("raised", [EOFError("cut"), RecursionError("deep"), MemoryError(), zipfile.BadZipFile("x")])
def test_whatever_one_file_makes_a_library_raise_stops_no_other(tmp_path, monkeypatch, raised):
    def source_of(task):
        if task.name.endswith("odd.json"):
            raise raised
        return opening.source_of(task)

    for name in ("odd.json", "good.json"):
        (tmp_path / name).write_text(CHAT)
    tasks = tasks_of([tmp_path / "odd.json", tmp_path / "good.json"], tmp_path / "out")
    monkeypatch.setattr("harness.importers.many.source_of", source_of)

    odd, good = imports_of(tasks, SETTINGS, jobs=1)

    assert (good.recordings, good.error) == (1, None)
    assert (odd.recordings, odd.error.exit_code) == (0, 4)
    assert type(raised).__name__ in odd.error.sentence


def test_what_cannot_be_read_in_a_directory_stops_no_file_beside_it(tmp_path, run):
    inside = tmp_path / "in"
    (inside / "below").mkdir(parents=True)
    (inside / "chat.json").write_text(CHAT)
    (inside / "nowhere").symlink_to(inside / "gone")
    (inside / "loop").symlink_to(inside / "loop")
    (inside / "below" / "up").symlink_to(inside)
    os.mkfifo(inside / "pipe")

    result = run("auto", "in", "--json")

    assert result.exit_code == 4
    assert written(tmp_path) == ["chat.jsonl"]
    assert sorted(one["file"] for one in json.loads(result.stdout)["errors"]) == [
        "in/below/up", "in/loop", "in/nowhere", "in/pipe",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "paths", [("in/chat.json", "in/chat.json"), ("in", "in/chat.json"), ("in/chat.json", "./in", "also")]
)
def test_a_file_given_twice_is_imported_once(tmp_path, run, paths):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "chat.json").write_text(CHAT)
    (tmp_path / "also").symlink_to("in/chat.json")

    result = run("auto", *paths, "--json")

    assert result.exit_code == 0
    assert [one["recordings"] for one in json.loads(result.stdout)["files"]] == [1]
    assert written(tmp_path) == ["chat.jsonl"]


def test_workers_end_when_the_command_is_killed(tmp_path):
    """Whoever waits for the end of a pipe waits for all that hold it: the workers, too, have it as their stdout."""
    for number in range(6):
        (tmp_path / f"{number}.json").write_text(CHAT)
    script = f"""
import os
from pathlib import Path
from harness.importers.many import Settings, imports_of
from harness.importers.tasks import tasks_of
tasks = tasks_of([Path({str(tmp_path)!r})], Path({str(tmp_path / "out")!r}))
next(imports_of(tasks, Settings("auto", "1", (), False), jobs=2))
os.kill(os.getpid(), 9)
"""

    ended = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, timeout=60, check=False)

    assert ended.returncode == -9


def test_a_named_format_says_why_a_file_is_none(tmp_path, run):
    (tmp_path / "bad.json").write_text('{"messages": [')

    result = run("openai-messages", "bad.json")

    assert result.exit_code == 4
    assert result.stderr.startswith("bad.json: not JSON")


def test_the_report_says_what_went_in_and_came_out(tmp_path, run):
    call = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": "{}"}}
    (tmp_path / "chat.json").write_text(
        json.dumps([{"role": "user", "content": "x"}, {"role": "assistant", "content": None, "tool_calls": [call]}])
    )

    result = run("auto", "chat.json", "--json")

    counts = {"exchanges": 1, "calls": 1, "results": 0, "thinking": 0, "errors": 0}
    assert json.loads(result.stdout) == {
        "files": [
            {
                "file": "chat.json",
                "format": "openai-messages",
                "output": "recordings/chat.jsonl",
                "recordings": 1,
                "in": counts,
                "out": counts,
                "leftOut": {},
                "notes": {},
            }
        ],
        "unknown": [],
        "errors": [],
        "total": {"recordings": 1, "in": counts, "out": counts, "leftOut": {}, "notes": {}},
    }


@pytest.mark.parametrize(
    ("count", "named"),
    [
        (2, ["in/note-0.md", "in/note-1.md"]),
        (21, ["21 files with .md"]),
    ],
    ids=["few", "many"],
)
def test_files_of_no_known_format_are_named(tmp_path, run, count, named):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "chat.json").write_text(CHAT)
    for number in range(count):
        (tmp_path / "in" / f"note-{number}.md").write_text("hello")

    result = run("auto", "in")

    lines = [line for line in result.stdout.splitlines() if "no known format" in line]
    assert lines == [f"  not imported, of no known format: {one}" for one in named]


def test_auto_says_what_it_saw(tmp_path, run):
    (tmp_path / "chat.json").write_text(CHAT)

    result = run("auto", "chat.json")

    assert result.stdout.splitlines()[:2] == [
        "chat.json: openai-messages -> recordings/chat.jsonl: 1 recording, 0 calls",
        "1 recording from 1 file",
    ]


def test_a_recording_that_is_there_is_not_replaced_unasked(tmp_path, run):
    (tmp_path / "chat.json").write_text(CHAT)
    run("auto", "chat.json")
    before = (tmp_path / "recordings" / "chat.jsonl").read_bytes()
    (tmp_path / "chat.json").write_text(CHAT.replace("Low", "High"))

    refused = run("auto", "chat.json")
    kept = (tmp_path / "recordings" / "chat.jsonl").read_bytes()
    replaced = run("auto", "chat.json", "--replace")

    assert (refused.exit_code, kept) == (2, before)
    assert replaced.exit_code == 0
    assert (tmp_path / "recordings" / "chat.jsonl").read_bytes() != before


def test_the_same_file_twice_is_no_conflict(tmp_path, run):
    (tmp_path / "chat.json").write_text(CHAT)

    codes = [run("auto", "chat.json").exit_code for _ in range(2)]

    assert codes == [0, 0]


def test_secrets_of_the_environment_do_not_reach_the_recording(tmp_path, run, monkeypatch):
    monkeypatch.setenv("HARBOUR_TOKEN", "blue-harbour-9")
    (tmp_path / "chat.json").write_text(CHAT.replace("Low", "blue-harbour-9"))

    run("auto", "chat.json")

    assert "blue-harbour-9" not in (tmp_path / "recordings" / "chat.jsonl").read_text()


def test_nothing_to_import_is_no_success(tmp_path, run):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "readme.md").write_text("hello")

    assert run("auto", "in").exit_code == 4


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(("vrc", "x.yaml"), errors.UnknownName), (("auto", "x.yaml"), errors.PathNotFound)],
    ids=["format", "file"],
)
def test_a_wrong_name_is_refused_with_the_nearest(tmp_path, run, arguments, error):
    (tmp_path / "xx.yaml").write_text("")

    result = run(*arguments)

    assert isinstance(result.exception, error)
    assert result.exception.nearest in {"vcr", "xx.yaml"}


def test_a_device_that_cannot_be_read_is_refused(tmp_path, run):
    (tmp_path / "here").symlink_to(tmp_path / "nowhere")

    assert isinstance(run("auto", "here").exception, errors.UnreadablePath)


@pytest.mark.skipif(not SHARED.exists(), reason="the material of other projects is not here")
def test_all_real_material_is_imported_in_parallel(tmp_path):
    tasks = tasks_of([SHARED], tmp_path)

    done = list(imports_of(tasks, SETTINGS, jobs=2))

    assert [one.error for one in done if one.error] == []
    assert sum(one.recordings for one in done) > 250
    for path in tmp_path.iterdir():
        load_journal(path)
