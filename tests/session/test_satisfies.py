"""A test's own expect.yaml: whose it is, is checked as it is elsewhere."""

import pytest
from recorded_run import chat_answer, recorded

from harness.errors import BadExpectation
from harness.session.traced import Traced


@pytest.fixture
def traced():
    run, _ = recorded("chat", [chat_answer(calls=[("c1", "set_lamp", '{"on": true}')]), chat_answer("Done.")])
    return Traced(run)


def spec(directory, name, case):
    directory.mkdir(exist_ok=True)
    (directory / name).write_text(f"case: {case}\nmust_call: [{{tool: set_lamp}}]\n")
    return directory / name


def test_a_spec_of_the_directory_that_it_lies_in_is_judged(traced, tmp_path):
    traced.satisfies(spec(tmp_path / "lamps", "expect.yaml", "lamps"))


def test_a_spec_that_was_copied_from_another_case_is_refused(traced, tmp_path):
    with pytest.raises(BadExpectation) as refused:
        traced.satisfies(spec(tmp_path / "lamps", "expect.yaml", "doors"))

    assert (refused.value.expected, refused.value.found) == ("lamps", "doors")


def test_a_spec_of_another_name_is_a_tests_own(traced, tmp_path):
    traced.satisfies(spec(tmp_path / "specs", "lamp-goes-on.yaml", "lamps"))
