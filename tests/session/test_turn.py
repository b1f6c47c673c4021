"""A run ends with its block: a client that outlives it, a model asked directly, an option that is none."""

import asyncio
import socket
import threading
from contextlib import suppress

import httpx
import httpx2
import openai
import pytest
from loopback import Loopback, plain
from spoken import chat_body
from weather_agent import QUESTION, openai_for

from harness import errors
from harness.session.runs import record, replay

HELLO = plain(chat_body("Hello"))
OVER = "a request came through a client whose run is over, make one in each run: "


def chat(client):
    return client.chat.completions.create(model="m-test", messages=[QUESTION])


@pytest.fixture
def model():
    """A server that gives the same answer for ever, and a client of a run that is over."""
    with Loopback(HELLO) as server:
        yield server


def recorded(path, server):
    with record(path) as fc:
        client = openai_for(fc, f"{server.url}/v1")
        chat(client)
    return client


def test_a_client_of_an_earlier_run_asks_nobody_and_fails_the_recording(tmp_path, model):
    old = recorded(tmp_path / "old.jsonl", model)

    def run():
        with record(tmp_path / "new.jsonl") as fc:
            chat(openai_for(fc, f"{model.url}/v1"))
            with suppress(Exception):
                chat(old)

    with pytest.raises(errors.LiveCallFailed) as caught:
        run()

    assert str(caught.value) == f"the live call failed: {OVER}{tmp_path / 'old.jsonl'}"
    assert len(model.requests) == 2
    assert not (tmp_path / "new.jsonl").exists()


def test_a_client_of_an_earlier_run_fails_the_replay_whose_agent_swallows_it(tmp_path, model):
    recorded(tmp_path / "run.jsonl", model)
    with replay(tmp_path / "run.jsonl") as fc:
        old = openai_for(fc)
        chat(old)

    def run():
        with replay(tmp_path / "run.jsonl") as fc:
            chat(openai_for(fc))
            with suppress(Exception):
                chat(old)

    with pytest.raises(errors.AgentDiverged) as caught:
        run()

    assert f"NOT_INTERCEPTED: {OVER}" in str(caught.value)


def test_a_thread_that_outlives_its_run_is_not_laid_to_the_next_ones_charge(tmp_path, model):
    old, go, refused = recorded(tmp_path / "old.jsonl", model), threading.Event(), []

    def late():
        go.wait(20)
        try:
            chat(old)
        except openai.InternalServerError as error:
            refused.append(error.status_code)

    thread = threading.Thread(target=late)
    thread.start()
    with record(tmp_path / "new.jsonl") as fc:
        chat(openai_for(fc, f"{model.url}/v1"))
        go.set()
        thread.join(20)

    assert refused == [599]


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
def test_who_asks_when_no_run_goes_on_gets_the_reason(tmp_path, model, library):
    recorded(tmp_path / "run.jsonl", model)
    with replay(tmp_path / "run.jsonl") as fc:
        chat(openai_for(fc))
        kept, akept = fc.http_client(library), fc.async_http_client(library)

    answers = [kept.get(f"{model.url}/v1/models"), asyncio.run(akept.get(f"{model.url}/v1/models"))]

    reason = {"type": "error", "error": {"type": "fc_over", "message": f"{OVER}{tmp_path / 'run.jsonl'}"}}
    assert [(one.status_code, one.json()) for one in answers] == [(599, reason)] * 2


def test_a_replay_does_not_reach_a_model_on_this_machine_either(tmp_path, model):
    recorded(tmp_path / "run.jsonl", model)

    address = ("127.0.0.1", int(model.url.rpartition(":")[2]))

    def run():
        with replay(tmp_path / "run.jsonl") as fc:
            chat(openai_for(fc))
            with suppress(errors.NotHermetic):
                socket.create_connection(address)

    with pytest.raises(errors.AgentDiverged) as caught:
        run()

    assert f"NOT_INTERCEPTED: a connection to 127.0.0.1:{address[1]} was tried, past this session" in str(caught.value)
    assert len(model.requests) == 1


def test_other_ports_of_this_machine_and_a_model_within_reach_may_be_asked(tmp_path, model):
    recorded(tmp_path / "run.jsonl", model)

    with Loopback(plain({})) as other, replay(tmp_path / "run.jsonl") as fc:
        chat(openai_for(fc))
        httpx2.get(other.url)
    with replay(tmp_path / "run.jsonl", reachable=["127.0.0.1"]) as fc:
        chat(openai_for(fc))
        httpx2.get(model.url)

    assert len(model.requests) == 2


@pytest.mark.parametrize("wrong", [{"allow": ["PROMT"]}, {"timing": "slow"}], ids=["allow", "timing"])
def test_a_replay_with_an_option_that_is_none_leaves_no_guard_behind(tmp_path, model, wrong):
    recorded(tmp_path / "run.jsonl", model)

    with pytest.raises(errors.UnknownName), replay(tmp_path / "run.jsonl", **wrong):
        pass

    socket.create_connection(("127.0.0.1", int(model.url.rpartition(":")[2]))).close()
