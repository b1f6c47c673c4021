"""What can stand at a place of a struct's type: the keys of an object, the words of a value."""

import re
from collections.abc import Iterable, Iterator

from msgspec import inspect

from harness.value import Json

_STEP = re.compile(r"\.([^.\[]+)|\[([0-9]+|\.\.\.)\]")


def words_at(type_: object, path: str, value: Json = None, *, keys: bool) -> list[str]:
    """The words that can stand at a path (`.assertions[0].kind`) as msgspec writes it, in the type's order.

    With `keys`, those that the object there can have; else those that the value there can be. Of several kinds of
    objects it is the one that the tag in `value` names, else all.
    """
    here = list(_alternatives([inspect.type_info(type_)]))
    words: list[str] = []
    for name, index in _STEP.findall(path):
        structs = _meant(here, value)
        words = [str(one.tag) for one in structs if name and name == one.tag_field]
        here = list(_alternatives(_inside(here, structs, name)))
        value = _part_of(value, name, index)
    if keys:
        words = [key for one in _meant(here, value) for key in _keys_of(one)]
    return list(dict.fromkeys(words or [word for one in here for word in _values_of(one)]))


def _alternatives(infos: Iterable[inspect.Type]) -> Iterator[inspect.Type]:
    for info in infos:
        if isinstance(info, inspect.UnionType):
            yield from _alternatives(info.types)
        elif isinstance(info, inspect.Metadata):
            yield from _alternatives([info.type])
        else:
            yield info


def _meant(here: list[inspect.Type], value: Json) -> list[inspect.StructType]:
    structs = [one for one in here if isinstance(one, inspect.StructType)]
    if not isinstance(value, dict):
        return structs
    return [one for one in structs if one.tag is not None and value.get(one.tag_field or "") == one.tag] or structs


def _inside(here: list[inspect.Type], structs: list[inspect.StructType], name: str) -> Iterator[inspect.Type]:
    if name:
        yield from (field.type for one in structs for field in one.fields if field.encode_name == name)
    for one in here:
        if isinstance(one, inspect.ListType | inspect.VarTupleType) and not name:
            yield one.item_type
        if isinstance(one, inspect.DictType):
            yield one.value_type


def _part_of(value: Json, name: str, index: str) -> Json:
    if isinstance(value, dict):
        return value.get(name)
    if isinstance(value, list) and index.isdecimal() and int(index) < len(value):
        return value[int(index)]
    return None


def _keys_of(info: inspect.StructType) -> list[str]:
    return [*([info.tag_field] if info.tag_field else []), *(field.encode_name for field in info.fields)]


def _values_of(info: inspect.Type) -> list[str]:
    match info:
        case inspect.LiteralType():
            return list(map(str, info.values))
        case inspect.EnumType():
            return [str(member.value) for member in info.cls]
        case _:
            return []
