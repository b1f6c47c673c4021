"""A scenario's own code: its prompt builder and its world, loaded from where the command line named it, confined."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

from harness import errors
from harness.confined import Confined, Confinement
from harness.files import is_there
from harness.foreign import ForeignError
from harness.nearest import nearest_of
from harness.scenario import Scenario
from harness.value import NotJsonError, checked
from harness.world import Stubs, World

if TYPE_CHECKING:
    from collections.abc import Callable


def built_prompt(scenario: Scenario) -> str | None:
    """What the scenario's prompt builder gives, None where nothing builds it; raises `BadScenario`.

    One that is not the committed prompt is only shown, and has no secrets in it.
    """
    source = scenario.config.prompt
    if source is None:
        return None
    confinement = Confinement(scenario.directory)
    build = cast("Callable[[], object]", _named(source, scenario.directory, confinement))
    file = scenario.path("scenario.toml")
    try:
        built = confinement.run(build)
        text = checked(built) if isinstance(built, str) else None
    except (ForeignError, NotJsonError) as error:
        raise errors.BadScenario(f"{source} failed: {error}", file=file) from None
    if not isinstance(text, str):
        raise errors.BadScenario(f"{source} gives {type(built).__name__}, not text", file=file)
    return text if text == scenario.system else _without_secrets(text)


def _without_secrets(text: str) -> str:
    from harness.cli.environment import environment, secrets_of
    from harness.wire.redact import Redactor

    return Redactor(secrets_of(environment())).text(text)


def load_world(scenario: Scenario) -> World | None:
    """The world behind a scenario's tools: its world.py (or `world = "module:Class"`), its stubs, or none."""
    if scenario.stubs is not None:
        return Stubs(scenario.stubs)
    source = scenario.config.world
    if source is None and not is_there(Path(scenario.path("world.py"))):
        return None
    confinement = Confinement(scenario.directory)
    if source is None:
        return cast("World", Confined(_module("world", scenario.directory, confinement), confinement))
    named = _named(source, scenario.directory, confinement)
    try:
        world = confinement.run(named) if isinstance(named, type) else named
    except ForeignError as error:
        sentence = f"{source} cannot be made: {error}"
        raise errors.BadScenario(sentence, file=scenario.path("scenario.toml")) from None
    return cast("World", Confined(world, confinement))


def _named(source: str, directory: str, confinement: Confinement) -> object:
    """What `module:name` names; the module is a file of the directory, else an importable one."""
    module_name, _, name = source.partition(":")
    module = _module(module_name, directory, confinement)
    try:
        found = confinement.run(getattr, module, name, _NOTHING) if name else _NOTHING
    except ForeignError as error:
        raise errors.BadScenario(f"{source} failed: {error}", file=directory) from None
    if found is _NOTHING:
        near = nearest_of(name, vars(module))
        raise errors.BadScenario(f"{source} names nothing in {module_name}", file=directory, nearest=near)
    return found


_NOTHING = object()


def _module(name: str, directory: str, confinement: Confinement) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise errors.BadScenario(f"{name!r} names no module", file=directory)
    path = Path(directory) / (name.replace(".", "/") + ".py")
    try:
        if not is_there(path):
            return confinement.run(importlib.import_module, name)
        return confinement.run(_executed, name, path.absolute())
    except ForeignError as error:
        raise errors.BadScenario(f"cannot load {name}: {error}", file=str(path)) from None


def _executed(name: str, path: Path) -> ModuleType:
    """The module in a file, loaded anew."""
    spec = importlib.util.spec_from_file_location(f"_scenario_{path.parent.name}_{name}", path)
    assert spec is not None and spec.loader is not None  # noqa: S101, PT018  a .py file has both
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module
