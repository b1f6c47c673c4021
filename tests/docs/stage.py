"""A directory in which a page is followed word by word, beside a model on this machine that does as it is asked."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
from loopback import plain
from packaging.requirements import InvalidRequirement, Requirement
from pages import ROOT
from spoken import chat_body, messages_body

BIN = Path(sys.executable).parent
LOCAL = "http://127.0.0.1:8080"
_KEY = "sk-made-up-for-the-pages-0000"
_UPSTREAM = re.compile(r"--upstream (openai|anthropic)\b")
_LEFT_OUT = ("CI", "COLUMNS", "LINES", "NO_COLOR", "PYTEST_", "PYTHONPATH", "OPENAI_", "ANTHROPIC_")


class Ran(NamedTuple):
    """How a command ended, and all that it printed."""

    code: int
    said: str


class Stage:
    """`run` a command, `write` a file; what a page exports stays for the commands after it."""

    def __init__(self, root, server):
        self.root = root
        self.server = server
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
        self.variables = {
            **kept,
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "OPENAI_BASE_URL": f"{server.url}/v1",
            "ANTHROPIC_BASE_URL": server.url,
            "PYTHONDONTWRITEBYTECODE": "1",
            "GITHUB_STEP_SUMMARY": str(root / "summary.md"),
        }

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(LOCAL, self.server.url), encoding="utf-8")

    def copy(self, *names):
        """Parts of this repository."""
        for name in names:
            shutil.copytree(ROOT / name, self.root / name, ignore=shutil.ignore_patterns("__pycache__"))

    def run(self, words):
        """A command as it is typed; what would install or last long is only looked at."""
        first, *rest = words.split()
        if first == "export":
            name, _, value = rest[0].partition("=")
            self.variables[name] = _KEY if value == "…" else value
            return Ran(0, "")
        if words.startswith("pip install "):
            return _looked_at(rest[1:])
        if first == "make":
            return _ran(["make", "--dry-run", *rest], ROOT, self.variables)
        if first == "node" and shutil.which("node") is None:
            pytest.skip("node is not on this machine")
        words = _UPSTREAM.sub(f"--upstream {self.server.url}", words.replace(LOCAL, self.server.url))
        return _ran(["bash", "-c", words], self.root, self.variables)


def _ran(command, directory, variables):
    done = subprocess.run(
        command, cwd=directory, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return Ran(done.returncode, done.stdout)


def _looked_at(requirements):
    """Whether each requirement is one; of this package, whether it has the extra."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for written in requirements:
        if written in {".", "-r", "requirements.txt", "-e"}:
            continue
        try:
            requirement = Requirement(written.strip("'\""))
        except InvalidRequirement as error:
            return Ran(1, str(error))
        if not requirement.extras <= set(extras):
            return Ran(1, f"no such extra: {written}")
    return Ran(0, "")


def obliging(plan=()):
    """A model that makes the calls of a plan, one an answer, then tells the last result; without a plan, one call.

    Where the plan is a dict, its keys are words that the user says.
    """

    def answer(request):
        body = request.json
        told = _results_in(body["messages"])
        meant = (
            plan if not isinstance(plan, dict) else next(plan[word] for word in plan if word in str(body["messages"]))
        )
        calls = list(meant) or [(_first_tool(body), None)]
        speaks = messages_body if request.path.endswith("/messages") else chat_body
        if len(told) < len(calls) and body.get("tools"):
            name, arguments = calls[len(told)]
            arguments = arguments or _arguments_for(_schema_of(body, name))
            written = arguments if speaks is messages_body else json.dumps(arguments)
            return plain(speaks(None, [(f"provider-{len(told)}", name, written)]))
        return plain(speaks(f"It is done: {told[-1]}" if told else "Hello."))

    return answer


def _results_in(messages):
    """The texts of the tool results since the last thing that a person said."""
    found = []
    for message in messages:
        content = message.get("content")
        parts = content if isinstance(content, list) else []
        results = [part for part in parts if isinstance(part, dict) and part.get("type") == "tool_result"]
        if message["role"] == "user" and not results:
            found = []
        found += [_text_in(part["content"]) for part in results]
        if message["role"] == "tool":
            found.append(_text_in(content))
    return found


def _text_in(content):
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _functions_in(body):
    return [tool.get("function", tool) for tool in body.get("tools", [])]


def _first_tool(body):
    return next((tool["name"] for tool in _functions_in(body)), None)


def _schema_of(body, name):
    tool = next(one for one in _functions_in(body) if one["name"] == name)
    return tool.get("parameters") or tool.get("input_schema") or {}


def _arguments_for(schema):
    kinds = {"string": "Oslo", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}
    return {name: kinds[schema["properties"][name]["type"]] for name in schema.get("required", [])}
