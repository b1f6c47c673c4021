"""A secret that is known by value is found in every spelling; JSON that held it stays JSON, and replays."""

import base64
import html
import json
import re
import urllib.parse

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness.wire.facets import fits
from harness.wire.redact import Redactor
from harness.wire.redact_stream import scrubbed_chunks
from harness.wire.secret_fields import matches

SECRET = 'p/W+x&"é 9Qz'
TOKEN = "zX9qL2mN8pRt"
NUMBER = "8273645190"
MARK = "[secret:value:1]"

SPELLINGS = {
    "as it is": SECRET,
    "JSON": json.dumps(SECRET),
    "JSON in JSON in JSON": json.dumps(json.dumps(json.dumps(SECRET))),
    "JSON with slashes escaped": json.dumps(SECRET).replace("/", "\\/"),
    "JSON with all escaped": "".join(f"\\u{ord(one):04X}" for one in SECRET),
    "JSON as for HTML": json.dumps(SECRET, ensure_ascii=False).replace("&", "\\u0026"),
    "JSON in prose": f"log: {json.dumps({'v': SECRET})} and more",
    "HTML": html.escape(SECRET),
    "HTML by number": "".join(f"&#{ord(one)};" for one in SECRET),
    "a URL": urllib.parse.quote(SECRET),
    "a part of a URL": urllib.parse.quote(SECRET, safe=""),
    "a part of a URL in lower hex": "p%2fW%2bx%26%22%c3%a9%209Qz",
    "a form": urllib.parse.quote_plus(SECRET),
    "every byte of a URL": "".join(f"%{one:02X}" for one in SECRET.encode()),
    "Python": repr(SECRET),
    "Python's bytes": repr(SECRET.encode()),
    "hex": SECRET.encode().hex(),
    "upper hex": SECRET.encode().hex().upper(),
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "base64 of JSON": base64.b64encode(f'{{"v":"{SECRET}"}}'.encode()).decode(),
    "base64 in JSON with slashes escaped": base64.b64encode(b"??" + SECRET.encode()).decode().replace("/", "\\/"),
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=list(SPELLINGS))
def test_a_known_value_is_found_however_it_is_spelt(text):
    redactor = Redactor([SECRET])

    scrubbed = redactor.text(text)

    assert MARK in scrubbed
    assert redactor.text(scrubbed) == scrubbed
    assert [one for one in ("9Qz", "39517a", "OVF6") if one in scrubbed] == []
    assert json.loads(redactor.body(json.dumps({"a": [text]}).encode())) == {"a": [scrubbed]}


@given(st.text(st.characters(exclude_categories=["Cs", "Cn", "Cc"]), min_size=8, max_size=20), st.data())
def test_any_mixture_of_escapes_is_seen_through(secret, data):
    ways = [
        lambda one: one,
        lambda one: "".join(f"\\u{unit:04x}" for unit in _units(one)),
        lambda one: "".join(f"%{byte:02x}" for byte in one.encode()),
        lambda one: f"&#x{ord(one):x};" if ord(one) > 0x9F else one,
    ]
    assume(secret.count("\\") <= 2)
    written = "".join(data.draw(st.sampled_from(ways))(one) for one in secret)

    scrubbed = Redactor([secret]).text(f"<{written}>")

    # A backslash at its edge, or what is left of its escape, may stay: whether it is the secret's, no reader can tell.
    edge = r"(?:\\|\\?u005c|%5c)*"
    assert re.fullmatch(f"<{edge}{re.escape(MARK)}{edge}>", scrubbed)


@pytest.mark.parametrize(
    "secret", ["abcd\\éfgh", "00000\\00", "C:\\new\\tools", 'abc\\\\d"efg', "line one\nline two\\é"]
)
@pytest.mark.parametrize("deep", range(1, 5))
def test_a_backslash_in_a_secret_hides_it_nowhere(secret, deep):
    written = secret
    for _ in range(deep):
        written = json.dumps({"v": written})
    mixed = secret.replace("0", "\\u0030")

    scrubbed = Redactor([secret]).text(f"log: {written} and {mixed}")

    assert scrubbed.count(MARK) == 2
    assert [one for one in ("fgh", "tools", "efg", "two", "000") if one in scrubbed] == []


def _units(character):
    raw = character.encode("utf-16-be")
    return [int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2)]


@pytest.mark.parametrize("before", ["", "a", "ab", "user:", "Aladdin:"])
@pytest.mark.parametrize("after", ["", "x", "xy"])
@pytest.mark.parametrize("encoded", [base64.b64encode, base64.urlsafe_b64encode], ids=["standard", "for URLs"])
def test_base64_hides_no_secret_wherever_it_begins(before, after, encoded):
    written = encoded(f"{before}{TOKEN}{after}".encode()).decode()

    scrubbed = Redactor([TOKEN]).text(f"sent {written} to it")

    kept = scrubbed.replace(MARK, "").removeprefix("sent ").removesuffix(" to it")
    assert MARK in scrubbed
    assert len(kept) <= len(encoded(before.encode()).rstrip(b"=")) + len(encoded(after.encode()))
    assert written.startswith(scrubbed.removeprefix("sent ").partition(MARK)[0])


def test_other_texts_than_the_secret_stay():
    redactor = Redactor([TOKEN, SECRET, NUMBER, "short"])
    texts = [
        TOKEN[:-1],
        TOKEN.upper(),
        "shortly",
        base64.b64encode(b"nothing of the kind, at length").decode(),
        json.dumps({"a": 827364519, "b": [1.5, -3, 1e300], "c": "\\u0041 %41 &amp; \\/"}),
        "100% of \\ and & and \\u and %zz",
    ]

    assert [redactor.text(text) for text in texts] == texts
    assert redactor.value({"n": 827364519, "t": True}) == {"n": 827364519, "t": True}


ARGUMENTS = json.dumps({"pin": 8273645190, "list": [8273645190, [1, 8273645190]], "deep": {"n": -8273645190}})
CLEAN_ARGUMENTS = {"pin": MARK, "list": [MARK, [1, MARK]], "deep": {"n": MARK}}


@pytest.mark.parametrize("number", ["8273645190", "-8273645190", "8273645190.5", "8273645190.0", "8.27364519e9"])
@pytest.mark.parametrize("space", ["", " ", "\n  "], ids=["compact", "spaced", "lines"])
def test_a_number_becomes_a_string_wherever_it_stands(number, space):
    written = f'{{"a":{space}{number},"b":{space}[{space}{number}{space},1],"c":[{{"d":{number}}},{number}]}}'
    expected = {"a": MARK, "b": [MARK, 1], "c": [{"d": MARK}, MARK]}
    redactor = Redactor([NUMBER])

    assert json.loads(redactor.body(written.encode())) == expected
    assert json.loads(redactor.text(written)) == expected
    assert redactor.value(json.loads(written)) == expected


@pytest.mark.parametrize("depth", range(4))
def test_a_number_in_json_in_json_leaves_json(depth):
    written, found = ARGUMENTS, None
    for _ in range(depth):
        written = json.dumps({"inner": written})

    found = json.loads(Redactor([NUMBER]).body(written.encode()))

    for _ in range(depth):
        found = json.loads(found["inner"])
    assert found == CLEAN_ARGUMENTS


def test_the_layout_of_a_body_stays_where_a_number_goes():
    raw = b'{ "created" : 8273645190,\n  "n": 1.50 }'

    assert Redactor([NUMBER]).body(raw) == b'{ "created" : "[secret:value:1]",\n  "n": 1.50 }'


def test_digits_in_prose_are_no_number_of_json():
    redactor = Redactor([NUMBER])

    texts = [redactor.text(text) for text in ("8273645190", "pin: 8273645190, ok", "see [8273645190]", '"8273645190"')]

    assert texts == [MARK, f"pin: {MARK}, ok", f"see [{MARK}]", f'"{MARK}"']


def test_a_number_in_the_events_of_a_stream_becomes_a_string():
    pieces = [ARGUMENTS[at : at + 7] for at in range(0, len(ARGUMENTS), 7)]
    events = [{"created": 8273645190, "delta": {"index": 0, "arguments": piece}} for piece in pieces]
    chunks = [f"data: {json.dumps(event)}\n\n".encode() for event in events]

    clean = scrubbed_chunks(chunks, Redactor([NUMBER]))

    told = [json.loads(chunk.removeprefix(b"data: ")) for chunk in clean]
    assert len(clean) == len(chunks)
    assert {event["created"] for event in told} == {MARK}
    assert json.loads("".join(event["delta"]["arguments"] for event in told)) == CLEAN_ARGUMENTS


def test_a_secret_that_spans_two_strings_breaks_no_body():
    raw = b'{"a": "left", "b": "ri\\u0067ht"}'

    scrubbed = Redactor([': "left", ']).body(raw)

    assert json.loads(scrubbed) == {"a": "left", "b": "right"}


def test_an_event_that_an_edit_would_break_is_written_anew():
    chunks = [b'data: {"a": "left", "b": "zX9qL2mN8pRt"}\n\n', b"data: [DONE]\n\n"]

    clean = scrubbed_chunks(chunks, Redactor(['"a": "left"', TOKEN]))

    assert json.loads(clean[0].removeprefix(b"data: "))["b"].startswith("[secret:value:")
    assert clean[1] == chunks[1]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([8273645190, 18273645190, NUMBER, SECRET, TOKEN]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", NUMBER, TOKEN, "password"]), inner, max_size=4)
        | inner.map(json.dumps)
    ),
    max_leaves=12,
)


@given(JSON)
def test_a_body_and_its_value_are_scrubbed_alike_and_hold_no_digit_of_it(value):
    redactor = Redactor([NUMBER, SECRET, TOKEN])

    scrubbed = redactor.body(json.dumps(value).encode())

    assert json.loads(scrubbed) == redactor.value(value)
    assert [one for one in (NUMBER, TOKEN) if one.encode() in scrubbed] == []
    assert redactor.body(scrubbed) == scrubbed


@given(JSON)
def test_what_is_scrubbed_fits_what_it_was(value):
    assert fits(Redactor([NUMBER, SECRET, TOKEN]).value(value), value)


@pytest.mark.parametrize(
    ("recorded", "sent", "expected"),
    [
        ({"pin": MARK}, {"pin": 8273645190}, True),
        ({"pin": MARK}, {"pin": True}, False),
        ({"pin": f"{MARK} or so"}, {"pin": 8273645190}, False),
        ({MARK: 1, "b": 2}, {"zX9qL2mN8pRt": 1, "b": 2}, True),
        ({MARK: 1, "b": 2}, {"zX9qL2mN8pRt": 3, "b": 2}, False),
        ({MARK: 1}, {"x": 1, "y": 1}, False),
        ({"a": 1}, {"b": 1}, False),
    ],
)
def test_a_placeholder_fits_a_number_and_a_name(recorded, sent, expected):
    assert fits(recorded, sent) is expected


def test_a_placeholder_in_quotes_matches_a_number():
    assert matches('{"pin":"[secret:value:1]"}', '{"pin":8273645190}')
    assert matches('{\\"pin\\":\\"[secret:value:1]\\"}', '{\\"pin\\":8273645190}')
    assert not matches('{"pin":"[secret:value:1]"}', '{"pon":8273645190}')
