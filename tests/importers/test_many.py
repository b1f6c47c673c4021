"""Many files at once: each under its own name, in parallel, a bad one beside the good."""

import gzip
import json

import pytest
from imports import CHAT, SETTINGS, SHARED, written

from harness import errors
from harness.files import load_journal
from harness.importers.many import imports_of
from harness.importers.tasks import tasks_of


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


def test_a_bad_file_is_reported_and_the_rest_goes_on(tmp_path, run):
    (tmp_path / "good.json").write_text(CHAT)
    (tmp_path / "bad.json").write_text('{"messages": [')
    (tmp_path / "odd.txt").write_text("hello")

    result = run("auto", "bad.json", "good.json", "odd.txt")

    assert result.exit_code == 4
    assert written(tmp_path) == ["good.jsonl"]
    assert "bad.json: of no known format, since it is not JSON" in result.stderr
    assert "odd.txt: of no known format" in result.stderr


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
