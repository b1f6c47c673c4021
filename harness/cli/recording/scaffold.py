"""A new scenario's files: enough to be recorded as they are, each to be written over."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from harness import errors
from harness.cli.environment import environment, secrets_of
from harness.fixture_lines import KEBAB
from harness.journal import write_together
from harness.recording import Api
from harness.value import encode
from harness.wire.redact import Redactor

ATTRIBUTES = b"# The prompts are hashed byte for byte: git must not touch their line ends.\n* -text\n"
_SYSTEM = """\
You answer questions about the weather. Call get_weather once for each city that the user names.
When you have the results, answer in one sentence.
"""
_USER = "What is the weather in Oslo?\n"
_TOOLS = b"""\
[
  {
    "name": "get_weather",
    "description": "The weather in a city now.",
    "effect": "read",
    "parameters": {
      "type": "object",
      "properties": {"city": {"type": "string", "description": "The city's name."}},
      "required": ["city"],
      "additionalProperties": false
    }
  }
]
"""
_STUBS = b'{\n  "get_weather": {"celsius": 4, "sky": "clear"}\n}\n'


class ModelNote(NamedTuple):
    """What scenario.toml says of who is asked."""

    title: str
    provider: str
    api: Api
    model: str


def toml_of(note: ModelNote) -> bytes:
    """A scenario.toml; a JSON string is a TOML string, too."""
    title, provider, api, model = (encode(text).decode() for text in note)
    lines = [f"title = {title}", "", "[model]", f"provider = {provider}", f"api = {api}", f"name = {model}"]
    return ("\n".join(lines) + "\n").encode()


class Asked(NamedTuple):
    """Who is asked, as far as it is known by now."""

    provider: str | None = None
    api: str | None = None
    model: str | None = None
    base_url: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether a recording needs no further option."""
        return bool(self.model and (self.base_url or self.provider not in {None, "local"}))


def _new_toml(title: str, asked: Asked) -> bytes:
    """What is not said stands as a comment, to be written over."""
    rows = {
        "provider": (asked.provider, "local"),
        "api": (asked.api, "chat"),
        "name": (asked.model, "my-model"),
        "base_url": (asked.base_url, "http://127.0.0.1:8080"),
    }
    hide_address = asked.provider not in {None, "local"} and asked.base_url is None
    lines = [
        f"{name} = {encode(said).decode()}" if said else f"# {name} = {encode(example).decode()}"
        for name, (said, example) in rows.items()
        if not (name == "base_url" and hide_address)
    ]
    head = [f"title = {encode(title).decode()}", "", "# Who is asked; the options of fc-record win.", "[model]"]
    tail = ["params = { max_tokens = 256, temperature = 0 }", "", "[agent]", "max_steps = 8"]
    return ("\n".join([*head, *lines, *tail]) + "\n").encode()


def scaffold(scenarios: Path, scenario_id: str, asked: Asked) -> Path:
    """Write a new scenario; its directory. Raises `WrongOption` where the id is none or something is in the way."""
    if not KEBAB.match(scenario_id):
        raise errors.WrongOption("an id is a kebab-case name (refund-4021-damaged)", found=scenario_id)
    directory = scenarios / scenario_id
    if directory.exists():
        raise errors.WrongOption("this is there already; choose another id", file=str(directory))
    title = scenario_id.replace("-", " ").capitalize()
    files = {
        directory / "system.txt": _SYSTEM.encode(),
        directory / "user.txt": _USER.encode(),
        directory / "tools.json": _TOOLS,
        directory / "stubs.json": _STUBS,
        directory / "scenario.toml": _new_toml(title, asked),
        directory / ".gitattributes": ATTRIBUTES,
    }
    check_files(files, environment())
    write_together(files)
    return directory


def check_files(written: Mapping[Path, bytes], variables: Mapping[str, str]) -> None:
    """Raises `WrongOption` where a file that git is to hold would hold a secret, as an address with a password."""
    redactor = Redactor(secrets_of(variables))
    for path, content in written.items():
        text = content.decode("utf-8", "replace")
        if redactor.text(text) != text:
            kinds = ", ".join(redactor.kinds_in(text)) or "a secret field"
            error = errors.WrongOption(f"this file would be committed with a secret in it ({kinds})", file=str(path))
            error.mend = "leave the secret out; what is asked with comes from variables and options"
            raise error
