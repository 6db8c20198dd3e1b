"""Whatever part of an index is lost or damaged is made again, the answer says so, and it is the right answer."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from checkout import TEXTS, Checkout
from shown import shown

import callsite
from callsite.index.format import FORMAT


@pytest.fixture
def checkout(tmp_path):
    """An indexed repository whose index folder is `home/*`."""
    made = Checkout(tmp_path)
    for number, text in enumerate(TEXTS):
        made.write(f"src/file{number}.py", f"{text}\nword{number}\n")
    made.commit()
    made.write("dirty.py", TEXTS[2])
    shown(made.roots[0], tmp_path / "home")
    return made


def folder_of(checkout: Checkout) -> Path:
    return next((checkout.folder / "home").iterdir())


def check_mended(checkout: Checkout, *, noted: str | None = "") -> tuple[str, ...]:
    """A search answers, with a note that holds `noted` (None: no note is due), and everything is right; the notes."""
    with callsite.open(checkout.roots[0], home=str(checkout.folder / "home")) as engine:
        answer = engine.search("alpha beta", n=100)
    assert "src/file2.py" in {hit.path for hit in answer.hits}
    if noted is not None:
        assert any(noted in note for note in answer.freshness.notes), answer.freshness.notes
    found = shown(checkout.roots[0], checkout.folder / "home")
    assert found.texts == checkout.expected()
    assert found == shown(checkout.roots[0], checkout.folder / "fresh")
    return answer.freshness.notes


LOSSES: dict[str, Callable[[Path], object]] = {
    "catalogue": lambda folder: (folder / "catalogue.sqlite").unlink(),
    "everything": shutil.rmtree,
    "lexical": lambda folder: shutil.rmtree(folder / "lexical"),
    "files": lambda folder: shutil.rmtree(folder / "lexical" / "files"),
    "chunks": lambda folder: shutil.rmtree(folder / "lexical" / "chunks"),
    "meta": lambda folder: (folder / "lexical" / "chunks" / "meta.json").unlink(),
    "managed": lambda folder: (folder / "lexical" / "chunks" / ".managed.json").unlink(),
}


@pytest.mark.parametrize("part", LOSSES)
def test_a_lost_part_is_made_again(checkout, part):
    """Deleted by hand, by a cleaner of caches, by half a backup."""
    LOSSES[part](folder_of(checkout))
    check_mended(checkout, noted="made again" if part in ("lexical", "files", "chunks", "meta") else None)


def damage(place: Path, how: str, chance: random.Random) -> None:
    data = bytearray(place.read_bytes())
    if how == "empty":
        data.clear()
    elif how == "cut":
        del data[len(data) // 2 :]
    elif how == "noise":
        data[:] = chance.randbytes(len(data))
    else:
        for _ in range(max(1, len(data) // 2000)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    place.write_bytes(data)


@pytest.mark.parametrize("how", ["empty", "cut", "noise", "bits"])
@pytest.mark.parametrize("name", ["catalogue.sqlite", "lexical/files/meta.json", "lexical/chunks/meta.json"])
def test_a_damaged_file_is_made_again(checkout, name, how):
    """A disk that lies, a copy that ended early."""
    damage(folder_of(checkout) / name, how, random.Random(1))
    with callsite.open(checkout.roots[0], home=str(checkout.folder / "home")) as engine:
        engine.index()
    check_mended(checkout, noted=None)


@pytest.mark.parametrize("suffix", ["idx", "term", "store", "fast", "fieldnorm", "pos"])
@pytest.mark.parametrize("how", ["empty", "cut", "noise", "bits", "gone"])
def test_a_damaged_segment_is_made_again(checkout, suffix, how):
    """`index` reads every byte; what still opens, but with other bytes, is found by its checksum."""
    place = sorted((folder_of(checkout) / "lexical" / "chunks").glob(f"*.{suffix}"))[0]
    place.unlink() if how == "gone" else damage(place, how, random.Random(2))
    with callsite.open(checkout.roots[0], home=str(checkout.folder / "home")) as engine:
        assert any("made again" in note for note in engine.index().notes)
    check_mended(checkout, noted=None)


@pytest.mark.parametrize("seed", range(12))
def test_bits_of_the_catalogue_flip(checkout, seed):
    """Nothing but right answers or a repair; never a traceback."""
    damage(folder_of(checkout) / "catalogue.sqlite", "bits", random.Random(seed))
    with callsite.open(checkout.roots[0], home=str(checkout.folder / "home")) as engine:
        engine.search("alpha beta")
        engine.index()
        engine.files(), engine.skipped(), engine.status()


@pytest.mark.parametrize("how", ["empty", "cut", "noise", "bits", "gone"])
def test_a_log_that_was_not_yet_written_back_is_lost(checkout, how):
    """A reader that is still open keeps SQLite from folding the log in; then the log is damaged."""
    checkout.write("late.py", "late = 'alpha'\n")
    folder = folder_of(checkout)
    reader = sqlite3.connect(folder / "catalogue.sqlite")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM files").fetchone()
    shown(checkout.roots[0], checkout.folder / "home")
    copy = checkout.folder / "copy"
    shutil.copytree(folder, copy)
    reader.close()
    shutil.rmtree(folder)
    copy.rename(folder)
    log = folder / "catalogue.sqlite-wal"
    assert log.stat().st_size > 0
    log.unlink() if how == "gone" else damage(log, how, random.Random(3))
    check_mended(checkout, noted=None)


@pytest.mark.parametrize(("version", "chunker"), [(FORMAT - 1, None), (FORMAT, "chunker 0")])
def test_an_index_of_an_older_version_is_made_again(checkout, version, chunker):
    """An older format of the folder, or an older version of the chunker."""
    with sqlite3.connect(folder_of(checkout) / "catalogue.sqlite") as catalogue:
        catalogue.execute(f"PRAGMA user_version = {version}")
        if chunker:
            catalogue.execute("UPDATE meta SET value = ? WHERE key = 'maker'", (chunker,))
    check_mended(checkout, noted="older version")


def test_an_index_of_a_newer_version_is_left_alone(checkout):
    """One line says what to do; the index is as it was, and `clear` removes it."""
    place = folder_of(checkout) / "catalogue.sqlite"
    with sqlite3.connect(place) as catalogue:
        catalogue.execute(f"PRAGMA user_version = {FORMAT + 1}")
    before = place.read_bytes()
    with callsite.open(checkout.roots[0], home=str(checkout.folder / "home")) as engine:
        with pytest.raises(callsite.IndexUnusable, match=r"newer callsite .* upgrade, or `callsite clear`") as raised:
            engine.search("alpha")
        assert "\n" not in str(raised.value)
        assert place.read_bytes() == before
        engine.clear()
    check_mended(checkout, noted=None)


def test_parts_of_two_indexes_are_put_together_right(checkout):
    """An older catalogue with a newer lexical index, as half a backup leaves them."""
    folder = folder_of(checkout)
    old = (folder / "catalogue.sqlite").read_bytes()
    for number in range(5):
        checkout.write(f"later{number}.py", f"alpha = {number}\n")
        shown(checkout.roots[0], checkout.folder / "home")
    (folder / "catalogue.sqlite").write_bytes(old)
    check_mended(checkout, noted=None)


def test_an_older_lexical_index_is_made_again(checkout):
    """A newer catalogue with an older lexical index: documents are missing."""
    folder = folder_of(checkout)
    shutil.copytree(folder / "lexical", checkout.folder / "old")
    checkout.write("later.py", "alpha = 1\n")
    shown(checkout.roots[0], checkout.folder / "home")
    shutil.rmtree(folder / "lexical")
    (checkout.folder / "old").rename(folder / "lexical")
    check_mended(checkout, noted="made again")
