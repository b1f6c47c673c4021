"""Formats: a table of our own, and what installed packages add."""

import sys

import pytest
from imports import import_of, said_in

from harness import errors
from harness.importers.found import Source
from harness.importers.importing import id_of
from harness.importers.registry import importer_of, names, recognised

PLUGIN = '''\
"""A format of another package."""

import sys

from harness.importers.found import Found, Told


class Lines:
    name = "lines"

    def recognises(self, source):
        return source.raw.startswith(b"Q: ")

    def read(self, source):
        question, _, answer = source.raw.decode().partition("\\nA: ")
        said = [{"role": "user", "content": question[3:]}, {"role": "assistant", "content": answer.strip()}]
        return Found(told=[Told("", said)])


LINES = Lines()
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package that offers a format."""
    (tmp_path / "their_lines.py").write_text(PLUGIN)
    meta = tmp_path / "their_lines-1.0.dist-info"
    meta.mkdir()
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: their-lines\nVersion: 1.0\n")
    (meta / "entry_points.txt").write_text("[harness.importers]\nlines = their_lines:LINES\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("their_lines", None)


@pytest.mark.usefixtures("package")
def test_a_package_adds_a_format():
    result = import_of("Q: Tide?\nA: Low.\n")

    assert "lines" in names()
    assert recognised(Source("x", b"Q: y")).name == "lines"
    assert (result.format, said_in(result)) == ("lines", [("user", "Tide?"), ("assistant", "Low.")])
    assert result.recordings[0].header.origin == "import:lines"


def test_a_format_that_nobody_offers_is_refused():
    with pytest.raises(errors.UnknownName) as raised:
        importer_of("openai-message")

    assert raised.value.nearest == "openai-messages"


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("Talk (2).final", "talk-2-final"),
        ("../../etc/passwd", "etc-passwd"),
        ("C:\\x\\y", "c-x-y"),
        ("\u4f60\u597d", "imported"),
        ("", "imported"),
        ("a\x00b\nc", "a-b-c"),
    ],
)
def test_an_id_is_a_kebab_case_name(text, id_):
    assert id_of(text) == id_


def test_long_ids_stay_apart():
    one, other = id_of("x" * 300 + "1"), id_of("x" * 300 + "2")

    assert one != other
    assert max(len(one), len(other)) < 120


def test_a_line_too_long_for_a_recording_is_refused():
    text = "x" * (9 * 1024 * 1024)

    with pytest.raises(errors.BadImport, match="it holds what a recording cannot"):
        import_of(f'[{{"role": "user", "content": "{text}"}}, {{"role": "assistant", "content": "y"}}]')


BROKEN = {
    "its import ends the process": ("import sys; sys.exit(0)", "cannot be loaded: SystemExit: 0"),
    "it offers nothing": ("", "cannot be loaded: AttributeError"),
    "it recognises by ending the process": (
        f"{PLUGIN}\nLines.recognises = lambda *_: sys.exit(0)",
        "failed: SystemExit: 0",
    ),
    "it reads by ending the process": (f"{PLUGIN}\nLines.read = lambda *_: sys.exit(0)", "failed: SystemExit: 0"),
    "it finds nothing of the kind": (f"{PLUGIN}\nLines.read = lambda *_: []", "gives list, not Found"),
}


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_a_format_whose_code_does_what_it_should_not_is_a_refusal_of_the_file(tmp_path, text, said):
    (tmp_path / "their_lines.py").write_text(text)

    with pytest.raises(errors.BadImport) as refused:
        import_of("Q: Tide?\nA: Low.\n")

    assert f"the importer of format lines {said}" in refused.value.subject
