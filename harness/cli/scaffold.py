"""A new scenario's files: enough to be recorded as they are, each to be written over."""

from pathlib import Path
from typing import NamedTuple

from harness import errors
from harness.fixture_lines import KEBAB
from harness.journal import write_together
from harness.recording import Api
from harness.value import encode

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


def scaffold(scenarios: Path, scenario_id: str) -> Path:
    """Write a new scenario; its directory. Raises `WrongOption` where the id is none or something is in the way."""
    if not KEBAB.match(scenario_id):
        raise errors.WrongOption("an id is a kebab-case name (refund-4021-damaged)", found=scenario_id)
    directory = scenarios / scenario_id
    if directory.exists():
        raise errors.WrongOption("this is there already; choose another id", file=str(directory))
    title = scenario_id.replace("-", " ").capitalize()
    toml = toml_of(ModelNote(title, "openai", "chat", "gpt-6.1-terra"))
    toml += b"params = { max_tokens = 256, temperature = 0 }\n\n[agent]\nmax_steps = 8\n"
    files = {
        directory / "system.txt": _SYSTEM.encode(),
        directory / "user.txt": _USER.encode(),
        directory / "tools.json": _TOOLS,
        directory / "stubs.json": _STUBS,
        directory / "scenario.toml": toml,
        directory / ".gitattributes": ATTRIBUTES,
    }
    write_together(files)
    return directory
