"""On real runs, judging by calls reaches the verdict that another benchmark took from its databases."""

import subprocess
import sys

import pytest
from places import ROOT

DATA = ROOT.parent / "shared" / "data" / "runs" / "tau-bench"


@pytest.mark.skipif(not DATA.is_dir(), reason="the public runs are not here")
def test_verdicts_are_those_of_tau_bench_on_97_of_100_runs():
    command = [sys.executable, ROOT / "benchmarks" / "tau_bench.py"]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout.rstrip().endswith(": kept")
