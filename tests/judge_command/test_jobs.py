"""fc-judge with many processes, in shards, on long files: where the work is done changes no byte of what is said."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from places import ASKED, CALLED, ROOT
from recorded_run import chat_answer, recorded

from harness.cli.judging import parts
from harness.cli.judging.parts import Part, parts_of, pieces_of, segments_in, share_of
from harness.cli.judging.pool import in_order
from harness.cli.options import Jobs
from harness.recording_lines import lines_of_recording
from harness.report.report import Shard

FORMS = {"--report": "report.json", "--html": "report.html", "--junit": "report.xml", "--markdown": "report.md"}
ON = chat_answer(calls=[("c1", "set_lamp", '{"on": true}')])


def many(place, count=700):
    """More fixtures than one process takes at once; every third fails, two directories hold one of the same name."""
    for number in range(count):
        place.fixture(f"case-{number:04}", assertions=[ASKED, CALLED] if number % 3 == 0 else [CALLED])
    again = place.directory / "more" / "case-0001.jsonl"
    again.parent.mkdir()
    again.write_bytes((place.directory / "fixtures" / "case-0001.jsonl").read_bytes())


def outputs(place, *arguments, name):
    """What is told and what is written."""
    directory = place.directory / name
    directory.mkdir()
    words = [word for flag, file in FORMS.items() for word in (flag, directory / file)]
    done = place.run(*arguments, *words)
    return done.returncode, done.stdout, done.stderr, *((directory / file).read_bytes() for file in FORMS.values())


def test_two_jobs_say_what_one_says(place):
    many(place)

    one = outputs(place, "fixtures", "more", name="one")
    two = outputs(place, "fixtures", "more", "--jobs", "2", name="two")

    assert one == two
    assert one[0] == 1


def test_no_more_processes_are_begun_than_there_is_work(place):
    many(place, 3)

    one = outputs(place, "fixtures", "more", name="one")
    countless = outputs(place, "fixtures", "more", "--jobs", "100000", name="countless")

    assert one == countless


def test_processes_are_as_many_as_pieces_at_most():
    names = set(in_order(process_of, [0, 1], 1000))

    assert len(names) <= 2


def process_of(_piece):
    return os.getpid()


@pytest.mark.parametrize(("asked", "begun"), [("1", 1), ("2", 2), ("1000000", 4 * os.cpu_count())])
def test_more_jobs_than_serve_are_not_taken(asked, begun):
    assert Jobs().convert(asked, None, None) == begun


def test_the_order_of_the_paths_changes_nothing(place):
    many(place, 3)

    one = outputs(place, "fixtures", "more", name="one")
    other = outputs(place, "more", "fixtures/case-0001.jsonl", "fixtures", name="other")

    assert one == other
    assert one[1].splitlines()[-1] == "4 judged: 1 FAIL, 3 PASS; accuracy 3/4 (75.0%)"


@pytest.mark.parametrize("count", [2, 5])
def test_the_reports_of_all_shards_are_the_report(place, count):
    many(place, 20)
    whole = outputs(place, "fixtures", "more", name="whole")
    for index in range(1, count + 1):
        outputs(place, "fixtures", "more", "--shard", f"{index}/{count}", name=f"part-{index}")
    reports = [f"part-{index}/report.json" for index in range(count, 0, -1)]

    merged = outputs(place, "merge", *reports, name="merged")

    assert merged[3:] == whole[3:]
    assert (merged[0], merged[1].splitlines()[0]) == (1, "21 results, 14 PASS, 7 FAIL")


def test_a_shard_without_a_case_is_no_failure(place):
    place.fixture("lone", assertions=[CALLED])

    codes = [place.run("fixtures", "--shard", f"{index}/3").returncode for index in (1, 2, 3)]

    assert codes == [0, 0, 0]


def test_a_shard_too_few_is_said(place):
    many(place, 4)
    for index in (1, 2):
        place.run("fixtures", "--shard", f"{index}/3", "--report", f"{index}.json")

    done = place.run("merge", "1.json", "2.json")

    assert done.returncode == 4
    assert "the shards are not all there, each once" in done.stderr


@pytest.mark.parametrize("written", ["0/3", "4/3", "1", "a/b", "1/3/5"])
def test_a_share_that_is_none_is_refused(place, written):
    place.fixture("lone", assertions=[CALLED])

    done = place.run("fixtures", "--shard", written)

    assert done.returncode == 2
    assert "is not I/N" in done.stderr


def long_file(place, count):
    """One file of many recordings with a damaged one among them, and what they are judged by."""
    run, _ = recorded("chat", [ON, chat_answer("Done. " * 200)])
    raw = lines_of_recording(run)
    path = place.directory / "recordings" / "night.jsonl"
    path.parent.mkdir()
    torn = raw.replace(b'"number":0', b'"number":7')
    path.write_bytes(raw * (count // 2) + torn + raw * (count - count // 2))
    place.scenario("two-lamps", **{"expect.yaml": "must_call: [{tool: set_lamp}]\n"})
    return path, raw


def test_a_long_file_of_recordings_is_cut_at_headers_only(place):
    path, raw = long_file(place, 1_800)

    one = outputs(place, path, name="one")
    two = outputs(place, path, "--jobs", "2", name="two")

    line = raw.count(b"\n") * 900 + 1
    assert path.stat().st_size > parts.PIECE_BYTES
    assert one == two
    assert one[1].splitlines()[-1] == "1801 judged: 1800 PASS, 1 unreadable; accuracy 1800/1800 (100.0%)"
    assert f"recordings/night.jsonl:{line + 2}: exchange numbers count" in one[2]
    assert one[0] == 4


@pytest.mark.parametrize("bytes_", [1, 7, 100, 1_000, 3_000, 100_000])
def test_wherever_a_file_is_cut_its_recordings_come_once_and_whole(place, monkeypatch, bytes_):
    path, raw = long_file(place, 6)
    monkeypatch.setattr(parts, "PIECE_BYTES", bytes_)

    found = [segment for part, _ in parts_of([str(path)]) for segment in segments_in(part)]

    assert b"".join(segment.raw for segment in found) == path.read_bytes()
    assert [segment.start for segment in found] == [len(raw) * number for number in range(7)]


def test_a_line_longer_than_any_may_be_costs_its_recording_only(place):
    path, raw = long_file(place, 2)
    header, rest = raw.split(b"\n", 1)
    path.write_bytes(raw + header + b"\n" + b'"' + b"x" * 20_000_000 + b'"\n' + rest + raw)

    done = place.run(path)

    assert done.stdout.splitlines()[-1].startswith("3 judged: 2 PASS, 1 unreadable")
    assert "the line is too long" in done.stderr


def test_shards_are_even_and_leave_nothing_out():
    items = [(Part(str(number)), 1 + number % 7) for number in range(1_000)]

    shares = [list(share_of(lambda: items, Shard(index, 7))) for index in range(1, 8)]

    assert [item for share in shares for item in share] == items
    weights = [sum(weight for _, weight in share) for share in shares]
    assert max(weights) - min(weights) < 20


def test_a_piece_of_work_has_a_bounded_size():
    items = [(Part(str(number)), 300_000) for number in range(1_000)]

    pieces = list(pieces_of(items))

    assert [part for piece in pieces for part in piece] == [part for part, _ in items]
    assert {len(piece) for piece in pieces[:-1]} == {parts.PIECE_BYTES // 300_000}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_was_judged_before_ctrl_c_is_kept_and_says_that_it_is_not_all(place, jobs):
    many(place, 3_000)
    command = [sys.executable, "-c", "from harness.cli.judge import main; main()", "fixtures"]
    options = ["--jobs", jobs, "--report", "report.json"]

    running = subprocess.Popen(
        command + options, cwd=place.directory, env={"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )  # fmt: skip
    running.stdout.readline()
    time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=60)

    report = json.loads((place.directory / "report.json").read_bytes())
    assert running.returncode == 130
    assert (report["complete"], "interrupted" in told) == (False, True)
    assert 0 < len(report["results"]) < 3_001
