"""Files, names and addresses that nobody means to write: each is refused by name, and what stands beside it is not."""

import json
import os

import pytest
from loopback import Loopback, plain
from recording_project import Project, record
from spoken import chat_body

from harness.cli import judge, replay
from harness.cli import record as recorder
from harness.files import load_journal

CALL = plain(chat_body(calls=[("x1", "find_parcel", '{"code": "K7-11"}')]))
SAID = plain(chat_body("Oslo."))
DOORS = {"fc-judge": judge, "fc-replay": replay, "fc-record": recorder}


@pytest.fixture
def project(tmp_path, monkeypatch, capsys):
    """A scenario that was recorded."""
    monkeypatch.chdir(tmp_path)
    project = Project(tmp_path)
    with Loopback(CALL, SAID) as server:
        assert record(capsys, "scenarios/find-parcel", "--base-url", server.url).code == 0
    return project


def run(capsys, command, *words):
    """The exit code of a command, and what it said on both streams."""
    door, *first = command.split()
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        DOORS[door].main.main([*first, *map(str, words)], prog_name=door)
    said = capsys.readouterr()
    return ended.value.code or 0, said.out, said.err


def odd_name(project):
    """A copy of the fixture whose name is no UTF-8, beside it."""
    path = project.fixture.parent / os.fsdecode(b"odd-\xff.jsonl")
    path.write_bytes(project.fixture.read_bytes())


@pytest.mark.parametrize("command", ["fc-replay", "fc-replay check", "fc-judge", "fc-judge lint"])
def test_a_name_that_is_no_utf_8_can_be_told_as_json(project, capsys, command):
    odd_name(project)

    code, out, _ = run(capsys, command, "fixtures", "--json")

    assert code == 4
    assert json.loads(out)
    assert r"odd-\\udcff" in out


def test_a_name_that_is_no_utf_8_can_stand_in_a_report(project, capsys):
    odd_name(project)

    code, _, _ = run(capsys, "fc-judge", "fixtures", "--report", "r.json", "--html", "r.html", "--junit", "r.xml")

    assert code == 4
    assert r"odd-\\udcff" in (project.root / "r.json").read_text("utf-8")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("command", ["fc-replay", "fc-replay check", "fc-replay show", "fc-judge", "fc-record"])
def test_a_path_that_no_file_can_have_is_not_found(capsys, command):
    code, out, err = run(capsys, command, "x" * 5000)

    assert (code, out) == (2, "")
    assert "no such file or directory" in err


def test_a_recording_that_holds_nothing_is_told_and_the_others_are_checked(project, capsys):
    project.recording.write_bytes(b"")

    code, out, _ = run(capsys, "fc-replay check")

    assert code == 4
    assert "recordings/find-parcel.jsonl: the file holds no recording" in out


TOML = {
    "deep": ("a=" + "[" * 5000 + "]" * 5000, ": nested deeper than 200"),
    "a date": ("[model]\nparams = {since = 1979-05-27}", ": $.model.params.since: date has no JSON form"),
    "no number": ("[model]\nparams = {top = nan}", ": $.model.params.top: nan is no JSON number"),
    "long": ("[model]\nparams = {top = " + "1" * 4301 + "}", ":2: a whole number of more than 4300 digits"),
    "endless": ("[agent]\ntimeout_s = inf", ": $.agent.timeout_s: inf is no JSON number"),
}


@pytest.mark.parametrize("row", TOML.values(), ids=TOML.keys())
@pytest.mark.parametrize("command", ["fc-replay", "fc-replay check", "fc-judge"])
def test_a_configuration_that_is_no_json_is_refused(project, capsys, command, row):
    written, reason = row
    project.write("scenarios/find-parcel/scenario.toml", written)
    project.write("scenarios/find-parcel/expect.yaml", "must_call: [{tool: find_parcel}]")

    code, out, err = run(capsys, command, "fixtures")

    assert code == 4
    assert f"scenarios/find-parcel/scenario.toml{reason}" in out + err


@pytest.mark.parametrize("name", ["scenario.toml", "tools.json", "world.json"])
def test_a_directory_where_a_file_should_be_is_refused(project, capsys, name):
    path = project.scenario / name
    path.unlink()
    path.mkdir()

    code, out, _ = run(capsys, "fc-replay")

    assert code == 4
    assert f"scenarios/find-parcel/{name}: a directory, where a file should be" in out


ADDRESSES = [
    "http://[::1",
    "http://127.0.0.1:abc",
    "http://127.0.0.1:99999",
    "http://ex ample",
    "ftp://x",
    "junk",
    "http://",
]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize(
    "provider", [(), ("--provider", "local"), ("--provider", "openai")], ids=["none", "local", "openai"]
)
def test_an_address_that_is_none_is_refused(capsys, address, provider):
    code, out, err = run(capsys, "fc-record", "scenarios/find-parcel", "--base-url", address, *provider)

    assert (code, out) == (2, "")
    assert "a base URL starts with http:// or https:// and a host" in err


@pytest.mark.usefixtures("project")
def test_a_parameter_beyond_the_floats_is_sent_as_a_whole_number(capsys):
    with Loopback(SAID) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url, "--param", "seed=1e400")

    assert ran.code == 0
    assert server.requests[0].json["seed"] == 10**400


@pytest.mark.usefixtures("project")
def test_certificates_that_are_not_there_are_named(capsys, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", "nowhere.pem")

    with Loopback(SAID) as server:
        ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

    assert (ran.code, server.requests) == (2, [])
    assert "the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read: No such file" in ran.err


def test_times_that_are_none_are_counted_when_spans_are_written(project, capsys):
    raw = project.recording.read_bytes()
    [recording] = load_journal(project.recording).recordings
    at = recording.exchanges[0].at
    [broken] = journal_without_end(raw.replace(at.encode(), b"yesterday"))
    project.recording.write_bytes(broken)

    code, out, err = run(capsys, "fc-record export otlp", project.recording)

    assert code == 0
    assert json.loads(out)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["startTimeUnixNano"] == "0"
    assert "times that are none" in err


def journal_without_end(raw):
    """The lines but the last, whose digest would no longer be theirs."""
    return [raw[: raw.rstrip(b"\n").rfind(b"\n") + 1]]
