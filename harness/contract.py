"""What today's scenario says about a fixture: whether its prompt, its user's words and its tools are still those.

Pure: the scenario, and what its prompt builder gives, are handed in. A fixture older than a hash is checked only
where it has one.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from harness import errors
from harness.excerpt import counted, excerpts_of, shortened, visible_of
from harness.fixture import Fixture, Meta
from harness.scenario import Scenario, Tool
from harness.schema import refusals_of
from harness.tape import TapedCall, call_said, tape_of
from harness.transcript import Outcome, UserTurn, text_of
from harness.value import Json, JsonObject, canonical, digest_of, encode
from harness.wire.secret_fields import matches

_CALL_LENGTH = 160
_REASONS = 3
_NONE = "nothing"


class Today(NamedTuple):
    """What stands beside a fixture now; `built` and `recorded_prompt` are None where nothing builds or keeps one."""

    scenario: Scenario
    built: str | None = None
    recorded_prompt: str | None = None
    recorded_tools: dict[str, JsonObject] = {}  # noqa: RUF012  a tuple's default, never changed


def drift_of(fixture: Fixture, today: Today | None, *, file: str) -> list[errors.StaleError]:
    """Everything in which today's scenario is not the recorded one; `today` is None where it is not there."""
    if today is None:
        return _without_scenario(fixture, file)
    return [
        *_prompt_drift(fixture, today),
        *_build_drift(today),
        *_user_drift(fixture, today.scenario),
        *_tool_drift(fixture, today, file),
    ]


def version_warning(fixture: Fixture, *, installed: str) -> str | None:
    """A sentence where the fixture was recorded by another version than the installed one."""
    recorded = fixture.meta.agent_version or fixture.meta.pi_agent_core_version
    if recorded in {None, installed}:
        return None
    return f"recorded by agent version {recorded}, replayed by {installed}"


def asked_otherwise(fixture: Fixture, scenario: Scenario) -> list[str]:
    """A sentence for each thing that scenario.toml would now ask of a model otherwise; it makes no fixture stale."""
    meta, now = fixture.meta, scenario.config.model
    if meta.origin != "scenario":
        return []
    params, asked = meta.params or {}, now.params | now.extra_body
    # The stream has its own setting, and the Messages API demands a limit.
    unasked = {*asked, "stream", "stream_options", *(["max_tokens"] if meta.api == "messages" else [])}
    pairs: list[tuple[str, Any, Any]] = [("model", meta.model, now.name if now.name is not None else meta.model)]
    pairs += [(f"params.{name}", params.get(name), value) for name, value in asked.items()]
    pairs += [(f"params.{name}", value, None) for name, value in params.items() if name not in unasked]
    if meta.max_steps is not None:
        pairs.append(("max_steps", meta.max_steps, scenario.config.agent.max_steps))
    if "stream" in now.model_fields_set:
        pairs.append(("stream", bool(params.get("stream")), now.stream))
    return [
        f"{scenario.path('scenario.toml')} asks for {name} {_said(value)}, recorded was {_said(was)}"
        for name, was, value in pairs
        if was != value and meta.params is not None
    ]


def _said(value: Any) -> str:  # noqa: ANN401  any JSON value
    return "nothing" if value is None else shortened(value if isinstance(value, str) else encode(value).decode(), 60)


def mend_of(meta: Meta) -> str | None:
    """What records a fixture again that was not recorded from a scenario; None for one that was."""
    kind, _, source = meta.origin.partition(":")
    match kind:
        case "test":
            return f"pytest --fc-record {source}, then promote its recording again"
        case "proxy":
            return f"fc-record proxy --upstream {source} --id {meta.recording}, then promote its recording again"
        case "import":
            return f"import the run again: fc-record import {source} FILE"
        case _:
            return None


def _without_scenario(fixture: Fixture, file: str) -> list[errors.StaleError]:
    meta = fixture.meta
    return [errors.ScenarioMissing(meta.fixture_id, file=file, line=1)] if meta.origin == "scenario" else []


def _prompt_drift(fixture: Fixture, today: Today) -> Iterator[errors.StaleError]:
    scenario, recorded = today.scenario, fixture.meta.system_prompt_hash
    digest = digest_of(scenario.system.encode())
    if digest == recorded:
        return
    expected, found = recorded, digest
    if today.recorded_prompt is not None and digest_of(today.recorded_prompt.encode()) == recorded:
        was, now = excerpts_of(today.recorded_prompt, scenario.system)
        expected, found = was, now
    yield errors.PromptChanged(scenario.id, file=scenario.path("system.txt"), expected=expected, found=found)


def _build_drift(today: Today) -> Iterator[errors.StaleError]:
    scenario = today.scenario
    if today.built is not None and today.built != scenario.system:
        expected, found = excerpts_of(scenario.system, today.built)
        yield errors.PromptNotBuilt(scenario.id, file=scenario.path("system.txt"), expected=expected, found=found)


def _user_drift(fixture: Fixture, scenario: Scenario) -> Iterator[errors.StaleError]:
    recorded = [text_of(turn) for turn in fixture.transcript.turns if isinstance(turn, UserTurn)]
    for number, (was, now) in enumerate(zip(recorded, scenario.users, strict=False), 1):
        if was != now and not matches(was, now):
            expected, found = excerpts_of(was, now)
            file = scenario.path(user_file(number))
            yield errors.UserChanged(scenario.id, file=file, expected=expected, found=found)
    # A run that ended early never came to the later files: they prove nothing.
    ended_early = fixture.transcript.outcome is not Outcome.COMPLETED and len(recorded) < len(scenario.users)
    if len(recorded) != len(scenario.users) and not ended_early:
        file = scenario.path(user_file(min(len(recorded), len(scenario.users)) + 1))
        expected, found = (counted(len(one), "user file") for one in (recorded, scenario.users))
        yield errors.UserChanged(scenario.id, file=file, expected=expected, found=found)


def user_file(number: int) -> str:
    """The name of the nth user file, from 1."""
    return "user.txt" if number == 1 else f"user.{number}.txt"


def _tool_drift(fixture: Fixture, today: Today, file: str) -> Iterator[errors.StaleError]:
    hashes, scenario = fixture.meta.tool_hashes, today.scenario
    tools = {tool.name: tool for tool in scenario.tools}
    if hashes is not None:
        yield from _tools_changed(hashes, tools, today)
    suspects = {name: tool for name, tool in tools.items() if hashes is None or hashes.get(name) != tool.digest}
    if suspects:
        yield from _arguments_refused(fixture, suspects, scenario, file)


def _tools_changed(hashes: dict[str, str], tools: dict[str, Tool], today: Today) -> Iterator[errors.StaleError]:
    parts = {
        "changed": [name for name, tool in tools.items() if name in hashes and hashes[name] != tool.digest],
        "added": [name for name in tools if name not in hashes],
        "removed": [name for name in hashes if name not in tools],
    }
    if any(parts.values()):
        found = "; ".join(f"{kind}: {visible_of(', '.join(names))}" for kind, names in parts.items() if names)
        for name in parts["changed"]:
            recorded = today.recorded_tools.get(name)
            if recorded is not None and digest_of(canonical(recorded)) == hashes[name]:
                found += f"\n    {visible_of(name)}{_change_in(recorded, tools[name].sent)}"
        yield errors.ToolChanged(today.scenario.id, file=today.scenario.path("tools.json"), found=found)


def _change_in(was: Json, now: Json) -> str:
    """The first place in which two tools differ, with the words that were there and that are."""
    path = ""
    while isinstance(was, dict) and isinstance(now, dict) and was != now:
        key = next(name for name in [*was, *now] if was.get(name, _NONE) != now.get(name, _NONE))
        path, was, now = f"{path}.{key}", was.get(key, _NONE), now.get(key, _NONE)
    texts = [one if isinstance(one, str) else encode(one).decode() for one in (was, now)]
    before, after = excerpts_of(*texts)
    return f"{visible_of(path)}: was {before}, is {after}"


def _arguments_refused(
    fixture: Fixture, suspects: dict[str, Tool], scenario: Scenario, file: str
) -> Iterator[errors.StaleError]:
    for taped in tape_of(fixture, file=file).calls:
        tool, arguments = suspects.get(taped.call.name), taped.call.arguments
        # What was refused when it was recorded is the model's mistake, not drift.
        if tool is None or arguments is None or (taped.result and taped.result.is_error):
            continue
        refusals = refusals_of(tool.parameters, arguments, tool=tool.name)
        if refusals:
            reasons = "; ".join(
                f"{one.path}: {one.message}" if one.path else one.message for one in refusals[:_REASONS]
            )
            yield _refused(taped, reasons, scenario, file)


def _refused(taped: TapedCall, reasons: str, scenario: Scenario, file: str) -> errors.ArgumentsRefused:
    found = visible_of(f"{shortened(call_said(taped.call), _CALL_LENGTH)}: {shortened(reasons, _CALL_LENGTH)}")
    return errors.ArgumentsRefused(scenario.id, file=file, line=taped.line, found=found)
