"""Tools that do what no tool should: recorded and raised again as anything else is, or refused with the tool's name."""

import asyncio
import sys
from contextlib import suppress

import pytest
from loopback import Loopback, plain
from spoken import chat_body
from weather_agent import openai_for

from harness import errors
from harness.session.runs import record, replay


class Stop(BaseException):
    """No `Exception`."""


class Mute(Exception):
    """Cannot say what it is."""

    def __str__(self):
        raise RuntimeError("no words")


class Two(Exception):
    """Wants two arguments, and cannot be made with one."""

    def __new__(cls, one, two):
        return super().__new__(cls, one, two)


class Unprintable:
    """Cannot be shown."""

    def __repr__(self):
        raise ValueError("no form")


def asked(fc, url=None):
    openai_for(fc, url).chat.completions.create(model="m", messages=[])


@pytest.fixture
def both(tmp_path):
    """Run a program while recording an answer that calls `tool`, then on replay; both results."""

    def run(program):
        path = tmp_path / "run.jsonl"
        results = []
        with Loopback(plain(chat_body(None, [("c", "tool", "{}")]))) as server, record(path) as fc:
            asked(fc, server.url)
            results.append(program(fc))
        with replay(path) as fc:
            asked(fc)
            results.append(program(fc))
        return results

    return run


def raising(error):
    def tool():
        raise error

    tool.__globals__["Stop"] = Stop
    return tool


RAISED = {
    "an end": (SystemExit(3), SystemExit, (3,)),
    "an end without a code": (SystemExit(), SystemExit, ()),
    "no exception": (Stop("here"), Stop, ("here",)),
    "nothing said": (ValueError(), ValueError, ()),
    "half a character": (ValueError("a\ud800"), ValueError, None),
    "words that raise": (Mute(), Mute, None),
    "a text that is a number": (ValueError("42"), ValueError, ("42",)),
}


@pytest.mark.parametrize(("error", "kind", "said"), RAISED.values(), ids=RAISED.keys())
def test_whatever_a_tool_raises_is_raised_again(both, error, kind, said):
    def program(fc):
        with pytest.raises(kind) as raised:
            fc.tools(raising(error))()
        return raised.value.args

    live, again = both(program)

    assert live == error.args
    assert said is None or again == said


def test_an_exception_that_cannot_be_made_again_is_told(both):
    def program(fc):
        with pytest.raises(Exception, match="one") as raised:
            fc.tools(raising(Two("one", "two")))()
        return type(raised.value).__name__

    assert both(program) == ["Two", "RecordedToolError"]


def test_an_async_tool_that_ends_the_process_does_so_again(both):
    async def tool():
        sys.exit(3)

    def program(fc):
        with pytest.raises(SystemExit) as raised:
            asyncio.run(fc.tools(tool)())
        return raised.value.code

    assert both(program) == [3, 3]


def test_a_cancelled_tool_gave_nothing(tmp_path):
    async def tool():
        await asyncio.Event().wait()

    async def cancelled(fc):
        task = asyncio.create_task(fc.tools(tool)())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with Loopback(plain(chat_body(None, [("c", "tool", "{}")]))) as server, record(tmp_path / "run.jsonl") as fc:
        asked(fc, server.url)
        asyncio.run(cancelled(fc))

        assert fc.recording.tools == []


ODD = {
    "a number that is none": float("nan"),
    "too many digits": 10**4300,
    "half a character": "\ud800",
    "what cannot be shown": Unprintable(),
    "a circle": [],
}
ODD["a circle"].append(ODD["a circle"])


@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
def test_an_argument_without_a_form_as_json_stands_as_its_type(both, value):
    def tool(given):
        return type(given).__name__

    kinds = both(lambda fc: (fc.tools(tool)(value), [run.arguments for run in fc.recording.tools])[1])

    assert kinds == [[{"given": f"<{type(value).__name__}>"}]] * 2


@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
def test_a_result_that_replay_could_not_give_back_names_the_tool(tmp_path, value):
    def tool():
        return value

    def run():
        with Loopback(plain(chat_body(None, [("c", "tool", "{}")]))) as server, record(tmp_path / "run.jsonl") as fc:
            asked(fc, server.url)
            with pytest.raises(errors.WrongOption, match="tool tool gave a"):
                fc.tools(tool)()

    with pytest.raises(errors.WrongOption, match="tool tool gave a"):
        run()


def test_a_result_that_could_not_be_given_back_fails_the_recording_whose_agent_swallows_it(tmp_path):
    call = chat_body(None, [("call_1", "tool", "{}")])

    def run():
        with Loopback(plain(call)) as server, record(tmp_path / "run.jsonl") as fc:
            asked(fc, f"{server.url}/v1")
            with suppress(Exception):
                fc.tools({"tool": lambda: b"\x00"})["tool"]()

    with pytest.raises(errors.WrongOption, match="gave a bytes, which replay cannot give back"):
        run()

    assert not (tmp_path / "run.jsonl").exists()
