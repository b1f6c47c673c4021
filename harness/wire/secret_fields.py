"""Which names promise a secret: fields of JSON, parameters of URLs; and what stands in a secret's place."""

import re
from functools import lru_cache

SCHEME = re.compile(r"(?:Bearer|Basic|Token)\s{1,4}", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\[secret:[a-z0-9-]+:[0-9]+\]")
_PLACE = re.compile(rf'(?P<quote>\\*"){_PLACEHOLDER.pattern}(?P=quote)|{_PLACEHOLDER.pattern}')
# What people write where a secret will stand: <key>, ${KEY}, {{ key }}, ***, …
_TEMPLATE = re.compile(r"<[^<>]*>|\$\{?\w+\}?|\{[^{}]*\}|\{\{[^{}]*\}\}|[*.•x]+|…")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_CREDENTIAL = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9._~+/=-]{16,}\Z")

_LAST = {
    "apikey", "accesstoken", "authorization", "authtoken", "credential", "credentials", "passphrase", "passwd",
    "password", "privatekey", "pwd", "refreshtoken", "secret", "secretkey", "sessiontoken",
}  # fmt: skip
_LAST_TWO = {
    ("access", "key"), ("access", "token"), ("api", "key"), ("api", "token"), ("auth", "token"), ("bearer", "token"),
    ("bot", "token"), ("csrf", "token"), ("encryption", "key"), ("github", "token"), ("gitlab", "token"),
    ("id", "token"), ("private", "key"), ("refresh", "token"), ("secret", "key"), ("session", "token"),
    ("set", "cookie"), ("signing", "key"),
}  # fmt: skip
# A token that only says where to go on, or how many there are.
_HARMLESS_TOKENS = {"continuation", "count", "cursor", "limit", "max", "next", "num", "page", "sync", "total"}
_SIGNATURE = re.compile(r"[-_.]signature\Z")  # what opens an address to whoever has it: X-Amz-Signature
_PARAMETERS = {"auth", "key", "sig", "signature", "token"}


def kind_of_field(name: str, value: str) -> str | None:
    """The kind of secret that a field of this name holds; None where name or value is none."""
    kind = _kind_of_name(name)
    secret = SCHEME.sub("", value.strip(), count=1)
    if kind is None or not secret or is_placeholder(secret) or is_template(secret):
        return None
    if kind == "token":
        return kind if _CREDENTIAL.match(value) else None
    if kind == "cookie":
        return kind if "=" in value else None
    return kind


def promises_secret(name: str) -> bool:
    """Whether a field of this name may hold a secret, whatever its value."""
    return _kind_of_name(name) is not None


def kind_of_parameter(name: str) -> str | None:
    """The kind of secret in a URL's query parameter of this name."""
    lower = name.lower()
    if lower in _PARAMETERS:
        return lower
    return "signature" if _SIGNATURE.search(lower) else _kind_of_name(name)


def is_template(text: str) -> bool:
    """Whether a text only says that a secret will stand here."""
    return _TEMPLATE.fullmatch(text) is not None


def is_placeholder(text: str) -> bool:
    """Whether a text stands in a secret's place, and for nothing else."""
    return _PLACEHOLDER.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def _kind_of_name(name: str) -> str | None:
    words = tuple(str(word).lower() for word in _WORD.findall(name))
    if not words:
        return None
    if words[-1] in _LAST:
        return words[-1]
    if words[-2:] in _LAST_TWO:
        return "-".join(words[-2:])
    if words == ("cookie",):
        return "cookie"
    if words[-1] == "token" and not _HARMLESS_TOKENS & set(words):
        return "token"
    return None


def matches(scrubbed: str, live: str) -> bool:
    """Whether a text with placeholders could have been this one: each placeholder stands for any string.

    One in quotes may stand for a number, which has none.
    """
    pieces = _pieces_of(scrubbed)
    if len(pieces) == 1:
        return scrubbed == live
    first, *middle, last = pieces
    if len(live) < len(first) + len(last) or not live.startswith(first) or not live.endswith(last):
        return False
    at, end = len(first), len(live) - len(last)
    for piece in middle:
        found = live.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _pieces_of(scrubbed: str) -> list[str]:
    """What stands between the placeholders."""
    pieces, at = [], 0
    for found in _PLACE.finditer(scrubbed):
        pieces.append(scrubbed[at : found.start()])
        at = found.end()
    return [*pieces, scrubbed[at:]]
