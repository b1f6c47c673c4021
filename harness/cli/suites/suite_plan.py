"""What a suite's run will be, with everything checked that can be checked before the first request."""

import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import NamedTuple
from urllib.parse import urlsplit

from harness import errors, files
from harness.cli.environment import secrets_of
from harness.cli.recording.endpoints import Options, endpoint_of, params_of, without_foreign_model, wrong_option
from harness.cli.recording.prompt_secrets import secrets_in_suite
from harness.cli.recording.record_plan import world_of
from harness.cli.suites.resumed import as_asked, resumed_head, run_named
from harness.cli.suites.run_files import is_run, is_taken, load_run
from harness.fixture_lines import KEBAB
from harness.nearest import nearest_of
from harness.raw_run import Asked, Bounds, Head, Selection
from harness.scenario import Scenario
from harness.schema import check_schema
from harness.suite import Suite
from harness.suite_problems import problems_of
from harness.value import JsonObject
from harness.wire.clients import Endpoint
from harness.wire.redact import POLICY, Redactor

_NO_KEBAB = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 80


class SuiteOptions(NamedTuple):
    """What the command line says of a run; None where it says nothing."""

    cases: tuple[str, ...] = ()
    trials: int | None = None
    concurrency: int = 1
    resume: str | None = None
    retry_errors: bool = False
    run_id: str | None = None


class SuitePlan(NamedTuple):
    """One run to be made, or to be gone on with where its directory is there.

    `params` are sent as they are; those in the head are without secrets. `secrets` are those known by value. With
    `retry_errors` the trials are asked again that are there without an answer.
    """

    suite: Suite
    head: Head
    directory: Path
    endpoint: Endpoint
    model: str
    params: JsonObject
    concurrency: int
    secrets: list[str]
    retry_errors: bool = False

    def redactor(self) -> Redactor:
        """A memory of secrets of its own."""
        return Redactor([*self.secrets, self.endpoint.key])


def suite_plan_of(
    directory: Path, options: Options, asked: SuiteOptions, variables: Mapping[str, str], *, time: str
) -> tuple[SuitePlan | None, list[errors.HarnessError]]:
    """The plan for a run of a suite, or all that is wrong with the suite, the options and the environment."""
    suite = files.load_suite(directory)
    found: list[errors.HarnessError] = [*_broken_suite(suite, variables), *_unknown_cases(suite, asked)]
    try:
        plan = _plan_of(suite, options, asked, variables, time)
    except errors.HarnessError as error:
        found.append(error)
        plan = None
    return (None if found else plan), found


def _broken_suite(suite: Suite, variables: Mapping[str, str]) -> Iterator[errors.HarnessError]:
    broken = list(_broken_schemas(suite))
    yield from broken or problems_of(suite)
    scenario = suite.scenario_of(suite.cases[0])
    yield from secrets_in_suite(suite, variables)
    try:
        world_of(scenario)
    except errors.BadSchema:
        pass  # told above, all at once
    except errors.HarnessError as error:
        yield error


def _broken_schemas(suite: Suite) -> Iterator[errors.BadSchema]:
    for tool in suite.tools:
        try:
            check_schema(tool.parameters, tool=tool.name)
        except errors.BadSchema as error:
            yield error


def _unknown_cases(suite: Suite, asked: SuiteOptions) -> Iterator[errors.UnknownName]:
    for case in dict.fromkeys(asked.cases):
        if case not in suite.lines:
            near = nearest_of(case, suite.lines)
            yield errors.UnknownName(f"case {case}", file=suite.cases_file, nearest=near)


def _plan_of(suite: Suite, options: Options, asked: SuiteOptions, variables: Mapping[str, str], time: str) -> SuitePlan:
    there = run_named(asked.resume, options.recordings) if asked.resume else None
    known = load_run(there) if there else None
    scenario = suite.scenario_of(suite.cases[0])
    if known:
        options, scenario = as_asked(options, scenario, known, variables)
    scenario = without_foreign_model(options, scenario)
    provider, endpoint = endpoint_of(options, scenario, variables)
    model = options.model or scenario.config.model.name
    if not model:
        sentence = "no model is named: --model NAME, or name in [model] of suite.toml"
        raise wrong_option(sentence, f"add --model NAME, or write name = … into {suite.directory}/suite.toml")
    params = params_of(options, scenario, endpoint.api)
    secrets = secrets_of(variables)
    redactor = Redactor([*secrets, endpoint.key])
    run_id = known.id if known else asked.run_id or default_id(suite.id, redactor.text(model), time)
    sdk = "anthropic" if endpoint.api == "messages" else "openai"
    head = Head(
        id=run_id,
        suite=suite.id,
        selection=_selection_of(suite, asked, known.selection if known else None),
        model=model,
        asked=Asked(provider, endpoint.api, urlsplit(endpoint.base_url).netloc.rpartition("@")[2], params),
        agent=_bounds(options, scenario, endpoint),
        inputs=suite.hashes._asdict(),
        versions={"fc-harness": files.installed_version(), "python": python_version(), sdk: version(sdk)},
        redaction=POLICY,
        started_at=time,
    )
    head = _clean(head, redactor)
    if known:
        head = resumed_head(known, head)
    directory = there or _new_directory(run_id, options.recordings)
    return SuitePlan(suite, head, directory, endpoint, model, params, asked.concurrency, secrets, asked.retry_errors)


def default_id(suite: str, model: str, time: str) -> str:
    """The suite, the model and the second in which the run began, as one kebab-case name."""
    name = _kebab_of(f"{suite}-{model}")[:_LONGEST_NAME].strip("-")
    return f"{name}-{time[:10].replace('-', '')}-{time[11:19].replace(':', '')}"


def _kebab_of(text: str) -> str:
    return _NO_KEBAB.sub("-", text.lower()).strip("-")


def _selection_of(suite: Suite, asked: SuiteOptions, known: Selection | None) -> Selection:
    """What is asked for, each case once and in the suite's order; of a run that goes on, what it asked for."""
    chosen = [case.id for case in suite.cases if not asked.cases or case.id in asked.cases]
    cases = known.cases if known and not asked.cases else chosen
    return Selection(cases, asked.trials or (known.trials if known else 1))


def _clean(head: Head, redactor: Redactor) -> Head:
    """The head without secrets; raises `SecretInName` where a directory or a file would have one in its name."""
    clean = redactor.struct(head)
    if (clean.id, clean.suite, clean.selection) != (head.id, head.suite, head.selection):
        raise errors.SecretInName(", ".join(redactor.kinds_in(f"{head.id} {head.suite} {head.selection}")))
    return clean


def _bounds(options: Options, scenario: Scenario, endpoint: Endpoint) -> Bounds:
    max_steps = options.max_steps or scenario.config.agent.max_steps
    return Bounds(max_steps, endpoint.timeout_s, endpoint.retries)


def _new_directory(run_id: str, recordings: Path) -> Path:
    directory = recordings / run_id
    if not KEBAB.match(run_id):
        near = _kebab_of(run_id) or None
        raise errors.WrongOption("--run-id is a kebab-case name (retail-nightly-3)", found=run_id, nearest=near)
    if is_run(directory):
        sentence = f"the run is there already: --resume {run_id} goes on with it, another --run-id begins another"
        raise errors.WrongOption(sentence, file=str(directory))
    if is_taken(directory):
        raise errors.WrongOption("something else than a run is there: choose another --run-id", file=str(directory))
    return directory
