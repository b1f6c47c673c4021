"""Who can be asked by name: what is known of each, in a table of our own and in what installed packages add.

A package adds one as an entry point `harness.providers`: a name, and a `Provider` (or any object with its fields).
"""

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple, cast, get_args

from harness import errors
from harness.confined import Confinement
from harness.foreign import ForeignError
from harness.nearest import nearest_of
from harness.recording import Api

GROUP = "harness.providers"


class Provider(NamedTuple):
    """The variable that holds the key (None: none is sent), and an address for each API; the first API is its own.

    `variables` are those that may hold another address for an API.
    """

    key: str | None
    addresses: Mapping[Api, str]
    variables: Mapping[Api, str] = {}


_OPENAI = "https://api.openai.com/v1"
_OPENROUTER = "https://openrouter.ai/api/v1"
BUILT_IN = {
    "openai": Provider(
        "OPENAI_API_KEY",
        {"chat": _OPENAI, "responses": _OPENAI},
        {"chat": "OPENAI_BASE_URL", "responses": "OPENAI_BASE_URL"},
    ),
    "anthropic": Provider(
        "ANTHROPIC_API_KEY",
        {"messages": "https://api.anthropic.com", "chat": "https://api.anthropic.com/v1"},
        {"messages": "ANTHROPIC_BASE_URL"},
    ),
    "google": Provider("GOOGLE_API_KEY", {"chat": "https://generativelanguage.googleapis.com/v1beta/openai"}),
    "openrouter": Provider("OPENROUTER_API_KEY", {"chat": _OPENROUTER, "responses": _OPENROUTER}),
    "local": Provider(None, {}),
}


def names() -> list[str]:
    """Every provider's name."""
    return [*BUILT_IN, *(one.name for one in entry_points(group=GROUP) if one.name not in BUILT_IN)]


def provider_of(name: str) -> Provider:
    """What is known of a provider; raises `UnknownName`, or `WrongOption` where a package's own is none."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    for point in entry_points(group=GROUP):
        if point.name == name:
            return _theirs(point)
    raise errors.UnknownName(f"provider {name}", expected=", ".join(names()), nearest=nearest_of(name, names()))


def _theirs(point: EntryPoint) -> Provider:
    """A package's provider; whatever its code raises is told with its name."""
    try:
        found: object = Confinement(None).run(point.load)
    except ForeignError as error:
        raise _refused(point, f"cannot be loaded: {error}") from None
    key, addresses, variables = (getattr(found, name, None) for name in Provider._fields)
    if not isinstance(key, str | None) or not _are_by_api(addresses) or not _are_by_api(variables or {}):
        apis = ", ".join(get_args(Api))
        raise _refused(point, f"has no key (a variable's name, or None) and addresses (each a text, for {apis})")
    return Provider(key, cast("Mapping[Api, str]", addresses), cast("Mapping[Api, str]", variables or {}))


def _are_by_api(given: object) -> bool:
    return isinstance(given, Mapping) and all(
        api in get_args(Api) and isinstance(text, str) for api, text in given.items()
    )


def _refused(point: EntryPoint, reason: str) -> errors.WrongOption:
    package = point.dist.name if point.dist else point.value
    return errors.WrongOption(f"provider {point.name} of {package} {reason}")
