"""A gzipped recording says what the plain one says; one that would grow beyond the limit is refused by its name."""

from __future__ import annotations

import gzip
import json

import pytest
from appmap_samples import EVERYTHING, REAL

from callsite.evidence.appmap.contents import Unreadable, contents_of
from callsite.evidence.appmap.found import find_recordings
from callsite.evidence.appmap.recording import read_recording
from callsite.values import replace

DATA = json.dumps(EVERYTHING).encode()


@pytest.mark.parametrize("source", [DATA, *(path.read_bytes() for path in REAL)], ids=lambda data: len(data))
@pytest.mark.parametrize("name", ["x.appmap.json.gz", "x.appmap.json", "x"])
def test_a_gzipped_recording_says_what_the_plain_one_says(source, name, tmp_path):
    """Whatever it is called; in several parts as well, as tools that append write it."""
    plain, packed = tmp_path / "x.appmap.json.plain", tmp_path / name
    plain.write_bytes(source)
    packed.write_bytes(gzip.compress(source[:1_000]) + gzip.compress(source[1_000:]))
    read = read_recording(packed)
    assert replace(read, file="", name="") == replace(read_recording(plain), file="", name="")
    assert (read.n_events > 0, read.problems) == (True, ())


def test_the_title_is_the_name_without_its_endings(tmp_path):
    """Where the recording has no name of its own."""
    (tmp_path / "test_cart.appmap.json.gz").write_bytes(gzip.compress(b"{}"))
    assert read_recording(tmp_path / "test_cart.appmap.json.gz").name == "test_cart"


def test_a_bomb_is_refused_by_the_limit_of_plain_files(tmp_path):
    """Unpacked no further than the limit; a file of exactly that size is read."""
    bomb = tmp_path / "bomb.appmap.json.gz"
    bomb.write_bytes(gzip.compress(b" " * 50_000_000))
    assert read_recording(bomb, max_bytes=1_000_000).problems == (
        "too large: more than 1000000 bytes when unpacked",
    )  # fmt: skip
    assert len(contents_of(str(bomb), max_bytes=50_000_000)) == 50_000_000
    with pytest.raises(Unreadable, match="at most 10"):
        contents_of(str(bomb), max_bytes=10)


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-9], lambda data: data[:20], lambda data: data[:2], lambda data: data + b"junk",
               lambda data: data[:30] + b"\0\xff" * 20 + data[70:], lambda data: data[:-6] + b"\0" * 6],
)  # fmt: skip
def test_a_damaged_archive_is_a_problem(damage, tmp_path):
    """Cut anywhere, overwritten, with a wrong checksum, with something behind it."""
    packed = tmp_path / "x.appmap.json.gz"
    packed.write_bytes(damage(gzip.compress(DATA)))
    read = read_recording(packed)
    assert (read.problems, read.n_events) == (("damaged: it cannot be unpacked",), 0)


def test_gzipped_recordings_are_found_like_plain_ones(tmp_path):
    """With their index directory; the plain one stands for both when both are there."""
    folder = tmp_path / "tmp" / "appmap"
    for name in ("a.appmap.json.gz", "b.appmap.json", "b.appmap.json.gz", "c.json.gz", "d/classMap.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"{}")
    (folder / "d.appmap.json.gz").write_bytes(b"{}")
    found = find_recordings(tmp_path).recordings
    assert [one.path[len(str(folder)) + 1 :] for one in found] == [
        "a.appmap.json.gz", "b.appmap.json", "d.appmap.json.gz",
    ]  # fmt: skip
    assert [one.index for one in found] == ["", "", str(folder / "d")]
    for given in (folder / "d", folder / "d.appmap.json.gz"):
        (one,) = find_recordings(tmp_path, given=[given]).recordings
        assert (one.path, one.index, one.gone) == (str(folder / "d.appmap.json.gz"), str(folder / "d"), False)
