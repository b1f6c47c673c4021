"""The Responses dialect: requests, plain and streamed answers, and what goes back unchanged."""

from pathlib import Path

import pytest
from responses_wire import CALL, CALL_BLOCKS, CUSTOM, REASONING, RESPONSES, SAID, SEARCH, USAGE, read

from harness import errors
from harness.providers.dialect import Reading, Request
from harness.scenario import Tool
from harness.transcript import (
    AssistantTurn,
    Opaque,
    Outcome,
    Text,
    Thinking,
    TokenLedger,
    ToolCall,
    ToolResultTurn,
    UserTurn,
)

LOCAL = Path(__file__).parents[3] / "shared" / "data" / "local-model"


def test_an_answer_keeps_its_items_in_order():
    reading = read(REASONING, SAID, SEARCH, CALL, usage=USAGE)

    assert reading == Reading(
        AssistantTurn(
            [
                Thinking(
                    "The tide first.",
                    {"id": "rs_1", "type": "reasoning", "encrypted_content": "c2VjcmV0IHRob3VnaHRz"},
                ),
                Text("One moment."),
                Opaque("responses", {"extra": {"id": "msg_1", "status": "completed", "phase": "commentary"}}),
                Opaque("responses", SEARCH),
                *CALL_BLOCKS,
            ],
            TokenLedger(input=30, cache_read=60, cache_creation=None, output=12),
            "toolUse",
        ),
        model="m-5",
        server_calls=["web_search"],
    )


def test_what_the_provider_wrote_goes_back_unchanged():
    items = [REASONING, SAID, SEARCH, CALL, CUSTOM]
    turns = [UserTurn([Text("Tide?")]), read(*items).turn, ToolResultTurn("call_a", [Text("low")])]

    sent = RESPONSES.body_of(Request("m-5", "Be brief.", [], {"store": False}, turns))

    said = {**SAID, "content": [{"type": "output_text", "text": "One moment."}]}
    assert sent == {
        "model": "m-5",
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": "Tide?"},
            *[REASONING, said, SEARCH, CALL, CUSTOM],
            {"type": "function_call_output", "call_id": "call_a", "output": "low"},
        ],
        "store": False,
    }


@pytest.mark.parametrize(
    "item",
    [
        pytest.param({**REASONING, "summary": []}, id="reasoning without a summary"),
        pytest.param(
            {**REASONING, "summary": [{"type": "summary_text", "text": text} for text in ("One.", "Two.")]},
            id="reasoning in two parts",
        ),
        pytest.param(
            {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]},
            id="open reasoning",
        ),
        pytest.param({**CALL, "namespace": "harbour"}, id="call in a namespace"),
        pytest.param(CUSTOM, id="custom tool"),
        pytest.param(
            {"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []}, id="tools of a server"
        ),
        pytest.param({"type": "item_reference", "id": "msg_0"}, id="reference"),
        pytest.param(
            {
                "type": "message",
                "role": "assistant",
                "content": [
                    {"type": "output_text", "text": "See ", "annotations": [{"type": "url_citation", "url": "u"}]},
                    {"type": "output_text", "text": "below."},
                ],
            },
            id="cited text",
        ),
        pytest.param(
            {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}, id="refusal"
        ),
    ],
)
def test_an_item_survives_the_way_there_and_back(item):
    turn = read(item).turn

    [again] = RESPONSES.body_of(Request("m", "", [], {}, [turn]))["input"]

    assert again == item


def test_the_result_of_a_custom_tool_goes_back_as_one():
    turns = [read(CUSTOM).turn, ToolResultTurn("call_c", [Text("1")])]

    sent = RESPONSES.body_of(Request("m", "", [], {}, turns))["input"]

    assert sent[1] == {"type": "custom_tool_call_output", "call_id": "call_c", "output": "1"}


def test_the_input_of_a_custom_tool_is_text():
    reading = read(CUSTOM)

    assert reading.turn.calls == [ToolCall("call_c", "run_sql", None, "select 1")]
    assert reading.warnings == ["run_sql: the input of a custom tool is text"]


def test_tools_are_sent_as_they_are_written():
    tool = Tool(name="read_tide", description="Reads.", parameters={"type": "object", "properties": {"port": {}}})

    sent = RESPONSES.body_of(Request("m", "", [tool], {}, [UserTurn([Text("Tide?")])]))

    assert sent["tools"] == [
        {
            "type": "function",
            "name": "read_tide",
            "description": "Reads.",
            "parameters": {"type": "object", "properties": {"port": {}}},
            "strict": False,
        }
    ]


@pytest.mark.parametrize(
    ("beside", "items", "outcome", "stop"),
    [
        pytest.param({}, [SAID], (None, None), "stop", id="done"),
        pytest.param(
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            [SAID],
            (Outcome.TRUNCATED, "the answer was cut off: max_output_tokens"),
            "length",
            id="cut off",
        ),
        pytest.param(
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
            [],
            (Outcome.REFUSED, "the provider's content filter ended the answer"),
            "contentFilter",
            id="filtered",
        ),
        pytest.param(
            {},
            [{"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I will not."}]}],
            (Outcome.REFUSED, "the model refused"),
            "refusal",
            id="refused",
        ),
        pytest.param(
            {"status": "in_progress"}, [], (Outcome.INCOMPLETE, "the response is still in_progress"), None, id="running"
        ),
        pytest.param(
            {"status": "cancelled"}, [], (Outcome.ERROR, "the response is cancelled"), None, id="cancelled"
        ),
    ],
)  # fmt: skip
def test_an_answer_ends_as_its_status_says(beside, items, outcome, stop):
    reading = read(*items, **beside)

    assert (reading.outcome, reading.error) == outcome
    assert reading.turn.stop_reason == stop


@pytest.mark.parametrize(
    ("status", "answer", "error"),
    [
        pytest.param(200, b'{"choices":[]}', "the answer holds no output", id="another API"),
        pytest.param(200, b"[]", "the answer is no JSON object", id="no object"),
        pytest.param(200, b'{"error":{"code":"server_error","message":"down"}}', "down", id="failed"),
        pytest.param(429, b'{"error":{"message":"slow down"}}', "HTTP 429: slow down", id="status"),
    ],
)
def test_an_answer_that_is_none_is_an_error(status, answer, error):
    reading = RESPONSES.reading_of_body(status, answer)

    assert reading == Reading(AssistantTurn([]), Outcome.ERROR, error)


def test_a_tool_that_the_client_runs_is_kept_and_said():
    item = {"type": "computer_call", "call_id": "call_x", "action": {"type": "click"}}

    reading = read(item)

    assert reading.turn.content == [Opaque("responses", item)]
    assert reading.warnings == ["computer_call is for the client to run: it is kept and not executed"]
    assert reading.server_calls == []


def test_unreadable_arguments_are_kept_as_text():
    reading = read({**CALL, "arguments": '{"port":'})

    [call] = reading.turn.calls
    assert (call.arguments, call.raw_arguments) == (None, '{"port":')
    assert len(reading.warnings) == 1


def test_a_request_is_taken_apart():
    parts = RESPONSES.parts_of(
        {
            "model": "m",
            "instructions": "Be brief.",
            "input": [{"role": "developer", "content": "Be kind."}, {"role": "user", "content": "Tide?"}],
            "tools": [{"type": "web_search"}],
            "previous_response_id": "resp_0",
        }
    )

    assert parts.system == ["Be brief.", {"role": "developer", "content": "Be kind."}]
    assert parts.messages == [{"role": "user", "content": "Tide?"}]
    assert (parts.tools, parts.params) == ([{"type": "web_search"}], {"previous_response_id": "resp_0"})


def test_a_bare_text_is_what_the_user_said():
    assert RESPONSES.parts_of({"model": "m", "input": "Tide?"}).messages == [{"role": "user", "content": "Tide?"}]


def test_a_history_is_turns():
    output = {"type": "function_call_output", "call_id": "call_a", "output": [{"type": "input_text", "text": "low"}]}

    turns = RESPONSES.turns_of([{"role": "user", "content": "Tide?"}, REASONING, CALL, output, SAID])

    assert turns == [
        UserTurn([Text("Tide?")]),
        AssistantTurn([*read(REASONING).turn.content, *CALL_BLOCKS]),
        ToolResultTurn("call_a", [Text("low")]),
        AssistantTurn(read(SAID).turn.content),
    ]


@pytest.mark.parametrize("input_", [None, 7, [7], [{}]], ids=["none", "number", "list of numbers", "empty item"])
def test_a_request_without_input_is_refused(input_):
    with pytest.raises(errors.UnreadableAnswer):
        RESPONSES.turns_of(RESPONSES.parts_of({"model": "m", "input": input_}).messages)


CAPTURES = {
    "027-responses-plain": [],
    "028-responses-stream": [],
    "029-responses-tool": ["get_order"],
    "030-responses-tool_req": ["get_order"],
    "031-responses-stream_tool": ["request_cancel"],
    "032-responses-parallel": ["check_stock", "check_stock"],
    "033-responses-loop-s1": ["request_cancel"],
    "034-responses-loop-s2": [],
    "035-responses-prev-a": [],
    "067-responses-loop-s1": ["request_cancel", "confirm_action"],
    "068-responses-loop-s2": [],
}


@pytest.mark.skipif(not LOCAL.exists(), reason="the captures of a real model are not here")
@pytest.mark.parametrize(("name", "called"), CAPTURES.items(), ids=CAPTURES)
def test_a_real_host_is_read(name, called):
    head, _, answer = (LOCAL / f"{name}.response.http").read_bytes().partition(b"\r\n\r\n")
    if b"chunked" in head:
        answer = b"".join(line + b"\n" for line in answer.split(b"\n") if line[:5] in {b"data:", b"event"} or not line)

    reading = RESPONSES.reading_of_body(200, answer)

    assert (reading.outcome, reading.warnings) == (None, [])
    assert [call.name for call in reading.turn.calls] == called
