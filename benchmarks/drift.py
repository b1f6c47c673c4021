"""Small edits of an agent, replayed: which are caught, with the cause named and the change shown, without a call.

    python benchmarks/drift.py [--others]

141 edits: 47 of an agent's prompt, tools, params, model, conversation, tool results and course, over three APIs; eight
edits inside a tool's body; eight agents at once, a hundred times; conversations of 10, 60 and 300 turns. With --others
the same under other recorders (others/recorders.py), as they come and with all that their documentation offers to
fail a run. Prints two Markdown tables.

Caught: the run fails by itself. Kind named: the message says in its own words, or by the field's name, what changed.
Change shown: a changed line of the message holds the changed text, of the edits whose change is a text.
"""

import asyncio
import statistics
import sys
import tempfile
from collections.abc import Awaitable
from pathlib import Path

from httpx2 import AsyncClient, Response

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "wire"), str(Path(__file__).parent / "others")]

from edited_agent import Agent, recording_of, replayed  # noqa: E402  the path is set above
from long_runs import Long, first_token, table  # noqa: E402  the path is set above
from long_runs import figures as long_figures  # noqa: E402  the path is set above
from recorders import TIMES, Caught, Figures, Worker, edits_under, environment, talks_under, workers  # noqa: E402
from small_edits import APIS, EDITS  # noqa: E402  the path is set above
from test_concurrency import URL, long_talks, talk  # noqa: E402  the path is set above
from told_runs import async_client_for, replay_of  # noqa: E402  the path is set above
from tool_bodies import BODIES, theirs  # noqa: E402  the path is set above
from tool_bodies import ours as our_bodies  # noqa: E402  the path is set above

from harness.wire.drift_report import causes_of, report_of  # noqa: E402  the path is set above

# Edits that show as no text of the agent's own: something is gone, or moved, or comes once more or less.
WORDLESS = ("(nothing)", "another order", "goes on", "once more", "never sent", "result")
PARAMS = ("param", "temperature", "max_tokens", "max_output_tokens", "seed", "tool_choice", "metadata")
KINDS = {
    "PROMPT": ("prompt", "system", "instructions"), "TOOLS": ("tool",), "PARAMS": PARAMS, "MODEL": ("model",),
    "CONVERSATION": ("conversation", "request says more", "messages[", "input["), "TOOL_RESULT": ("result", "output"),
    "EXHAUSTED": ("goes on", "once more", "played", "more calls"), "UNPLAYED": ("never sent", "all_played"),
}  # fmt: skip
HEAD = ["", "caught", "kind named", "change shown", "tool bodies", "live calls", "message bytes, median (most)"]
HEAD += ["8 agents at once"]


def cells_of(one: Figures) -> list[str]:
    """One tool's figures as the columns of the table."""
    caught = [(EDITS[edit], came) for edit, came in one.edits if came.message]
    total = len(one.edits)
    texts = sum(EDITS[edit][2] not in WORDLESS for edit, _ in one.edits)
    named = sum(any(word in came.own_words.lower() for word in KINDS[kind]) for (kind, _, _), came in caught)
    shown = sum(word in came.changed for (_, _, word), came in caught if word not in WORDLESS)
    sizes = [len(came.message.encode()) for _, came in caught] or [0]
    refused = sum(said.endswith(("Error", "Exception", "Miss", "Replay")) for run in one.talks for said in run)
    wrong = sum(said != f"bye {guest}" for run in one.talks for guest, said in enumerate(run)) - refused
    return [
        one.name,
        f"{len(caught)}/{total}",
        f"{named}/{total}",
        f"{shown}/{texts}",
        one.bodies,
        "0: no socket" if one.live is None else str(one.live),
        f"{statistics.median(sizes):.0f} ({max(sizes)})",
        f"{wrong} wrong, {refused} refused of {8 * TIMES}",
    ]


def ours(directory: Path) -> Figures:
    """Our side: the wire engine, without any socket."""
    edits = []
    for api in APIS:
        recording = recording_of(api)
        for edit, (_, changes, _) in EDITS.items():
            drifts = replayed(api, Agent(**changes), recording).failures()
            report = report_of(causes_of([("recordings/told.jsonl", one) for one in drifts]), "pytest --fc-record")
            lines = report.replace("«", "").replace("»", "").splitlines()
            quoted = [line for line in lines if line.startswith(("  at", "  recorded", "  sent"))]
            said = "\n".join(line for line in lines if not line.startswith("  "))
            edits.append((edit, Caught(report if drifts else "", said, "\n".join(quoted))))
    caught, by_default = our_bodies(directory, "compare"), our_bodies(directory, "recorded")
    bodies = f"{caught}/{len(BODIES)} with `compare`, else {by_default}: the tool is not run"
    return Figures("this project", edits, None, asyncio.run(_our_talks()), bodies)


async def _our_talks() -> list[list[str]]:
    recording, said = long_talks(), []
    for _ in range(TIMES):
        client = async_client_for(replay_of(recording))

        def post_json(body: object, client: AsyncClient = client) -> Awaitable[Response]:
            return client.post(URL, json=body)

        said.append(await asyncio.gather(*(talk(post_json, guest) for guest in range(8))))
    return said


def others(directory: Path) -> tuple[list[Figures], list[Long], list[str]]:
    """The figures of what could be run, and what could not."""
    rows, lengths = list[Figures](), list[Long]()
    python, versions, missing = environment(directory)
    for number, (name, worker) in enumerate(workers(python, versions)):
        place = directory / str(number)
        place.mkdir()
        edits, live = edits_under(worker, place)
        bodies = f"{theirs(worker, place)}/{len(BODIES)}: the tool runs"
        rows.append(Figures(name, edits, live, talks_under(worker, place), bodies))
        if worker.strict:
            lengths.append(long_figures(worker, name.partition(",")[0], place))
    return rows, lengths, missing


def main() -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory(prefix="drift-") as temporary:
        directory = Path(temporary)
        rows = [ours(directory)]
        with Worker(sys.executable, "harness", strict=True) as worker:
            lengths = [long_figures(worker, "this project", directory)]
        with Worker(sys.executable, "none", strict=True) as worker:
            live = first_token(worker, directory)
        missing = ["not run: other recorders (give --others)"]
        if "--others" in sys.argv[1:]:
            more, longer, missing = others(directory)
            rows, lengths = rows + more, lengths + longer
    for cells in [HEAD, ["---"] * len(HEAD), *map(cells_of, rows)]:
        print(f"| {' | '.join(cells)} |")
    print("\n".join(["", *table(lengths, live), "", *missing]))


if __name__ == "__main__":
    main()
