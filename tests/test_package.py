"""What is shipped: the two archives hold the package and nothing else, and a command starts without heavy imports."""

import email
import json
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NAME = f"fc_harness-{PROJECT['version']}"
COMMANDS = sorted(PROJECT["scripts"].items())
COMMAND_IDS = [name for name, _ in COMMANDS]
# hatchling adds .gitignore to each sdist by itself.
SDIST_METADATA = {".gitignore", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
HEAVY = {"anthropic", "httpx", "httpx2", "jinja2", "openai", "starlette", "uvicorn"}


def python(code, *arguments):
    """Run code in a fresh interpreter at the root and return what it printed, as JSON."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def shipped():
    """Return the files of harness/ that git would hold or could come to hold: all but what tools made."""
    files = (path for path in (ROOT / "harness").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix() for path in files}


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Build sdist and wheel, the wheel out of the sdist, with the backend that is installed."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_the_wheel_holds_the_package_and_its_metadata_only(archives):
    with zipfile.ZipFile(archives / f"{NAME}-py3-none-any.whl") as wheel:
        names = set(wheel.namelist())

    metadata = {f"{NAME}.dist-info/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")}
    assert names == shipped() | metadata | {f"{NAME}.dist-info/licenses/LICENSE"}
    assert "harness/py.typed" in names


def test_the_sdist_holds_the_package_and_its_metadata_only(archives):
    with tarfile.open(archives / f"{NAME}.tar.gz") as sdist:
        names = {member.name.removeprefix(f"{NAME}/") for member in sdist.getmembers() if member.isfile()}

    assert names == shipped() | SDIST_METADATA


def test_every_core_dependency_has_a_floor_and_a_cap(archives):
    with zipfile.ZipFile(archives / f"{NAME}-py3-none-any.whl") as wheel:
        metadata = email.message_from_bytes(wheel.read(f"{NAME}.dist-info/METADATA"))

    required = [Requirement(line) for line in metadata.get_all("Requires-Dist")]
    core = [requirement for requirement in required if requirement.marker is None]
    assert len(core) == len(PROJECT["dependencies"])
    assert [str(need) for need in core if {part.operator for part in need.specifier} != {">=", "<"}] == []


@pytest.mark.parametrize(("name", "target"), COMMANDS, ids=COMMAND_IDS)
def test_a_command_starts_with_click_and_the_standard_library_only(name, target):
    starter, _, function = target.partition(":")
    module = f"harness.cli.{function}"
    code = (
        "import importlib, json, sys\n"
        "before = {name.partition('.')[0] for name in sys.modules}\n"
        f"assert callable(getattr(importlib.import_module({starter!r}), {function!r})), {name!r}\n"
        f"assert callable(importlib.import_module({module!r}).main), {name!r}\n"
        "after = {name.partition('.')[0] for name in sys.modules} - before - sys.stdlib_module_names\n"
        "print(json.dumps(sorted(after)))"
    )

    assert python(code) == ["click", "harness"]


def test_importing_the_package_imports_the_standard_library_only():
    code = (
        "import json, sys\n"
        "before = {name.partition('.')[0] for name in sys.modules}\n"
        "import harness\n"
        "after = {name.partition('.')[0] for name in sys.modules} - before - sys.stdlib_module_names\n"
        "print(json.dumps(sorted(after)))"
    )

    assert python(code) == ["harness"]


@pytest.mark.parametrize("module", ["harness.cli.replay", "harness.cli.judge"])
def test_replaying_and_judging_fixtures_load_no_sdk_and_no_http_client(module):
    code = (
        "import importlib, json, sys\n"
        "main = importlib.import_module(sys.argv[1]).main\n"
        "sys.argv[1:] = ['fixtures']\n"
        "try:\n    code = main()\n"
        "except SystemExit as end:\n    code = end.code\n"
        "print()\n"
        "print(json.dumps([code or 0, sorted({name.partition('.')[0] for name in sys.modules})]))"
    )

    code, loaded = python(code, module)

    assert code == 0
    assert sorted(HEAVY & set(loaded)) == []
