"""A program's own tools: what they gave when recorded is given on replay, by the call that asked for it."""

import asyncio
import datetime as dt
from dataclasses import dataclass
from decimal import Decimal

import pytest
from loopback import Loopback, plain
from pydantic import BaseModel
from spoken import chat_body
from weather_agent import openai_agent, openai_for

from harness import errors
from harness.session.proposed import Place, Proposals
from harness.session.runs import record, replay
from harness.session.tool_results import RecordedToolError
from harness.transcript import ToolCall


class Wind(BaseModel):
    """A model of the user's own."""

    knots: Decimal
    since: dt.date


@dataclass
class Tide:
    """A dataclass of the user's own."""

    metres: float


class WeatherError(Exception):
    """An exception of the user's own."""


def wind() -> Wind:
    return Wind(knots=Decimal("12.50"), since=dt.date(2026, 11, 30))


def tides() -> list[Tide]:
    return [Tide(1.5)]


def pair() -> tuple[int, str]:
    return 1, "a"


def unknown_key():
    return {}["rome"]


def refused():
    raise WeatherError("no such place", 404)


@pytest.fixture
def both(tmp_path):
    """Run a program while recording an answer with these calls, then on replay; both results."""

    def run(program, calls):
        path = tmp_path / "run.jsonl"
        results = []
        with Loopback(plain(chat_body(None, calls))) as server, record(path) as fc:
            openai_for(fc, server.url).chat.completions.create(model="m", messages=[])
            results.append(program(fc))
        with replay(path) as fc:
            openai_for(fc).chat.completions.create(model="m", messages=[])
            results.append(program(fc))
        return results

    return run


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        pytest.param(lambda: "plain text", "plain text", id="text"),
        pytest.param(lambda: '{"a": 1}', '{"a": 1}', id="text-that-is-json"),
        pytest.param(lambda: {"a": [1, 2.5, None, True]}, {"a": [1, 2.5, None, True]}, id="json"),
        pytest.param(lambda: None, None, id="nothing"),
        pytest.param(wind, Wind(knots=Decimal("12.50"), since=dt.date(2026, 11, 30)), id="model"),
        pytest.param(tides, [Tide(1.5)], id="dataclasses"),
        pytest.param(pair, (1, "a"), id="tuple"),
    ],
)
def test_a_result_comes_back_as_it_was(both, tool, expected):
    runs = []

    def tool_once():
        runs.append(1)
        return tool()

    tool_once.__annotations__ = getattr(tool, "__annotations__", {})
    tool_once.__name__ = "t"

    results = both(lambda fc: fc.tools(tool_once)(), [("c", "t", "{}")])

    assert results == [expected, expected]
    assert runs == [1]


@pytest.mark.parametrize(
    ("tool", "kind", "text"),
    [
        pytest.param(unknown_key, KeyError, "'rome'", id="built-in"),
        pytest.param(refused, WeatherError, "('no such place', 404)", id="own"),
    ],
)
def test_what_a_tool_raised_is_raised_again(both, tool, kind, text):
    def program(fc):
        with pytest.raises(kind) as raised:
            fc.tools([tool])[0]()
        return str(raised.value)

    assert both(program, [("c", tool.__name__, "{}")]) == [text, text]


def test_an_exception_of_an_unknown_type_is_still_one(both):
    class LocalError(Exception):
        pass

    def fails():
        raise LocalError("here")

    def program(fc):
        try:
            return fc.tools(fails)()
        except (LocalError, RecordedToolError) as error:
            return str(error)

    assert both(program, [("c", "fails", "{}")])[0] == "here"
    assert "LocalError: here" in both(program, [("c", "fails", "{}")])[1]


def test_async_tools_are_wrapped_alike(both):
    async def slow():
        await asyncio.sleep(0)
        return "done"

    assert both(lambda fc: asyncio.run(fc.tools({"slow": slow})["slow"]()), [("c", "slow", "{}")]) == ["done", "done"]


def test_results_go_to_the_call_that_asked_not_to_the_next_in_line(both):
    count = iter(range(100))

    def seat(row):
        return f"{row}{next(count)}"

    def program(fc):
        wrapped = fc.tools(seat)
        order = ["a", "b"] if next(count) == 0 else ["b", "a"]
        given = {row: wrapped(row=row) for row in order}
        return given["a"], given["b"]

    live, again = both(program, [("c1", "seat", '{"row": "a"}'), ("c2", "seat", '{"row": "b"}')])

    assert again == live


def test_equal_calls_of_two_conversations_keep_their_own_results():
    proposals, places = Proposals(), []
    call = ToolCall("c", "seat", {"row": "a"})

    async def conversation(exchange, turn):
        await turn.wait()
        proposals.hear(exchange, [call])
        await asyncio.sleep(0)
        places.append((exchange, proposals.claim("seat", {"row": "a"})[0]))

    async def run():
        turn = asyncio.Event()
        tasks = [asyncio.create_task(conversation(exchange, turn)) for exchange in range(4)]
        turn.set()
        await asyncio.gather(*tasks)

    asyncio.run(run())

    assert sorted(places) == [(exchange, Place(exchange, 0)) for exchange in range(4)]


def test_a_call_that_no_model_proposed_has_a_place_of_its_own():
    proposals = Proposals()

    before = proposals.claim("seat", {})
    proposals.hear(0, [ToolCall("c", "seat", {})])
    places = [proposals.claim(name, {})[0] for name in ("log", "seat", "log")]

    assert before is None
    assert places == [Place(0, 1), Place(0, 0), Place(0, 2)]


MODES = [
    pytest.param("recorded", 22, None, 1, id="recorded"),
    pytest.param("compare", 21, None, 2, id="compare-equal"),
    pytest.param("compare", 22, "TOOL_RESULT", 2, id="compare-other"),
    pytest.param("live", 21, None, 2, id="live-equal"),
    pytest.param("live", 22, "TOOL_RESULT", 2, id="live-other"),
]


@pytest.mark.parametrize(("mode", "celsius", "category", "runs"), MODES)
def test_a_tool_may_run_on_replay_too(tmp_path, mode, celsius, category, runs):
    given = []

    def run(fc, value, **named):
        def weather(city):
            given.append(city)
            return {"celsius": value}

        tools = fc.tools({"weather": weather}, modes={"weather": mode})
        return openai_agent(openai_for(fc, **named), tools)

    answers = plain(chat_body(None, [("c", "weather", '{"city": "Rome"}')])), plain(chat_body("done"))
    with Loopback(*answers) as server, record(tmp_path / "run.jsonl") as fc:
        run(fc, 21, url=server.url)
    found = None
    try:
        with replay(tmp_path / "run.jsonl") as fc:
            run(fc, celsius)
    except errors.AgentDiverged as error:
        found = error

    assert (found is None) == (category is None)
    assert category is None or category in str(found)
    assert len(given) == runs


def test_other_arguments_than_recorded_are_a_drift(tmp_path):
    def weather(city):
        return city

    answers = plain(chat_body(None, [("c", "weather", '{"city": "Rome"}')])), plain(chat_body("done"))
    with Loopback(*answers) as server, record(tmp_path / "run.jsonl") as fc:
        openai_agent(openai_for(fc, server.url), fc.tools({"weather": weather}))

    def louder(tool):
        return {"weather": lambda city: tool(city=city + "!")}

    with pytest.raises(errors.AgentDiverged, match="other arguments") as raised, replay(tmp_path / "run.jsonl") as fc:
        openai_agent(openai_for(fc), louder(fc.tools(weather)))

    assert "weather.city" in str(raised.value)


@pytest.mark.parametrize(
    ("tools", "modes", "error"),
    [
        pytest.param([1], {}, errors.WrongOption, id="no-function"),
        pytest.param([wind], {"wnd": "live"}, errors.UnknownName, id="unknown-tool"),
        pytest.param([wind], {"wind": "alive"}, errors.UnknownName, id="unknown-mode"),
    ],
)
def test_what_is_no_tool_is_refused(tmp_path, tools, modes, error):
    with pytest.raises(error), record(tmp_path / "run.jsonl") as fc:
        fc.tools(tools, modes=modes)
