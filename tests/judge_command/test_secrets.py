"""No secret of the evidence or of the environment is told or written by fc-judge, in whatever form, cut or whole."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from places import ASKED, CALLED, ROOT, lines

CASE = Path(__file__).parents[3] / "shared" / "cases" / "B70-secrets-in-report.json"
SECRET = "FAKE-SECRET-20-and-a-tail-that-is-long"
SHAPED = "sk-ant-api03-0123456789abcdefghij"
FORMS = {"--report": "report.json", "--html": "report.html", "--junit": "report.xml", "--markdown": "report.md"}


def run(place, *arguments, code="from harness.cli.judge import main; main()", **variables):
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, cwd=place.directory, env=environment, capture_output=True, text=True, check=False)


def outputs(place, *arguments, **variables):
    """What is told to people, the JSON on stdout, and every file: seven outputs, by name."""
    words = [word for pair in FORMS.items() for word in pair]
    people = run(place, "fixtures", "--all", *arguments, *words, **variables)
    machine = run(place, "fixtures", "--json", *arguments, **variables)
    files = {name: (place.directory / name).read_text() for name in FORMS.values()}
    return {"people": people.stdout, "machine": machine.stdout, "errors": people.stderr + machine.stderr, **files}


def leaky(place, secret, *, name="leaky"):
    """A fixture that holds a secret in every place that a report shows, and a broken one whose error quotes it."""
    wanted = [
        CALLED,
        ASKED,
        {"kind": "message_contains_substring", "role": "assistant", "substring": secret},
        {"kind": "tool_call_arg_matches", "name": "cancel", "arg_path": "key", "matches_regex": f"^{secret}!$"},
    ]
    meta, user, answer, result, last = lines(name, assertions=wanted)
    user["content"][0]["text"] = f"Use https://api.example.test/v1?key={secret} now. " + "long " * 400
    answer["content"] = [
        {"type": "text", "text": f"I will not say it: {secret}" + "." * 3_000},
        *({**block, "arguments": {"key": secret, "X-Team": "blue"}} for block in answer["content"]),
    ]
    result["content"][0]["text"] = json.dumps({"error": f"401 for https://api.example.test/v1?key={secret}"})
    path = place.fixture(name)
    path.write_text("".join(json.dumps(line) + "\n" for line in (meta, user, answer, result, last)))
    (path.parent / "torn.jsonl").write_text(f'{{"type":"meta","{secret}":1}}\n')
    return path


def test_a_value_of_the_environment_is_in_no_output(place):
    leaky(place, SECRET)

    told = outputs(place, MY_KEY=SECRET)

    assert {name: text.count(SECRET) for name, text in told.items()} == dict.fromkeys(told, 0)
    assert '"X-Team":"blue"' in told["report.json"]
    assert "[secret:value:1]" in told["people"]
    assert "MALFORMED_LINE" in told["errors"]


@pytest.mark.parametrize("variable", ["A_TOKEN", "B_SECRET", "db_password"])
def test_every_variable_whose_name_promises_a_secret_counts(place, variable):
    leaky(place, SECRET)

    told = outputs(place, **{variable: SECRET})

    assert [name for name, text in told.items() if SECRET in text] == []


def test_a_value_of_dotenv_is_in_no_output(place):
    leaky(place, SECRET)
    (place.directory / ".env").write_text(f'MY_KEY="{SECRET}"\n')

    assert [name for name, text in outputs(place).items() if SECRET in text] == []


def test_a_key_that_nobody_told_of_is_known_by_its_shape(place):
    leaky(place, SHAPED)

    told = outputs(place)

    assert [name for name, text in told.items() if SHAPED in text] == []
    assert "[secret:anthropic-key:1]" in told["report.json"]


@pytest.mark.parametrize("before", [1_990, 1_995, 70, 75])
def test_the_beginning_of_a_secret_that_was_cut_off_is_not_told_either(place, before):
    """Texts are cut at 2,000 characters, values in messages at 80."""
    wanted = [{"kind": "message_contains_substring", "role": "user", "substring": "x" * before + SECRET + "y" * 9}]
    meta, user, *rest = lines("cut", assertions=wanted)
    user["content"][0]["text"] = "z" * before + SECRET + "z" * 100
    path = place.fixture("cut")
    path.write_text("".join(json.dumps(line) + "\n" for line in (meta, user, *rest)))

    told = outputs(place, MY_KEY=SECRET)

    assert [name for name, text in told.items() if SECRET[:6] in text] == []


def test_the_end_of_a_secret_is_not_told_by_a_diff_that_starts_inside_it(place):
    place.scenario(
        "case", **{"expect.yaml": f"must_call:\n  - tool: cancel\n    args: {{id: '{'a' * 150}{SECRET}1'}}\n"}
    )
    path = place.fixture("case")
    path.write_text(
        path.read_text().replace('"arguments": {"id": 1}', f'"arguments": {{"id": "{"a" * 150}{SECRET}2"}}')
    )

    told = outputs(place, MY_KEY=SECRET)

    assert [name for name, text in told.items() if SECRET[-12:] in text] == []


def test_equal_secrets_stay_equal_and_what_is_beside_them_changes_nothing(place):
    leaky(place, SHAPED, name="b-case")
    alone = json.loads(run(place, "fixtures/b-case.jsonl", "--json").stdout)["results"]
    leaky(place, SHAPED.replace("0", "9"), name="a-case")

    together = json.loads(run(place, "fixtures", "--json").stdout)["results"]

    assert [one for one in together if one["case"] == "b-case"] == alone
    assert "anthropic-key:2" not in json.dumps(alone)


def test_two_jobs_keep_the_same_secrets(place):
    leaky(place, SECRET)

    assert outputs(place, MY_KEY=SECRET) == outputs(place, "--jobs", "2", MY_KEY=SECRET)


def test_suggestions_and_remarks_hold_no_secret(place):
    path = leaky(place, SECRET)
    place.scenario("leaky", **{"expect.yaml": f"must_call: [{{tool: cancel, args: {{key: '{SECRET}'}}}}]\n"})

    told = [run(place, *words, MY_KEY=SECRET) for words in (["suggest", path], ["lint", "scenarios", "fixtures"])]

    assert [SECRET in done.stdout + done.stderr for done in told] == [False, False]


def test_a_path_that_holds_a_secret_is_not_told(place):
    done = run(place, f"fixtures/{SECRET}.jsonl", MY_KEY=SECRET)

    assert (SECRET in done.stderr, done.returncode) == (False, 2)


def test_a_crash_is_no_failure_of_a_case_and_tells_no_secret(place):
    place.fixture("case", assertions=[CALLED])
    code = (
        "import harness.cli.judging.judging as judging, os\n"
        "from harness.cli.judge import main\n"
        "def judge_all(*_): raise KeyError('cannot use ' + os.environ['MY_KEY'])\n"
        "judging.judge_all = judge_all\n"
        "main()"
    )

    done = run(place, "fixtures", code=code, MY_KEY=SECRET)

    assert "KeyError: 'cannot use [secret:value:1]'" in done.stderr
    assert (SECRET in done.stderr, done.returncode) == (False, 70)


@pytest.mark.skipif(not CASE.exists(), reason="the shared case is not here")
def test_the_published_case_leaves_no_hit(place):
    case = json.loads(CASE.read_bytes())
    [secret] = case["env"].values()
    path = leaky(place, secret)
    path.write_text(path.read_text().replace("I will not say it", case["error_text"]))

    told = outputs(place, **case["env"])

    assert {name: text.count(secret) for name, text in told.items()} == dict.fromkeys(told, 0)
    assert len(told) == len(case["outputs"])
