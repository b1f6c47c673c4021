"""A live model in the loop's place: asked by the real SDKs, read from the bytes that came, recorded however it ends."""

import time

import httpx2
import openai
import pytest
from loopback import RESET, Loopback, plain, stream
from spoken import chat_body, chat_events, messages_body, messages_events

from harness import errors
from harness.providers.dialect import Request, dialect_of
from harness.scenario import Tool
from harness.transcript import Text, TokenLedger, ToolCall, UserTurn, text_of
from harness.wire.capture import Attempts
from harness.wire.clients import Endpoint, LiveModel, client_of

TOOL = Tool(
    name="find", description="Find it.", parameters={"type": "object", "properties": {"code": {"type": "string"}}}
)
CALLS = {"chat": [("c1", "find", '{"code": "K7-11"}')], "messages": [("c1", "find", {"code": "K7-11"})]}
BODIES = {"chat": chat_body, "messages": messages_body}
EVENTS = {"chat": chat_events, "messages": messages_events}
BOTH = pytest.mark.parametrize("api", ["chat", "messages"])


def request_of(**params):
    return Request("m", "Be kind.", [TOOL], {"max_tokens": 9, **params}, [UserTurn([Text("hi")])])


class Live:
    """A model on the loopback server, with all that it recorded and let hear."""

    def __init__(self, api, server, *, retries=0, timeout_s=5.0):
        self.recorded, self.heard = [], []
        self.attempts = Attempts(time.monotonic, lambda: "now", limit=timeout_s)
        url = server.url + ("/v1" if api == "chat" else "")
        client = client_of(Endpoint(api, url, "key", timeout_s, retries), self.attempts)
        self.model = LiveModel(client, dialect_of(api), self.attempts, self.recorded.append, self.heard.append)

    def reply(self, **params):
        return self.model.reply(request_of(**params))

    @property
    def kept(self):
        return [[(one.status, one.complete) for one in attempts] for attempts in self.recorded]


@BOTH
def test_a_plain_answer_is_read_and_recorded(api):
    with Loopback(plain(BODIES[api]("One moment.", CALLS[api]))) as server:
        live = Live(api, server)
        reading = live.reply()

    assert text_of(reading.turn) == "One moment."
    assert reading.turn.calls == [ToolCall("c1", "find", {"code": "K7-11"})]
    assert reading.turn.token_ledger.output == 5
    assert (live.model.answered, live.kept, live.heard) == ("m-answered", [[(200, True)]], [])


@BOTH
def test_a_stream_is_heard_while_it_comes_and_read_whole(api):
    with Loopback(stream(*EVENTS[api](["One ", "moment."], CALLS[api]))) as server:
        live = Live(api, server)
        reading = live.reply(stream=True)

    assert live.heard == ["One ", "moment."]
    assert text_of(reading.turn) == "One moment."
    assert reading.turn.calls == [ToolCall("c1", "find", {"code": "K7-11"})]
    assert live.kept == [[(200, True)]]


@BOTH
def test_what_the_sdk_has_no_argument_for_goes_into_the_body_all_the_same(api):
    with Loopback(plain(BODIES[api]("hi"))) as server:
        Live(api, server).reply(temperature=0, top_k=3, cache_prompt=False, unheard_of={"a": [1, None]})

    [request] = server.requests
    sent = {key: request.json[key] for key in ("temperature", "top_k", "cache_prompt", "unheard_of", "max_tokens")}
    assert sent == {
        "temperature": 0,
        "top_k": 3,
        "cache_prompt": False,
        "unheard_of": {"a": [1, None]},
        "max_tokens": 9,
    }
    assert request.path == ("/v1/chat/completions" if api == "chat" else "/v1/messages")


@BOTH
def test_failed_attempts_are_counted_and_the_last_one_is_read(api):
    busy = plain({"error": {"message": "slow down"}}, status=429, headers={"retry-after-ms": "1"})

    with Loopback(busy, [RESET], plain(BODIES[api]("hi"))) as server:
        live = Live(api, server, retries=2)
        reading = live.reply()

    assert text_of(reading.turn) == "hi"
    assert live.kept == [[(429, True), (0, False), (200, True)]]


@BOTH
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "stream"])
def test_an_error_answer_is_recorded_and_said_in_the_provider_s_words(api, streamed):
    refusal = plain({"error": {"type": "overloaded_error", "message": "come back later"}}, status=500)

    with Loopback(refusal) as server:
        live = Live(api, server)
        with pytest.raises(errors.LiveCallFailed) as raised:
            live.reply(stream=streamed)

    assert raised.value.subject == "HTTP 500: overloaded_error: come back later"
    assert live.kept == [[(500, True)]]


@BOTH
def test_a_stream_that_breaks_is_recorded_and_never_read_as_whole(api):
    with Loopback(stream(*EVENTS[api](["One ", "moment."])[:3], 0.05, RESET, ends=False)) as server:
        live = Live(api, server)
        with pytest.raises(errors.LiveCallFailed):
            live.reply(stream=True)

    assert live.kept == [[(200, False)]]


@BOTH
def test_a_stream_that_ends_before_its_last_word_is_a_failure(api):
    with Loopback(stream(*EVENTS[api](["One ", "moment."])[:3])) as server:
        live = Live(api, server)
        with pytest.raises(errors.LiveCallFailed):
            live.reply(stream=True)

    assert live.kept == [[(200, True)]]


@pytest.mark.parametrize(
    ("api", "event"),
    [
        ("chat", b'data: {"error":{"message":"out of memory","type":"server_error"}}\n\n'),
        (
            "messages",
            b'event: error\ndata: {"type":"error","error":{"type":"server_error","message":"out of memory"}}\n\n',
        ),
    ],
)
def test_an_error_in_the_stream_is_a_failure(api, event):
    with Loopback(stream(*EVENTS[api](["One "])[:2], event)) as server:
        live = Live(api, server)
        with pytest.raises(errors.LiveCallFailed) as raised:
            live.reply(stream=True)

    assert raised.value.subject == "server_error: out of memory"


@BOTH
@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "stream"])
def test_an_answer_that_never_comes_is_a_timeout(api, streamed):
    with Loopback([5.0]) as server:
        live = Live(api, server, timeout_s=0.2)
        with pytest.raises(errors.LiveCallTimeout) as raised:
            live.reply(stream=streamed)

    assert (raised.value.subject, live.kept) == ("0.2 s", [])


@BOTH
def test_an_answer_that_drips_for_ever_is_a_timeout(api):
    drip = [step for event in EVENTS[api](["a"] * 60) for step in (event, 0.03)]

    with Loopback(stream(*drip)) as server:
        live = Live(api, server, timeout_s=0.4)
        with pytest.raises(errors.LiveCallTimeout):
            live.reply(stream=True)

    assert live.kept == [[(200, False)]]


@BOTH
def test_headers_that_drip_for_ever_are_a_timeout(api):
    drip = [b"HTTP/1.1 200 OK\r\n", *[b"x-a: b\r\n", 0.05] * 100]

    with Loopback(drip) as server:
        live = Live(api, server, timeout_s=0.4)
        with pytest.raises(errors.LiveCallTimeout):
            live.reply()

    assert live.kept == []


@BOTH
def test_an_answer_without_end_is_refused_and_asked_for_once(api):
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"

    with Loopback([head, *[b" " * (1 << 20)] * 64]) as server:
        live = Live(api, server, retries=2)
        with pytest.raises(errors.LineTooLong) as raised:
            live.reply()

    assert (raised.value.subject, raised.value.expected) == ("the answer", "8388608 bytes")
    assert (len(server.requests), live.kept) == (1, [])


@BOTH
def test_nobody_listening_is_a_failure(api):
    with Loopback(plain({})) as server:
        pass
    live = Live(api, server)

    with pytest.raises(errors.LiveCallFailed) as raised:
        live.reply()

    assert "Connection" in raised.value.subject
    assert live.kept == []


def test_an_answer_in_a_shape_that_the_sdk_cannot_follow_is_read_by_us():
    odd = chat_body(calls=[("c1", "find", '{"code": "K7-11"}')]) | {"usage": "none", "created": "yesterday"}

    with Loopback(plain(odd)) as server:
        reading = Live("chat", server).reply()

    assert reading.turn.calls == [ToolCall("c1", "find", {"code": "K7-11"})]


def test_comments_and_events_that_share_a_chunk_do_no_harm():
    events = chat_events(["hi"])

    with Loopback(stream(b": wait\n\n", b"".join(events[:2]), b"".join(events[2:]))) as server:
        reading = Live("chat", server).reply(stream=True)

    assert text_of(reading.turn) == "hi"
    assert reading.turn.token_ledger == TokenLedger(input=20, cache_read=None, cache_creation=None, output=5)


def test_a_client_that_goes_another_way_is_an_error():
    attempts = Attempts(time.monotonic, lambda: "now")

    with Loopback(plain(chat_body("hi"))) as server:
        other = openai.OpenAI(api_key="k", base_url=server.url, http_client=httpx2.Client())
        model = LiveModel(other, dialect_of("chat"), attempts, lambda _: None)
        with pytest.raises(errors.NotIntercepted):
            model.reply(request_of())


def test_ctrl_c_in_mid_stream_records_what_came_first():
    events = chat_events(["One ", "moment."])

    with Loopback(stream(*events)) as server:
        live = Live("chat", server)

        def interrupt(_):
            raise KeyboardInterrupt

        live.model._heard = interrupt
        with pytest.raises(KeyboardInterrupt):
            live.reply(stream=True)

    assert [[status for status, _ in attempts] for attempts in live.kept] == [[200]]
