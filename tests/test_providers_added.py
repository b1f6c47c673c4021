"""A provider that an installed package adds is asked like ours: by its name, with its key, at its address."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from loopback import Loopback, plain
from recording_project import Project, record
from spoken import messages_body

from harness import errors
from harness.cli.record import main
from harness.cli.recording.providers import BUILT_IN, names, provider_of
from harness.files import load_journal

MODULE = """\
from harness.cli.recording.providers import Provider

HARBOUR = Provider("HARBOUR_API_KEY", {{"messages": {address!r}, "chat": "https://harbour.example/v1"}})
BROKEN = 3
"""
POINTS = """\
[harness.providers]
harbour = harbour_models:HARBOUR
broken = harbour_models:BROKEN
absent = harbour_models:NOTHING
openai = harbour_models:HARBOUR
"""


def install(directory, address):
    """A distribution as an installer leaves it: a module, its metadata, its entry points."""
    (directory / "harbour_models.py").write_text(MODULE.format(address=address))
    meta = directory / "harbour_models-1.0.dist-info"
    meta.mkdir()
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: harbour-models\nVersion: 1.0\n")
    (meta / "entry_points.txt").write_text(POINTS)


@pytest.fixture
def package(tmp_path_factory, monkeypatch):
    directory = tmp_path_factory.mktemp("site")
    install(directory, "https://models.harbour.example")
    monkeypatch.syspath_prepend(directory)
    yield
    sys.modules.pop("harbour_models", None)


def test_a_run_asks_a_provider_of_an_installed_package(tmp_path):
    project, site = Project(tmp_path), tmp_path / "site"
    site.mkdir()
    with Loopback(plain(messages_body("It is in Oslo."))) as server:
        install(site, server.url)
        done = subprocess.run(
            [Path(sys.executable).parent / "fc-record", "scenarios/find-parcel", "--provider", "harbour"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(site), "HARBOUR_API_KEY": "k-0123456789"},
            capture_output=True,
            text=True,
            check=False,
        )

    [recording] = load_journal(project.recording).recordings
    assert (done.returncode, done.stderr.splitlines()[-1][:5]) == (0, "next:")
    assert [request.path for request in server.requests] == ["/v1/messages"]
    assert recording.header.provider == "harbour"


@pytest.mark.usefixtures("package")
def test_its_key_is_read_from_its_variable(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HARBOUR_API_KEY", raising=False)
    Project(tmp_path)

    ran = record(capsys, "scenarios/find-parcel", "--provider", "harbour", "--json")

    assert (ran.code, json.loads(ran.out)["message"]) == (
        2,
        "HARBOUR_API_KEY is not set: a live recording needs the provider's key",
    )


@pytest.mark.usefixtures("package")
def test_a_scenario_may_name_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    project = Project(tmp_path)
    project.write("scenarios/find-parcel/scenario.toml", '[model]\nprovider = "harbor"\nname = "m"\n')

    ran = record(capsys, "scenarios/find-parcel")

    assert ran.code == 2
    assert "provider harbor is not known here" in ran.err
    assert "nearest:  harbour" in ran.err


@pytest.mark.usefixtures("package")
def test_ours_are_not_replaced():
    assert names() == [*BUILT_IN, "harbour", "broken", "absent"]
    assert provider_of("openai") is BUILT_IN["openai"]


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "reason"),
    [("broken", "has no key"), ("absent", "cannot be loaded: AttributeError")],
)
def test_a_provider_that_is_none_is_told_with_its_package(name, reason):
    with pytest.raises(errors.WrongOption) as refused:
        provider_of(name)

    assert refused.value.subject.startswith(f"provider {name} of harbour-models {reason}")


def test_a_name_that_nobody_adds_is_refused_with_those_that_are_known(capsys):
    ran = record(capsys, "scenarios/x", "--provider", "opnai", "--json")

    facts = json.loads(ran.out)
    assert (ran.code, facts["code"], facts["expected"]) == (
        2,
        "WRONG_OPTION",
        "openai, anthropic, google, openrouter, local",
    )


@pytest.mark.parametrize("words", [["--help"], ["new", "--help"]], ids=["record", "new"])
def test_help_says_that_there_may_be_others(words):
    listed = "".join(CliRunner().invoke(main, words).stdout.split())

    assert "[openai|anthropic|google|openrouter|local|…]" in listed


AGENT = """\
import json, os, urllib.request

body = json.dumps({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}).encode()
request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body)
request.add_header("content-type", "application/json")
urllib.request.urlopen(request).read()
"""


def test_a_proxy_asks_what_a_package_adds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    program = [sys.executable, "-c", AGENT]
    with Loopback(plain(messages_body("It is in Oslo."))) as server:
        install(tmp_path, server.url)
        done = CliRunner().invoke(main, ["proxy", "--upstream", "harbour", "--id", "one", "--", *program])
        sys.modules.pop("harbour_models", None)

    assert done.exit_code == 0, done.output
    assert [request.path for request in server.requests] == ["/v1/messages"]


@pytest.mark.usefixtures("package")
def test_a_proxy_names_what_packages_add_and_why_one_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    unknown = CliRunner().invoke(main, ["proxy", "--upstream", "harbor", "--", "true"])
    broken = CliRunner().invoke(main, ["proxy", "--upstream", "broken", "--", "true"])

    assert "expected: openai, anthropic, google, openrouter, harbour, broken, absent, or an address" in unknown.stderr
    assert "nearest:  harbour" in unknown.stderr
    assert "provider broken of harbour-models has no key" in broken.stderr
