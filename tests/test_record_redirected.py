"""A provider that sends the client elsewhere: nobody named that host, so nothing goes there."""

import pytest
from loopback import Loopback, plain
from recording_project import Project, record
from spoken import chat_body, messages_body

ANSWERS = {"chat": chat_body("Hi."), "messages": messages_body("Hi.")}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("api", ANSWERS)
def test_a_redirect_is_a_failed_call_and_is_not_followed(tmp_path, capsys, monkeypatch, status, api):
    project = Project(tmp_path, api=api)
    monkeypatch.chdir(tmp_path)
    with Loopback(plain(ANSWERS[api])) as elsewhere:
        with Loopback(plain({}, status=status, headers={"location": f"{elsewhere.url}/v1/x"})) as server:
            ran = record(capsys, "scenarios/find-parcel", "--base-url", server.url)

        assert (ran.code, elsewhere.requests) == (7, [])

    assert f"HTTP {status}" in ran.err
    assert not project.fixture.exists()
