"""What is, and what is no, difference between two requests."""

import pytest
from told_runs import (
    TOOL_USE,
    anthropic,
    asked,
    block,
    calls,
    chat,
    completion,
    message,
    number_of,
    reason_of,
    result,
    told,
    user,
)

from harness.wire.matching import Matching, Rules

TWO_CALLS = calls(("call_x", "weather", {"city": "Rome"}), ("call_y", "weather", {"city": "Oslo"}))


LOOP = (
    (chat(user("weather?")), completion(TWO_CALLS)),
    (chat(user("weather?"), TWO_CALLS, result("call_x", "21 C"), result("call_y", "4 C")), completion("Rome")),
)


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(dict(reversed(chat(user("hi")).items())), id="key-order"),
        pytest.param(chat(user("hi"), temperature=0.0), id="zero-as-float"),
        pytest.param(chat(user([{"type": "text", "text": "hi"}])), id="text-as-a-block"),
        pytest.param(chat({"role": "user", "content": "hi", "name": None}), id="field-without-value"),
        pytest.param(chat(user("hi"), stop=None), id="param-without-value"),
        pytest.param(chat(user("hi"), stream=False), id="stream-false"),
    ],
)
def test_spelling_is_no_difference(sent):
    matching = Matching(told((chat(user("hi")), completion("Hello"))))

    found = matching.find(asked(sent))

    assert (number_of(found), found.differing) == (0, [])


def test_call_ids_and_the_order_of_results_are_no_difference():
    matching = Matching(told(*LOOP))
    other = calls(("c1", "weather", {"city": "Rome"}), ("c2", "weather", {"city": "Oslo"}))
    sent = chat(user("weather?"), other, result("c2", "4 C"), result("c1", "21 C"))

    found = matching.find(asked(sent))

    assert (number_of(found), found.differing) == (1, [])


def test_results_that_change_places_are_a_difference():
    matching = Matching(told(*LOOP))
    sent = chat(user("weather?"), TWO_CALLS, result("call_y", "21 C"), result("call_x", "4 C"))

    missed = matching.find(asked(sent))

    assert reason_of(missed) == "conversation"
    assert missed.step.shape.is_result
    assert missed.expected.shape.is_result


def test_an_id_that_comes_again_in_a_later_answer_is_another_call():
    again = calls(("call_0", "weather", {"city": "Rome"}))
    history = [user("twice"), again, result("call_0", "21 C"), again, result("call_0", "22 C")]
    matching = Matching(told((chat(*history), completion("done"))))
    unique = [
        user("twice"),
        calls(("a", "weather", {"city": "Rome"})), result("a", "21 C"),
        calls(("b", "weather", {"city": "Rome"})), result("b", "22 C"),
    ]  # fmt: skip

    found = matching.find(asked(chat(*unique)))

    assert number_of(found) == 0


def test_a_declared_field_may_vary():
    recording = told((chat(user("hi"), user="run-1", metadata={"run": "1", "kind": "a"}), completion("Hello")))
    matching = Matching(recording, rules=Rules(ignore=("user", "metadata.run")))

    found = matching.find(asked(chat(user("hi"), user="run-8841", metadata={"run": "2", "kind": "a"})))

    assert found.differing == []


def test_what_is_not_declared_may_not_vary():
    recording = told((chat(user("hi"), metadata={"run": "1", "kind": "a"}), completion("Hello")))
    matching = Matching(recording, rules=Rules(ignore=("user", "metadata.run")))

    found = matching.find(asked(chat(user("hi"), metadata={"run": "1", "kind": "b"})))

    assert found.differing == ["params"]


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        pytest.param("messages.*.name", chat({"role": "user", "content": "hi", "name": "bob"}), id="messages"),
        pytest.param(
            "tools.*.function.parameters",
            chat(user("hi"), tools=[{"type": "function", "function": {"name": "weather"}}]),
            id="tools",
        ),
        pytest.param("system.*.content", chat(user("hi"), system="Other."), id="system"),
    ],
)
def test_fields_inside_lists_may_be_declared(path, sent):
    matching = Matching(told((chat(user("hi")), completion("Hello"))), rules=Rules(ignore=(path,)))

    found = matching.find(asked(sent))

    assert found.differing == []


def test_a_normaliser_sees_every_text_of_both_sides():
    recording = told((chat(user("It is 10:41."), system="Today: 10:41"), completion("Hello")))
    rules = Rules(normalise=(lambda text: text.replace("10:41", "NOW").replace("23:59", "NOW"),))
    matching = Matching(recording, rules=rules)

    found = matching.find(asked(chat(user("It is 23:59."), system="Today: 23:59")))

    assert found.differing == []


def test_a_placeholder_stands_for_any_string_in_its_place():
    secret = "hunter2-hunter2"
    body = chat(user(f"log in with {secret}, please"), system=f"The password is {secret}.")
    recording = told((body, completion("done")), secrets=[secret])
    matching = Matching(recording)
    sent = chat(user("log in with no-secret-here, please"), system="The password is placeholder.")

    found = matching.find(asked(sent))
    missed = matching.find(asked(chat(user("log out with no-secret-here, please"))))

    assert b"hunter2" not in repr(recording).encode()
    assert (number_of(found), found.differing) == (0, [])
    assert reason_of(missed) == "conversation"


def test_blocks_results_and_cache_marks_of_messages_are_read_by_meaning():
    second = {**TOOL_USE, "id": "toolu_2"}
    both = {"role": "assistant", "content": [TOOL_USE, second]}
    one, two = (
        {"type": "tool_result", "tool_use_id": id_, "content": text}
        for id_, text in (("toolu_1", "a"), ("toolu_2", "b"))
    )
    recording = told(
        (anthropic(user("hi"), both, {"role": "user", "content": [one, two, block("so?")]}), message(1, block("x"))),
        api="messages",
    )
    marked = {**block("hi"), "cache_control": {"type": "ephemeral"}}
    swapped = [{**two, "is_error": False}, {**one, "content": [block("a")]}, block("so?")]
    matching = Matching(recording)

    found = matching.find(asked(anthropic(user([marked]), both, {"role": "user", "content": swapped}), "messages"))

    assert (number_of(found), found.differing) == (0, [])
