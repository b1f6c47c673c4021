"""Broken files of every format: imported, or refused with our own error, in time that grows with the file.

Each example is a small valid file with a few bytes lost, doubled or changed, or with a value of another kind.
"""

import json
import time
from copy import deepcopy

import pytest
from formats import FILES, http
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from imports import import_of, transcripts_of

from harness import errors
from harness.value import encode

PARTS = http()
FORMATS = [*FILES, "http"]
checked = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
ODD = st.sampled_from([None, True, 0, -1, 1e300, "", "\u2028", "w1", [], {}, [[]], {"": None}, ["x"], {"type": "text"}])
BYTES = st.binary(max_size=4) | st.sampled_from(
    [b'"', b"{", b"]", b"\n", b"\\", b"\x00", b"\xff", b": ", b"null", b"- "]
)


@st.composite
def spoilt(draw, raw):
    """Bytes of a file after a few accidents."""
    spoilt = bytearray(raw)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(spoilt)))
        end = place + draw(st.integers(0, 30))
        match draw(st.sampled_from(["lost", "doubled", "changed", "cut"])):
            case "lost":
                del spoilt[place:end]
            case "doubled":
                spoilt[place:place] = spoilt[place:end]
            case "changed":
                spoilt[place : place + 1] = draw(BYTES)
            case "cut":
                del spoilt[max(place, 1) :]
    return bytes(spoilt)


def places_in(value, path=()):
    """Every place in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places_in(item, (*path, key))


@st.composite
def retyped(draw, raw):
    """A JSON file, or lines, with values of another kind here and there."""
    whole = json.loads(b"[" + b",".join(raw.splitlines()) + b"]")
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from([*places_in(whole)] or [()]))
        holder = whole
        for key in path[:-1]:
            holder = holder[key]
        if path and len(path) > 1 and draw(st.booleans()) and isinstance(holder, dict):
            del holder[path[-1]]
        elif path:
            holder[path[-1]] = deepcopy(draw(ODD))
    return b"\n".join(json.dumps(one).encode() for one in whole)


def check(format_, raw, **parts):
    """It is imported so that each conversation can be read and written, or refused."""
    try:
        result = import_of(raw, format_, **parts)
    except errors.BadImport:
        return
    for transcript in transcripts_of(result):
        encode(transcript)


@pytest.mark.parametrize("format_", FILES)
@checked
@given(st.data())
def test_a_spoilt_file_is_imported_or_refused(format_, data):
    check(format_, data.draw(spoilt(FILES[format_])))


@checked
@given(st.data())
def test_spoilt_captures_are_imported_or_refused(data):
    name = data.draw(st.sampled_from(sorted(PARTS)))

    check("http", b"", **PARTS | {name: data.draw(spoilt(PARTS[name]))})


@pytest.mark.parametrize("format_", [name for name, raw in FILES.items() if raw[:1] in b"{["])
@checked
@given(st.data())
def test_values_of_another_kind_are_imported_or_refused(format_, data):
    check(format_, data.draw(retyped(FILES[format_])))


LISTS = {
    "har": ("log", "entries"),
    "tau-bench": (),
    "tau2-bench": ("simulations",),
    "inspect": ("samples",),
    "otlp": ("resourceSpans", 0, "scopeSpans", 0, "spans"),
    "aimock": ("fixtures",),
}


def longer(format_, count):
    """A file that holds so many times as much."""
    raw = FILES[format_]
    if format_ == "sse":
        first, *rest = raw.split(b"\n\n")
        return b"\n\n".join([first] * count + rest)
    if format_ == "vcr":
        head, pairs, version = raw.rpartition(b"version")[0], b"", raw.rpartition(b"version")[2]
        key, _, pairs = head.partition(b"\n")
        return key + b"\n" + pairs * count + b"version" + version
    if format_ == "fixture":
        meta, *turns, asserted = map(json.loads, raw.splitlines())
        turns = [{**turn, "turnIndex": number} for number, turn in enumerate(turns * count)]
        return b"\n".join(json.dumps(one).encode() for one in (meta, *turns, asserted)) + b"\n"
    if format_ not in LISTS:
        return raw * count
    whole = json.loads(raw)
    held = whole
    for key in LISTS[format_]:
        held = held[key]
    held *= count
    return json.dumps(whole).encode()


@pytest.mark.parametrize("format_", FILES)
def test_time_grows_with_the_file_and_not_faster(format_):
    def seconds(count):
        raw, times = longer(format_, count), []
        for _ in range(3):
            begun = time.process_time()
            result = import_of(raw, format_)
            times.append(time.process_time() - begun)
        assert result.seen == result.written
        return min(times)

    short, long = seconds(4), seconds(64)

    assert long < 16 * 4 * max(short, 0.001)  # a square would be 16 * 16
