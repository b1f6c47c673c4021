"""Events out of bytes: line ends, characters, borders, sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import errors
from harness.providers import sse
from harness.providers.sse import Event, Parser, events_of, is_stream

CASES = [
    pytest.param(b"data: a\n\n", [Event("", b"a")], id="lf"),
    pytest.param(b"data: a\r\rdata: b\r\r", [Event("", b"a"), Event("", b"b")], id="cr"),
    pytest.param(b"data: a\r\n\r\ndata: b\r\n\r\n", [Event("", b"a"), Event("", b"b")], id="crlf"),
    pytest.param(b"data: a\n\r\n", [Event("", b"a")], id="mixed ends"),
    pytest.param(b"\xef\xbb\xbfdata: a\n\n", [Event("", b"a")], id="byte order mark"),
    pytest.param(b"data:a\n\n", [Event("", b"a")], id="no space"),
    pytest.param(b"data:  a\n\n", [Event("", b" a")], id="two spaces"),
    pytest.param(b"data: a\ndata: b\n\n", [Event("", b"a\nb")], id="several data lines"),
    pytest.param(b"event: ping\nid: 7\ndata: {}\n\n", [Event("ping", b"{}", "7")], id="name and id"),
    pytest.param(b": wait\n\ndata: a\n: wait\n\n", [Event("", b"a")], id="comments"),
    pytest.param(b"event: x\n\ndata: a\n\n", [Event("", b"a")], id="a name without data is forgotten"),
    pytest.param(b"retry: 9\ncolour: red\ndata: a\n\n", [Event("", b"a")], id="unknown fields"),
    pytest.param(b"data\n\n", [Event("", b"")], id="a field without colon"),
    pytest.param(
        "data: a\u2028b\u2029c\x85d\x0be\n\n".encode(),
        [Event("", "a\u2028b\u2029c\x85d\x0be".encode())],
        id="other separators are text",
    ),
    pytest.param(b"data: a\n\ndata: b", [Event("", b"a"), Event("", b"b", ended=False)], id="end in a line"),
    pytest.param(b"data: b\n", [Event("", b"b", ended=False)], id="end before the blank line"),
    pytest.param(b"data: a\n\n: bye", [Event("", b"a")], id="end in a comment"),
    pytest.param(b"", [], id="nothing"),
    pytest.param(b"\xef\xbb", [], id="half a mark"),
]


@pytest.mark.parametrize(("stream", "expected"), CASES)
def test_a_stream_gives_its_events(stream, expected):
    assert events_of(stream) == expected


@pytest.mark.parametrize(("stream", "expected"), CASES)
def test_a_stream_fed_byte_by_byte_gives_the_same(stream, expected):
    parser = Parser()

    events = [event for byte in stream for event in parser.feed(bytes([byte]))] + parser.close()

    assert events == expected


@given(
    st.lists(
        st.sampled_from(
            [b"data: a", b"data:", b"event: e", b":", "data: 箱".encode(), b"\n", b"\r", b"\r\n", b"\xef\xbb\xbf"]
        )
    ),
    st.data(),
)
def test_any_split_gives_the_same_events(pieces, data):
    stream = b"".join(pieces)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)), max_size=9)))
    parser = Parser()

    events = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        events += parser.feed(stream[start:end])

    assert events + parser.close() == events_of(stream)


@given(st.binary(max_size=300))
def test_any_bytes_are_read(stream):
    parser = Parser()

    events = [event for byte in stream for event in parser.feed(bytes([byte]))] + parser.close()

    assert events == events_of(stream)


def test_an_event_beyond_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 100)
    parser = Parser()

    parser.feed(b"data: " + b"x" * 90)

    with pytest.raises(errors.UnreadableAnswer):
        parser.feed(b"x" * 10)


def test_the_limit_is_of_one_event_and_comments_do_not_count(monkeypatch):
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 100)

    events = events_of(b"data: y\n\n: still here, please wait\n" * 50)

    assert len(events) == 50


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(b"data: {}\n\n", True, id="data"),
        pytest.param(b": OPENROUTER PROCESSING\n\n", True, id="comment"),
        pytest.param(b"\r\n event: x", True, id="blank first"),
        pytest.param(b"colour: red\ndata: {}\n\n", True, id="unknown field first"),
        pytest.param(b"da", True, id="cut off"),
        pytest.param(b"", True, id="never began"),
        pytest.param(b'{"choices":[]}', False, id="an object"),
        pytest.param(b"<html>", False, id="a page"),
    ],
)
def test_a_stream_is_told_from_a_body(answer, expected):
    assert is_stream(answer) is expected
