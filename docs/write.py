"""The parts of these pages that are made from the code, written anew: `make docs`. A test says when they are old."""

import inspect
import re
import sys
from pathlib import Path

from picture import picture

from harness import errors, files
from harness.cli.schemas import FORMATS, SUFFIX, YOU, schema_files, schema_of
from harness.value import Json, JsonObject

DOCS = Path(__file__).parent
SCHEMAS = DOCS.parent / "harness" / "schemas"
OPENED, CLOSED = "<!-- made by `make docs` -->\n", "<!-- until here -->\n"
_WORDS = {
    "boolean": "true or false",
    "integer": "whole number",
    "null": "null",
    "number": "number",
    "object": "object",
    "string": "text",
}


def made_files() -> dict[Path, bytes]:
    """Every file that is made from the code, with its bytes."""
    made = {SCHEMAS / name: content for name, content in schema_files().items()}
    for name, text in {"formats": formats_text(), "exit-codes": errors_text()}.items():
        page = DOCS / f"{name}.md"
        made[page] = with_part(page.read_text("utf-8"), text).encode()
    return made | {DOCS / "failure.svg": picture()}


def with_part(page: str, text: str) -> str:
    """A page with this text between its two marks."""
    before, rest = page.split(OPENED)
    return f"{before}{OPENED}\n{text}\n{CLOSED}{rest.split(CLOSED)[1]}"


def formats_text() -> str:
    """Every format: where it lies, who writes it, and its objects with their keys."""
    yours, ours = ([name for name in FORMATS if (FORMATS[name].writer == YOU) is mine] for mine in (True, False))
    rows = [f"| [{name}](#{name}) | {FORMATS[name].place} | {FORMATS[name].writer} |" for name in [*yours, *ours]]
    index = "\n".join(["| format | where | written by |", "|---|---|---|", *rows])
    shown = []
    texts = [format_text(name, shown) for name in [*yours, *ours]]
    return index.replace("<", "&lt;") + "\n\n" + "\n\n".join(texts)


def format_text(name: str, shown: list[tuple[str, Json]]) -> str:
    """One format: its schema's file, what it opens with, then each kind of object that was not `shown` before."""
    schema = with_words(schema_of(name))
    top = {key: value for key, value in schema.items() if key not in {"$schema", "$defs", "title", "discriminator"}}
    parts = [f"## {name}", f"[`{name}{SUFFIX}`](../harness/schemas/{name}{SUFFIX}): {kind_of(top)}."]
    if "properties" in top:
        parts[1] = f"[`{name}{SUFFIX}`](../harness/schemas/{name}{SUFFIX}). {flat(top.get('description', ''))}"
        parts.append(keys_text(top))
    objects = [(title, one) for title, one in schema.get("$defs", {}).items() if "properties" in one]
    parts += [object_text(title, one) for title, one in objects if (title, one) not in shown]
    shown += objects
    return "\n\n".join(parts)


def with_words(schema: JsonObject) -> JsonObject:
    """A schema whose lists of words stand where they are used, not under a name of their own."""
    words = {f"#/$defs/{title}": one for title, one in schema.get("$defs", {}).items() if "properties" not in one}

    def replaced(value: Json) -> Json:
        match value:
            case {"$ref": ref} if ref in words:
                return replaced(words[ref])
            case dict():
                return {key: replaced(one) for key, one in value.items()}
            case list():
                return [*map(replaced, value)]
            case _:
                return value

    return replaced(schema)


def object_text(title: str, schema: JsonObject) -> str:
    """A kind of object: its name, what is said of it, its keys."""
    said = flat(schema.get("description", ""))
    return f"**{title}**{': ' if said else ''}{said}\n\n{keys_text(schema)}"


def keys_text(schema: JsonObject) -> str:
    """The keys of an object with what they hold; those that may be left out in italics."""
    required = schema.get("required", [])
    names = {key: f"`{key}`" if key in required else f"*`{key}`*" for key in schema["properties"]}
    return " · ".join(f"{names[key]} {kind_of(value)}" for key, value in schema["properties"].items())


def kind_of(schema: JsonObject) -> str:
    """What may stand at a place, in words."""
    match schema:
        case {"$ref": ref}:
            return ref.rpartition("/")[2]
        case {"anyOf": kinds}:
            return " or ".join(map(kind_of, kinds))
        case {"enum": values} | {"const": values}:
            return " or ".join(f"`{value}`" for value in (values if isinstance(values, list) else [values]))
        case {"type": "array"}:
            return list_of(schema)
        case {"type": "object", "additionalProperties": dict(inner)} if inner:
            return f"object, each value {kind_of(inner)}"
        case {"type": "string", "pattern": pattern} if pattern.startswith("^sha256"):
            return "hash (`sha256:…`)"
        case {"type": kind}:
            return _WORDS[kind] + bounds_of(schema)
        case _:
            return "any value"


def list_of(schema: JsonObject) -> str:
    """What a list holds: the same again and again, or something else in each place."""
    match schema:
        case {"prefixItems": items}:
            return f"list: {', '.join(map(kind_of, items))}"
        case {"items": dict(items)}:
            return f"list of {kind_of(items)}"
        case _:
            return "list"


def bounds_of(schema: JsonObject) -> str:
    """The bounds of a number."""
    least, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    return f", at least {least}" if least is not None else f", above {above}" if above is not None else ""


def errors_text() -> str:
    """Every refusal by its code, with the exit code and the sentence where it is always the same."""
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.HarnessError)]
    rows = [
        f"| `{kind.code}` | {kind.exit_code} | {sentence_of(kind)} |"
        for kind in sorted(kinds, key=lambda one: (one.exit_code, one.code))
        if not kind.__subclasses__() or (sentence_of(kind) and "what" in vars(kind))  # no other is raised itself
    ]
    return "\n".join(["| code | exit | said |", "|---|---|---|", *rows])


def sentence_of(kind: type[errors.HarnessError]) -> str:
    """What a refusal says; … where the facts stand."""
    said = flat(re.sub(r"\{\w+\}", "…", kind.what))
    return "" if said == "…" else said


def flat(text: str) -> str:
    """A docstring in one line."""
    return re.sub(r"\s+", " ", text).strip()


def main() -> None:
    """Write all of them."""
    made = made_files()
    for path, content in made.items():
        files.write_whole(path, content)
    sys.stdout.write(f"{len(made)} files written\n")


if __name__ == "__main__":
    main()
