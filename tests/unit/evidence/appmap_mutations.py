"""A campaign against the reading of recordings: damaged files, index directories and settings, each with one seed.

The test suite runs a small part; `scripts/stress --evidence` is for long runs. A campaign raises AssertionError when
something is not a value with its problems, and lets any other exception through, which is a failure as well.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

from appmap_samples import EVERYTHING, INDEXED, REAL, WORDS

from callsite.evidence.appmap.choose import choose
from callsite.evidence.appmap.entry import Entry, entry_of
from callsite.evidence.appmap.index_directory import read_index_directory
from callsite.evidence.appmap.recording import parse_recording
from callsite.evidence.appmap.storage import entry_from_bytes, entry_to_bytes
from callsite.evidence.appmap.weights import location_weights

_JUNK = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**70, -(2**70), 1.5, 1e308, "", "x", "a" * 5_000, "\0", "\ud83d",
    "é漢🙂", "17", "return", "call", "path:12", ":::", "<x>", "'", [], {}, [[]], [{}], {"class": 1}, [None],
    {"name": []},
)  # fmt: skip
_MOST_EVENTS = 60  # of a sample: damage is as likely there as in long ones, and a run is short


def campaign(n: int, *, seed: int, report: Callable[[int, int], None] | None = None) -> Counter[str]:
    """Read n damaged recordings and, every tenth time, a damaged index directory; how often which problem was named."""
    chance = random.Random(seed)
    sources = [EVERYTHING, *(_shortened(json.loads(path.read_text("utf-8"))) for path in REAL)]
    named: Counter[str] = Counter()
    entries: list[Entry] = []
    for number in range(n):
        data = damaged(chance.choice(sources), chance)
        recording = parse_recording(data, name=f"{number}.appmap.json")
        named.update(problem.partition(":")[0] for problem in recording.problems)
        entries = [*entries[-20:], entry_of(recording, words=WORDS)]
        _check(entries, chance)
        if number % 10 == 0:
            entries.append(_damaged_index(chance))
        if report is not None:
            report(number + 1, n)
    return named


def _shortened(source):
    return {**source, "events": source["events"][:_MOST_EVENTS]}


def damaged(source, chance: random.Random) -> bytes:
    """A recording in which something is wrong: values, structure, order, or the bytes themselves."""
    value = json.loads(json.dumps(source))
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        chance.choice((_change, _change, _remove, _swap_events, _repeat_event, _renumber))(value, chance)
    data = bytearray(json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass"))
    if chance.random() < 0.3:
        _damage_bytes(data, chance)
    return bytes(data)


def _somewhere(value, chance):
    """A container of the value, and one of its keys."""
    holder, key = value, None
    while isinstance(value, dict | list) and value:
        holder, key = value, chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
        if chance.random() < 0.15:
            break
        value = holder[key]
    return holder, key


def _change(value, chance):
    holder, key = _somewhere(value, chance)
    if key is not None:
        holder[key] = deepcopy(chance.choice(_JUNK))  # a later change may reach into it


def _remove(value, chance):
    holder, key = _somewhere(value, chance)
    if key is not None:
        del holder[key]


def _events(value):
    events = value.get("events")
    return events if isinstance(events, list) and len(events) > 1 else [None, None]


def _swap_events(value, chance):
    events = _events(value)
    one, other = chance.randrange(len(events)), chance.randrange(len(events))
    events[one], events[other] = events[other], events[one]


def _repeat_event(value, chance):
    events = _events(value)
    events.insert(chance.randrange(len(events)), chance.choice(events))


def _renumber(value, chance):
    event = chance.choice(_events(value))
    if isinstance(event, dict):
        event[chance.choice(("id", "parent_id", "thread_id"))] = chance.choice((0, 1, 2, 3, -1, 10**6, "1", None))


def _damage_bytes(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data) + 1)
    how = chance.randrange(4)
    if how == 0:
        del data[at:]
    elif how == 1:
        data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 9)))
    elif how == 2:
        data[at : at + 50] = data[at : at + 25] * 2
    else:
        data[:0] = b"\xef\xbb\xbf"


def _check(entries: list[Entry], chance: random.Random) -> None:
    entry = entries[-1]
    assert entry_from_bytes(entry_to_bytes(entry)) == entry
    columns = (entry.n_calls, entry.failure_distances, entry.n_callees)
    assert {len(column) for column in columns} == {len(entry.places)}
    asked = dict.fromkeys(chance.sample(sorted(entry.terms), min(3, len(entry.terms))), 1.0)
    chosen = choose(entries, asked, given=[0], stale=[1])
    for one in location_weights(chosen, entries):
        assert 0 <= one.weight <= 1
        assert one.path


def _damaged_index(chance: random.Random) -> Entry:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in INDEXED.iterdir():
            data = bytearray(path.read_bytes())
            if path.suffix == ".json" and chance.random() < 0.5:
                data = bytearray(_damaged_json(data, chance))
            if chance.random() < 0.2:
                _damage_bytes(data, chance)
            if chance.random() < 0.9:
                (folder / path.name).write_bytes(data)
        return read_index_directory(folder, file="x.appmap.json", words=WORDS).entry


def _damaged_json(data: bytearray, chance: random.Random) -> bytes:
    value = json.loads(data)
    for _ in range(3):
        chance.choice((_change, _remove))(value, chance)
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
