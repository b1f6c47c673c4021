"""Another judge as a process of its own: pairs of wanted and made calls come in, verdicts and their price go out.

Run by benchmarks/side_by_side.py with the interpreter of an environment that holds the judges, not this project:

    python judges_worker.py NAME <pairs.json

Each judge is asked as its documentation has it for "these calls, in this order, with these arguments". What it is
given is built before the clock starts, in its own types.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

Calls = list[tuple[str, dict[str, Any]]]
Pair = tuple[Calls, Calls]
Check = Callable[[], bool]

PASSES = 3


def agentevals(pairs: list[Pair]) -> list[Check]:
    """Trajectories match strictly: OpenAI messages, arguments exactly."""
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    evaluate = create_trajectory_match_evaluator(trajectory_match_mode="strict", tool_args_match_mode="exact")

    def check(wanted: Any, made: Any) -> Check:  # noqa: ANN401  messages
        return lambda: bool(evaluate(outputs=made, reference_outputs=wanted)["score"])

    return [check(messages_of(wanted), messages_of(made)) for wanted, made in pairs]


def messages_of(calls: Calls) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Refund my order."}]
    for number, (name, arguments) in enumerate(calls):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": '{"status": "ok"}'})
    return [*messages, {"role": "assistant", "content": "Your order is refunded."}]


def deepeval(pairs: list[Pair]) -> list[Check]:
    """ToolCorrectnessMetric: exact, in order, with input parameters; it asks no model for that."""
    os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
    os.environ["OPENAI_API_KEY"] = "not used"
    from deepeval.metrics import ToolCorrectnessMetric
    from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams

    metric = ToolCorrectnessMetric(
        threshold=1,
        evaluation_params=[ToolCallParams.INPUT_PARAMETERS],
        should_exact_match=True,
        should_consider_ordering=True,
        async_mode=False,
    )

    def check(wanted: Calls, made: Calls) -> Check:
        tools = [
            [ToolCall(name=name, input_parameters=arguments) for name, arguments in calls] for calls in (made, wanted)
        ]
        case = LLMTestCase(input="Refund.", actual_output="Done.", tools_called=tools[0], expected_tools=tools[1])
        return lambda: metric.measure(case, _show_indicator=False) == 1

    return [check(*pair) for pair in pairs]


def pydantic_evals(pairs: list[Pair]) -> list[Check]:
    """TrajectoryMatch exactly, and ArgumentCorrectness for each call, on a tree of spans."""
    from pydantic_evals.evaluators import EvaluatorContext, TrajectoryMatch
    from pydantic_evals.evaluators.agentic import ArgumentCorrectness
    from pydantic_evals.otel.span_tree import SpanNode, SpanTree

    def context(calls: Calls) -> Any:  # noqa: ANN401  its generic has no use here
        at = datetime(2026, 1, 1, tzinfo=UTC)
        nodes = [
            SpanNode(
                name=f"execute_tool {name}",
                trace_id=1,
                span_id=number + 1,
                parent_span_id=None,
                start_timestamp=at.replace(second=number),
                end_timestamp=at.replace(second=number),
                attributes={"gen_ai.tool.name": name, "gen_ai.tool.call.arguments": json.dumps(arguments)},
            )
            for number, (name, arguments) in enumerate(calls)
        ]
        tree = SpanTree()
        tree.add_spans(nodes)
        return EvaluatorContext(
            name="case", inputs="", metadata=None, expected_output=None, output="", duration=0.0, _span_tree=tree,
            attributes={}, metrics={},
        )  # fmt: skip

    def check(wanted: Calls, made: Calls) -> Check:
        seen = context(made)
        order = TrajectoryMatch([name for name, _ in wanted], order="exact")
        arguments = [ArgumentCorrectness(name, given, match_mode="exact") for name, given in wanted]
        return lambda: order.evaluate(seen).value == 1.0 and all(one.evaluate(seen).value for one in arguments)

    return [check(*pair) for pair in pairs]


JUDGES = {"agentevals": agentevals, "deepeval": deepeval, "pydantic-evals": pydantic_evals}


def main() -> None:
    name = sys.argv[1]
    pairs = json.load(sys.stdin)
    checks = JUDGES[name](pairs)
    verdicts: list[bool] = []
    best = float("inf")
    for _ in range(PASSES):
        start = time.process_time()
        verdicts = [check() for check in checks]
        best = min(best, (time.process_time() - start) / len(checks))
    print(json.dumps({"version": version(name), "seconds": best, "verdicts": verdicts}))


if __name__ == "__main__":
    main()
