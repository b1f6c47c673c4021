"""fc-replay beside code of the user's own that does what it should not: told, judged, and nobody else's concern."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from refund_run import HEAD, HOLDS, SYSTEM, lines, write_scenario
from replay_door import FIXTURE, places, run, told

WORLD = """
{at_import}
def start(tables):
    {at_start}
    return {{"refunds": {{"key": "order_id", "rows": []}}}}


def call(state, name, arguments):
    {at_call}
    if name == "get_order":
        return state, {{"order_id": 4021, "total": 89.99}}, False
    return state, {{"refund_id": "refund-1", "amount": 89.99}}, False
"""
PROMPT = f"""
{{at_import}}
def build():
    {{at_build}}
    return {SYSTEM!r}
"""
BIN = Path(sys.executable).parent
SECRET = "t0p-s3cret-value"
LEAVES = "import sys; sys.exit(0)"


def world(project, name="refund", **said):
    parts = {"at_import": "", "at_start": "pass", "at_call": "pass"} | said
    write_scenario(project / "scenarios" / name, world_py=WORLD.format(**parts))


def prompt(project, **said):
    parts = {"at_import": "", "at_build": "pass"} | said
    texts = {"prompts_py": PROMPT.format(**parts), "scenario_toml": 'prompt = "prompts:build"\n'}
    write_scenario(project / "scenarios" / "refund", **texts)


def second(project):
    """Add one more good fixture, played after the first."""
    head = HEAD | {"fixtureId": "return"}
    (project / "fixtures" / "return.jsonl").write_bytes(b"".join(lines(assertions=HOLDS, head=head)))
    world(project, "return")


def command(project, *words, **variables):
    done = subprocess.run(
        [BIN / words[0] if words[0].startswith("fc-") else words[0], *words[1:]],
        cwd=project,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done


def statuses(out):
    return {one["id"]: one["status"] for one in json.loads(out)["results"]}


@pytest.mark.parametrize("command", [(), ("check",), ("--tools", "compare")], ids=["replay", "check", "compare"])
@pytest.mark.parametrize(
    "part",
    [{"at_import": LEAVES}, {"at_build": LEAVES}, {"at_build": "raise GeneratorExit"}],
    ids=["import", "build", "odd"],
)
def test_a_prompt_builder_that_ends_the_process_is_a_broken_scenario(project, command, part):
    prompt(project, **part)
    second(project)

    code, out = run(*command, "--json")

    assert (code, statuses(out)) == (4, {"refund": "UNREADABLE", "return": statuses(out)["return"]})
    assert statuses(out)["return"] in {"PASS", "OK"}


@pytest.mark.parametrize("mode", ["compare", "live"])
@pytest.mark.parametrize("part", [{"at_import": LEAVES}, {"at_start": LEAVES}], ids=["import", "start"])
def test_a_world_that_ends_the_process_is_a_broken_scenario(project, mode, part):
    world(project, **part)
    second(project)

    code, out = run("--tools", mode, "--json")

    assert (code, statuses(out)) == (4, {"refund": "UNREADABLE", "return": "PASS"})
    assert "SystemExit: 0" in out


@pytest.mark.parametrize(
    ("mode", "exit_code", "error"), [("compare", 3, "TOOL_RESULT_CHANGED"), ("live", 5, "REPLAY_MISMATCH")]
)
def test_a_tool_that_ends_the_process_no_longer_gives_its_result(project, mode, exit_code, error):
    world(project, at_call=LEAVES)

    code, outcome = told("--tools", mode)

    assert (code, places(outcome)[0]) == (exit_code, (error, FIXTURE, 4))
    assert "SystemExit: 0" in outcome["errors"][0]["found"]


def test_a_world_whose_class_cannot_be_made_is_a_broken_scenario(project):
    shop = "class Shop:\n    def __init__(self):\n        raise SystemExit(0)\n"
    write_scenario(project / "scenarios" / "refund", shop_py=shop, scenario_toml='world = "shop:Shop"\n')

    code, outcome = told("--tools", "compare")

    assert (code, places(outcome)) == (4, [("BAD_SCENARIO", "scenarios/refund/scenario.toml", None)])
    assert outcome["errors"][0]["message"] == "shop:Shop cannot be made: SystemExit: 0"


@pytest.mark.parametrize("broken", ["return None", "return None, {}, False", "return state, {}, 0"])
def test_a_world_that_breaks_in_the_middle_costs_its_own_fixture_only(project, broken):
    world(project, at_call=broken)
    second(project)

    code, out = run("--tools", "compare", "--json")

    assert (code, statuses(out)) == (4, {"refund": "UNREADABLE", "return": "PASS"})


def test_a_built_prompt_without_a_form_in_utf_8_is_a_broken_scenario(project):
    prompt(project, at_build="return 'a\\ud800'")

    code, outcome = told()

    assert (code, places(outcome)) == (4, [("BAD_SCENARIO", "scenarios/refund/scenario.toml", None)])


SPEAKS = "import os, sys; print('foreign'); os.system('echo foreign'); sys.stdout.write('foreign\\n')"


@pytest.mark.parametrize("part", ["at_import", "at_start", "at_call"])
def test_what_a_world_prints_is_no_part_of_what_the_command_says(project, part):
    world(project, **{part: SPEAKS})

    done = command(project, "fc-replay", "--tools", "compare", "--json")

    assert (done.returncode, statuses(done.stdout)) == (0, {"refund": "PASS"})
    assert done.stderr.count("foreign\n") % 3 == 0
    assert done.stderr.count("foreign\n") >= 3


@pytest.mark.parametrize("words", [("fc-replay", "--json"), ("fc-replay", "check", "--json")], ids=["replay", "check"])
@pytest.mark.parametrize("part", ["at_import", "at_build"])
def test_what_a_prompt_builder_prints_is_no_part_of_what_the_command_says(project, words, part):
    prompt(project, **{part: SPEAKS})

    done = command(project, *words)

    assert done.returncode == 0
    assert json.loads(done.stdout)["summary"]["exit"] == 0
    assert done.stderr.count("foreign\n") == 3


@pytest.mark.parametrize(
    "kept",
    [
        "import atexit; atexit.register(print, 'foreign')",
        "import atexit, sys; atexit.register(sys.stdout.write, 'foreign\\n')",
        "import sys; out = sys.stdout; from threading import Timer; Timer(0.2, lambda: out.write('foreign\\n')).start()",
    ],
    ids=["at-exit", "at-exit-by-the-stream", "thread"],
)
def test_what_a_world_prints_when_it_has_long_returned_is_no_part_either(project, kept):
    world(project, at_import=kept)

    done = command(project, "fc-replay", "--tools", "compare", "--json")

    assert (done.returncode, statuses(done.stdout)) == (0, {"refund": "PASS"})
    assert done.stderr.count("foreign\n") == 1


@pytest.mark.parametrize(("closed", "code"), [(">&-", 0), ("2>&-", 0), (">&- 2>&-", 0)])
def test_streams_that_the_caller_closed_stop_nothing(project, closed, code):
    world(project, at_call=SPEAKS)

    done = command(project, "bash", "-c", f"{BIN}/fc-replay --tools compare {closed}")

    assert done.returncode == code


def test_a_module_is_named_by_its_name(project):
    write_scenario(project / "scenarios" / "refund", scenario_toml='prompt = "../prompts:build"\n')

    code, outcome = told()

    assert (code, outcome["errors"][0]["message"]) == (4, "'../prompts' names no module")


ROAMS = """
import io, os, signal, sys
os.chdir("/")
sys.path.insert(0, "/nowhere")
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.stdout = io.StringIO()
"""


def test_a_world_that_roams_changes_nothing_for_the_next(project):
    world(project, at_import=ROAMS)
    second(project)
    before = Path.cwd(), sys.path, list(sys.path), signal.getsignal(signal.SIGTERM)

    code, out = run("--tools", "compare", "--json")

    assert (code, statuses(out)) == (0, {"refund": "PASS", "return": "PASS"})
    assert (Path.cwd(), sys.path, list(sys.path), signal.getsignal(signal.SIGTERM)) == before


def test_each_scenario_has_the_modules_of_its_own_directory(project):
    second(project)
    beside = "import os, sys; sys.path.insert(0, os.path.dirname(__file__)); import rules"
    for name, total in [("refund", "89.99"), ("return", "12")]:
        lazy = (
            f'import more; assert more.OF == {name!r}; return state, {{"order_id": 4021, "total": rules.TOTAL}}, False'
        )
        world(project, name, at_import=beside, at_call=f"if name == 'get_order':\n        {lazy}")
        (project / "scenarios" / name / "rules.py").write_text(f"TOTAL = {total}\n")
        (project / "scenarios" / name / "more.py").write_text(f"OF = {name!r}\n")

    code, out = run("--tools", "compare", "--json")

    assert (code, statuses(out)) == (3, {"refund": "PASS", "return": "STALE"})
    assert '\\"total\\":«12»' in out
    assert {"rules", "more"} & set(sys.modules) == set()


RAISES = f"raise ValueError('no shop at {SECRET}')"
GIVES = {
    "raised-at-import": ({"at_import": RAISES}, 4),
    "raised-at-start": ({"at_start": RAISES}, 4),
    "raised": ({"at_call": RAISES}, 3),
    "result": ({"at_call": f"return state, 'no shop at {SECRET}', False"}, 3),
    "state": ({"at_call": f"state['refunds']['rows'].append({{'order_id': 1, 'v': '{SECRET}'}})"}, 0),
    "table": ({"at_call": f"state['{SECRET}'] = 7"}, 4),
    "no-state": ({"at_call": f"return '{SECRET}', 1, False"}, 4),
    "start": ({"at_start": f"return {{'orders': {{'key': 'id', 'rows': ['{SECRET}', {{1}}]}}}}"}, 4),
}


@pytest.mark.parametrize("mode", ["compare", "live"])
@pytest.mark.parametrize(("part", "exit_code"), GIVES.values(), ids=GIVES.keys())
def test_a_secret_in_what_a_world_does_is_not_told(project, monkeypatch, mode, part, exit_code):
    monkeypatch.setenv("SHOP_TOKEN", SECRET)
    world(project, **part)

    texts = [run("--tools", mode, *words) for words in ((), ("--json",), ("--all",))]

    assert [SECRET in out for _, out in texts] == [False] * 3
    assert {code for code, _ in texts} == {exit_code if mode == "compare" or exit_code != 3 else 5}


@pytest.mark.parametrize("part", [{"at_build": RAISES}, {"at_import": RAISES}, {"at_build": f"return 'key: {SECRET}'"}])
def test_a_secret_in_what_a_prompt_builder_does_is_not_told(project, monkeypatch, part):
    monkeypatch.setenv("SHOP_TOKEN", SECRET)
    prompt(project, **part)

    texts = [run(*words)[1] for words in ((), ("--json",), ("check",))]

    assert [SECRET in out or "s3cret" in out for out in texts] == [False] * 3
