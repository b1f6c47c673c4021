"""Results of benchmarks become recordings: tau-bench, tau2-bench, BFCL."""

import json

import pytest
from imports import SHARED, format_of, import_of, lines_said, real_files, said_in, transcripts_of

from harness.importers.tally import Tally
from harness.transcript import Outcome

CALL = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": '{"port": 7}'}}
SAID = [("user", "Tide?"), ("assistant", "", ("tide", {"port": 7})), ("result", "low"), ("assistant", "Low.")]
TAU = [
    {
        "task_id": 3,
        "reward": 1.0,
        "info": {},
        "trial": 2,
        "traj": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Tide?"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "name": "tide", "content": "low"},
            {"role": "assistant", "content": "Low."},
            {"role": "user", "content": "###STOP###"},
        ],
    }
]
TAU2 = {
    "info": {"agent_info": {"llm": "m-1"}},
    "tasks": [],
    "simulations": [
        {
            "task_id": "harbour-1",
            "trial": 0,
            "start_time": "2026-01-02T03:04:05",
            "termination_reason": "user_stop",
            "messages": [
                {"role": "user", "content": "Tide?", "tool_calls": None},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "c1", "name": "tide", "arguments": {"port": 7}, "requestor": "assistant"}],
                    "usage": {"prompt_tokens": 9, "completion_tokens": 2},
                },
                {"role": "tool", "id": "c1", "content": "low", "requestor": "assistant", "error": False},
                {"role": "assistant", "content": "Low."},
                {
                    "role": "user",
                    "content": None,
                    "tool_calls": [{"id": "u1", "name": "look", "arguments": {}, "requestor": "user"}],
                },
                {"role": "tool", "id": "u1", "content": "wet", "requestor": "user", "error": False},
            ],
        }
    ],
}


def lines(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


def case(result, **beside):
    return {"id": "simple_0", "result": result, "latency": 0.1, **beside}


def test_runs_of_tau_bench_are_read():
    result = import_of(json.dumps(TAU))

    assert result.format == "tau-bench"
    assert said_in(result) == SAID
    assert result.left_out == {"words after the last answer": 1}
    assert result.recordings[0].header.origin == "import:tau-bench"


@pytest.mark.parametrize("where", ["before the next answer", "at the end"])
def test_an_error_that_tau_bench_hands_back_is_an_error(where):
    told = json.loads(json.dumps(TAU))
    told[0]["traj"][3]["content"] = "Error: no such port"
    if where == "at the end":
        del told[0]["traj"][4:]

    result = import_of(json.dumps(told))

    assert said_in(result)[2] == ("error", "Error: no such port")
    assert result.seen == result.written


def test_simulations_of_tau2_are_read():
    result = import_of(json.dumps(TAU2))

    [recording] = result.recordings
    assert result.format == "tau2-bench"
    assert said_in(result) == SAID
    assert (recording.header.model, recording.header.recorded_at) == ("m-1", "2026-01-02T03:04:05.000Z")
    assert transcripts_of(result)[0].turns[1].token_ledger.input == 9
    assert result.left_out == {
        "a call of the simulated user's own tool": 1,
        "a result of the simulated user's own tool": 1,
    }


def test_results_of_several_tools_at_once_are_one_each():
    told = json.loads(json.dumps(TAU2))
    messages = told["simulations"][0]["messages"]
    messages[1]["tool_calls"].append({"id": "c2", "name": "wind", "arguments": {}, "requestor": "assistant"})
    failed = {"role": "tool", "id": "c2", "content": "no wind", "requestor": "assistant", "error": True}
    messages[2] = {"role": "tool", "tool_messages": [messages[2], failed]}

    said = said_in(import_of(json.dumps(told)))

    assert said[2:4] == [("result", "low"), ("error", "no wind")]


def test_contents_in_parts_are_kept():
    told = json.loads(json.dumps(TAU2))
    for message in told["simulations"][0]["messages"]:
        if isinstance(message["content"], str):
            message["content"] = [{"type": "text", "text": message["content"]}]

    assert said_in(import_of(json.dumps(told))) == SAID


def test_a_content_of_another_kind_is_noted():
    told = json.loads(json.dumps(TAU2))
    told["simulations"][0]["messages"][0]["content"] = {"port": 7}

    result = import_of(json.dumps(told))

    assert said_in(result)[0] == ("user", '{"port":7}')
    assert result.notes == {"a content that is neither text nor parts, as JSON": 1}


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [("max_steps", Outcome.MAX_STEPS), ("too_many_errors", Outcome.ERROR), ("agent_stop", Outcome.COMPLETED)],
)
def test_a_simulation_ends_as_it_says(reason, outcome):
    told = json.loads(json.dumps(TAU2))
    told["simulations"][0]["termination_reason"] = reason

    assert import_of(json.dumps(told)).recordings[0].end.outcome is outcome


BFCL = {
    "JSON text": [{"tide": '{"port": 7}'}],
    "JSON": [{"tide": {"port": 7}}],
    "Python": "[tide(port=7)]",
    "one call in Python": "tide(port=7)",
}


@pytest.mark.parametrize("result", BFCL.values(), ids=BFCL)
def test_calls_of_bfcl_are_read(result):
    imported = import_of(lines(case(result), case("It is low.")))

    assert imported.format == "bfcl"
    assert [lines_said(one) for one in transcripts_of(imported)] == [
        [("assistant", "", ("tide", {"port": 7}))],
        [("assistant", "It is low.")],
    ]
    assert imported.notes == {"a result of BFCL without its question": 2}


def test_dotted_names_and_nested_values_are_read():
    [said] = said_in(import_of(lines(case("[sea.tide(ports=[7, 8], at={'day': 1, 'exact': True}, name=None)]"))))

    assert said == ("assistant", "", ("sea.tide", {"ports": [7, 8], "at": {"day": 1, "exact": True}, "name": None}))


@pytest.mark.parametrize(
    "text",
    [
        "[__import__('os').system('touch executed')]",
        "[open(file=__file__)]",
        "[tide(port=7, **more)]",
        "[tide(7)]",
        "(" * 5000,
        "[tide(port=" + "[" * 150 + "]" * 150 + ")]",
        "[tide(port=1+'x')]",
        "[tide(port=1e999)]",
        "lambda: tide(port=1)",
    ],
    ids=lambda text: text[:40],
)
def test_what_is_no_plain_call_is_text_and_never_run(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    [transcript] = transcripts_of(import_of(lines(case(text))))

    assert list(tmp_path.iterdir()) == []
    assert all(call.raw_arguments is None for turn in transcript.turns for call in turn.calls)


LIKE_CALLS = [
    "[tide(7)]",
    "[tide(port=7), wind(2)]",
    "```python\n[tide(port=7)]\n```",
    "tide(port=7)\nwind(port=2)",
    [{"name": "tide", "arguments": {"port": 7}}],
]


@pytest.mark.parametrize(
    ("result", "count"),
    [
        *((one, 1) for one in LIKE_CALLS),
        ("It is low (I think).", 0),
        ("[low]", 0),
        ("Low tide (at 7)", 0),
        (["low"], 0),
    ],
    ids=str,
)
def test_text_that_looks_like_calls_is_counted(result, count):
    imported = import_of(lines(case(result)))

    assert imported.notes["text that looks like calls but cannot be read as them"] == count
    assert imported.written == Tally(exchanges=1)


def test_several_turns_of_bfcl_are_one_conversation():
    log = [
        {"role": "state_info", "content": []},
        {
            "begin_of_turn_query": [{"role": "user", "content": "Tide?"}],
            "step_0": [{"role": "assistant", "content": "…"}, {"role": "tool", "content": "low"}],
            "step_1": [{"role": "assistant", "content": "Low."}],
        },
        {"begin_of_turn_query": [{"role": "user", "content": "Wind?"}], "step_0": []},
    ]

    result = import_of(lines(case([["[tide(port=7)]", "Low."], ["None."]], inference_log=log)))

    assert said_in(result) == [*SAID, ("user", "Wind?"), ("assistant", "None.")]


def test_a_failed_inference_is_an_error():
    [recording] = import_of(lines(case("Error during inference: 500"))).recordings

    assert recording.end.outcome is Outcome.ERROR


@pytest.mark.parametrize("raw", ['{"id": 1, "result": 2}', "[{}]", '{"simulations": []}', b"PK\x03\x04"], ids=repr)
def test_other_files_are_not_taken_for_results(raw):
    assert format_of(raw) is None


@pytest.mark.skipif(not SHARED.exists(), reason="the runs of tau-bench are not here")
def test_real_runs_are_read_without_loss():
    [(_, raw)] = real_files("runs", ".json")

    result = import_of(raw)

    assert result.seen == result.written == Tally(exchanges=654, calls=313, results=313)
    assert len(result.recordings) == 54
    assert result.left_out == {"words after the last answer": 43}
    assert sum(turn.is_error for one in transcripts_of(result) for turn in one.turns if hasattr(turn, "is_error")) == 20
