"""What changed in behaviour: found, set beside its like, and told in few lines."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.behaviour import CallChange, Place, RowChange, TextChange, behaviour_of
from harness.report.behaviour_text import SAME, lines_of, summary_of
from harness.transcript import (
    AssistantTurn,
    Change,
    Effects,
    Outcome,
    Text,
    ToolCall,
    ToolResultTurn,
    Transcript,
    UserTurn,
)


def talk(*turns, said="Done.", ask="Do it.", **end):
    """Make a conversation: each turn is a list of (name, arguments) or (name, arguments, result)."""
    made = [UserTurn([Text(ask)])]
    count = 0
    for calls in turns:
        named = [(f"call_{count + at}", *call) for at, call in enumerate(calls, 1)]
        count += len(calls)
        made.append(AssistantTurn([ToolCall(id_, name, arguments) for id_, name, arguments, *_ in named]))
        made += [
            ToolResultTurn(id_, [Text(rest[0] if rest else "ok")], rest[1:] == [True]) for id_, _, _, *rest in named
        ]
    return Transcript([*made, AssistantTurn([Text(said)])], **end)


def calls(before, after):
    return behaviour_of(talk(before), talk(after)).calls


GET, PAY = ("get", {"id": 1}), ("pay", {"id": 1, "sum": 5})


def test_a_conversation_behaves_like_itself():
    one = talk([GET], [PAY])

    behaviour = behaviour_of(one, one)

    assert (behaviour.changed, summary_of(behaviour), lines_of(behaviour)) == (False, SAME, [])


def test_token_counts_and_reasons_to_stop_are_no_behaviour():
    one = talk([GET])
    turns = [
        msgspec.structs.replace(turn, stop_reason="stop") if isinstance(turn, AssistantTurn) else turn
        for turn in one.turns
    ]

    assert not behaviour_of(one, Transcript(turns)).changed


def test_an_argument_that_changed_is_named_with_both_values():
    assert calls([GET, PAY], [GET, ("pay", {"id": 1, "sum": "5"})]) == [
        CallChange("changed", "pay", "call_2", "call_2", arguments=[Place("sum", "5 (number)", '"5" (string)')])
    ]


def test_a_number_written_otherwise_is_the_same():
    assert calls([("pay", {"sum": 5})], [("pay", {"sum": 5.0})]) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param([GET], [GET, PAY], [CallChange("added", "pay", None, "call_2", made=PAY[1])], id="added"),
        pytest.param([GET, PAY], [PAY], [CallChange("removed", "get", "call_1", None, made=GET[1])], id="removed"),
        pytest.param([GET, PAY], [PAY, GET], [CallChange("moved", "pay", "call_2", "call_1", made=PAY[1])], id="moved"),
        pytest.param([GET, GET], [GET], [CallChange("removed", "get", "call_2", None, made=GET[1])], id="once less"),
        pytest.param(
            [GET, PAY],
            [("find", {}), PAY],
            [
                CallChange("removed", "get", "call_1", None, made=GET[1]),
                CallChange("added", "find", None, "call_1", made={}),
            ],
            id="another in its place",
        ),
    ],
)
def test_calls_are_set_beside_their_likes(before, after, expected):
    key = str
    assert sorted(calls(before, after), key=key) == sorted(expected, key=key)


def test_of_several_calls_of_a_name_the_likest_stand_beside_each_other():
    one, two, three = (("get", {"id": number, "full": True}) for number in (1, 2, 3))

    assert calls([one, two], [one, three, two]) == [CallChange("added", "get", None, "call_2", made=three[1])]


def test_a_result_that_changed_under_the_same_call_is_told():
    before, after = [("get", {}, '{"sum": 5, "left": 1}')], [("get", {}, '{"sum": 6, "left": 1}')]

    assert calls(before, after) == [CallChange("changed", "get", "call_1", "call_1", result=[Place("sum", "5", "6")])]


def test_a_call_that_fails_now_is_told():
    assert calls([("get", {}, "ok")], [("get", {}, "no such order", True)]) == [
        CallChange("changed", "get", "call_1", "call_1", result=[Place("", "a result", "error: no such order")])
    ]


def test_texts_that_stand_in_each_others_place_are_shown_by_their_words():
    behaviour = behaviour_of(talk(said="I paid 5 EUR back."), talk(said="I paid 6 EUR back."))

    assert behaviour.texts == [TextChange("assistant", "I paid «5» EUR back.", "I paid «6» EUR back.")]


def test_a_text_that_only_one_side_says_stands_alone():
    one = talk()
    more = Transcript([*one.turns, UserTurn([Text("Thanks.")]), AssistantTurn([Text("Bye.")])])

    assert behaviour_of(one, more).texts == [TextChange("user", None, "Thanks."), TextChange("assistant", None, "Bye.")]


def test_another_end_is_told_with_its_reason():
    assert behaviour_of(talk(), talk(outcome=Outcome.MAX_STEPS, error="8 requests")).end == [
        Place("", "completed", "max_steps (8 requests)")
    ]


def changed_rows(before, after, *, initial=("sha256:a", "sha256:a")):
    effects = [
        Effects(start, [Change("call_1", *row) for row in rows])
        for start, rows in zip(initial, (before, after), strict=True)
    ]
    return behaviour_of(talk(effects=effects[0]), talk(effects=effects[1])).rows


OPEN, SENT, LOST = ({"state": state} for state in ("open", "sent", "lost"))


@pytest.mark.parametrize(
    ("before", "after", "places"),
    [
        pytest.param(
            [("o", 1, OPEN, SENT)], [("o", 1, OPEN, LOST)], [Place("state", '"sent"', '"lost"')], id="other state"
        ),
        pytest.param([("o", 1, OPEN, SENT)], [], [Place("state", '"sent"', '"open"')], id="left alone"),
        pytest.param([], [("o", 1, None, OPEN)], [Place("", "nothing", '{"state":"open"}')], id="made"),
        pytest.param([("o", 1, OPEN, None)], [], [Place("", "nothing", '{"state":"open"}')], id="no longer removed"),
        pytest.param(
            [("o", 1, OPEN, LOST), ("o", 1, LOST, SENT)], [("o", 1, OPEN, SENT)], None, id="another way there"
        ),
        pytest.param([("o", 1, OPEN, SENT), ("o", 1, SENT, OPEN)], [], None, id="there and back"),
    ],
)
def test_rows_are_compared_as_they_are_left(before, after, places):
    assert changed_rows(before, after) == ([RowChange("o", 1, places)] if places else [])


def test_worlds_that_began_otherwise_are_compared_where_both_went():
    rows = changed_rows(
        [("o", 1, OPEN, SENT), ("o", 2, OPEN, SENT)], [("o", 2, OPEN, LOST)], initial=("sha256:a", "sha256:b")
    )

    assert [(row.table, row.key, len(row.places)) for row in rows] == [("", None, 1), ("o", 2, 1)]


def test_lines_tell_what_changed():
    before = talk([GET, PAY], said="Paid.")
    after = talk([("find", {"q": "x"}), ("pay", {"id": 1, "sum": 6})], said="Not paid.", outcome=Outcome.TRUNCATED)

    behaviour = behaviour_of(before, after)

    assert summary_of(behaviour) == "1 call changed, 1 added, 1 removed; 1 text; the end"
    assert lines_of(behaviour) == [
        '  + find (call_1) added {"q":"x"}',
        '  - get (call_1) removed {"id":1}',
        "  ~ pay (call_2) changed",
        "      sum: 5 -> 6",
        "  ~ assistant says otherwise",
        "      before: «Paid».",
        "      after:  «Not paid».",
        "  the end: completed -> truncated",
    ]


def test_many_changes_are_cut_unless_all_are_wanted():
    after = talk([("get", {"id": number}) for number in range(60)])

    behaviour = behaviour_of(talk(), after)

    assert len(lines_of(behaviour, whole=True)) == 60
    assert (len(lines_of(behaviour)), lines_of(behaviour)[-1]) == (41, "  … 20 more lines")


def test_what_a_terminal_would_obey_is_shown_as_an_escape():
    behaviour = behaviour_of(talk(), talk([("get\x1b[2J", {"a\x07": "\x1b]0;x"})], said="Done\x1b[31m."))

    assert not any("\x1b" in line or "\x07" in line for line in [summary_of(behaviour), *lines_of(behaviour)])


names = st.sampled_from(["get", "pay"])
arguments = st.dictionaries(st.sampled_from("ab"), st.integers(0, 2), max_size=2)
made = st.lists(st.tuples(names, arguments), max_size=7)


@given(made, made)
def test_calls_are_the_same_exactly_where_nothing_is_told(before, after):
    changed = calls(before, after)

    assert (changed == []) == (before == after)


@given(made, made)
def test_every_call_is_accounted_for(before, after):
    changed = calls(before, after)

    gone = sum(change.kind == "removed" for change in changed)
    new = sum(change.kind == "added" for change in changed)
    assert len(before) - gone == len(after) - new
