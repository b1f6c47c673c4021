"""Which recorded answer a request gets."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from told_runs import (
    Told,
    asked,
    calls,
    chat,
    completion,
    number_of,
    reason_of,
    result,
    said,
    told,
    user,
)

from harness.wire.matching import Matching

LAKES = {"C": "30 m", "A": "10 m", "B": "20 m"}


@pytest.mark.parametrize(
    ("sent", "facet"),
    [
        pytest.param(chat(user("hi"), system="Answer in two words."), "system", id="prompt"),
        pytest.param(chat(user("hi"), system=None), "system", id="no-prompt"),
        pytest.param(chat(user("hi"), tools=[]), "tools", id="tools"),
        pytest.param(chat(user("hi"), temperature=1), "params", id="param"),
        pytest.param(chat(user("hi"), seed=7), "params", id="param-added"),
        pytest.param(chat(user("hi"), model="m-other"), "model", id="model"),
    ],
)
def test_a_context_that_drifted_is_served_and_said(sent, facet):
    matching = Matching(told((chat(user("hi")), completion("Hello"))))

    found = matching.find(asked(sent))

    assert (number_of(found), found.differing) == (0, [facet])


def test_several_contexts_to_choose_from_are_no_guess():
    recording = told(
        (chat(user("hi"), system="A"), completion("a")),
        (chat(user("hi"), system="B"), completion("b")),
    )
    matching = Matching(recording)

    missed = matching.find(asked(chat(user("hi"), system="C")))

    assert reason_of(missed) == "ambiguous"
    assert matching.unplayed() == recording.exchanges


def test_a_used_context_is_exhausted_and_takes_no_answer_of_another():
    matching = Matching(
        told((chat(user("hi"), system="A"), completion("a")), (chat(user("hi"), system="B"), completion("b")))
    )
    matching.find(asked(chat(user("hi"), system="A")))

    missed = matching.find(asked(chat(user("hi"), system="A")))

    assert reason_of(missed) == "exhausted"


def test_equal_requests_get_their_answers_in_recorded_order():
    matching = Matching(told(*[(chat(user("poll")), completion(text)) for text in ("wait", "wait", "done")]))

    numbers = [number_of(matching.find(asked(chat(user("poll"))))) for _ in range(3)]
    missed = matching.find(asked(chat(user("poll"))))

    assert numbers == [0, 1, 2]
    assert reason_of(missed) == "exhausted"


def test_the_last_equal_answer_repeats_where_that_is_allowed():
    matching = Matching(told((chat(user("ping")), completion("pong"))))

    numbers = [number_of(matching.find(asked(chat(user("ping"))), repeats=True)) for _ in range(4)]

    assert numbers == [0, 0, 0, 0]


def test_what_was_never_asked_for_is_unplayed():
    matching = Matching(told((chat(user("hi")), completion("a")), (chat(user("ho")), completion("b"))))
    matching.find(asked(chat(user("hi"))))

    unplayed = matching.unplayed()

    assert [exchange.number for exchange in unplayed] == [1]


def test_one_call_more_than_recorded_is_exhausted():
    matching = Matching(told((chat(user("hi")), completion("Hello"))))

    missed = matching.find(asked(chat(user("hi"), said("Hello"), user("and now?"))))

    assert reason_of(missed) == "exhausted"
    assert missed.nearest.number == 0


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(chat(user("ho")), id="other-words"),
        pytest.param(chat(user("hi"), user("hi")), id="one-message-more"),
        pytest.param(chat(), id="nothing"),
        pytest.param(chat(said("hi")), id="other-role"),
    ],
)
def test_another_conversation_gets_no_answer(sent):
    matching = Matching(told((chat(user("hi")), completion("Hello"))))

    missed = matching.find(asked(sent))

    assert reason_of(missed) == "conversation"
    assert matching.unplayed()[0].number == 0


def test_a_request_that_stops_short_gets_no_answer():
    matching = Matching(told((chat(user("one"), user("two")), completion("three"))))

    missed = matching.find(asked(chat(user("one"))))

    assert (reason_of(missed), missed.step) == ("conversation", None)
    assert missed.expected.shape.value["content"] == [{"type": "text", "text": "two"}]


def test_a_plain_answer_is_not_handed_to_a_reader_of_streams():
    matching = Matching(told((chat(user("hi")), completion("Hello"))))

    missed = matching.find(asked(chat(user("hi"), stream=True)))

    assert reason_of(missed) == "form"


def test_a_broken_plain_answer_is_never_handed_out():
    run = Told()
    run.add(chat(user("hi")), b'{"id":"cc-0","cho', complete=False)
    run.add(chat(user("hi")), completion("Hello"))
    matching = Matching(run.recording())

    found = matching.find(asked(chat(user("hi"))))

    assert number_of(found) == 1
    assert matching.unplayed() == []


@pytest.mark.parametrize(
    ("retries", "numbers"),
    [
        pytest.param([0, 1, 2, 0], [0, 0, 0, 1], id="the-client-counts"),
        pytest.param([None, None, None, None], [0, 0, 0, 1], id="the-client-does-not-say"),
        pytest.param([0, 0], [0, 1], id="the-client-retries-no-more"),
    ],
)
def test_a_failure_after_several_tries_answers_each_of_them(retries, numbers):
    run = Told()
    run.add(chat(user("hi")), {"error": {"message": "slow down"}}, status=429, tries=3)
    run.add(chat(user("hi")), completion("Hello"))
    matching = Matching(run.recording())

    found = [number_of(matching.find(asked(chat(user("hi")), retries=count))) for count in retries]

    assert found == numbers


def test_sub_agents_with_one_opening_are_told_apart_by_their_context():
    recording = told(
        (chat(user("go"), system="You plan."), completion("plan")),
        (chat(user("go"), system="You write."), completion("text")),
        (chat(user("go"), said("plan"), user("next"), system="You plan."), completion("end")),
    )
    matching = Matching(recording)

    numbers = [
        number_of(matching.find(asked(chat(user("go"), system="You write.")))),
        number_of(matching.find(asked(chat(user("go"), system="You plan.")))),
        number_of(matching.find(asked(chat(user("go"), said("plan"), user("next"), system="You plan.")))),
    ]

    assert numbers == [1, 0, 2]


def test_concurrent_requests_get_each_their_own_answer():
    recording = told(*[(chat(user(f"depth of lake {lake}")), completion(depth)) for lake, depth in LAKES.items()])
    wrong = []

    with ThreadPoolExecutor(3) as pool:
        for _ in range(200):
            matching = Matching(recording)
            found = pool.map(lambda lake, m=matching: m.find(asked(chat(user(f"depth of lake {lake}")))), "ABC")
            depths = dict(zip("ABC", [LAKES["CAB"[number_of(one)]] for one in found], strict=True))
            wrong += [depths] if depths != LAKES or matching.unplayed() else []

    assert wrong == []


MESSAGES = st.lists(
    st.sampled_from([user("a"), user("b"), said("x"), said("y"), calls(("i", "weather", {})), result("i", "1")]),
    min_size=1, max_size=5,
)  # fmt: skip


@given(st.lists(MESSAGES, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_any_recording_answers_its_own_requests_in_any_order(conversations, chance):
    recording = told(*[(chat(*messages), completion(str(at))) for at, messages in enumerate(conversations)])
    matching = Matching(recording)
    order = list(range(len(conversations)))
    chance.shuffle(order)

    found = [matching.find(asked(chat(*conversations[at]))) for at in order]

    assert [one.differing for one in found] == [[]] * len(order)
    assert [conversations[one.exchange.number] for one in found] == [conversations[at] for at in order]
    assert matching.unplayed() == []
