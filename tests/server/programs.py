"""Programs of a user's own, run beside the commands in a directory of their own."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD, REPLAY = (f"from harness.cli.{name} import main; main(prog_name='fc-{name}')" for name in ("record", "replay"))
PYTHON = sys.executable
WAIT_S = 60

PYTHON_AGENT = '''\
"""Plain and streamed questions over three APIs, with whatever addresses and keys the environment names."""

import sys

import anthropic
import openai

question = sys.argv[1] if len(sys.argv) > 1 else "hi"
client, other = openai.OpenAI(), anthropic.Anthropic()
messages = [{"role": "user", "content": question}]
answer = client.chat.completions.create(model="m", messages=messages).choices[0].message
print(answer.content)
messages += [answer.model_dump(exclude_none=True), {"role": "user", "content": "again"}]
for chunk in client.chat.completions.create(model="m", messages=messages, stream=True):
    print(chunk.choices[0].delta.content if chunk.choices else None)
print(client.responses.create(model="m", input=question).output_text)
with other.messages.stream(model="m", max_tokens=9, messages=[{"role": "user", "content": question}]) as stream:
    print([*stream.text_stream])
'''

# The same without any SDK, so that it starts at once: each argument is a question, `@` before it a system prompt.
RAW_AGENT = '''\
"""Ask each question over Chat Completions."""

import json
import os
import sys
import urllib.request

for question in sys.argv[1:]:
    system, _, user = question.rpartition("@")
    messages = [{"role": "system", "content": system}] if system else []
    body = {"model": "m", "messages": [*messages, {"role": "user", "content": user}]}
    headers = {"authorization": f"Bearer {os.environ['OPENAI_API_KEY']}", "content-type": "application/json"}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        print(json.load(answer)["choices"][0]["message"]["content"])
'''


class Ran:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def started(code, root, *arguments, variables=None):
    """Start a command; `code` is RECORD or REPLAY."""
    command = [PYTHON, "-c", code, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(variables or {})}
    return subprocess.Popen(
        command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(code, root, *arguments, variables=None):
    process = started(code, root, *arguments, variables=variables)
    out, err = process.communicate(timeout=WAIT_S)
    return Ran(process.returncode, out, err)


def ended(process, number=signal.SIGTERM):
    """End a command and give what it told."""
    process.send_signal(number)
    out, err = process.communicate(timeout=WAIT_S)
    return Ran(process.returncode, out, err)


class Served:
    """A command that serves until its block ends; then `ran` is what it told."""

    def __init__(self, process):
        self._process = process
        self.url = process.stdout.readline().strip()
        self.ran = None

    def end(self, number=signal.SIGTERM):
        self.ran = ended(self._process, number)
        return self.ran


@contextmanager
def serving_command(code, root, *arguments):
    name, *rest = arguments
    process = started(code, root, name, "--port", 0, *rest)
    served = Served(process)
    try:
        yield served
    finally:
        if served.ran is None:
            served.end()


def curl(url, body, *options):
    """Ask with curl; its output is the answer's bytes."""
    command = ["curl", "-sS", "-N", "--noproxy", "*", "-d", body, "-H", "content-type: application/json", *options, url]
    return subprocess.run(command, capture_output=True, check=True, timeout=WAIT_S).stdout
