"""Conversations of very many steps or calls: each call with its own result, nothing tried once for each other one."""

from harness.fixture import Fixture, Meta, ToolCalled, TraceMaxTurns
from harness.fixture_lines import EMPTY_ASSERTIONS, fixture_of, lines_of_fixture
from harness.judge.lint_assertions import blind_spots, expectations_of
from harness.playback import replay
from harness.tape import tape_of
from harness.trace import trace_of
from harness.transcript import AssistantTurn, Text, ToolCall, ToolResultTurn, Transcript, UserTurn
from harness.value import digest_of

MANY = 1_000
META = Meta(fixture_id="many", scenario="Many", recorded_at="2026-01-01T00:00:00Z", system_prompt_hash=digest_of(b"x"))


def call(number):
    return ToolCall(f"call_{number}", "look", {"n": number})


def result(number):
    return ToolResultTurn(f"call_{number}", [Text(f"saw {number}")])


def fixture(*turns):
    done = [UserTurn([Text("Look.")]), *turns, AssistantTurn([Text("Done.")])]
    return fixture_of(lines_of_fixture(Fixture(META, Transcript(done), [], EMPTY_ASSERTIONS)), file="many.jsonl")


def test_calls_of_one_turn_find_their_results_in_any_order():
    wide = fixture(AssistantTurn([call(n) for n in range(MANY)]), *map(result, reversed(range(MANY))))

    tape = tape_of(wide, file="many.jsonl")

    assert [(one.call.id, one.result.tool_use_id) for one in tape.calls] == [(f"call_{n}",) * 2 for n in range(MANY)]
    assert [one.result for one in trace_of(wide.transcript).calls] == [f"saw {n}" for n in range(MANY)]


def test_a_conversation_of_many_steps_is_played_to_its_end():
    steps = [turn for n in range(MANY) for turn in (AssistantTurn([call(n)]), result(n))]

    played = replay(fixture(*steps), file="many.jsonl")

    assert played.errors == []
    assert len(played.transcript.turns) == 2 * MANY + 2


def test_of_very_many_calls_the_first_are_left_out_one_by_one_and_that_is_said():
    trace = trace_of(
        Transcript([UserTurn([Text("x")]), AssistantTurn([call(n) for n in range(200)]), *map(result, range(200))])
    )

    [blind] = blind_spots(trace, expectations_of([TraceMaxTurns(999)], None), {})

    assert blind.message.endswith("without call_3 (look) and 96 more (each of the first 100 calls was tried)")
    assert blind_spots(trace, expectations_of([ToolCalled("look", min_count=200)], None), {}) == []
