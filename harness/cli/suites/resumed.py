"""A run that goes on: its directory, its suite, and who was asked, as its manifest says."""

from collections.abc import Mapping
from pathlib import Path

from harness import errors, raw_run
from harness.cli.recording.endpoints import Options, known_address, wrong_option
from harness.cli.suites.run_files import is_run, load_run
from harness.nearest import nearest_of
from harness.raw_run import Head, differences_of
from harness.scenario import Scenario
from harness.value import Json, JsonObject, encode

_PLACEHOLDER = b"[secret:"


def run_named(named: str, recordings: Path) -> Path:
    """The directory of a run that is named by its path or its id; raises `PathNotFound` with the nearest.

    Raises `WrongOption` for a directory in which none was begun.
    """
    for directory in (Path(named), recordings / named):
        if is_run(directory):
            return directory
    there = next((one for one in (Path(named), recordings / named) if one.is_dir()), None)
    if there is not None:
        begun_not = errors.WrongOption(f"no run was begun there, since it holds no {raw_run.FILE}", file=str(there))
        begun_not.mend = "begin one: fc-record SUITE --run-id NAME"
        raise begun_not
    runs = [path.name for path in recordings.iterdir() if is_run(path)] if recordings.is_dir() else []
    absent = errors.PathNotFound(file=str(recordings / named), nearest=nearest_of(named, runs))
    absent.mend = f"--resume names a run: its directory, or its name in {recordings}/"
    raise absent


def suite_of_run(directory: Path, scenarios: Path) -> Path:
    """Where the suite of a run should be."""
    return scenarios / load_run(directory).suite


def as_asked(
    options: Options, scenario: Scenario, known: Head, variables: Mapping[str, str]
) -> tuple[Options, Scenario]:
    """What the command line leaves open, as the run was asked; what it says otherwise is refused by `resumed_head`.

    A secret is in no manifest: where one stood, the suite or the command line must say it again.
    """
    asked, model = known.asked, scenario.config.model
    address = options.base_url or known_address(asked.provider, asked.api, asked.host, model.base_url, variables)
    if address is None:
        sentence = f"the run asked {asked.host}: the manifest keeps no more of the address than that"
        raise wrong_option(sentence, f"add --base-url https://{asked.host}/… as it was asked")
    kept = {name: value for name, value in asked.params.items() if not _has_secret(value)}
    params: JsonObject = {**model.params, **model.extra_body, **kept}
    stream = params.pop("stream", False) is True
    extra = {name: params.pop(name) for name in model.extra_body if name in params}
    name = model.name if _has_secret(known.model) else known.model
    there = {"provider": asked.provider, "api": asked.api, "name": name}
    how = {"stream": stream, "params": params, "extra_body": extra}
    agent = scenario.config.agent.model_copy(
        update={name: getattr(known.agent, name) for name in known.agent.__struct_fields__}
    )
    config = scenario.config.model_copy(update={"model": model.model_copy(update=there | how), "agent": agent})
    filled = options._replace(provider=options.provider or asked.provider, base_url=address)
    return filled, scenario.model_copy(update={"config": config})


def _has_secret(value: Json) -> bool:
    return _PLACEHOLDER in encode(value)


def resumed_head(known: Head, head: Head) -> Head:
    """The head of the run that goes on; raises `RunDiffers` where it was asked otherwise."""
    differences = differences_of(known, head)
    if differences:
        raise errors.RunDiffers("".join(f"\n  - {one}" for one in differences), file=known.id)
    return Head(**{name: getattr(known, name) for name in Head.__struct_fields__})
