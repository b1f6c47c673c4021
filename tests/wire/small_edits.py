"""Small edits of an agent, each of which changes what it asks: their kind, the change, and a word that shows it."""

from edited_agent import TOOLS, Agent

PROMPT, QUESTION, (RESULT, SECOND) = Agent().system, Agent().users[0], Agent().results
APIS = ("chat", "messages", "responses")


def tool(at=0, **changes):
    return {"tools": [one | (changes if index == at else {}) for index, one in enumerate(TOOLS)]}


def schema(**changes):
    return tool(parameters=TOOLS[0]["parameters"] | changes)


def params(**changes):
    return {"params": {key: value for key, value in (Agent().params | changes).items() if value is not None}}


def users(first=None, second=None):
    return {"users": (first or Agent().users[0], second or Agent().users[1])}


def results(first, second):
    return {"results": (first, second)}


def bent(*, message, change):
    """Change a message of the last request, counted from its end."""

    def bend(body, number):
        messages = body["input" if "input" in body else "messages"]
        if number == 1:
            change(messages[message], messages)
        return body

    return {"bend": bend}


def other_argument(message, _):
    match message:
        case {"tool_calls": [first, *_]}:
            first["function"]["arguments"] = first["function"]["arguments"].replace("Rome", "Bonn")
        case {"content": [{"input": arguments}, *_]}:
            arguments["city"] = "Bonn"
        case {"arguments": arguments}:
            message["arguments"] = arguments.replace("Rome", "Bonn")


EDITS = {
    "prompt-first-character": ("PROMPT", {"system": "x" + PROMPT}, "xYou"),
    "prompt-middle": ("PROMPT", {"system": PROMPT.replace("never", "rarely")}, "rarely"),
    "prompt-last-character": ("PROMPT", {"system": PROMPT + "!"}, "!"),
    "prompt-one-character-less": ("PROMPT", {"system": PROMPT[:-1]}, "missing"),
    "prompt-new-line": ("PROMPT", {"system": PROMPT + "\n"}, "\\n"),
    "prompt-case": ("PROMPT", {"system": PROMPT.replace("Be brief", "be brief")}, "be"),
    "prompt-blank": ("PROMPT", {"system": PROMPT.replace(". Be", ".  Be")}, "brief"),
    "prompt-look-alike": ("PROMPT", {"system": PROMPT.replace("guess", "gu\u0435ss")}, "gu\u0435ss"),
    "prompt-sentence-less": ("PROMPT", {"system": PROMPT.replace(" Be brief; never guess.", "")}, "brief"),
    "prompt-gone": ("PROMPT", {"system": ""}, "(nothing)"),
    "tool-description": ("TOOLS", tool(description="The weather of a town now."), "town"),
    "tool-description-gone": ("TOOLS", tool(description=""), "now"),
    "tool-name": ("TOOLS", tool(name="weather_now"), "weather_now"),
    "tool-param-type": ("TOOLS", schema(properties={"city": {"type": "integer"}}), "integer"),
    "tool-param-name": ("TOOLS", schema(properties={"town": {"type": "string"}}), "city"),
    "tool-param-enum": ("TOOLS", schema(properties={"city": {"type": "string", "enum": ["Rome", "Bonn"]}}), "Bonn"),
    "tool-param-added": ("TOOLS", schema(properties={**TOOLS[0]["parameters"]["properties"], "day": {"type": "string"}}), "day"),
    "tool-required": ("TOOLS", schema(required=[]), "city"),
    "tool-second": ("TOOLS", tool(1, description="The next two tides."), "two"),
    "tool-added": ("TOOLS", {"tools": [*TOOLS, {"name": "winds", "description": "", "parameters": {"type": "object"}}]}, "winds"),
    "tool-removed": ("TOOLS", {"tools": TOOLS[:1]}, "tides"),
    "tools-gone": ("TOOLS", {"tools": []}, "(nothing)"),
    "tools-order": ("TOOLS", {"tools": TOOLS[::-1]}, "another order"),
    "param-temperature": ("PARAMS", params(temperature=0.1), "0.1"),
    "param-limit": ("PARAMS", params(max_tokens=255), "255"),
    "param-added": ("PARAMS", params(seed=7), "seed"),
    "param-gone": ("PARAMS", params(temperature=None), "temperature"),
    "param-choice": ("PARAMS", params(tool_choice="required"), "required"),
    "param-nested": ("PARAMS", params(metadata={"a": {"b": [1, 2]}}), "metadata"),
    "model": ("MODEL", {"model": "m-next"}, "next"),
    "model-suffix": ("MODEL", {"model": "m-test-2"}, "m-test-2"),
    "question-first-character": ("CONVERSATION", users("is it warmer in Rome or in Oslo?"), "is"),
    "question-last-character": ("CONVERSATION", users(QUESTION[:-1]), "Oslo"),
    "question-other": ("CONVERSATION", users("What is the time?"), "What"),
    "question-blank": ("CONVERSATION", users(" " + QUESTION), "Is"),
    "question-second": ("CONVERSATION", users(None, "Thanks! And today?"), "today"),
    "question-more": ("CONVERSATION", bent(message=0, change=lambda _, all_: all_.append({"role": "user", "content": "Now!"})), "Now!"),
    "argument": ("CONVERSATION", bent(message=-1, change=lambda _, all_: [other_argument(one, all_) for one in all_]), "Bonn"),
    "result-first-word": ("TOOL_RESULT", results("22 C" + RESULT[4:], SECOND), "22"),
    "result-last-character": ("TOOL_RESULT", results(RESULT + ".", SECOND), "city"),
    "result-second": ("TOOL_RESULT", results(RESULT, "5 C, light rain"), "5 C"),
    "result-empty": ("TOOL_RESULT", results("", SECOND), "result"),
    "results-swapped": ("TOOL_RESULT", {"swaps": True}, "4 C"),
    "call-more": ("EXHAUSTED", {"users": (*Agent().users, "And then?")}, "goes on"),
    "call-twice": ("EXHAUSTED", {"repeats": 1}, "once more"),
    "call-less": ("UNPLAYED", {"sends": 2}, "tomorrow"),
    "calls-less": ("UNPLAYED", {"sends": 1}, "never sent"),
}  # fmt: skip
