"""The fixture of a recorded conversation: what was said, with hashes of what it was asked with."""

import msgspec

from harness.derivation import LEFT_OPEN, chain_of, main_conversation_of, transcript_of
from harness.fixture import FORMAT_VERSION, Fixture, Meta, Named
from harness.fixture_lines import EMPTY_ASSERTIONS, fixture_of, lines_of_fixture
from harness.providers.fields import object_at, objects_of, text_at, text_of_parts
from harness.recording import Context, Exchange, Recording
from harness.transcript import AssistantTurn, Outcome, Transcript, UserTurn, results_after, text_of
from harness.value import JsonObject, canonical, digest_of


def system_text_of(recording: Recording, leaf: Exchange | None = None) -> str:
    """The system prompt that the conversation was opened with; several parts are joined by a blank line."""
    context = _opening_context(recording, leaf or main_conversation_of(recording))
    parts = [part.get("content") if isinstance(part, dict) and "content" in part else part for part in context.system]
    return "\n\n".join(map(text_of_parts, parts))


def tools_sent_in(recording: Recording) -> dict[str, JsonObject]:
    """What the main conversation was opened with of each tool that has a schema: name, description, parameters."""
    tools = objects_of(_opening_context(recording, main_conversation_of(recording)).tools)
    return dict(map(_sent_of_tool, tools))


def tool_hashes_of(recording: Recording, leaf: Exchange | None = None) -> dict[str, str]:
    """The hash of each tool that the conversation was opened with, by name, over what every API says of a tool."""
    context = _opening_context(recording, leaf or main_conversation_of(recording))
    return dict(map(_hash_of_tool, objects_of(context.tools)))


def _hash_of_tool(tool: JsonObject) -> tuple[str, str]:
    function = object_at(tool, "function") or tool
    schema = object_at(function, "parameters") or object_at(function, "input_schema")
    name = text_at(function, "name") or text_at(function, "type")
    if not schema and "type" in tool and "function" not in tool:
        return name, digest_of(canonical(tool))  # a tool that the provider runs: it has no schema
    return name, digest_of(canonical(_sent_of_tool(tool)[1]))


def _sent_of_tool(tool: JsonObject) -> tuple[str, JsonObject]:
    function = object_at(tool, "function") or tool
    schema = object_at(function, "parameters") or object_at(function, "input_schema")
    name = text_at(function, "name") or text_at(function, "type")
    return name, {"name": name, "description": text_at(function, "description"), "parameters": schema}


def _opening_context(recording: Recording, leaf: Exchange) -> Context:
    return recording.contexts[chain_of(recording, leaf)[0].context]


def _as_left(transcript: Transcript) -> Transcript:
    """A program may end well and leave calls of its last answer open: no fixture of that is complete."""
    last = max((at for at, turn in enumerate(transcript.turns) if isinstance(turn, AssistantTurn)), default=None)
    if last is None or transcript.outcome is not Outcome.COMPLETED:
        return transcript
    turn, results = transcript.turns[last], list(results_after(transcript.turns, last))
    if not isinstance(turn, AssistantTurn) or len(turn.calls) <= len(results):
        return transcript
    return msgspec.structs.replace(transcript, outcome=Outcome.INCOMPLETE, error=LEFT_OPEN)


def fixture_of_recording(
    recording: Recording,
    *,
    title: str,
    assertions_line: bytes = EMPTY_ASSERTIONS,
    leaf: Exchange | None = None,
    named: Named | None = None,
) -> Fixture:
    """The fixture of a recording's conversation, called like the recording unless it is `named`.

    It is read back from its own bytes; raises an `InputError` where its turns or assertions break the form.
    """
    leaf = leaf or main_conversation_of(recording)
    header, context = recording.header, _opening_context(recording, leaf)
    named = named or Named(header.id, header.id)
    transcript = _as_left(transcript_of(recording, leaf))
    users = [text_of(turn) for turn in transcript.turns if isinstance(turn, UserTurn)]
    meta = Meta(
        format_version=FORMAT_VERSION,
        fixture_id=named.fixture_id,
        scenario=title,
        recorded_at=header.recorded_at,
        provider=header.provider,
        api=context.api,
        model=header.model,
        params=context.params,
        system_prompt_hash=digest_of(system_text_of(recording, leaf).encode()),
        user_message_hash=digest_of(users[0].encode()) if users else None,
        tool_hashes=tool_hashes_of(recording, leaf),
        agent_version=header.agent_version,
        versions=header.versions,
        recording=named.recording,
        conversation=named.conversation,
        max_steps=header.max_steps,
        origin=header.origin,
    )
    return fixture_of(
        lines_of_fixture(Fixture(meta, transcript, [], assertions_line)), file=f"{named.fixture_id}.jsonl"
    )
