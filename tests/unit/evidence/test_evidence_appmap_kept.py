"""Entries are made once and kept in a bounded folder, whatever happens to it."""

from __future__ import annotations

import os

import pytest
from appmap_samples import EVERYTHING

from callsite.evidence.appmap import kept as kept_entries
from callsite.evidence.appmap.entry import Entry
from callsite.evidence.appmap.kept import KeptEntries


def entry(name):
    return Entry(file=f"{name}.appmap.json", origin="recording", name=name)


def filled(folder, n):
    """A folder with n entries, the later ones newer."""
    kept = KeptEntries(str(folder))
    for number in range(n):
        kept.get(f"key{number}", lambda number=number: entry(str(number)))
        os.utime(folder / f"key{number}.entry", (1_000 + number, 1_000 + number))
    return kept


def names(folder):
    return {int(path.name[3:].partition(".")[0]) for path in folder.iterdir()}


def test_an_entry_is_made_once(tmp_path):
    """Also for those who come later."""
    made = []
    for kept in (one := KeptEntries(str(tmp_path)), one, KeptEntries(str(tmp_path))):
        assert kept.get("key", lambda: made.append(1) or entry("a")) == entry("a")
    assert made == [1]


@pytest.mark.parametrize("data", [b"", b"1 00000000\n[]", b"\xff" * 100])
def test_a_damaged_entry_is_made_anew(tmp_path, data):
    """And kept again."""
    (tmp_path / "key.entry").write_bytes(data)
    assert KeptEntries(str(tmp_path)).get("key", lambda: entry("new")) == entry("new")
    assert KeptEntries(str(tmp_path)).get("key", lambda: entry("newer")) == entry("new")


def test_without_a_folder_entries_are_made_all_the_same(tmp_path):
    """A file is in its place; sweeping is no error either."""
    (tmp_path / "file").write_text("x")
    kept = KeptEntries(str(tmp_path / "file"))
    assert kept.get("key", lambda: entry("a")) == entry("a")
    kept.sweep(wanted=set())
    assert (tmp_path / "file").read_text() == "x"


def test_twice_as_many_files_stay_as_there_are_recordings(tmp_path, monkeypatch):
    """Those of recordings that are there, and the newest of the others; leftovers of killed processes go with them."""
    monkeypatch.setattr(kept_entries, "_LEAST_KEPT", 0)
    kept = filled(tmp_path, 20)
    (tmp_path / "key99.entry.123.4").write_text("partial")
    os.utime(tmp_path / "key99.entry.123.4", (1, 1))
    kept.sweep(wanted={"key0", "key1", "key2"})
    assert names(tmp_path) == {0, 1, 2, 17, 18, 19}
    assert kept.get("key1", lambda: entry("never")) == entry("1")


def test_few_files_are_left_alone(tmp_path):
    """Recordings that are given from elsewhere are kept as well."""
    kept = filled(tmp_path, 20)
    kept.sweep(wanted={"key0"})
    assert len(names(tmp_path)) == 20


def test_nothing_is_swept_twice(tmp_path):
    """A folder that has not grown needs no look."""
    kept = filled(tmp_path, 2)
    assert kept.has_grown
    kept.sweep(wanted={"key0"})
    assert not kept.has_grown
    kept.get("key1", lambda: entry("never"))
    assert not kept.has_grown


def test_the_sample_of_everything_is_kept_whole(tmp_path):
    """All its columns, read back by another."""
    import json

    from callsite.evidence.appmap.entry import entry_of
    from callsite.evidence.appmap.recording import parse_recording
    from callsite.text.words import Words

    whole = entry_of(parse_recording(json.dumps(EVERYTHING).encode(), name="x"), words=Words())
    KeptEntries(str(tmp_path)).get("key", lambda: whole)
    assert KeptEntries(str(tmp_path)).get("key", lambda: entry("never")) == whole
