"""What fc-record refuses before the first request: nothing is sent, nothing is written, the reason is named."""

import json

import pytest
from loopback import Loopback, plain
from recording_project import Project, record
from spoken import chat_body

from harness.cli.environment import environment, is_loopback, proxy_for
from harness.cli.recording.endpoints import Options, base_url_of
from harness.cli.recording.record_plan import plan_of

KEY = "sk-ant-api03-FAKEfakeFAKEfake0123456789"
HERE = ["scenarios/find-parcel"]
FLAGS = ["--fixture-id", "f", "--system-prompt-file", "s.txt", "--user-message-file", "u.txt"]


def changed(name, text):
    return lambda project: project.write(f"scenarios/find-parcel/{name}", text)


def removed(*names):
    return lambda project: [(project.scenario / name).unlink() for name in names]


def as_it_is(_project):
    pass


def prompts_there(project):
    for name in ("s.txt", "u.txt"):
        project.write(name, "Hello.")


REFUSALS = [
    ("nothing named", as_it_is, [], 2, "fc-record --help"),
    ("no such scenario", as_it_is, ["scenarios/find-parcl"], 2, "nearest:  scenarios/find-parcel"),
    ("no provider", changed("scenario.toml", '[model]\nname = "m"\n'), HERE, 2, "no provider is named"),
    ("no model", changed("scenario.toml", '[model]\nprovider = "local"\n'), [*HERE, "--base-url", "{url}"], 2, "no model is named"),
    ("no address", as_it_is, [*HERE], 2, "say --base-url"),
    ("no key", as_it_is, [*HERE, "--provider", "openai"], 2, "OPENAI_API_KEY is not set"),
    ("no key", as_it_is, [*HERE, "--provider", "anthropic"], 2, "ANTHROPIC_API_KEY is not set"),
    ("no key", as_it_is, [*HERE, "--provider", "google"], 2, "GOOGLE_API_KEY is not set"),
    ("no key", as_it_is, [*HERE, "--provider", "openrouter"], 2, "OPENROUTER_API_KEY is not set"),
    ("no key", as_it_is, [*HERE, "--provider", "openai", "--base-url", "http://a.invalid"], 2, "OPENAI_API_KEY"),
    ("no such api", as_it_is, [*HERE, "--provider", "google", "--api", "messages"], 2, "no known address"),
    ("an odd address", as_it_is, [*HERE, "--base-url", "localhost:80"], 2, "starts with http"),
    ("an unknown option", as_it_is, [*HERE, "--bse-url", "x"], 2, "--base-url"),
    ("an odd parameter", as_it_is, [*HERE, "--base-url", "{url}", "--param", "x"], 2, "NAME=VALUE"),
    ("an odd body", as_it_is, [*HERE, "--base-url", "{url}", "--extra-body", "[1]"], 2, "a JSON object"),
    ("no steps", as_it_is, [*HERE, "--base-url", "{url}", "--max-steps", "0"], 2, "--max-steps"),
    ("time without end", as_it_is, [*HERE, "--base-url", "{url}", "--timeout", "1e300"], 2, "0<x<=86400"),
    ("a parameter twice", as_it_is, [*HERE, "--base-url", "{url}", "--param", "seed=1", "--param", "seed=2"], 2, "--param seed is said twice"),
    ("no time", as_it_is, [*HERE, "--base-url", "{url}", "--timeout", "0"], 2, "--timeout"),
    ("an empty prompt", changed("system.txt", " \n\t"), [*HERE, "--base-url", "{url}"], 2, "system.txt: the prompt file is empty"),
    ("an empty user text", changed("user.txt", ""), [*HERE, "--base-url", "{url}"], 2, "user.txt: the prompt file is empty"),
    ("no user text", removed("user.txt"), [*HERE, "--base-url", "{url}"], 2, "user.txt"),
    ("a secret in the prompt", changed("system.txt", f"Use {KEY}."), [*HERE, "--base-url", "{url}"], 2, "holds a secret (anthropic-key)"),
    ("a known secret in the prompt", changed("system.txt", "Say open sesame."), [*HERE, "--base-url", "{url}"], 2, "holds a secret (the value of DOOR_PASSWORD)"),
    ("a secret in the tools", changed("tools.json", json.dumps([{"name": "t", "description": KEY}])), [*HERE, "--base-url", "{url}"], 2, "tools.json: holds a secret"),
    ("broken tools", changed("tools.json", "[{"), [*HERE, "--base-url", "{url}"], 4, "tools.json:1: not JSON"),
    ("an unknown key", changed("tools.json", '[{"name":"t","parmeters":{}}]'), [*HERE, "--base-url", "{url}"], 4, "parmeters"),
    ("a broken schema", changed("tools.json", '[{"name":"t","parameters":{"type":"objekt"}}]'), [*HERE, "--base-url", "{url}"], 4, "tool t"),
    ("an unknown setting", changed("scenario.toml", "[modle]\n"), [*HERE, "--base-url", "{url}"], 4, "modle"),
    ("tools and no world", removed("world.py", "world.json"), [*HERE, "--base-url", "{url}"], 4, "stubs.json"),
    ("a world that cannot be loaded", changed("world.py", "1/0"), [*HERE, "--base-url", "{url}"], 4, "ZeroDivisionError"),
    ("a world that cannot start", changed("world.py", "def start(tables):\n    1/0\n"), [*HERE, "--base-url", "{url}"], 4, "the world cannot start"),
    ("a suite without cases", changed("suite.toml", ""), [*HERE, "--base-url", "{url}"], 2, "cases.jsonl: no such file"),
    ("a drifted builder", changed("scenario.toml", 'prompt = "prompt:build"\n[model]\nprovider = "local"\nname = "m"\n'), [*HERE, "--base-url", "{url}"], 3, "not the committed system.txt"),
    ("twice the same", as_it_is, [*HERE, *HERE, "--base-url", "{url}"], 2, "asked for twice"),
    ("two ways at once", as_it_is, [*HERE, "--fixture-id", "f"], 2, "--fixture-id is for a recording without"),
    ("a flag missing", prompts_there, FLAGS[:4], 2, "--user-message-file is missing"),
    ("an id that climbs", prompts_there, ["--fixture-id", "../f", *FLAGS[2:]], 2, "kebab-case"),
    ("an id with a slash", prompts_there, ["--fixture-id", "a/b", *FLAGS[2:]], 2, "kebab-case"),
    ("a file that is not there", as_it_is, [*FLAGS, "--base-url", "{url}"], 2, "s.txt: no such file"),
    ("another name for the fixture", as_it_is, [*HERE, "--base-url", "{url}", "--output", "fixtures/x.jsonl"], 2, "find-parcel.jsonl"),
    ("one file for several", as_it_is, [*HERE, "scenarios/b", "--output", "x.jsonl"], 2, "names one file"),
    ("assertions that are broken", lambda project: project.write("fixtures/find-parcel.jsonl", '{"type":"assertions"\n'), [*HERE, "--base-url", "{url}"], 4, "find-parcel.jsonl:1"),
    ("a new id that climbs", as_it_is, ["new", "../x"], 2, "kebab-case"),
    ("a new id that is there", as_it_is, ["new", "find-parcel"], 2, "there already"),
]  # fmt: skip


@pytest.mark.parametrize("row", REFUSALS, ids=[f"{number}-{row[0]}" for number, row in enumerate(REFUSALS)])
def test_a_refusal_comes_before_the_first_request(tmp_path, monkeypatch, capsys, row):
    _, change, arguments, code, said = row
    project = Project(tmp_path)
    project.write("scenarios/find-parcel/prompt.py", "def build():\n    return 'other'\n")
    change(project)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOOR_PASSWORD", "open sesame")
    before = project.files()

    with Loopback(plain(chat_body("hi"))) as server:
        ran = record(capsys, *(word.replace("{url}", server.url) for word in arguments))

    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert KEY not in ran.err
    assert server.requests == []
    assert project.files() == before


def test_a_refusal_can_be_read_by_programs(tmp_path, monkeypatch, capsys):
    Project(tmp_path)
    monkeypatch.chdir(tmp_path)

    ran = record(capsys, *HERE, "--provider", "openai", "--json")

    assert (ran.code, ran.err) == (2, "")
    assert json.loads(ran.out) == {
        "code": "MISSING_KEY",
        "message": "OPENAI_API_KEY is not set: a live recording needs the provider's key",
        "file": None, "line": None, "expected": None, "found": None, "nearest": None,
        "next": "export OPENAI_API_KEY=… (or put it into .env), then run the same command again",
    }  # fmt: skip


@pytest.mark.parametrize("api", ["chat", "messages"])
def test_an_endpoint_on_this_machine_gets_no_real_key(tmp_path, monkeypatch, capsys, api):
    Project(tmp_path, api=api)
    monkeypatch.chdir(tmp_path)
    names = ["OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY"]
    for name in names:
        monkeypatch.setenv(name, f"FAKE-SECRET-{name}")

    with Loopback(plain({})) as server:
        record(capsys, *HERE, "--base-url", server.url)

    [request] = server.requests
    assert "FAKE-SECRET" not in str(request)
    assert request.headers["authorization"] == "Bearer none"


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("openrouter", "OPENROUTER_API_KEY"),
        ("google", "GOOGLE_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
    ],
)
def test_a_key_may_stand_in_the_dotenv_file(tmp_path, monkeypatch, provider, name):
    project = Project(tmp_path)
    monkeypatch.chdir(tmp_path)
    project.write(".env", f"# keys\nexport {name}='FAKE-SECRET-01' # mine\n")

    plan = plan_of(project.scenario, Options(provider=provider), environment())

    assert plan.endpoint.key == "FAKE-SECRET-01"
    assert "FAKE-SECRET-01" in plan.secrets


def test_the_environment_wins_over_the_dotenv_file(tmp_path, monkeypatch):
    (tmp_path / ".env").write_text('A=1\nexport B="two words" # why\nC=x # y\nD=\nnot a line\n=\nE = "un\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("A", "mine")

    found = environment()

    assert {name: found.get(name) for name in "ABCDE"} == {"A": "mine", "B": "two words", "C": "x", "D": "", "E": '"un'}


@pytest.mark.parametrize(
    ("address", "chat", "messages"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("https://a.test/llm", "https://a.test/llm/v1", "https://a.test/llm"),
        ("https://a.test/llm/v1", "https://a.test/llm/v1", "https://a.test/llm"),
        ("https://g.test/v1beta/openai", "https://g.test/v1beta/openai", "https://g.test/v1beta/openai"),
    ],
)
def test_an_address_is_taken_with_or_without_its_version(address, chat, messages):
    assert (base_url_of(address, "chat"), base_url_of(address, "messages")) == (chat, messages)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:1", True), ("http://127.9.9.9", True), ("http://[::1]:1", True), ("http://localhost", True),
        ("http://a.localhost", True), ("http://192.168.0.1", False), ("https://api.openai.com", False),
        ("http://localhost.example.com", False),
    ],
)  # fmt: skip
def test_this_machine_is_known(url, expected):
    assert is_loopback(url) is expected


@pytest.mark.parametrize(
    ("url", "variables", "expected"),
    [
        ("https://a.test/v1", {"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ("https://a.test/v1", {"http_proxy": "http://p:1"}, None),
        ("http://a.test/v1", {"ALL_PROXY": "http://p:1"}, "http://p:1"),
        ("https://a.test/v1", {"https_proxy": "http://p:1", "NO_PROXY": "b.test, .a.test"}, None),
        ("https://x.a.test/v1", {"https_proxy": "http://p:1", "no_proxy": "a.test"}, None),
        ("http://127.0.0.1:1", {"ALL_PROXY": "http://p:1"}, None),
    ],
)
def test_the_usual_proxy_variables_are_followed(url, variables, expected):
    assert proxy_for(url, variables) == expected
