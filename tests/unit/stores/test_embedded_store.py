"""The embedded store keeps what it acknowledged, whoever damages, kills or shares it; answers are in tests/contract."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from callsite.collections import chunks
from callsite.errors import StoreError, StoreRefused, StoreUnreachable
from callsite.query import Query
from callsite.stores import Change, Key
from callsite.stores.embedded import EmbeddedStore

CHUNKS = chunks(dims=2)
WORDS = ("parse", "header", "token", "stream", "queue", "retry")


def chunk(n, **fields):
    said = " ".join(WORDS[i] for i in range(len(WORDS)) if n >> i & 1) or "nothing"
    return {"id": f"c{n:03}", "project_id": 1 + n % 2, "path": f"src/f{n}.py", "content": said} | fields


@pytest.fixture
def store(tmp_path):
    opened = EmbeddedStore(tmp_path / "store")
    opened.create(CHUNKS)
    yield opened
    opened.close()


def found(store, query):
    return [one.document.key.id for one in store.search(CHUNKS.name, query).candidates]


def shown(store):
    """What a reader can tell of the store: documents, words, nearness."""
    near = Query.knn(target="embeddings_v1", vector=[1.0, 0.0], limit=50)
    words = {word: sorted(found(store, Query.match(word))) for word in WORDS}
    return found(store, Query.all()), words, found(store, near)


def test_what_was_written_is_there_when_it_is_opened_again(store, tmp_path):
    """Documents, words and vectors."""
    store.upsert(CHUNKS.name, [chunk(n, embeddings_v1=[1.0, n / 9]) for n in range(40)])
    before = shown(store)
    store.close()
    again = EmbeddedStore(tmp_path / "store")
    assert again.collections() == (CHUNKS,)
    assert shown(again) == before
    assert before[0] and all(before[1].values()) and before[2][0] == "c000"


@pytest.mark.parametrize("damage", ["gone", "a file gone", "no json", "other bytes"])
def test_words_that_are_lost_are_made_again(tmp_path, damage):
    """They can be told from the documents."""
    folder = tmp_path / "store"
    store = EmbeddedStore(folder)
    store.create(CHUNKS)
    store.upsert(CHUNKS.name, [chunk(n) for n in range(40)])
    before = shown(store)
    store.close()
    (words,) = folder.glob("words-*")
    if damage == "gone":
        shutil.rmtree(words)
    elif damage == "a file gone":
        next(words.glob("*.term")).unlink()
    elif damage == "no json":
        (words / "meta.json").write_text("{")
    else:
        for file in words.glob("*.term"):
            file.write_bytes(b"\1" * file.stat().st_size)
    store = EmbeddedStore(folder)
    assert shown(store) == before
    store.upsert(CHUNKS.name, [chunk(63)])
    assert "c063" in found(store, Query.match("parse"))


def test_lists_of_deletions_that_a_killed_writer_left_do_no_harm(store, tmp_path):
    """tantivy would give one of its own the same name, and fail."""
    store.upsert(CHUNKS.name, [chunk(n) for n in range(40)])
    before = shown(store)
    (words,) = (tmp_path / "store").glob("words-*")
    (segment,) = {path.name.partition(".")[0] for path in words.glob("*.term")}
    for stamp in range(200):
        (words / f"{segment}.{stamp}.del").write_bytes(b"")
    store.upsert(CHUNKS.name, [chunk(n, content="parse again") for n in range(3)])
    assert found(store, Query.match("again")) == ["c000", "c001", "c002"]
    store.upsert(CHUNKS.name, [chunk(n) for n in range(3)])
    assert shown(store) == before
    assert len(list(words.glob("*.del"))) < 5


def test_two_that_have_it_open_see_what_each_other_writes(store, tmp_path):
    """Documents, words, vectors, removals and collections."""
    other = EmbeddedStore(tmp_path / "store")
    store.upsert(CHUNKS.name, [chunk(1, embeddings_v1=[1.0, 0.0]), chunk(2)])
    assert found(other, Query.match("parse")) == ["c001"]
    other.update(CHUNKS.name, [Change(key=Key(1, "c002"), fields={"embeddings_v1": [0.5, 0.1], "content": "parse"})])
    assert found(store, Query.match("parse")) == ["c001", "c002"]
    assert shown(store) == shown(other)
    other.delete(CHUNKS.name, [Key(2, "c001")])
    assert found(store, Query.knn(target="embeddings_v1", vector=[1.0, 0.0], limit=5)) == ["c002"]
    assert other.drop(CHUNKS.name)
    assert store.collections() == ()


def test_a_vector_that_was_emptied_is_near_to_nothing(store):
    """Also after it was found before."""
    near = Query.knn(target="embeddings_v1", vector=[1.0, 0.0], limit=5)
    store.upsert(CHUNKS.name, [chunk(1, embeddings_v1=[1.0, 0.0]), chunk(3, embeddings_v1=[0.0, 1.0])])
    assert found(store, near) == ["c001", "c003"]
    store.update(CHUNKS.name, [Change(key=Key(2, "c001"), fields={"embeddings_v1": None})])
    assert found(store, near) == ["c003"]
    assert dict(store.stats(CHUNKS.name).n_filled) == {"embeddings_v1": 1}


def test_many_vectors_are_found_as_one_by_one(store):
    """More than the first look takes, in two projects, with many that are equally near."""
    random = Random(1)
    store.upsert(
        CHUNKS.name,
        [chunk(n, embeddings_v1=[random.choice([-1.0, 0.5, 1.0]), random.choice([0.1, 0.2])]) for n in range(3_000)],
    )
    all_of_them = Query.knn(target="embeddings_v1", vector=[1.0, 0.15], limit=3_000)
    for among in (Query.all(), Query.filter(project_id=2), Query.prefix(path="src/f1")):
        whole = found(store, among & all_of_them)
        for limit in (1, 7, 300, 700):
            knn = Query.knn(target="embeddings_v1", vector=[1.0, 0.15], limit=limit)
            assert found(store, among & knn) == whole[:limit]


def test_a_writer_that_takes_long_is_named(store, tmp_path):
    """The caller chooses how long to wait."""
    hasty = EmbeddedStore(tmp_path / "store", wait=0.05)
    with store._database.writing(), pytest.raises(StoreUnreachable, match="another process is writing"):
        hasty.upsert(CHUNKS.name, [chunk(1)])
    assert hasty.upsert(CHUNKS.name, [chunk(1)])[0].state == "created"


def test_without_numpy_everything_but_nearness_works(store, monkeypatch):
    """And it is said what to install."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.delitem(sys.modules, "callsite.stores.embedded.vectors", raising=False)
    store.upsert(CHUNKS.name, [chunk(1, embeddings_v1=[1.0, 0.0])])
    assert found(store, Query.match("parse")) == ["c001"]
    with pytest.raises(StoreError, match=r"pip install 'callsite\[embedded\]'"):
        found(store, Query.knn(target="embeddings_v1", vector=[1.0, 0.0], limit=5))


def test_a_folder_that_cannot_be_used_is_one_clear_error(tmp_path):
    """A file in its place, a file that is no database, one of a newer version."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreRefused, match="no store can be kept"):
        EmbeddedStore(tmp_path / "file" / "store")
    (tmp_path / "store.sqlite").write_bytes(b"no database" * 999)
    with pytest.raises(StoreError, match="is damaged"):
        EmbeddedStore(tmp_path)
    newer = EmbeddedStore(tmp_path / "newer")
    newer._database.run("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(StoreRefused, match="format 99"):
        EmbeddedStore(tmp_path / "newer")


def test_a_closed_store_says_so(store):
    """And may be closed again."""
    store.close()
    store.close()
    with pytest.raises(StoreError, match="was closed"):
        store.collections()
    assert not store.health().is_well


WRITER = """
import sys
from random import Random
sys.path[:0] = sys.argv[3:]
from test_embedded_store import CHUNKS, chunk
from callsite.query import Query
from callsite.stores import Key
from callsite.stores.embedded import EmbeddedStore
store, random = EmbeddedStore(sys.argv[1]), Random(int(sys.argv[2]))
while True:
    n = random.randrange(64)
    if random.random() < 0.3:
        done = store.delete(CHUNKS.name, [Key(1 + n % 2, f"c{n:03}")])
        print("-", n, flush=True)
    else:
        store.upsert(CHUNKS.name, [chunk(n, embeddings_v1=[1.0, n / 64])])
        print("+", n, flush=True)
    if random.random() < 0.3:
        store.count(CHUNKS.name, Query.match("parse"))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_a_killed_writer_loses_nothing_that_it_acknowledged(store, tmp_path):
    """Killed at random points, ten times; documents, words and vectors say the same afterwards."""
    there: set[int] = set()
    paths = [str(Path(__file__).parent), *filter(None, sys.path)]
    for seed in range(10):
        command = [sys.executable, "-c", WRITER, str(tmp_path / "store"), str(seed), *paths]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            lines = [writer.stdout.readline() for _ in range(1 + seed * 3)]
            time.sleep(Random(seed).random() / 50)
            os.kill(writer.pid, signal.SIGKILL)
            lines += writer.stdout.readlines()
        for sign, n in (line.split() for line in lines):
            (there.add if sign == "+" else there.discard)(int(n))
        expected = {f"c{n:03}" for n in there}
        documents, words, near = shown(store)
        extra = set(documents) ^ expected
        assert len(extra) <= 1, "one write may have been committed and not told"
        assert set(near) == set(documents)
        for place, word in enumerate(WORDS):
            assert words[word] == sorted(id for id in documents if int(id[1:]) >> place & 1)
        there = {int(id[1:]) for id in documents}
