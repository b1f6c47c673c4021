"""Conversations that the server holds, rebuilt from the chain of answers."""

from told_runs import TOOL_RESULT, TOOL_USE, anthropic, asked, block, message, number_of, reason_of, told, user

from harness.wire.matching import Matching

THREADED = (
    (anthropic(user("weather?"), thread={"type": "create"}), message(1, TOOL_USE, stop="tool_use")),
    (anthropic(TOOL_RESULT, thread={"type": "continue", "previous_message_id": "msg_1"}), message(2, block("21 C."))),
)


def test_a_conversation_that_the_server_holds_is_rebuilt_from_the_chain():
    matching = Matching(told(*THREADED, api="messages"))

    found = [matching.find(asked(body, "messages")) for body, _ in THREADED]

    assert [(number_of(one), one.differing) for one in found] == [(0, []), (1, [])]


def test_the_full_history_is_the_same_conversation_as_one_that_the_server_holds():
    matching = Matching(told(*THREADED, api="messages"))
    full = anthropic(user([block("weather?")]), {"role": "assistant", "content": [TOOL_USE]}, TOOL_RESULT)

    found = matching.find(asked(full, "messages"))

    assert (number_of(found), found.differing) == (1, [])


def test_going_on_from_an_answer_that_was_never_recorded_is_said():
    matching = Matching(told(*THREADED, api="messages"))
    body = anthropic(TOOL_RESULT, thread={"type": "continue", "previous_message_id": "msg_9"})

    missed = matching.find(asked(body, "messages"))

    assert reason_of(missed) == "unknown_answer"


def test_equal_words_after_different_answers_are_different_conversations():
    def onward(id_):
        return anthropic(user("go on"), thread={"type": "continue", "previous_message_id": id_})

    recording = told(
        (anthropic(user("hi"), thread={"type": "create"}), message(1, block("one"))),
        (anthropic(user("hi"), thread={"type": "create"}), message(2, block("two"))),
        (onward("msg_1"), message(3, block("after one"))),
        (onward("msg_2"), message(4, block("after two"))),
        api="messages",
    )
    matching = Matching(recording)

    numbers = [number_of(matching.find(asked(onward(id_), "messages"))) for id_ in ("msg_2", "msg_1")]

    assert numbers == [3, 2]


def test_a_conversation_may_go_on_from_an_answer_outside_of_the_recording():
    body = anthropic(TOOL_RESULT, thread={"type": "continue", "previous_message_id": "msg_0"})
    matching = Matching(told((body, message(1, block("21 C."))), api="messages"))

    found = matching.find(asked(body, "messages"))

    assert (number_of(found), found.differing) == (0, [])


def test_responses_that_the_server_strings_together_replay():
    def answer(number, *output):
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        return {
            "id": f"resp_{number}",
            "object": "response",
            "status": "completed",
            "model": "m-test",
            "output": list(output),
            "usage": usage,
        }

    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "weather", "arguments": "{}"}
    text = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "21 C", "annotations": []}],
    }
    first = {"model": "m-test", "input": "weather?", "instructions": "Be brief."}
    second = {"model": "m-test", "input": [{"type": "function_call_output", "call_id": "call_1", "output": "21 C"}]}
    second |= {"previous_response_id": "resp_1", "instructions": "Be brief."}
    matching = Matching(told((first, answer(1, call)), (second, answer(2, text)), api="responses"))

    found = [matching.find(asked(body, "responses")) for body in (first, second)]

    assert [(number_of(one), one.differing) for one in found] == [(0, []), (1, [])]
