"""The rules of the house that no linter holds: lengths, docstrings, layers, the public face, what a file may say."""

import ast
import importlib
import re
import socket
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HARNESS = ROOT / "harness"
FILE_LINES = 300
FUNCTION_LINES = 40
NESTING = 3

CODE = sorted(
    path for part in ("benchmarks", "docs", "harness", "scenarios", "tests") for path in (ROOT / part).rglob("*.py")
)
CODE_IDS = [str(path.relative_to(ROOT)) for path in CODE]
BLOCKS = (ast.AsyncFor, ast.AsyncWith, ast.For, ast.If, ast.Match, ast.Try, ast.TryStar, ast.While, ast.With)
FUNCTIONS = (ast.AsyncFunctionDef, ast.FunctionDef)
DISK_CALLS = {
    "iterdir", "mkdir", "open", "read_bytes", "read_text", "rglob", "rmdir", "touch", "unlink", "write_bytes", "write_text"
}  # fmt: skip
DISK_MODULES = {"fcntl", "glob", "shutil", "tempfile"}
# Put together here, so that this file holds none of them.
MARKS = re.compile(rb"\b(?:TO" + rb"DO|FIX" + rb"ME)\b")
MACHINE_PATHS = re.compile(rb"(?<![\w./-])/(?:wo" + rb"rk|ro" + rb"ot)/")


def tracked_files():
    """Return the files that git holds; in an archive without git, all that no tool made."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        return [path for name in listed.decode().split("\0") if name and (path := ROOT / name).is_file()]
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file() and not any(part in {".venv", "__pycache__"} for part in path.parts)
    ]


def places(pattern):
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.decode(errors='replace').strip()[:100]}"
        for path in tracked_files()
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1)
        if pattern.search(line)
    ]


def functions_of(path):
    return [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, FUNCTIONS)]


def depth_of(node):
    """Return how many blocks stand inside one another; `elif` is a neighbour, and an inner function starts anew."""
    deepest = 0
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, (*FUNCTIONS, ast.Lambda)):
                continue
            is_elif = isinstance(node, ast.If) and name == "orelse" and isinstance(child, ast.If) and len(value) == 1
            own = 1 if isinstance(child, BLOCKS) and not is_elif else 0
            deepest = max(deepest, own + depth_of(child))
    return deepest


def layers():
    """Return the module names of each layer, from the import contract."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    lines = next(contract["layers"] for contract in contracts if contract.get("exhaustive"))
    return [[name.strip(" ()") for name in line.split(":")] for line in lines]


def modules():
    return sorted(
        path.stem if path.is_file() else path.name
        for path in HARNESS.iterdir()
        if (path.suffix == ".py" and path.stem != "__init__") or (path.is_dir() and list(path.rglob("*.py")))
    )


@pytest.mark.parametrize("path", CODE, ids=CODE_IDS)
def test_a_file_is_short(path):
    assert len(path.read_text().splitlines()) <= FILE_LINES


@pytest.mark.parametrize("path", CODE, ids=CODE_IDS)
def test_a_file_says_its_job_in_its_first_line(path):
    docstring = ast.get_docstring(ast.parse(path.read_bytes()))

    assert docstring
    assert docstring.splitlines()[0].endswith((".", "?", "!"))


@pytest.mark.parametrize("path", CODE, ids=CODE_IDS)
def test_functions_are_short(path):
    lengths = {f"{node.name}:{node.lineno}": node.end_lineno - node.lineno + 1 for node in functions_of(path)}

    assert {name: length for name, length in lengths.items() if length > FUNCTION_LINES} == {}


@pytest.mark.parametrize("path", CODE, ids=CODE_IDS)
def test_functions_are_shallow(path):
    depths = {f"{node.name}:{node.lineno}": depth_of(node) for node in functions_of(path)}

    assert {name: depth for name, depth in depths.items() if depth > NESTING} == {}


def test_every_module_belongs_to_one_layer():
    named = [name for layer in layers() for name in layer]

    assert sorted(set(modules()) - set(named)) == []
    assert sorted(name for name in set(named) if named.count(name) > 1) == []


def below_the_doors():
    doors = layers()[0]
    return [path for path in CODE if path.is_relative_to(HARNESS) and owner_of(path) not in doors]


def owner_of(path):
    return path.relative_to(HARNESS).parts[0].removesuffix(".py")


def disk_uses_of(path):
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in DISK_CALLS:
                yield f"{node.lineno}: {name}()"
            case ast.Import(names=names):
                yield from (f"{node.lineno}: {alias.name}" for alias in names if alias.name in DISK_MODULES)
            case ast.ImportFrom(module=name) if name in DISK_MODULES:
                yield f"{node.lineno}: {name}"


@pytest.mark.parametrize("path", below_the_doors(), ids=lambda path: str(path.relative_to(ROOT)))
def test_only_doors_touch_the_disk(path):
    assert list(disk_uses_of(path)) == []


def test_no_unfinished_work_is_marked():
    assert places(MARKS) == []


def test_no_file_names_the_machine_it_was_written_on():
    assert places(MACHINE_PATHS) == []


def face_order(name):
    """Sort as ruff does (RUF022): constants, classes, functions."""
    kind = 0 if name.isupper() else 1 if name[0].isupper() else 2
    return kind, name


def test_the_public_face_is_sorted_and_resolves():
    harness = importlib.import_module("harness")

    face = list(harness.__all__)

    assert face == sorted(set(face), key=face_order)
    assert [name for name in face if not hasattr(harness, name)] == []


def test_the_public_face_is_what_the_package_offers():
    """Type checkers see the imports, programs the lazy names: both must be `__all__`."""
    tree = ast.parse((HARNESS / "__init__.py").read_bytes())
    harness = importlib.import_module("harness")

    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("harness."))
        for alias in node.names
    }
    listed = {name for name in dir(harness) if not name.startswith("_")} - set(modules())

    assert imported == set(harness.__all__)
    assert listed >= set(harness.__all__)


def test_no_public_name_hides_behind_a_module():
    """Importing `harness.x` sets the attribute x of the package, and would replace a name of that spelling."""
    harness = importlib.import_module("harness")

    assert sorted(set(harness.__all__) & set(modules())) == []


def test_no_two_test_files_share_a_name():
    """Tests are no package: a second module of a name would be taken for the first."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py")

    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize(
    ("address", "family"),
    [
        pytest.param(("192.0.2.1", 9), socket.AF_INET, id="v4"),
        pytest.param(("2001:db8::1", 9), socket.AF_INET6, id="v6"),
        pytest.param(("::ffff:192.0.2.1", 9), socket.AF_INET6, id="v4-in-v6"),
    ],
)
def test_the_guard_refuses_an_address_outside_this_machine(network_guard, address, family):
    with socket.socket(family) as out, pytest.raises(network_guard.refusal):
        out.connect(address)

    assert [host for _, host in network_guard.take()] == [address[0]]


def test_the_guard_refuses_to_look_up_a_name(network_guard):
    with pytest.raises(network_guard.refusal):
        socket.create_connection(("example.invalid", 9))

    assert network_guard.take() == [("socket.getaddrinfo", "example.invalid")]


def test_the_guard_lets_loopback_through(network_guard):
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()

    assert network_guard.take() == []
