"""One bad file among many: torn, packed, unreadable, named twice, or left by a command that is gone."""

import gzip
import json
import os
import zipfile

import pytest
from imports import CHAT, SETTINGS, written

from harness.importers import opening
from harness.importers.many import imports_of
from harness.importers.tasks import tasks_of


def test_a_packed_file_cannot_fill_the_memory(tmp_path, run, monkeypatch):
    monkeypatch.setattr("harness.importers.opening.MAX_FILE_BYTES", 10000)
    (tmp_path / "bomb.json.gz").write_bytes(gzip.compress(b" " * 1_000_000))

    result = run("auto", "bomb.json.gz")

    assert result.exit_code == 4
    assert "larger than 10000 bytes when unpacked" in result.stderr


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


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        pytest.param(CHAT.encode("utf-16"), ":1: of no known format, since it is UTF-16, not UTF-8", id="UTF-16"),
        pytest.param("interactions: []".encode("utf-16-le"), ":1: of no known format, since it is UTF-16", id="no mark"),
        pytest.param(b"[\n" + CHAT[1:].replace("Low", "Ébb").encode("latin-1"), ":2: of no known format, since it is not UTF-8", id="latin-1"),
        pytest.param(CHAT.replace("Low", r"\ud800").encode(), ": of no known format, since it is not JSON", id="surrogate"),
        pytest.param(f"[1]\n{CHAT[:-3]}\n".encode(), ":2: of no known format, since it is not JSON", id="second line"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00", ": of no known format: name one", id="no text"),
        pytest.param(b"\xef\xbb\xbf[1]", ": of no known format: name one", id="marked"),
    ],
)  # fmt: skip
def test_auto_says_why_a_file_is_of_no_format(tmp_path, run, raw, why):
    (tmp_path / "odd").write_bytes(raw)

    result = run("auto", "odd")

    assert result.exit_code == 4
    assert result.stderr.startswith(f"odd{why}")
