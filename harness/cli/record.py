"""fc-record: a live agent run captured once, as a recording and as a fixture that replays offline."""

import sys
from typing import TYPE_CHECKING, Any

import click

from harness.cli.common import Door, print_json, say
from harness.cli.options import FILE, LONGEST_S, Finite, Known
from harness.cli.recording.export import export_files
from harness.cli.recording.import_ import import_files
from harness.cli.recording.promote import promote
from harness.cli.recording.proxy import proxy
from harness.errors import HarnessError, InterruptedRun, WrongOption, exit_code_of
from harness.excerpt import visible_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harness.cli.recording.record_plan import Plan, Prompts
    from harness.cli.recording.record_talk import Done

EXAMPLES = """\
Examples:
  fc-record new refund-damaged              scaffold scenarios/refund-damaged/
  fc-record scenarios/refund-damaged        record it as its scenario.toml says
  fc-record scenarios/re* --base-url http://127.0.0.1:8080 --stream
                                            record several against a local server; no key is needed
  fc-record scenarios/refund-damaged --provider anthropic --model claude-sonnet-5-5 --param max_tokens=512
  fc-record scenarios/retail --provider openrouter --model qwen/qwen3.6-27b --trials 3
                                            record a suite: recordings/RUN-ID/, a file a case and trial
  fc-record --resume RUN-ID --retry-errors  go on with a run, asked as it was; once more what had no answer
  fc-record --stale --from-divergence       record what changed, asking live only from where it differs
  fc-record --scenario "Empty company" --fixture-id ceo-bootstrap-empty --provider anthropic \\
      --model claude-sonnet-5-5 --system-prompt-file system.txt --user-message-file user.txt \\
      --output fixtures/ceo-bootstrap-empty.jsonl

Keys: OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_API_KEY or OPENROUTER_API_KEY, from the environment or .env.
Written: recordings/ID.jsonl and fixtures/ID.jsonl, both whole or neither; a fixture keeps its assertions.
A suite: recordings/RUN-ID/ with run.json; a case without an answer is recorded as that, and the run goes on.
Exit codes: 0 recorded; 2 usage or missing key; 3 the prompt builder drifted; 4 unreadable input; 7 a live call failed;
130 interrupted. After 7 and 130 what was finished is in recordings/ID.jsonl.partial; a suite goes on with --resume.
"""

PATH = click.Path()  # as text: pathlib would cost --help 4 ms

PROVIDER = Known(["openai", "anthropic", "google", "openrouter", "local"])
API = click.Choice(["chat", "responses", "messages"])


class Record(Door):
    """The door of fc-record."""

    default = "run"


@click.group(cls=Record, epilog=EXAMPLES)
def main() -> None:
    """Record a live agent run."""


@main.command("run")
@click.argument("scenarios", nargs=-1, metavar="[SCENARIO]...", type=PATH)
@click.option("--provider", type=PROVIDER, help="One of these, or what an installed package adds.")
@click.option("--api", type=API, help="The wire protocol; by default the provider's own.")
@click.option("--model", metavar="NAME")
@click.option("--base-url", metavar="URL", help="Another address, with or without /v1.")
@click.option("--stream/--no-stream", default=None, help="Ask for a stream.")
@click.option(
    "--param", "params", multiple=True, metavar="K=V", help="A request parameter: JSON, else text. Repeatable."
)
@click.option("--extra-body", metavar="JSON", help="An object that is merged into each request's body.")
@click.option("--max-steps", type=click.IntRange(min=1), help="Model requests a conversation.")
@click.option("--timeout", type=Finite(0, LONGEST_S, min_open=True), metavar="S", help="Seconds a request.")
@click.option("--retries", type=click.IntRange(min=0), help="Retries a request.")
@click.option("--recordings", type=PATH, default="recordings", show_default=True, help="Where recordings go.")
@click.option("--fixtures", type=PATH, default="fixtures", show_default=True, help="Where fixtures go.")
@click.option("--output", type=PATH, help="The fixture's file, in place of FIXTURES/ID.jsonl.")
@click.option("--scenario", "title", metavar="TITLE", help="Without a SCENARIO directory: the scenario's title.")
@click.option("--fixture-id", metavar="ID", help="… its id, and the name of its directory.")
@click.option("--system-prompt-file", type=FILE, help="… its system prompt; copied into the directory.")
@click.option("--user-message-file", type=FILE, help="… what the user says; copied into the directory.")
@click.option("--scenarios-dir", type=PATH, default="scenarios", show_default=True, help="… where the directory is.")
@click.option("--case", "cases", multiple=True, metavar="ID", help="Of a suite: only this case. Repeatable.")
@click.option("--trials", type=click.IntRange(min=1), metavar="N", help="Of a suite: ask each case so often.  [1]")
@click.option("--concurrency", type=click.IntRange(min=1), default=1, help="Of a suite: so many cases at once.")
@click.option("--run-id", metavar="ID", help="Of a suite: the run's name, and its directory in RECORDINGS.")
@click.option("--resume", metavar="ID|DIR", help="Of a suite: go on with this run, asking only what is not finished.")
@click.option("--retry-errors", is_flag=True, help="With --resume: ask again also what ended in an error or a timeout.")
@click.option("--stale", is_flag=True, help="Only those scenarios that are stale; without a SCENARIO of all.")
@click.option(
    "--from-divergence", is_flag=True, help="Ask live only from the first request that differs from the last recording."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def run_scenarios(scenarios: tuple[str, ...], *, as_json: bool, **named: Any) -> None:  # noqa: ANN401  click's values
    """Record scenarios (one by flags, or a suite) against a live model.

    The agent loop runs with the scenario's tools until the model stops. Flags win over scenario.toml and suite.toml.
    """
    from harness.cli.recording.named import scenario_named
    from harness.cli.suites.suite_door import record_suite, suite_among

    scenarios = tuple(scenario_named(one, named["scenarios_dir"]) for one in scenarios)
    if (suite := suite_among(scenarios, named)) is not None:
        if named["stale"] or named["from_divergence"]:
            raise WrongOption("--stale and --from-divergence are for scenarios; a suite goes on with --resume")
        sys.exit(record_suite(suite, named, as_json=as_json))
    from harness.cli.environment import environment
    from harness.cli.recording.record_next import next_line
    from harness.cli.recording.record_talk import json_of, lines_of

    variables = environment()  # before any code of a scenario runs
    plans = _plans_of(scenarios, named | {"as_json": as_json}, variables)
    finished: list[Done] = []
    refused: list[HarnessError] = []
    for plan in plans:
        _record(plan, finished, refused, as_json=as_json)
        if refused and isinstance(refused[-1], InterruptedRun):
            break
        if not (as_json or refused):
            click.echo("\n".join(lines_of(finished[-1])))
            click.echo(next_line(finished[-1]), err=True)
    if as_json:
        print_json({"recordings": list(map(json_of, finished)), "errors": [error.facts() for error in refused]})
    sys.exit(exit_code_of([error.exit_code for error in refused]))


def _record(plan: "Plan", finished: "list[Done]", refused: list[HarnessError], *, as_json: bool) -> None:
    from harness.cli.recording.record_run import recorded

    try:
        finished.append(recorded(plan))
    except HarnessError as error:
        refused.append(error)
        if not as_json:
            say(error)


def _plans_of(scenarios: tuple[str, ...], named: dict[str, Any], variables: "Mapping[str, str]") -> "list[Plan]":
    """Every plan, all checked before the first request."""
    from pathlib import Path

    from harness.cli.recording.endpoints import Options
    from harness.cli.recording.record_plan import plan_of

    sources = _sources_of(scenarios, named)
    paths = {name: Path(named[name]) for name in ("recordings", "fixtures", "output") if named[name]}
    options = Options(**{name: paths.get(name, named[name]) for name in Options._fields})
    if options.output and len(sources) > 1:
        raise WrongOption("--output names one file, but there are several scenarios")
    plans = [plan_of(source, options, variables) for source in sources]
    ids = [plan.scenario.id for plan in plans]
    for one in ids:
        if ids.count(one) > 1:
            raise WrongOption(f"the id {one} is asked for twice: one recording would replace the other")
    return plans


def _sources_of(scenarios: tuple[str, ...], named: dict[str, Any]) -> "list[Path | Prompts]":
    from pathlib import Path

    from harness.cli.recording.record_plan import prompts_of

    flags = ("title", "fixture_id", "system_prompt_file", "user_message_file")
    said = [
        f"--{'scenario' if name == 'title' else name.replace('_', '-')}" for name in flags if named[name] is not None
    ]
    if said and (scenarios or named["stale"]):
        raise WrongOption(f"{said[0]} is for a recording without a SCENARIO directory; leave one of them out")
    if named["stale"]:
        return _stale_of(scenarios, named)
    if scenarios:
        return [Path(scenario) for scenario in scenarios]
    if not said:
        raise WrongOption("what is to be recorded? Name a scenario directory, or see fc-record --help")
    system, user = (named[name] and Path(named[name]) for name in flags[2:])
    return [prompts_of(named["title"], named["fixture_id"], system, user, Path(named["scenarios_dir"]))]


def _stale_of(scenarios: tuple[str, ...], named: dict[str, Any]) -> "list[Path | Prompts]":
    """The scenarios that are stale, told why."""
    from pathlib import Path

    from harness.cli.recording.stale import lines_of, stale_among
    from harness.cli.replaying.neighbours import places_of

    places = places_of(named["scenarios_dir"], named["recordings"])
    found = stale_among([Path(one) for one in scenarios], places, Path(named["fixtures"]))
    stale = any(one.reasons for one in found)
    click.echo("\n".join(lines_of(found)), err=stale or named["as_json"])
    return [one.directory for one in found if one.reasons]


@main.command()
@click.argument("scenario_id", metavar="ID")
@click.option("--scenarios-dir", type=PATH, default="scenarios", show_default=True, help="Where the directory goes.")
@click.option("--provider", type=PROVIDER, help="Who is asked; written into scenario.toml.")
@click.option("--api", type=API, help="… its wire protocol.")
@click.option("--model", metavar="NAME", help="… the model's name.")
@click.option("--base-url", metavar="URL", help="… its address.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def new(scenario_id: str, scenarios_dir: str, *, as_json: bool, **asked: str | None) -> None:
    """Scaffold a scenario: prompts, a tool, its stub, scenario.toml."""
    from pathlib import Path

    from harness.cli.recording.scaffold import Asked, scaffold

    said = Asked(**asked)
    directory = scaffold(Path(scenarios_dir), scenario_id, said)
    files = [str(path) for path in sorted(directory.iterdir())]
    flags = "" if said.is_whole else " --base-url URL --model NAME (or --provider NAME --model NAME)"
    following = f"write over the prompts, then fc-record {directory}{flags}"
    if as_json:
        print_json({"scenario": str(directory), "files": files, "next": following})
        return
    click.echo("\n".join(map(visible_of, files)))
    click.echo(visible_of(f"next: {following}"), err=True)


main.add_command(import_files)
main.add_command(proxy)
main.add_command(promote)
main.add_command(export_files)
