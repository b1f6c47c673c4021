"""Secrets are found wherever they stand, nothing else is touched, and equal ones stay equal."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.value import encode
from harness.wire.redact import Redactor
from harness.wire.secret_fields import matches

KEYS = {
    "anthropic-key": "sk-ant-api03-FAKEfakeFAKEfake0123456789",
    "openrouter-key": "sk-or-v1-FAKEfakeFAKEfake0123456789",
    "openai-key": "sk-proj-FAKEfakeFAKEfake_0123-456789",
    "openai-client-secret": "ek_" + "FAKEfake01" * 3,
    "google-key": "AIza" + "FAKEfake0123-_FAKEfake0123-_FAKEfak",
    "google-token": "ya29.FAKEfakeFAKEfake0123456789",
    "groq-key": "gsk_" + "FAKEfake01" * 4,
    "xai-key": "xai-" + "FAKEfake01" * 4,
    "perplexity-key": "pplx-" + "FAKEfake01" * 4,
    "replicate-key": "r8_" + "FAKEfake01" * 3,
    "huggingface-key": "hf_" + "FAKEfake01" * 3,
    "github-token": "ghp_" + "FAKEfake01" * 3,
    "gitlab-token": "glpat-FAKEfakeFAKEfake0123",
    "slack-token": "xoxb-0123456789-FAKEfake",
    "stripe-key": "sk_" + "live_FAKEfakeFAKEfake01",
    "aws-key": "AKIA" + "FAKEFAKE01234567",
    "sendgrid-key": "SG.FAKEfakeFAKEfake.FAKEfakeFAKEfake0123",
    "npm-token": "npm_" + "FAKEfake01" * 3 + "FAKE12",
    "pypi-token": "pypi-" + "FAKEfake01" * 5,
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.FAKEfakeFAKEfake",
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\nFAKE/fake+0123\nFAKE==\n-----END RSA PRIVATE KEY-----",
}

# What looks a little like a secret and is none.
HARMLESS = [
    "where is the key to room 4?",
    '{"max_tokens":64,"token_count":9,"total_tokens":12,"next_page_token":"c3RhcnQ6MTAwMDAwMDAwMDA"}',
    '{"logprobs":{"content":[{"token":"Hello","logprob":-0.1,"top_logprobs":[{"token":" there"}]}]}}',
    '{"type":"object","properties":{"password":{"type":"string","minLength":8}},"required":["password"]}',
    '{"api_key":"","password":null,"secret":"<your secret>","access_token":"${TOKEN}","authorization":"Bearer {{key}}"}',
    '{"sort_key":"name","keys":["a"],"monkey":"banana","tokens":12345678,"secretary":"Ann","cookie":"chocolate"}',
    "task-management-and-risk-assessment-for-everyone, a desk-side-table-lamp-for-reading",
    "Basic understanding of the authorization: required for every employee",
    "https://example.test:8443/path?page=2&sort=key#top and mail@example.test at https://example.test/@user",
    "call_abcDEF0123456789abcdef toolu_01ABCdef chatcmpl-fsVId3FiEiH8ljcjeB0uyHx3K5LbvdwT msg_01XYZ req_0123456789abcdef",
    "箱→北 🚚 \u2028 \\u0041 \\\\ \\n",
]


@pytest.mark.parametrize(("kind", "key"), KEYS.items(), ids=list(KEYS))
def test_a_provider_key_is_known_by_its_shape(kind, key):
    redactor = Redactor()

    assert redactor.text(f"use {key}, please") == f"use [secret:{kind}:1], please"
    assert redactor.text(key) == f"[secret:{kind}:1]"
    assert redactor.body(encode({"a": f"\n{key}"})) == encode({"a": f"\n[secret:{kind}:1]"})


@pytest.mark.parametrize("text", HARMLESS, ids=range(len(HARMLESS)))
def test_what_is_no_secret_stays(text):
    redactor = Redactor()

    assert redactor.text(text) == text
    assert redactor.value([text, {"content": text}]) == [text, {"content": text}]
    assert redactor.body(text.encode()) == text.encode()


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        pytest.param({"api_key": "F1"}, {"api_key": "[secret:api-key:1]"}, id="api_key"),
        pytest.param({"apiKey": "F1"}, {"apiKey": "[secret:api-key:1]"}, id="camel"),
        pytest.param({"X-Api-Key": "F1"}, {"X-Api-Key": "[secret:api-key:1]"}, id="header"),
        pytest.param({"db_password": "F1"}, {"db_password": "[secret:password:1]"}, id="prefix"),
        pytest.param({"password": 12345678}, {"password": "[secret:password:1]"}, id="number"),
        pytest.param(
            {"authorization": "Bearer F-1-x"}, {"authorization": "Bearer [secret:authorization:1]"}, id="scheme"
        ),
        pytest.param({"Set-Cookie": "sid=F1; Path=/"}, {"Set-Cookie": "[secret:set-cookie:1]"}, id="set-cookie"),
        pytest.param({"Cookie": "sid=F1"}, {"Cookie": "[secret:cookie:1]"}, id="cookie"),
        pytest.param(
            {"token": "FAKE0123fake0123FAKE"}, {"token": "[secret:token:1]"}, id="a token that looks like a credential"
        ),
        pytest.param(
            {"a": [{"secret": "F1"}, {"secret": "F2"}, {"secret": "F1"}]},
            {"a": [{"secret": "[secret:secret:1]"}, {"secret": "[secret:secret:2]"}, {"secret": "[secret:secret:1]"}]},
            id="equal stay equal",
        ),
    ],
)
def test_a_field_is_known_by_its_name(given_, expected):
    assert Redactor().value(given_) == expected
    assert json.loads(Redactor().body(encode(given_))) == expected


def test_a_field_inside_text_inside_text_is_known_by_its_name():
    arguments = json.dumps({"user": "ann", "password": 'hun"ter\\2', "max_tokens": 5, "pin": {"api_key": "F1"}})
    message = {"tool_calls": [{"function": {"arguments": arguments}}], "twice": json.dumps({"inner": arguments})}

    scrubbed = Redactor().value(message)
    from_bytes = json.loads(Redactor().body(json.dumps(message).encode()))

    inner = {
        "user": "ann",
        "password": "[secret:password:1]",
        "max_tokens": 5,
        "pin": {"api_key": "[secret:api-key:1]"},
    }
    assert json.loads(scrubbed["tool_calls"][0]["function"]["arguments"]) == inner
    assert json.loads(json.loads(scrubbed["twice"])["inner"]) == inner
    assert from_bytes == scrubbed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("https://a.test/x?key=F1&page=2", "https://a.test/x?key=[secret:key:1]&page=2", id="query"),
        pytest.param(
            "https://a.test/?X-Amz-Signature=F1", "https://a.test/?X-Amz-Signature=[secret:signature:1]", id="sig"
        ),
        pytest.param("/v1?page=2&api_key=F1#x", "/v1?page=2&api_key=[secret:api-key:1]#x", id="path"),
        pytest.param("bad url https://u:F1@p.test/", "bad url https://[secret:userinfo:1]@p.test/", id="userinfo"),
        pytest.param("X-Api-Key: FAKE01, ok", "X-Api-Key: [secret:header:1], ok", id="header"),
        pytest.param("Bearer FAKE-fake.01 ok", "Bearer [secret:authorization:1] ok", id="bearer"),
        pytest.param("{'api_key': 'F1', 'n': 1}", "{'api_key': '[secret:api-key:1]', 'n': 1}", id="a Python dict"),
        pytest.param('{"password":"cut off', '{"password":"[secret:password:1]', id="cut off"),
    ],
)
def test_parts_of_urls_headers_and_errors_are_known(text, expected):
    assert Redactor().text(text) == expected


@pytest.mark.parametrize(
    "value", ["hunter22", 'quo"te\\slash', "two words here", "schlüssel-箱", "a/b?c=d&e"], ids=range(5)
)
def test_a_known_value_is_found_in_every_spelling(value):
    redactor = Redactor([value, "short"])
    texts = [
        value,
        json.dumps({"a": value}),
        json.dumps({"a": value}, ensure_ascii=False),
        json.dumps([json.dumps(value)]),
    ]

    scrubbed = [redactor.text(text) for text in texts]

    assert scrubbed[0] == "[secret:value:1]"
    assert all("[secret:value:1]" in text and value not in text for text in scrubbed)
    assert json.loads(redactor.body(texts[1].encode())) == {"a": "[secret:value:1]"}
    assert redactor.text("shortly") == "shortly"


def test_a_secret_that_is_known_twice_over_has_one_placeholder():
    key = KEYS["openai-key"]
    redactor = Redactor([key])

    scrubbed = redactor.value({"api_key": key, "text": f"it is {key}", "url": f"https://a.test/?key={key}"})

    name = "[secret:openai-key:1]"
    assert scrubbed == {"api_key": name, "text": f"it is {name}", "url": f"https://a.test/?key={name}"}


def test_headers_are_kept_by_name_only():
    headers = {
        "Content-Type": "application/json", "X-Request-Id": "r1", "Set-Cookie": "sid=F1", "x-api-key": "F2",
        "openai-organization": "org-keep", "Retry-After": "2", "date": "now",
    }  # fmt: skip

    assert Redactor().headers(headers) == {"content-type": "application/json", "retry-after": "2", "x-request-id": "r1"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from([*KEYS.values(), *HARMLESS]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5) | st.sampled_from(["password", "api_key", "text"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_what_is_scrubbed_once_is_clean(value):
    redactor = Redactor(["known value 1"])

    once = redactor.value(value)

    assert redactor.value(once) == once
    assert redactor.body(encode(once)) == encode(once)
    assert not any(key in encode(once).decode() for key in map(str, KEYS.values()))


@given(JSON)
def test_a_body_and_its_value_are_scrubbed_alike(value):
    redactor = Redactor()  # one a recording: the number of a placeholder is that of the secret's first appearance

    assert json.loads(redactor.body(encode(value))) == redactor.value(value)


@given(st.text(), st.lists(st.sampled_from([*KEYS.values()])), st.text())
def test_a_scrubbed_text_matches_what_it_was(before, keys, after):
    text = before + " ".join(keys) + after

    assert matches(Redactor().text(text), text)


@pytest.mark.parametrize(
    ("scrubbed", "live", "expected"),
    [
        ("a [secret:value:1] b", "a hunter22 b", True),
        ("a [secret:value:1] b", "a  b", True),
        ("a [secret:value:1] b", "a hunter22 c", False),
        ("[secret:value:1][secret:value:2]", "x", True),
        ("x[secret:value:1]y[secret:value:1]z", "x-yy-z", True),
        ("same", "same", True),
        ("same", "other", False),
        ("ab[secret:value:1]ba", "aba", False),
    ],
)
def test_a_placeholder_matches_any_string_in_its_place(scrubbed, live, expected):
    assert matches(scrubbed, live) is expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("sk-" * 300_000, id="prefixes"),
        pytest.param("eyJ" * 300_000, id="jwt"),
        pytest.param("a" * 900_000, id="letters"),
        pytest.param('"a":' * 200_000, id="fields"),
        pytest.param('\\"' * 400_000, id="escapes"),
        pytest.param('"password":"' * 60_000, id="open strings"),
        pytest.param("://" * 300_000, id="urls"),
        pytest.param("?a=" * 300_000, id="parameters"),
        pytest.param("Bearer " * 120_000, id="schemes"),
        pytest.param("-----BEGIN RSA PRIVATE KEY-----" * 30_000, id="pem"),
        pytest.param("x-api-key: " * 80_000, id="headers"),
        pytest.param("\\" * 900_000, id="backslashes"),
        pytest.param("\\u0041" * 150_000, id="escaped letters"),
        pytest.param("[8273645190," * 60_000, id="lists of numbers"),
        pytest.param('"a":8273645190,' * 60_000, id="fields with numbers"),
        pytest.param("1" * 900_000, id="digits"),
        pytest.param("%41" * 300_000, id="percents"),
    ],
)
def test_time_grows_with_the_text_only(text):
    redactor = Redactor(["some known value", 'p/W+x&"é 9Qz', "8273645190"])
    start = time.process_time()

    redactor.raw(text[: len(text) // 8].encode())
    small = time.process_time() - start
    redactor.raw(text.encode())

    assert time.process_time() - start - small < max(small, 0.02) * 8 * 4
