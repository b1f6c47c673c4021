"""A small agent and its test, as files of a project of their own."""

AGENT = """
import os

def ask(fc, question, **params):
    url = os.environ.get("MODEL_URL", "https://api.example.test")
    messages = [{"role": "system", "content": os.environ.get("PROMPT", "Be brief.")}, {"role": "user", "content": question}]
    body = {"model": "m-test", "messages": messages, **params}
    return fc.http_client().post(url + "/v1/chat/completions", json=body).json()["choices"][0]["message"]["content"]
"""
TEST = """
from agent import ask

def test_hello(fc):
    assert ask(fc, "hi") == "Hello"
"""


def text_of(result):
    return "\n".join(result.outlines)
