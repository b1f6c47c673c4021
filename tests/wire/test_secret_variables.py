"""Variables are known by their names, secrets in them by what they are; words that stand everywhere are none."""

import json

import pytest

from harness.wire.secret_variables import is_secret_variable, secrets_in_variable

PRIVATE = "-----BEGIN PRIVATE KEY-----\nFAKEfake0123\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY", "API_KEYS", "db_password", "GH_TOKEN", "REFRESH_TOKENS", "CLIENT_SECRET", "APP_SECRETS",
        "DB_PASS", "PASS", "DB_PASSWD", "SSH_PASSPHRASE", "GITHUB_PAT", "MY_AUTH", "SESSION_COOKIE", "SLACK_WEBHOOK_URL",
        "DB_PWD", "SENTRY_DSN", "GOOGLE_CREDENTIALS",
        "CREDENTIALS_JSON",
    ],
)  # fmt: skip
def test_a_name_may_promise_a_secret(name):
    assert is_secret_variable(name)


@pytest.mark.parametrize(
    "name",
    ["HOME", "PATH", "PWD", "OLDPWD", "KEYBOARD", "COMPASS", "SSH_ASKPASS_REQUIRE", "MANPATH", "TOKENIZER", "EDITOR"],
)
def test_other_names_promise_none(name):
    assert not is_secret_variable(name)
    assert [*secrets_in_variable(name, "some value that is long enough")] == []


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        pytest.param("MY_KEY", " hunter22-x \n", ["hunter22-x"], id="white space around it"),
        pytest.param("API_KEYS", "aaaa1111,bbbb2222", ["aaaa1111,bbbb2222", "aaaa1111", "bbbb2222"], id="several"),
        pytest.param("DATABASE_URL", "postgres://ann:p%40ss-word@db.test/x", ["p%40ss-word", "p@ss-word"], id="a URL"),
        pytest.param("HTTP_PROXY", "http://ann:hunter22x@proxy.test:8080", ["hunter22x"], id="a proxy"),
        pytest.param("REDIS_URL", "redis://:hunter22x@redis.test:6379/0", ["hunter22x"], id="a URL without a user"),
        pytest.param("HOOK_URL", "https://0123abcdef@sentry.test/4", ["0123abcdef"], id="a URL with a key for a user"),
        pytest.param("BASE_URL", "https://api.test/v1?x=a@b", [], id="a URL without"),
        pytest.param(
            "DB_DSN",
            "host=db.test user=ann password=hunter22x",
            ["host=db.test user=ann password=hunter22x", "hunter22x"],
            id="a DSN of fields",
        ),
        pytest.param(
            "DB_DSN", "ann:hunter22x@tcp(db.test)/x", ["ann:hunter22x@tcp(db.test)/x", "hunter22x"], id="a DSN"
        ),
        pytest.param("GOOGLE_APPLICATION_CREDENTIALS", "/home/ann/key.json", [], id="a path to credentials"),
        pytest.param(
            "GOOGLE_CREDENTIALS",
            json.dumps({"type": "service_account", "private_key": PRIVATE}),
            [json.dumps({"type": "service_account", "private_key": PRIVATE}), PRIVATE],
            id="credentials as JSON",
        ),
    ],
)
def test_the_secrets_in_a_variable_are_found(name, value, expected):
    assert [*secrets_in_variable(name, value)] == expected


@pytest.mark.parametrize(
    "value", ["localhost", "Password", "postgres", "assistant", "not-needed", "<your key here>", "${OTHER_KEY}", "xxxxxxxxxx", "00000000"]
)  # fmt: skip
def test_what_stands_everywhere_or_for_nothing_is_no_secret(value):
    assert [*secrets_in_variable("MY_KEY", value)] == []
