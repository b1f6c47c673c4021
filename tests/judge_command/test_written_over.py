"""What an output may write over: what the same option wrote before, and nothing else that is there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from places import CALLED, ROOT

from harness.cli.judge import main as judge
from harness.cli.record import main as record

EVIDENCE = {
    "review.json": '{"type":"review",\n"formatVersion":1}\n',
    "baseline.json": '{"type":"baseline",\n"formatVersion":1}\n',
    "consistency.json": '{"type":"consistency",\n"formatVersion":1}\n',
    "adjudication.json": '{ "type" : "adjudication" }\n',
    "comparison.json": '{"type":"comparison"}\n',
    "report.json": '{"formatVersion":1,"semanticsVersion":2}\n',
    "page.html": "<!doctype html>\n<html>\n<title>mine</title>\n",
    "user.txt": "Cancel my order.\n",
    "rows.csv": "a,b\n",
}
WRITING = {
    "fc-judge fixtures --report": "report.json",
    "fc-judge fixtures --html": None,
    "fc-judge fixtures --junit": None,
    "fc-judge fixtures --markdown": None,
    "fc-judge merge one.json --report": "report.json",
    "fc-judge compare one two --output": "comparison.json",
    "fc-judge compare one two --html": None,
    "fc-judge consistency one two --output": "consistency.json",
    "fc-judge adjudicate one --decision accept --reason why --output": "adjudication.json",
    "fc-judge review one --output": "review.json",
    "fc-judge lock --review given --consistency given --output": "baseline.json",
    "fc-record export vcr one --output": None,
}


@pytest.fixture
def here(place, tmp_path, monkeypatch):
    place.scenario("good")
    place.fixture("good", assertions=[CALLED])
    for name, text in EVIDENCE.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "given").write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(line, path):
    door, *words = [*line.split(), str(path)]
    return CliRunner().invoke(judge if door == "fc-judge" else record, words)


def told_of(done):
    return done.stderr + str(done.exception)


@pytest.mark.parametrize("line", WRITING)
@pytest.mark.parametrize("name", EVIDENCE)
def test_an_output_replaces_only_what_its_own_option_writes(here, line, name):
    if WRITING[line] == name:
        return

    done = run(line, name)

    assert f"{line.split()[-1]} would write over " in told_of(done)
    assert (here / name).read_text() == EVIDENCE[name]


@pytest.mark.parametrize(("line", "name"), [(line, name) for line, name in WRITING.items() if name])
@pytest.mark.usefixtures("here")
def test_an_output_of_its_own_kind_is_no_reason_to_refuse(line, name):
    assert "would write over" not in told_of(run(line, name))


def test_the_refusal_names_what_stands_there_and_what_to_do(here):
    done = CliRunner().invoke(judge, ["fixtures", "--report", "review.json"])

    assert done.stderr == (
        "review.json: --report would write over evidence: a review\n"
        "  next:     name another file for --report, or move this one away first\n"
    )
    assert (done.exit_code, done.stdout, (here / "review.json").read_text()) == (2, "", EVIDENCE["review.json"])


FORMS = {"--report": "a.json", "--html": "a.html", "--junit": "a.xml", "--markdown": "a.md"}


@pytest.mark.parametrize(("option", "name"), FORMS.items())
def test_each_form_of_a_report_replaces_itself(here, option, name):
    first = run(f"fc-judge fixtures {option}", name)
    (here / name).write_bytes((here / name).read_bytes() + b" ")
    second = run(f"fc-judge fixtures {option}", name)

    assert (first.exit_code, second.exit_code) == (0, 0)
    assert not (here / name).read_bytes().endswith(b" ")


@pytest.mark.parametrize(("option", "name"), FORMS.items())
def test_an_empty_file_is_written_into(here, option, name):
    (here / name).touch()

    assert run(f"fc-judge fixtures {option}", name).exit_code == 0


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("option", FORMS)
def test_no_form_replaces_another(option):
    run("fc-judge fixtures --report a.json --html a.html --junit a.xml --markdown", "a.md")

    codes = {name: run(f"fc-judge fixtures {option}", name).exit_code for name in FORMS.values()}

    assert codes == {name: 0 if name == FORMS[option] else 2 for name in FORMS.values()}


@pytest.mark.usefixtures("here")
def test_the_report_of_another_run_is_not_replaced():
    Path("recordings/one").mkdir(parents=True)
    Path("recordings/one/run.json").write_text("{}")
    Path("recordings/one/report.json").write_text(EVIDENCE["report.json"])

    done = run("fc-judge fixtures --report", "recordings/one/report.json")

    assert "would write over evidence: it belongs to another run" in done.stderr


@pytest.mark.usefixtures("here")
def test_an_archived_baseline_is_not_replaced():
    Path("baseline_history").mkdir()
    Path("baseline_history/b.json").write_text(EVIDENCE["baseline.json"])

    done = run("fc-judge lock --review given --consistency given --output", "baseline_history/b.json")

    assert "would write over evidence: an archived baseline" in done.stderr


def test_a_fixture_is_not_written_over_the_recording_that_it_is_made_of(here):
    (here / "scenarios/good/tools.json").write_text(json.dumps([]))
    (here / "scenarios/good/user.txt").write_text("Cancel my order.\n")

    done = run("fc-record scenarios/good --base-url http://127.0.0.1:9 --model m --fixtures", "recordings")

    assert (done.exit_code, (here / "recordings").exists()) == (2, False)
    assert "the fixture would be written over the recording that it is made of" in told_of(done)


def test_what_the_shell_opened_for_writing_is_written_into(here):
    command = f"{sys.executable} -c 'from harness.cli.judge import main; main()' fixtures --report /dev/stdout"
    words = ["bash", "-c", f"{command} >> rows.csv"]

    done = subprocess.run(words, cwd=here, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)

    assert done.returncode == 0
    assert '"semanticsVersion"' in (here / "rows.csv").read_text()


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="this system has no /proc")
def test_a_way_around_through_proc_leads_to_the_same_file(here):
    done = run("fc-judge fixtures --report", "/proc/self/cwd/review.json")

    assert "would write over evidence: a review" in done.stderr
    assert (here / "review.json").read_text() == EVIDENCE["review.json"]


@pytest.mark.parametrize("name", ["expect.yaml", "run.json", "suite.toml"])
def test_no_output_has_a_name_by_which_it_would_be_read_as_evidence(here, name):
    done = run("fc-judge fixtures --report", f"scenarios/good/{name}")

    assert done.stderr == (
        f"scenarios/good/{name}: --report would write what is taken for evidence: {name}\n"
        "  next:     name another file for --report\n"
    )
    assert (done.exit_code, (here / "scenarios/good" / name).exists()) == (2, False)
