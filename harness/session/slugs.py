"""A test's id as a file name."""

import hashlib
import re

_LONGEST = 120
_NOT_WORD = re.compile(r"[^a-z0-9_]+")
_MODULE = re.compile(r"\.py(?=::|$)")


def slug_of(nodeid: str) -> str:
    """`tests/test_refund.py::TestUsd::test_late[4021-eur]` gives `tests-test_refund-testusd-test_late-4021-eur`.

    Lower case, since not every file system tells `A` from `a`; two tests may so get one name, which is an error.
    """
    slug = _NOT_WORD.sub("-", _MODULE.sub("", nodeid).lower()).strip("-") or "test"
    if len(slug) <= _LONGEST:
        return slug
    digest = hashlib.sha256(nodeid.encode()).hexdigest()[:12]
    return f"{slug[: _LONGEST - 13]}-{digest}"
