"""One transcript with its assertions: what the lines of `fixtures/<id>.jsonl` hold.

Reading and writing the lines is `fixture_lines.py`'s; what today's scenario says about a fixture is `contract.py`'s;
whether its assertions hold is the judge's.
"""

from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

import msgspec

from harness.transcript import Outcome, Transcript
from harness.value import JsonObject

FORMAT_VERSION: Final = 1

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
# Names become parts of paths: none leads out of its directory, hides, or reads as a command's option.
Name: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[^-./\\\x00-\x1f][^/\\\x00-\x1f]{0,249}\Z")]
NamePath: TypeAlias = Annotated[
    str, msgspec.Meta(pattern=r"^[^-./\\\x00-\x1f][^/\\\x00-\x1f]{0,249}(/[^-./\\\x00-\x1f][^/\\\x00-\x1f]{0,249})*\Z")
]
Digest: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^sha256:[0-9a-f]{64}$")]
# Who made it decides what it is held against: any other word would be held against nothing.
Origin: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^(scenario\Z|(test|proxy|import):.)")]


class Meta(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="type",
    tag="meta",
    rename="camel",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """What the fixture is a record of. `scenario` is a title; the directory is `scenarios/<fixture_id>/`.

    `recording` is the id of the recording it derives from, `conversation` which one there, from 1, where it was chosen
    from several; `max_steps` bounded the loop that recorded it, where that was known; `origin` is `scenario`,
    `test:<nodeid>`, `proxy:<upstream>` or `import:<format>`. Format version 0 is
    a file older than versions; `pi_agent_core_version` is an old name of `agent_version`, read and never written.
    """

    format_version: Literal[0, 1] = 0
    fixture_id: str
    scenario: str
    recorded_at: str
    provider: str | None = None
    api: str | None = None
    model: str | None = None
    params: JsonObject | None = None
    system_prompt_hash: Digest
    user_message_hash: Digest | None = None
    tool_hashes: dict[str, Digest] | None = None
    agent_version: str | None = None
    pi_agent_core_version: str | None = None
    versions: dict[str, str] | None = None
    recording: NamePath | None = None
    conversation: Annotated[int, msgspec.Meta(ge=1)] | None = None
    max_steps: Annotated[int, msgspec.Meta(ge=1)] | None = None
    origin: Origin = "scenario"


class Named(NamedTuple):
    """What a fixture is called, and where its conversation is: in which recording's file, which of several there."""

    fixture_id: str
    recording: str
    conversation: int | None = None


class ToolCalled(
    msgspec.Struct, frozen=True, tag_field="kind", tag="tool_called", forbid_unknown_fields=True, omit_defaults=True
):
    """Calls of this name are at least `min_count` and at most `max_count`; the `order`th call (from 0) has it."""

    name: str
    min_count: Count = 1
    max_count: Count | None = None
    order: Count | None = None


class NoToolCalled(msgspec.Struct, frozen=True, tag_field="kind", tag="no_tool_called", forbid_unknown_fields=True):
    """No call of this name."""

    name: str


class MessageContainsSubstring(
    msgspec.Struct, frozen=True, tag_field="kind", tag="message_contains_substring", forbid_unknown_fields=True
):
    """Some turn of this role holds the substring in its text."""

    role: Literal["user", "assistant", "toolResult"]
    substring: str


class ToolCallArgMatches(
    msgspec.Struct, frozen=True, tag_field="kind", tag="tool_call_arg_matches", forbid_unknown_fields=True
):
    """Some call of this name has a string at `arg_path` (dots; digits index lists) that the pattern finds."""

    name: str
    arg_path: str
    matches_regex: str


class TraceMaxTurns(msgspec.Struct, frozen=True, tag_field="kind", tag="trace_max_turns", forbid_unknown_fields=True):
    """The conversation has at most `max` turns, of any role."""

    max: Count


class OutcomeIs(
    msgspec.Struct, frozen=True, tag_field="kind", tag="outcome", rename={"is_": "is"}, forbid_unknown_fields=True
):
    """The conversation ended this way; declaring it lets a run that ended badly be judged."""

    is_: Outcome


Assertion: TypeAlias = (
    ToolCalled | NoToolCalled | MessageContainsSubstring | ToolCallArgMatches | TraceMaxTurns | OutcomeIs
)


class Fixture(msgspec.Struct, frozen=True):
    """A fixture as a value; `assertions_line` keeps the bytes a person wrote, so that recording again does too."""

    meta: Meta
    transcript: Transcript
    assertions: list[Assertion]
    assertions_line: bytes
