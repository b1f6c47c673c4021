"""Which variables of the environment hold secrets, and which texts those are."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from harness.value import NotJsonError, decode
from harness.wire.secret_fields import is_template, kind_of_field

_ENDINGS = (
    "KEY", "KEYS", "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWORDS", "PASSWD", "PASSPHRASE", "_PASS",
    "_PAT", "_PWD", "_DSN", "_AUTH", "COOKIE", "COOKIES", "WEBHOOK", "WEBHOOK_URL",
)  # fmt: skip
_WHOLE = {"PASS", "PAT", "DSN"}
_SEVERAL = ("KEYS", "TOKENS", "SECRETS", "PASSWORDS")
_ANYWHERE = "CREDENTIAL"

_USERINFO = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^\s/?#@]*)@")
_PASSWORD = re.compile(r"(?i)\b(?:password|passwd|pwd)\s*=\s*([^\s;&]+)")
_LOGIN = re.compile(r"[^\s:@/]+:([^\s@]+)@[^\s@]+\Z")
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[\w .@+-]+[/\\])*[\w .@+-]+\.[A-Za-z0-9]{1,8}")

# What stands in such a variable where there is nothing to keep secret, and what every file is full of: these words
# would go from schemas, roles and addresses with the secret. No shorter word is ever a known value.
_COMMON = frozenset({
    "anonymous", "arguments", "assistant", "changeme", "completed", "description", "developer", "development",
    "disabled", "dummy-key", "exchange", "fake-key", "function", "localhost", "lm-studio", "messages", "no-key-needed",
    "no-key-required", "not-needed", "not-required", "not-used", "optional", "parameters", "password", "placeholder",
    "postgres", "postgresql", "production", "properties", "recording", "required", "sk-no-key-required", "test-key",
    "testtest", "toolcall", "toolresult", "undefined", "unlimited", "127.0.0.1", "12345678",
})  # fmt: skip


def is_secret_variable(name: str) -> bool:
    """Whether a variable of this name promises a secret."""
    upper = name.upper()
    return upper in _WHOLE or upper.endswith(_ENDINGS) or _ANYWHERE in upper


def secrets_in_variable(name: str, value: str) -> Iterator[str]:
    """The texts in a variable that must not be written: the value, each of several, the password in an address."""
    upper, value = name.upper(), value.strip()
    found = [*_passwords_in(value)]
    if is_secret_variable(name) and not (_ANYWHERE in upper and _PATH.fullmatch(value)):
        found.append(value)
        if upper.endswith(_SEVERAL):
            found += re.split(r"[\s,;]+", value)
        if upper in _WHOLE or upper.endswith("_DSN"):
            found += [*_PASSWORD.findall(value), *_LOGIN.findall(value)]
        found += _fields_of(value)
    return (one for one in dict.fromkeys(found) if not _is_common(one))


def _passwords_in(value: str) -> Iterator[str]:
    """The password of each address; the name where there is none, which is then a key."""
    for login in _USERINFO.findall(value):
        user, _, password = login.partition(":")
        yield password or user
        yield unquote(password or user)


def _fields_of(value: str) -> Iterator[str]:
    """The secrets of credentials that are written as JSON."""
    try:
        fields = decode(value) if value.startswith("{") else None
    except NotJsonError:
        return
    for name, item in fields.items() if isinstance(fields, dict) else ():
        if isinstance(item, str) and kind_of_field(name, item):
            yield item


def _is_common(text: str) -> bool:
    stands_in = is_template(text) and not text.startswith('{"')
    return text.lower() in _COMMON or stands_in or len(set(text)) <= 1
