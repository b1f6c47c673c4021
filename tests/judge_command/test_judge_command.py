"""fc-judge from the outside: what it prints, which files it reads, how it ends."""

import json
import os
import subprocess
import sys

import pytest
from places import ASKED, CALLED, CANCELLED, ORDERS, ROOT


def test_all_findings_of_all_cases_are_told_at_once(place):
    place.fixture("good", assertions=[CALLED])
    place.fixture("bad", assertions=[ASKED, CALLED, {"kind": "trace_max_turns", "max": 1}])
    place.fixture("open")

    done = place.run("fixtures")

    assert done.stdout.splitlines() == [
        "FAIL         bad  (2 of 3 checks failed)",
        "  FAIL assertions[0] tool_called ask: CALL_MISSING: ask was never called, at least 1 expected",
        "  ok   assertions[1] tool_called cancel: cancel was called once",
        "  FAIL assertions[2] trace_max_turns: TURNS_EXCEEDED: the conversation has 3 turns, at most 1 allowed",
        "PASS         good  (1 check passed; holds up to selection)",
        "NOT_JUDGED   open  (nothing is expected)",
        "  next: fc-judge suggest fixtures/open.jsonl",
        "3 judged: 1 FAIL, 1 NOT_JUDGED, 1 PASS; accuracy 1/2 (50.0%)",
    ]
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("cases", "options", "code"),
    [
        pytest.param([{"assertions": [CALLED]}] * 3, [], 0, id="all-passed"),
        pytest.param([{"assertions": [CALLED]}, {"assertions": [ASKED]}], [], 1, id="one-failed"),
        pytest.param([{"assertions": [CALLED]}, {}], [], 6, id="one-expects-nothing"),
        pytest.param([{"assertions": [CALLED], "end": "error"}], [], 6, id="an-agent-error"),
        pytest.param([{"assertions": [CALLED], "end": "truncated"}], [], 6, id="an-incomplete-trace"),
        pytest.param([{"assertions": [ASKED]}, {}], [], 1, id="a-failure-goes-before-the-unjudged"),
        pytest.param([{"assertions": [ASKED]}, {}], ["--no-gate"], 0, id="no-gate"),
        pytest.param([{"assertions": [CALLED]}, {"assertions": [ASKED]}], ["--fail-under", "50"], 0, id="enough"),
        pytest.param([{"assertions": [CALLED]}, {"assertions": [ASKED]}], ["--fail-under", "51"], 1, id="not-enough"),
        pytest.param([{"assertions": [ASKED]}, {}], ["--fail-under", "0"], 6, id="fail-under-leaves-the-unjudged"),
        pytest.param([], [], 6, id="nothing-to-judge"),
    ],
)
def test_the_exit_code_says_how_it_went(place, tmp_path, cases, options, code):
    (tmp_path / "fixtures").mkdir()
    for number, parts in enumerate(cases):
        place.fixture(f"case-{number}", **parts)

    assert place.run("fixtures", *options).returncode == code


def test_an_unreadable_file_stops_no_other(place, tmp_path):
    place.fixture("good", assertions=[CALLED])
    (tmp_path / "fixtures" / "torn.jsonl").write_text('{"type":"meta"')

    done = place.run("fixtures")

    assert "PASS         good" in done.stdout
    assert "1 unreadable" in done.stdout
    assert "fixtures/torn.jsonl:1" in done.stderr
    assert done.returncode == 4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param([], "Missing argument", id="no-path"),
        pytest.param(["fixturs"], "nearest:  fixtures", id="no-such-path"),
        pytest.param(["fixtures", "--fast"], "No such option", id="no-such-option"),
    ],
)
def test_a_wrong_command_line_is_no_failure_of_a_case(place, arguments, told):
    place.fixture("good", assertions=[CALLED])

    done = place.run(*arguments)

    assert done.returncode == 2
    assert told in done.stderr


def test_a_scenarios_spec_is_judged_besides_the_assertions(place):
    place.scenario(
        "case",
        **{
            "world.json": json.dumps(ORDERS),
            "expect.yaml": "must_call: [{tool: cancel}]\nfinal_state: {orders: unchanged}\n",
        },
    )
    place.fixture("case", assertions=[CALLED], state=[CANCELLED])

    done = place.run("fixtures", "--json")

    [result] = json.loads(done.stdout)["results"]
    assert [(one["check"], one["outcome"]) for one in result["findings"]] == [
        ("assertions[0] tool_called cancel", "pass"),
        ("must_call[0] cancel", "pass"),
        ("final_state orders", "fail"),
        ("final_state other tables", "pass"),
    ]
    assert result["findings"][2]["call"] == 0


def test_expect_replaces_everything_else(place, tmp_path):
    place.scenario("case", **{"expect.yaml": "must_not_call: [cancel]\n"})
    place.fixture("case", assertions=[ASKED])
    (tmp_path / "mine.yaml").write_text("must_call: [{tool: cancel}]\n")

    done = place.run("fixtures", "--expect", "mine.yaml", "--json")

    [result] = json.loads(done.stdout)["results"]
    assert [one["check"] for one in result["findings"]] == ["must_call[0] cancel"]
    assert done.returncode == 0


def test_a_spec_that_cannot_be_read_is_bad_input(place):
    place.scenario("case", **{"expect.yaml": "must_call: [{tool: cancel}]\nmust_not: []\n"})
    place.fixture("case", assertions=[CALLED])

    done = place.run("fixtures")

    assert done.returncode == 4
    assert "scenarios/case/expect.yaml:2: must_not: there is no such key" in done.stderr


def test_json_is_a_report_with_every_finding(place):
    place.fixture("bad", assertions=[ASKED, CALLED])

    report = json.loads(place.run("fixtures", "--json").stdout)

    [result] = report["results"]
    assert (report["summary"]["verdict_counts"]["FAIL"], report["summary"]["accuracy"]) == (1, 0.0)
    assert (result["case"], result["taxonomy"]) == ("bad", ["CALL_MISSING"])
    assert [one["outcome"] for one in result["findings"]] == ["fail", "pass"]


def test_in_json_an_unreadable_file_is_not_judged_and_its_error_is_json_too(place, tmp_path):
    place.fixture("good", assertions=[CALLED])
    (tmp_path / "fixtures" / "torn.jsonl").write_text('{"type":"meta"')

    done = place.run("fixtures", "--json")

    verdicts = {one["case"]: one["verdict"] for one in json.loads(done.stdout)["results"]}
    assert verdicts == {"good": "PASS", "torn": "NOT_JUDGED"}
    assert json.loads(done.stderr)["code"] == "MALFORMED_LINE"
    assert done.returncode == 4


def test_findings_that_differ_only_in_the_call_stand_in_one_line(place):
    place.scenario(
        "case",
        **{"world.json": json.dumps(ORDERS), "expect.yaml": "final_state: {others: ignore, orders: {contains: []}}"},
    )
    added = [CANCELLED | {"call": f"call_{n}", "key": n, "before": None, "after": {"id": n}} for n in range(2, 6)]
    place.fixture("case", state=added, calls=("cancel",) * 6)

    done = place.run("fixtures")
    told = place.run("fixtures", "--all")

    line = (
        "  FAIL final_state orders: STATE_COLLATERAL: orders row 2 was added by call_2 (cancel), which nothing declares"
    )
    assert f"{line} (and 3 more alike)" in done.stdout.splitlines()
    assert len([one for one in told.stdout.splitlines() if "STATE_COLLATERAL" in one]) == 4


def test_suggestions_hold_when_they_are_taken(place):
    path = place.fixture("case", calls=("ask", "cancel"))

    *suggested, _ = [json.loads(line) for line in place.run("suggest", "case").stdout.splitlines()]
    place.fixture("case", calls=("ask", "cancel"), assertions=suggested)

    assert {"kind": "tool_called", "name": "cancel", "max_count": 1} in suggested
    assert {"kind": "tool_called", "name": "cancel", "order": 1} in suggested
    assert place.run(path).returncode == 0


def test_a_subcommand_goes_before_a_path_of_its_name(place, tmp_path):
    place.fixture("case", assertions=[CALLED])
    (tmp_path / "suggest").mkdir()

    assert place.run("suggest", "case").returncode == 0
    assert place.run("./suggest").returncode == 6


def test_what_a_model_wrote_cannot_steer_the_terminal(place):
    place.fixture(
        "case", calls=("\x1b[2Jcancel\u202e",), assertions=[{"kind": "no_tool_called", "name": "\x1b[2Jcancel\u202e"}]
    )

    done = place.run("fixtures")

    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout


def test_the_same_input_gives_the_same_bytes(place):
    for name in ("one", "two", "three"):
        place.fixture(name, assertions=[ASKED, CALLED])

    assert len({place.run("fixtures", "--json").stdout for _ in range(3)}) == 1


def test_judging_loads_no_sdk_and_no_http_client(place, tmp_path):
    place.scenario("case", **{"expect.yaml": "must_call: [{tool: cancel}]\n"})
    place.fixture("case", assertions=[CALLED])
    code = (
        "import sys\nsys.argv[1:] = ['fixtures']\nfrom harness.cli.judge import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "bad = {'openai', 'anthropic', 'httpx', 'httpx2', 'aiohttp', 'requests', 'urllib3', 'http', 'ssl'}\n"
        "print(sorted(bad & set(sys.modules)))"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}

    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines()[-1] == "[]"
