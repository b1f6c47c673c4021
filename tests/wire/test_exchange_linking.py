"""Which exchange a recorded request continues, and that only what it adds is stored."""

from told_runs import TOOL_RESULT, anthropic, block, chat, completion, message, said, told, user

MARK = {"cache_control": {"type": "ephemeral"}}


def links(recording):
    return [(exchange.parent, exchange.messages) for exchange in recording.exchanges]


def test_a_request_stores_what_it_adds():
    recording = told(
        (chat(user("a")), completion("b")),
        (chat(user("a"), said("b"), user("c")), completion("d")),
        (chat(user("x")), completion("y")),
    )

    assert links(recording) == [(None, [user("a")]), (0, [said("b"), user("c")]), (None, [user("x")])]


def test_marks_that_move_from_request_to_request_part_no_conversation():
    first = user([{**block("a"), **MARK}])
    rest = [{"role": "assistant", "content": [block("b")]}, user([{**block("c"), **MARK}])]
    recording = told(
        (anthropic(first), message(1, block("b"))),
        (anthropic(user([block("a")]), *rest), message(2, block("d"))),
        api="messages",
    )

    assert links(recording) == [(None, [first]), (0, rest)]


def test_a_request_continues_the_answer_that_it_names():
    create, onward = ({"type": "create"}, {"type": "continue", "previous_message_id": "msg_1"})
    recording = told(
        (anthropic(user("a"), thread=create), message(1, block("b"))),
        (anthropic(user("x"), thread=create), message(2, block("y"))),
        (anthropic(TOOL_RESULT, thread=onward), message(3, block("d"))),
        api="messages",
    )

    assert links(recording)[2] == (0, [TOOL_RESULT])
