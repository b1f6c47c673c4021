"""The environment that clients are made in: a replay needs no key and reads no profile, a recording knows `.env`."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

PLACEHOLDER = "fc-placeholder-key"
_KEYS = ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY")


def placeholder_keys() -> dict[str, str]:
    """Keys that let clients be made and open nothing."""
    return dict.fromkeys(_KEYS, PLACEHOLDER)


@contextmanager
def replay_surroundings() -> Iterator[None]:
    """Placeholder keys, and no profile of the user's."""
    with (
        tempfile.TemporaryDirectory(prefix="fc-") as empty,
        variables_set({**placeholder_keys(), "ANTHROPIC_CONFIG_DIR": empty}),
    ):
        yield


@contextmanager
def variables_set(variables: Mapping[str, str]) -> Iterator[None]:
    """The process's variables with these among them; those that this changed are afterwards as before."""
    changed = {name: value for name, value in variables.items() if os.environ.get(name) != value}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
