"""Fixtures, ours and those of the reference format: what was said, as a recording that can be shown and served."""

from harness import errors
from harness.exporters.turns import chat_messages_of
from harness.fixture_lines import fixture_of
from harness.importers.found import Found, Source, Told
from harness.providers.fields import text_at
from harness.transcript import NO_LEDGER, AssistantTurn, ToolResultTurn


class Fixtures:
    """The format `fixture`."""

    name = "fixture"

    def recognises(self, source: Source) -> bool:
        """Whether the first line is a fixture's meta line."""
        return text_at(source.first, "type") == "meta" and bool(text_at(source.first, "fixtureId"))

    def read(self, source: Source) -> Found:
        """The one conversation of the fixture."""
        id_ = text_at(source.first, "fixtureId")
        try:
            fixture = fixture_of(source.raw, file=f"{id_}.jsonl")
        except errors.InputError as error:
            raise errors.BadImport(f"no fixture: {error}", file=source.name) from None
        transcript = fixture.transcript
        told = Told(
            "",
            chat_messages_of(transcript.turns),
            model=fixture.meta.model or "",
            params={**(fixture.meta.params or {})},
            outcome=transcript.outcome,
            error=transcript.error,
            at=fixture.meta.recorded_at,
        )
        told.failed = {
            at for at, one in enumerate(transcript.turns) if isinstance(one, ToolResultTurn) and one.is_error
        }
        for at, turn in enumerate(transcript.turns):
            if isinstance(turn, AssistantTurn) and turn.token_ledger != NO_LEDGER:
                ledger = turn.token_ledger
                told.answers[at] = {
                    "usage": {
                        "prompt_tokens": _sum(ledger.input, ledger.cache_read, ledger.cache_creation),
                        "completion_tokens": ledger.output,
                        "prompt_tokens_details": {
                            "cached_tokens": ledger.cache_read,
                            "cache_write_tokens": ledger.cache_creation,
                        },
                    }
                }
        found = Found(told=[told])
        found.notes["the system prompt and the tools of a fixture stand in its scenario"] += 1
        found.left_out["an assertion"] += len(fixture.assertions)
        changes = transcript.effects.changes if transcript.effects else []
        found.left_out["what a call changed in the world"] += len(changes)
        return found


def _sum(*counts: int | None) -> int | None:
    known = [one for one in counts if one is not None]
    return sum(known) if known else None


IMPORTER = Fixtures()
