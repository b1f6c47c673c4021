"""The environment outside pytest: a replay makes clients without keys, a recording takes them from `.env`."""

import os

import anthropic
import openai
from loopback import Loopback, plain
from spoken import chat_body

from harness.session.runs import record, replay
from harness.session.surroundings import PLACEHOLDER


def ask(client):
    messages = [{"role": "user", "content": "hi"}]
    return client.chat.completions.create(model="m", messages=messages).choices[0].message.content


def recorded(path, **named):
    with Loopback(plain(chat_body("Hello."))) as server, record(path) as fc:
        ask(openai.OpenAI(http_client=fc.http_client(), base_url=server.url, **named))
    return path


def test_a_replay_makes_clients_without_a_key(tmp_path, monkeypatch):
    path = recorded(tmp_path / "a.jsonl", api_key="made-up-key")
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    with replay(path) as fc:
        said = ask(openai.OpenAI(http_client=fc.http_client()))
        other = anthropic.Anthropic(http_client=fc.http_client())

    assert (said, other.api_key) == ("Hello.", PLACEHOLDER)
    assert "OPENAI_API_KEY" not in os.environ


def test_a_recording_takes_keys_from_the_dotenv_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / ".env").write_text("OPENAI_API_KEY=made-up-key-of-the-file\n")

    path = recorded(tmp_path / "a.jsonl")

    assert b"made-up-key-of-the-file" not in path.read_bytes()
    assert "OPENAI_API_KEY" not in os.environ


def test_what_the_block_sets_itself_stays(tmp_path, monkeypatch):
    monkeypatch.setenv("A_COUNT", "1")

    with Loopback(plain(chat_body("Hello."))) as server, record(tmp_path / "a.jsonl") as fc:
        ask(openai.OpenAI(http_client=fc.http_client(), base_url=server.url, api_key="made-up-key"))
        os.environ["A_COUNT"] = "2"

    assert os.environ["A_COUNT"] == "2"
