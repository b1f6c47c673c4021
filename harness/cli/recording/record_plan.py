"""What a recording will be, with everything checked that can be checked before the first request."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from harness import errors, files
from harness.cli.environment import secrets_of
from harness.cli.recording.endpoints import Options, endpoint_of, params_of, without_foreign_model, wrong_option
from harness.cli.recording.prompt_secrets import secrets_in
from harness.cli.recording.scaffold import ATTRIBUTES, ModelNote, check_files, toml_of
from harness.excerpt import excerpts_of
from harness.fixture import Fixture, Meta
from harness.fixture_lines import EMPTY_ASSERTIONS, KEBAB, fixture_of, lines_of_fixture
from harness.nearest import nearest_of
from harness.recording import Recording
from harness.scenario import Scenario
from harness.schema import check_schema
from harness.transcript import Text, Transcript, UserTurn
from harness.user_code import built_prompt, load_world
from harness.value import JsonObject, digest_of, lines_of
from harness.wire.clients import Endpoint
from harness.world import Sandbox, World


class Prompts(NamedTuple):
    """A scenario whose prompt files are elsewhere: they are copied into its directory when the recording is written."""

    directory: Path
    title: str | None
    system: Path
    user: Path


def prompts_of(
    title: str | None, fixture_id: str | None, system: Path | None, user: Path | None, scenarios: Path
) -> Prompts:
    """The scenario that the flags describe; raises `WrongOption` where one is missing or no name."""
    missing = {"--fixture-id": fixture_id, "--system-prompt-file": system, "--user-message-file": user}
    if fixture_id is None or system is None or user is None:
        name = next(name for name, value in missing.items() if value is None)
        raise errors.WrongOption(f"{name} is missing: without a SCENARIO directory it is needed")
    if not KEBAB.match(fixture_id):
        raise errors.WrongOption("--fixture-id is a kebab-case name (refund-4021-damaged)", found=fixture_id)
    return Prompts(scenarios / fixture_id, title, system, user)


class Plan(NamedTuple):
    """One recording to be made. `files` are written together with it; `secrets` are those known by value.

    `earlier` answers as long as nothing differs from it; `before` is what the fixture that is there says.
    """

    scenario: Scenario
    title: str
    world: World | None
    provider: str
    endpoint: Endpoint
    model: str
    params: JsonObject
    max_steps: int
    recording: Path
    fixture: Path
    assertions_line: bytes
    files: dict[Path, bytes]
    secrets: list[str]
    earlier: Recording | None = None
    before: Transcript | None = None


def plan_of(source: Path | Prompts, options: Options, variables: Mapping[str, str]) -> Plan:
    """The plan for a scenario; raises what is wrong with it, with the options or with the environment."""
    scenario = _scenario_of(source)
    if not KEBAB.match(scenario.id):
        raise errors.WrongOption(f"the id {scenario.id!r} is no kebab-case name", file=scenario.directory)
    fixture = options.output or options.fixtures / f"{scenario.id}.jsonl"
    recording = options.recordings / f"{scenario.id}.jsonl"
    _check_fixture(scenario, fixture, recording)
    scenario = without_foreign_model(options, scenario)
    try:
        provider, endpoint, model = _asked(options, scenario, variables)
    except errors.WrongOption as error:
        error.mend = again_of(scenario, recording) or error.mend
        raise
    secrets = secrets_of(variables)
    for secret in secrets_in(scenario, variables, system=str(source.system) if isinstance(source, Prompts) else ""):
        raise secret
    _check_build(scenario)
    title = (source.title if isinstance(source, Prompts) else None) or scenario.title
    prompt_files = _prompt_files(source, ModelNote(title, provider, endpoint.api, model))
    check_files(prompt_files, variables)
    return Plan(
        scenario=scenario,
        title=title,
        world=world_of(scenario),
        provider=provider,
        endpoint=endpoint,
        model=model,
        params=params_of(options, scenario, endpoint.api),
        max_steps=options.max_steps or scenario.config.agent.max_steps,
        recording=recording,
        fixture=fixture,
        assertions_line=_assertions_line(fixture),
        files=prompt_files,
        secrets=secrets,
        earlier=_earlier(recording, provider) if options.from_divergence else None,
        before=_before(fixture),
    )


def _asked(options: Options, scenario: Scenario, variables: Mapping[str, str]) -> tuple[str, Endpoint, str]:
    """Provider, address and model."""
    provider, endpoint = endpoint_of(options, scenario, variables)
    model = options.model or scenario.config.model.name
    if not model:
        sentence = "no model is named: --model NAME, or name in [model] of scenario.toml"
        raise wrong_option(sentence, f"add --model NAME, or write name = … into {scenario.path('scenario.toml')}")
    return provider, endpoint, model


def again_of(scenario: Scenario, recording: Path) -> str | None:
    """The command that asks whom the recording at hand asked; None where there is none that a scenario's run made."""
    if scenario.config.model.name and scenario.config.model.provider:
        return None
    try:
        [header] = [one.header for one in files.load_journal(recording).recordings]
    except (errors.HarnessError, ValueError):
        return None
    if header.origin != "scenario":
        return None
    where = f"--base-url http://{header.host}" if header.provider == "local" else f"--provider {header.provider}"
    command = f"fc-record {shlex.quote(scenario.directory)} {where} --model {shlex.quote(header.model)}"
    return f"{command} (who was asked the last time)"


def _check_fixture(scenario: Scenario, fixture: Path, recording: Path) -> None:
    """Raises `WrongOption` where the fixture would not be found again, or would take the recording's own place."""
    if fixture.name != f"{scenario.id}.jsonl":
        raise _other_name(scenario, fixture)
    if fixture.resolve() == recording.resolve():
        sentence = "the fixture would be written over the recording that it is made of"
        error = errors.WrongOption(sentence, file=str(fixture))
        error.mend = "leave --output out, or let --fixtures and --recordings be two directories"
        raise error


def _other_name(scenario: Scenario, fixture: Path) -> errors.WrongOption:
    sentence = "a fixture's file has the name of its scenario, by which it is replayed"
    error = errors.WrongOption(sentence, expected=f"{scenario.id}.jsonl", found=fixture.name)
    other = Path(scenario.directory).with_name(fixture.stem)
    if fixture.suffix == ".jsonl" and KEBAB.match(fixture.stem):
        error.mend = f"for a second recording of it, copy the scenario: cp -r {scenario.directory} {other}"
    return error


def _scenario_of(source: Path | Prompts) -> Scenario:
    if isinstance(source, Prompts):
        users = [source.user, *files.user_files(source.directory)[1:]]
        return files.scenario_in(source.directory, prompt=source.system, users=users)
    directory = source if source.name not in {"", ".."} else source.resolve()
    if (directory / "suite.toml").exists():
        raise errors.WrongOption("this is a suite; a scenario holds system.txt and user.txt", file=str(directory))
    if not directory.is_dir():
        parent = directory.parent
        names = [one.name for one in parent.iterdir() if one.is_dir()] if parent.is_dir() else []
        near = nearest_of(directory.name, names)
        raise errors.PathNotFound(file=str(directory), nearest=str(parent / near) if near else None)
    return files.load_scenario(directory)


def _check_build(scenario: Scenario) -> None:
    built = built_prompt(scenario)
    if built is not None and built != scenario.system:
        expected, found = excerpts_of(scenario.system, built)
        raise errors.PromptNotBuilt(scenario.id, file=scenario.path("system.txt"), expected=expected, found=found)


def world_of(scenario: Scenario) -> World | None:
    """The world behind the tools, after a start that shows whether it can start."""
    for tool in scenario.tools:
        check_schema(tool.parameters, tool=tool.name)
    world = load_world(scenario)
    if world is None:
        if scenario.tools:
            sentence = "tools.json offers tools, but neither world.py nor stubs.json says what they answer"
            raise errors.BadScenario(sentence, file=scenario.directory)
        return None
    Sandbox(scenario.tools, world, scenario.tables or {}, directory=scenario.directory)
    return world


def _assertions_line(path: Path) -> bytes:
    """The last line of the fixture that is there, byte for byte: a person wrote it."""
    if not path.exists():
        return EMPTY_ASSERTIONS
    raw = files.read_bytes(path)
    try:
        return fixture_of(raw, file=str(path)).assertions_line
    except errors.InputError:
        line = lines_of(raw)[-1] if raw.strip() else EMPTY_ASSERTIONS
        if not _is_assertions(line):
            raise
        return line


def _before(path: Path) -> Transcript | None:
    """What the fixture that is there says; None where nothing is, or nothing that can be read."""
    try:
        return files.load_fixture(path).transcript if path.exists() else None
    except errors.InputError:
        return None


def _earlier(path: Path, provider: str) -> Recording | None:
    """The recording that is there, if it is of this provider; raises an `InputError` where it cannot be read."""
    recordings = files.load_journal(path).recordings if path.exists() else []
    return recordings[0] if recordings and recordings[0].header.provider == provider else None


def _is_assertions(line: bytes) -> bool:
    """Whether a line can end a fixture, whatever is wrong with the lines before it."""
    meta = Meta(fixture_id="x", scenario="", recorded_at="", system_prompt_hash=digest_of(b""))
    fixture = Fixture(meta, Transcript([UserTurn([Text("x")])]), [], line)
    try:
        fixture_of(lines_of_fixture(fixture), file="x.jsonl")
    except errors.InputError:
        return False
    return True


def _prompt_files(source: Path | Prompts, note: ModelNote) -> dict[Path, bytes]:
    """The scenario's own files where the prompts came from elsewhere; a scenario.toml that is there stays."""
    if not isinstance(source, Prompts):
        return {}
    copies = {source.directory / "system.txt": source.system, source.directory / "user.txt": source.user}
    written = {path: files.read_bytes(origin) for path, origin in copies.items()}
    for path, content in written.items():
        if files.is_there(path) and files.read_bytes(path) != content:
            raise _other_scenario(path, source.directory, copies[path])
    written |= {source.directory / ".gitattributes": ATTRIBUTES, source.directory / "scenario.toml": toml_of(note)}
    return {path: content for path, content in written.items() if not files.is_there(path)}


def _other_scenario(path: Path, directory: Path, origin: Path) -> errors.WrongOption:
    sentence = f"this scenario is there already and says something else than {origin}: nothing was written over it"
    error = errors.WrongOption(sentence, file=str(path))
    error.mend = (
        f"fc-record {directory} records it as it is; another --fixture-id makes another; to change it: "
        f"cp {shlex.quote(str(origin))} {shlex.quote(str(path))}"
    )
    return error
