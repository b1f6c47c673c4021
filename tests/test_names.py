"""Names in files that become parts of paths: none leads out of its directory."""

import msgspec
import pytest

from harness.fixture import Name, NamePath

OUTSIDE = ["../../evil", "..", ".", ".hidden", "/etc/passwd", "a/../b", "a\\b", "", "-x", "a\0b", "a\nb", "x" * 300]


@pytest.mark.parametrize("name", [*OUTSIDE, "a/b"])
def test_a_name_that_leads_elsewhere_is_refused(name):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(name, Name)


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_path_of_names_that_leads_elsewhere_is_refused(name):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(name, NamePath)


@pytest.mark.parametrize("name", ["refund-4021", "test_agent-test_hello[東京]", "fc-d1-001.1", "NAME 2"])
def test_a_plain_name_is_one(name):
    assert msgspec.convert(name, Name) == msgspec.convert(name, NamePath) == name


def test_a_path_of_names_is_one():
    assert msgspec.convert("run-1/fc-d1-001.1", NamePath) == "run-1/fc-d1-001.1"
