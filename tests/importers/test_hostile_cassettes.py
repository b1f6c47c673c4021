"""Hostile and broken cassettes: a clear refusal, nothing built, nothing executed, no memory eaten."""

import gzip
import json

import pytest
from cassettes import ASKED, PACKED, PAIRS, cassette, packed, request, response
from imports import format_of, import_of

from harness import errors
from harness.transcript import Outcome

LAUGHS = "\n".join(
    [f"a0: &a0 [{','.join(['lol'] * 9)}]", *[f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]]
)
HOSTILE = {
    "not YAML": "interactions: [",
    "no interactions": "interactions: 7",
    "billion laughs": f"{LAUGHS}\ninteractions: []",
    "an alias inside itself": "interactions: &a [*a]",
    "deep": f"interactions: {'[' * 900}{']' * 900}",
    "deeper": f"interactions: {'[' * 50000}",
    "a key that is no text": "interactions: []\n? [a, b]\n: c",
    "binary": b"interactions:\n\x00\xff\xfe",
    "a key that stands twice": "interactions: []\ninteractions: []",
    "a key that stands twice in JSON": '{"interactions": [{"request": {}, "response": {}, "response": {}}]}',
    "two responses": "interactions:\n- request: {}\n  response: {}\n  response: {}",
    "an unknown alias": "interactions: *nope",
}


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_cassette_is_refused_with_its_reason(raw):
    with pytest.raises(errors.BadImport) as raised:
        import_of(raw, "vcr")

    assert raised.value.exit_code == 4
    assert raised.value.file == "a file"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(packed("br", b"\x1b\x28\x00"), "a body encoded in br", id="br"),
        pytest.param(packed("gzip", PACKED[:12] + b"\xff" * 30), "a packed body that is broken", id="broken"),
        pytest.param({**response(""), "body": {"base64_string": "?"}}, "a body that is no base64", id="base64"),
        pytest.param({**response(""), "body": {"type": "binary", "content": "xy"}}, "a binary body that is no hex", id="hex"),
    ],
)  # fmt: skip
def test_an_unreadable_body_is_left_out_with_its_reason(answer, reason):
    result = import_of(cassette((request(ASKED), answer)))

    [(said, count)] = result.left_out.items()
    assert said.startswith(reason)
    assert (count, result.recordings) == (1, [])


def test_a_packed_body_that_breaks_off_is_read_as_far_as_it_goes():
    result = import_of(cassette((request(ASKED), packed("gzip", PACKED[:-20]))))

    [recording] = result.recordings
    assert result.notes == {"a packed body that breaks off": 1}
    assert recording.end.outcome is Outcome.ERROR


def test_what_stands_after_a_packed_body_is_noted():
    result = import_of(cassette((request(ASKED), packed("gzip", PACKED + b"more"))))

    assert result.notes == {"bytes after a packed body, which are not read": 1}
    assert result.written.calls == 1


def test_a_packed_body_cannot_fill_the_memory(monkeypatch):
    monkeypatch.setattr("harness.importers.bodies.MAX_BODY_BYTES", 10000)
    bomb = gzip.compress(b"x" * 100000, mtime=0)

    result = import_of(cassette((request(ASKED), packed("gzip", bomb))))

    assert result.left_out == {"a packed body of more than 10000 bytes": 1}


@pytest.mark.parametrize(
    "raw",
    [cassette(PAIRS[0]), json.dumps({"interactions": [dict(zip(("request", "response"), PAIRS[0], strict=True))]})],
)
def test_a_cassette_with_a_byte_order_mark_is_a_cassette(raw):
    marked = b"\xef\xbb\xbf" + raw.encode()

    assert (format_of(marked), len(import_of(marked).recordings)) == ("vcr", len(import_of(raw).recordings))


@pytest.mark.parametrize(
    "body",
    ["", None, {"string": ""}, {"string": None}, {"base64_string": ""}],
    ids=["empty", "none", "string", "null", "base64"],
)
@pytest.mark.parametrize("status", [200, 204])
def test_an_answer_without_a_body_is_called_that(status, body):
    empty = {"status": {"code": status}, "headers": {}, "body": body}

    [recording] = import_of(cassette((request(ASKED), empty))).recordings

    assert (recording.end.outcome, recording.end.error) == (
        Outcome.INCOMPLETE,
        f"the answer has no body, with HTTP status {status}",
    )


@pytest.mark.parametrize("raw", ["", "hello", "{}", "[]", "interactions", b"\x89PNG\r\n"], ids=repr)
def test_what_is_no_cassette_is_not_taken_for_one(raw):
    assert format_of(raw) is None
