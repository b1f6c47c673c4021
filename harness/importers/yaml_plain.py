"""YAML of others into plain values: no object is ever built, whatever its tags say.

The C parser composes nodes; values are made from nodes here and nowhere else. An unknown tag leaves its node a text,
a list or a mapping. Aliases share their value, and their sum is bounded, so that no file grows when it is read.
"""

import binascii
import re
from base64 import b64decode
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from harness import errors
from harness.depth import MAX_DEPTH
from harness.value import NotJsonError, decode

if TYPE_CHECKING:
    Plain: TypeAlias = "bool | int | float | Decimal | str | bytes | list[Plain] | dict[str, Plain] | None"

MAX_BYTES = 256 * 1024 * 1024
_GROWTH, _ALLOWANCE = 8, 1024 * 1024  # aliases may make a file this many times as large, and a little more
_TAG = "tag:yaml.org,2002:"
_NULLS = {"", "~", "null", "Null", "NULL"}
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]{1,4000}")
# `7e12` is text: the old rules ask for a point or a sign, and ids look like this.
_FLOAT = re.compile(
    r"[-+]?(?:(?:[0-9]{1,400}\.[0-9]{0,400}|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,4})?|[0-9]{1,400}[eE][-+][0-9]{1,4})"
)


class _Tags:
    """What the parser asks about untagged scalars; the tag is only a mark of how it was written."""

    def descend_resolver(self, *_: object) -> None:
        """Paths decide nothing here."""

    def ascend_resolver(self) -> None:
        """As above."""

    def resolve(self, kind: type, _value: object, implicit: object) -> str:
        if kind is not yaml.ScalarNode:
            return f"{_TAG}seq" if kind is yaml.SequenceNode else f"{_TAG}map"
        return f"{_TAG}plain" if isinstance(implicit, tuple) and implicit[0] else f"{_TAG}str"


def values_of(raw: bytes, *, file: str) -> "list[Plain]":
    """Each document of a YAML file as plain values; raises `BadImport` with the line."""
    if len(raw) > MAX_BYTES:
        raise errors.BadImport(f"larger than {MAX_BYTES} bytes", file=file, found=f"{len(raw)} bytes")
    from yaml import cyaml

    class Parser(cyaml.CParser, _Tags):  # type: ignore[misc,name-defined]
        """The C parser with our tags."""

    builder = _Builder(len(raw) * _GROWTH + _ALLOWANCE, file)
    documents: list[Plain] = []
    try:
        parser = Parser(raw)
        while parser.check_node():
            documents.append(builder.value_of(parser.get_node(), 0))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise errors.BadImport(f"not YAML: {error.problem}", file=file, line=line) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise errors.BadImport(f"not YAML: {str(error).splitlines()[0]}", file=file) from None
    return documents


class _Builder:
    """Values of nodes, each node once; `left` bounds what they amount to with every alias written out."""

    def __init__(self, left: int, file: str) -> None:
        self._left = left
        self._file = file
        self._known: dict[int, tuple[Plain, int]] = {}
        self._nodes: list[Any] = []  # kept alive, so that no id is used twice
        self._open: set[int] = set()

    def value_of(self, node: Any, depth: int) -> "Plain":  # noqa: ANN401  PyYAML's nodes
        """A node's value; raises `BadImport` where it is too deep, too large or inside itself."""
        known = self._known.get(id(node))
        if known is not None:
            self._spend(known[1], node)
            return known[0]
        if id(node) in self._open or depth > MAX_DEPTH:
            inside = id(node) in self._open
            raise self._refusal("an alias inside itself" if inside else f"nested deeper than {MAX_DEPTH}", node)
        before = self._left
        if isinstance(node, yaml.ScalarNode):
            self._spend(len(node.value) + 1, node)
            value: Plain = _scalar(node.tag, node.value)
            return self._kept(node, value, before)
        self._open.add(id(node))
        self._spend(1, node)
        if isinstance(node, yaml.SequenceNode):
            value = [self.value_of(item, depth + 1) for item in node.value]
        else:
            value = self._mapping_of(node, depth)
        self._open.discard(id(node))
        return self._kept(node, value, before)

    def _mapping_of(self, node: Any, depth: int) -> "Plain":  # noqa: ANN401  as above
        value: dict[str, Plain] = {}
        for key, item in node.value:
            name = self._key_of(key, depth)
            if name in value:
                raise self._refusal(f"the key {name[:40]} stands twice in one mapping", key)
            value[name] = self.value_of(item, depth + 1)
        return value

    def _kept(self, node: Any, value: "Plain", before: int) -> "Plain":  # noqa: ANN401  as above
        self._known[id(node)] = (value, before - self._left)
        self._nodes.append(node)
        return value

    def _key_of(self, node: Any, depth: int) -> str:  # noqa: ANN401  as above
        """A key as text; an object's key (`? !!python/object…`) is the one text inside it."""
        value = self.value_of(node, depth + 1)
        while isinstance(value, list | dict) and len(value) == 1:
            value = value[0] if isinstance(value, list) else next(iter(value.values()))
        match value:
            case bytes():
                return value.decode("utf-8", "replace")
            case str():
                return value
            case list() | dict():
                raise self._refusal("a key that is no text", node)
            case _:
                return str(node.value)

    def _spend(self, size: int, node: Any) -> None:  # noqa: ANN401  as above
        self._left -= size
        if self._left < 0:
            raise self._refusal("aliases make this file far larger than it is", node)

    def _refusal(self, reason: str, node: Any) -> errors.BadImport:  # noqa: ANN401  as above
        raise errors.BadImport(
            f"not YAML that can be imported: {reason}", file=self._file, line=node.start_mark.line + 1
        )


def _scalar(tag: str, text: str) -> "Plain":
    if tag == f"{_TAG}binary":
        try:
            return b64decode("".join(text.split()), validate=True)
        except (binascii.Error, ValueError):
            return text
    if tag == f"{_TAG}plain":
        return _plain(text)
    return _plain(text) if tag in {f"{_TAG}int", f"{_TAG}float", f"{_TAG}bool", f"{_TAG}null"} else text


def _plain(text: str) -> "Plain":
    """An unquoted scalar by the core rules of YAML 1.2: dates, `yes` and octals are text."""
    if text in _NULLS:
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if _INT.fullmatch(text):
        return int(text)
    return _number(text) if _FLOAT.fullmatch(text) else text


def _number(text: str) -> "Plain":
    """A decimal as it is written, where JSON can write it so."""
    try:
        number = decode(text)
    except NotJsonError:
        return float(text)
    return number if isinstance(number, int | float | Decimal) else text
