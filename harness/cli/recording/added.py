"""Whether an installed package adds providers, told without the library that reads metadata: help shall not wait."""

import os
import sys

_GROUP = b"[harness.providers]"
_METADATA = (".dist-info", ".egg-info")


def are_any_added() -> bool:
    """Whether the metadata of some package names the group; which providers it adds, `providers.py` says."""
    return any(_names_group(home or ".", name) for home in sys.path for name in _packages_in(home or "."))


def _packages_in(home: str) -> list[str]:
    try:
        return [name for name in os.listdir(home) if name.endswith(_METADATA)]  # noqa: PTH208  pathlib is slow
    except OSError:
        return []


def _names_group(home: str, name: str) -> bool:
    try:
        with open(f"{home}/{name}/entry_points.txt", "rb") as file:  # noqa: PTH123  as above
            return _GROUP in file.read()
    except OSError:
        return False
