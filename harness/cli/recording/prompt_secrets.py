"""Secrets in what would be sent and committed: prompts, tools, the instructions of a suite's cases."""

from collections.abc import Iterator, Mapping

from harness import errors
from harness.cli.environment import secrets_of
from harness.scenario import Scenario
from harness.suite import Suite
from harness.value import encode
from harness.wire.redact import Redactor


def secrets_in(
    scenario: Scenario, variables: Mapping[str, str], *, system: str = ""
) -> Iterator[errors.SecretInPrompt]:
    """What is hashed and committed must hold no secret: scrubbed, it would no longer be what was sent.

    `system` is the prompt's file where it is not the scenario's own.
    """
    redactor = Redactor(secrets_of(variables))
    if redactor.text(scenario.system) != scenario.system:
        file = system or scenario.path("system.txt")
        yield errors.SecretInPrompt(_kinds_in(scenario.system, variables), file=file)
    for tool in scenario.tools:
        if redactor.value(tool.sent) != tool.sent:
            found = _kinds_in(encode(tool.sent).decode(), variables)
            yield errors.SecretInPrompt(found, file=scenario.path("tools.json"))


def secrets_in_suite(suite: Suite, variables: Mapping[str, str]) -> Iterator[errors.SecretInPrompt]:
    """As `secrets_in`, of what all cases share and of each case's own instruction."""
    yield from secrets_in(suite.scenario_of(suite.cases[0]), variables)
    redactor = Redactor(secrets_of(variables))
    for case in suite.cases:
        if redactor.text(case.instruction) != case.instruction:
            found = _kinds_in(case.instruction, variables)
            yield errors.SecretInPrompt(found, file=suite.cases_file, line=suite.lines[case.id])


def _kinds_in(text: str, variables: Mapping[str, str]) -> str:
    """What kinds of secrets a text holds, or which variable's value, but not the secret."""
    named = [
        f"the value of {name}"
        for name, value in sorted(variables.items())
        if Redactor(secrets_of({name: value})).holds_value(text)
    ]
    return ", ".join(named or Redactor().kinds_in(text)) or "a secret field"
