"""Files that an editor saved in another encoding: the cause is named, and a mark before what a person wrote is none."""

import json
from pathlib import Path

import pytest
from suite_project import SuiteProject

from harness import errors
from harness.cli.environment import environment
from harness.encoding import MARK, fault_of, misencoded, written_in
from harness.evidence.documents import read_document
from harness.evidence.review import Review
from harness.files import load_fixture, load_journal, load_scenario, load_suite
from harness.raw_run import run_of
from harness.report.reading import read_report
from harness.strict_yaml import document_of

TEXT = '{"a": "é"}\n'
FAULTS = {
    "a mark": (MARK + TEXT.encode(), "starts with a byte order mark"),
    "UTF-16 as Windows writes it": (TEXT.encode("utf-16"), "is UTF-16, not UTF-8"),
    "UTF-16, the other way": (b"\xfe\xff" + TEXT.encode("utf-16-be"), "is UTF-16, not UTF-8"),
    "UTF-16 without a mark": (TEXT.encode("utf-16-le"), "is UTF-16 or UTF-32, not UTF-8"),
    "UTF-32": (TEXT.encode("utf-32"), "is UTF-32, not UTF-8"),
    "Latin-1": (TEXT.encode("latin-1"), "is not UTF-8: byte e9, as Windows-1252 writes é"),
}
OTHERS = pytest.mark.parametrize(("raw", "told"), FAULTS.values(), ids=FAULTS)


@OTHERS
def test_the_cause_is_named(raw, told):
    fault = fault_of(raw)

    assert fault.sentence == told


@pytest.mark.parametrize("raw", [b"", b"a", TEXT.encode(), b"\x00\x00\x00\x00"])
def test_utf_8_and_what_a_disk_lost_have_no_such_cause(raw):
    assert fault_of(raw) is None


def test_the_line_is_named_and_what_to_do():
    refusal = misencoded(b"a\nb\n\xe9\n", errors.BadCase, file="cases.jsonl")

    assert str(refusal) == (
        "cases.jsonl:3: is not UTF-8: byte e9, as Windows-1252 writes é\n"
        "  next:     save cases.jsonl as UTF-8 without a byte order mark"
    )


def test_a_mark_before_what_a_person_wrote_is_passed_over():
    assert written_in(MARK + TEXT.encode(), errors.BadCase, file="x") == TEXT.encode()


def read_prompt_beside(path, raw):
    path.with_name("system.txt").write_bytes(raw)
    return load_scenario(path.parent)


MACHINES = {
    "a fixture": lambda path, _: load_fixture(path),
    "a recording": lambda path, _: load_journal(path),
    "a manifest": lambda path, raw: run_of(raw, file=str(path)),
    "a report": lambda path, raw: read_report(raw, file=str(path)),
    "a review": lambda path, raw: read_document(raw, Review, file=str(path)),
    "a prompt, which would be sent": read_prompt_beside,
}


@pytest.mark.parametrize(("raw", "told"), list(FAULTS.values())[:-1], ids=list(FAULTS)[:-1])
@pytest.mark.parametrize("read", MACHINES.values(), ids=MACHINES)
def test_a_file_that_no_person_writes_and_a_prompt_are_refused_with_the_cause(tmp_path, read, raw, told):
    path = tmp_path / "x.jsonl"
    path.write_bytes(raw)

    with pytest.raises(errors.InputError) as refused:
        read(path, raw)

    assert (refused.value.subject, refused.value.line) == (told, 1)


def test_a_line_in_latin_1_is_refused_with_the_cause(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes('{"type":"meta","scenario":"é"}\n'.encode("latin-1"))

    with pytest.raises(errors.MalformedLine) as refused:
        load_fixture(path)

    assert (refused.value.subject, refused.value.line) == ("is not UTF-8: byte e9, as Windows-1252 writes é", 1)


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    project = SuiteProject(tmp_path)
    project.write("suite.toml", '# é\ntitle = "é"\n')
    return project


WRITTEN = ["cases.jsonl", "suite.toml", "tools.json", "world.json"]


@pytest.mark.parametrize("name", WRITTEN)
def test_what_a_person_wrote_may_begin_with_a_mark(project, name):
    before = load_suite(project.suite)
    path = project.suite / name
    path.write_bytes(MARK + path.read_bytes())

    after = load_suite(project.suite)

    assert (after.cases, after.config, after.tools, after.tables) == (
        before.cases, before.config, before.tools, before.tables,
    )  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_what_a_person_wrote_in_utf_16_is_refused_with_the_cause(project, name):
    path = project.suite / name
    path.write_bytes(path.read_text("utf-8").encode("utf-16"))

    with pytest.raises(errors.InputError) as refused:
        load_suite(project.suite)

    assert (refused.value.subject, refused.value.file) == ("is UTF-16, not UTF-8", str(path))


@OTHERS
def test_an_expectation_may_begin_with_a_mark_and_else_is_refused_with_the_cause(raw, told):
    if raw.startswith(MARK):
        assert document_of(raw, file="expect.yaml").value == {"a": "é"}
        return
    with pytest.raises(errors.BadExpectation) as refused:
        document_of(raw, file="expect.yaml")

    assert refused.value.subject == told


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_variables_are_found_however_the_file_was_saved(tmp_path, encoding):
    file = tmp_path / ".env"
    file.write_text("FIRST_OF_THEM=é\n", encoding)

    assert environment(Path(file))["FIRST_OF_THEM"] == "é"


def test_a_program_gets_the_cause_too(project):
    (project.suite / "cases.jsonl").write_bytes(json.dumps({}).encode("utf-16"))

    with pytest.raises(errors.BadCase) as refused:
        load_suite(project.suite)

    assert refused.value.facts()["next"] == f"save {project.suite}/cases.jsonl as UTF-8 without a byte order mark"
