"""What judging much costs: memory at 250 MB and at 1 GB, and what a second process adds.

    python benchmarks/judge_scale.py [MEGABYTES]

Input is made in a temporary directory: fixtures of 11 kB each, and one file of concatenated recordings of 18 kB each,
both in MEGABYTES (250 by default) and in four times as much. Whole processes with a report are measured. Two jobs are
held against two busy loops of the same run: what the machine itself gives two processes at that moment.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from judge import lines_of

BIN = Path(sys.executable).parent
RECORDING = Path(__file__).parents[1] / "recordings" / "refund-4021-damaged.jsonl"
MEGABYTES = 250
TIMES = 4
PADDING = b"x" * 2_000
SPEC = b"must_call:\n  - tool: get_order\nmust_not_call: [delete_order]\n"
MOST, MOST_APART = 200, 20
LEAST_SHARE = 0.85
SPIN = "n = 0\nfor i in range(30_000_000): n += i"


def write_fixtures(directory: Path, size: int) -> None:
    directory.mkdir()
    written = number = 0
    while written < size:
        raw = lines_of(number).replace(b'\\"status\\"', b'\\"note\\":\\"' + PADDING + b'\\",\\"status\\"')
        (directory / f"refund-{number}.jsonl").write_bytes(raw)
        written += len(raw)
        number += 1


def recordings(size: int) -> Iterator[bytes]:
    """The committed recording under one id after the other, each with its own digest."""
    *lines, end = RECORDING.read_bytes().splitlines(keepends=True)
    body, id_ = b"".join(lines), RECORDING.stem.encode()
    old = hashlib.sha256(body).hexdigest().encode()
    assert old in end
    written = number = 0
    while written < size:
        new = body.replace(b'"id":"' + id_, b'"id":"%s-%d' % (id_, number), 1)
        raw = new + end.replace(old, hashlib.sha256(new).hexdigest().encode())
        yield raw
        written += len(raw)
        number += 1


def measured(*words: str) -> tuple[float, float]:
    """Seconds, and the most memory in MB that one process of a command held."""
    start = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - start
    assert os.waitstatus_to_exitcode(status) in {0, 1}, words
    return took, usage.ru_maxrss / 1024


def judged(path: Path, jobs: int) -> tuple[float, float]:
    expect = ["--expect", str(path.parent / "spec.yaml")] if path.suffix else []
    report = path.parent / f"report-{jobs}.json"
    words = [str(BIN / "fc-judge"), str(path), "--jobs", str(jobs), "--report", str(report), *expect]
    return measured(*words)


def spinning(count: int) -> float:
    """Seconds that so many busy loops take beside each other."""
    start = time.perf_counter()
    loops = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(count)]
    assert [loop.wait() for loop in loops] == [0] * count
    return time.perf_counter() - start


def kept(holds: bool) -> str:  # noqa: FBT001  the one thing it is asked
    return "kept" if holds else "missed"


def memory(small: Path, large: Path, name: str) -> None:
    peaks = [judged(path, 1)[1] for path in (small, large)]
    grown = peaks[1] - peaks[0]
    verdict = kept(max(peaks) <= MOST and grown < MOST_APART)
    print(f"{name:24} {peaks[0]:6.0f} MB {peaks[1]:6.0f} MB, {grown:4.0f} MB more: {verdict}", flush=True)


def speed(path: Path, name: str) -> None:
    """Times are taken in turn and the best of two counts, so that a busy neighbour hits both alike."""
    ones, twos, alone, beside = [], [], [], []
    for _ in range(2):
        alone.append(spinning(1))
        ones.append(judged(path, 1)[0])
        twos.append(judged(path, 2)[0])
        beside.append(spinning(2))
    assert (path.parent / "report-1.json").read_bytes() == (path.parent / "report-2.json").read_bytes()
    gain, possible = min(ones) / min(twos), 2 * min(alone) / min(beside)
    share = gain / possible
    print(f"{name:24} {min(ones):6.1f} s  {min(twos):6.1f} s: {gain:.2f} times as fast,", end=" ")
    print(f"two busy loops {possible:.2f}: {share:.2f} of that: {kept(share >= LEAST_SHARE)}", flush=True)


def main() -> None:
    size = int(sys.argv[1] if len(sys.argv) > 1 else MEGABYTES) * 1_000_000
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        (root / "spec.yaml").write_bytes(SPEC)
        places = [(root / f"fixtures-{times}", root / f"recordings-{times}.jsonl") for times in (1, TIMES)]
        for times, (directory, file) in zip((1, TIMES), places, strict=True):
            write_fixtures(directory, size * times)
            with file.open("wb") as out:
                out.writelines(recordings(size * times))
        (few, short), (many, long) = places
        print(f"{'most memory':24} {size // 1_000_000:6} MB {TIMES * size // 1_000_000:6} MB of input", flush=True)
        memory(few, many, "fixtures")
        memory(short, long, "one file of recordings")
        print(f"{'time':24} {'1 job':>8}  {'2 jobs':>8}", flush=True)
        speed(few, "fixtures")
        speed(short, "one file of recordings")


if __name__ == "__main__":
    main()
