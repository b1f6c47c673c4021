"""An answer that passes as usual at one look is one in which the look at each field finds nothing."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from harness.providers.chat_draft import PIECES, WHOLE, Answer, Form
from harness.providers.fields import list_at, object_at, objects_of
from harness.providers.kinds import NEEDED_TEXT, usual

NOTHING_IS_USUAL = usual({"never": NEEDED_TEXT})
KINDS = [
    None,
    True,
    0,
    1.5,
    Decimal("1.10"),
    10**30,
    "tide",
    "1.10",
    [],
    ["tide"],
    [{"type": 1}],
    [None],
    {},
    {"name": 1},
]


def dictionaries(**fields):
    """Objects with some of the fields, each as it should be or of any kind."""
    return st.fixed_dictionaries({}, optional={name: one | st.sampled_from(KINDS) for name, one in fields.items()})


TEXTS = st.just("tide") | st.none()
FUNCTIONS = dictionaries(name=TEXTS, arguments=TEXTS)
CALLS = dictionaries(id=TEXTS, function=FUNCTIONS, custom=dictionaries(name=TEXTS, input=TEXTS))
MESSAGES = dictionaries(
    role=TEXTS,
    content=TEXTS | st.lists(TEXTS | dictionaries(type=TEXTS, text=TEXTS), max_size=2),
    refusal=TEXTS,
    reasoning=TEXTS,
    reasoning_details=st.lists(TEXTS, max_size=1),
    tool_calls=st.lists(CALLS, max_size=2),
    function_call=FUNCTIONS,
)
CHOICES = dictionaries(index=st.just(0), finish_reason=TEXTS, message=MESSAGES, delta=MESSAGES, error=TEXTS)
ANSWERS = dictionaries(
    id=TEXTS, model=TEXTS, usage=st.just({}), choices=st.lists(CHOICES, max_size=2), message=MESSAGES
)


def noted(body, form, key):
    answer = Answer(form)
    answer.describe(body)
    for choice in objects_of(list_at(body, "choices")):
        answer.add(choice, object_at(choice, key))
    return answer.error, answer.warnings


@given(ANSWERS)
def test_one_look_at_a_whole_answer_says_what_a_look_at_each_field_says(body):
    assert noted(body, WHOLE, "message") == noted(body, Form(WHOLE.choice, NOTHING_IS_USUAL), "message")


@given(ANSWERS)
def test_one_look_at_a_piece_of_a_stream_says_what_a_look_at_each_field_says(body):
    assert noted(body, PIECES, "delta") == noted(body, Form(PIECES.choice, NOTHING_IS_USUAL), "delta")


def test_what_hosts_answer_passes_at_one_look():
    call = {"id": "call_1", "type": "function", "function": {"name": "get_tide", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": [call]}
    body = {"id": "x", "model": "m", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}

    assert noted(body, Form({"never": NEEDED_TEXT}, WHOLE.usual), "message") == ("", [])
