"""Whatever happened to a recording, reading it ends with a value, and says what was wrong."""

from __future__ import annotations

import json
import random

from appmap_mutations import campaign, damaged
from appmap_samples import EVERYTHING
from hypothesis import given
from hypothesis import strategies as st

from callsite.evidence.appmap.recording import Recording, parse_recording

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
EVENT_KEYS = "event id parent_id thread_id defined_class method_id path lineno static parameters exceptions".split()
EVENTS = st.lists(
    st.dictionaries(st.sampled_from(EVENT_KEYS), JSON | st.sampled_from(["call", "return", 1, 2]), max_size=8),
    max_size=8,
)
DOCUMENTS = st.fixed_dictionaries(
    {}, optional={"metadata": JSON, "events": EVENTS | JSON, "classMap": JSON, "eventUpdates": JSON, "version": JSON}
)


def test_three_hundred_damaged_recordings_are_read():
    """And the more telling problems are named."""
    named = campaign(300, seed=1)
    assert {"not a recording", "a return belongs to no call", "lineno has the wrong type"} & named.keys()
    assert sum(named.values()) > 100


def test_a_seed_always_does_the_same_damage():
    """So that a failure can be repeated."""
    one, other = (damaged(EVERYTHING, random.Random(5)) for _ in range(2))
    assert one == other


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data):
    """Most are no recording."""
    assert isinstance(parse_recording(data, name="x"), Recording)


@given(DOCUMENTS)
def test_any_values_in_the_place_of_others_are_read(value):
    """Of any type, in any field."""
    recording = parse_recording(json.dumps(value).encode(), name="x")
    events = value.get("events")
    assert recording.n_events <= (len(events) if isinstance(events, list) else 0)
