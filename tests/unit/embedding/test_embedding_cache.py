"""Vectors that were paid for are found again, by everybody; nobody pays for what another is paying for."""

from __future__ import annotations

import subprocess
import sys
import threading
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.embedding import VectorCache, hashed_vector, text_digest
from callsite.errors import EmbeddingError

DIMS = 4
ROW = 4 * DIMS + 150


def vectors(*texts):
    return {text_digest(text): hashed_vector(text, DIMS) for text in texts}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "vectors.sqlite"


@pytest.fixture
def cache(path):
    made = VectorCache(path)
    yield made
    made.close()


def test_what_was_put_is_found_by_whoever_opens_the_file(cache, path):
    """To the last bit."""
    cache.put("m", DIMS, vectors("a", "b"))
    other = VectorCache(path)
    assert other.get("m", DIMS, vectors("a", "b", "c")) == vectors("a", "b")
    other.close()


def test_models_and_dimensions_are_kept_apart(cache):
    """A vector says nothing to another model."""
    cache.put("m", DIMS, vectors("a"))
    assert cache.get("other", DIMS, vectors("a")) == {}
    assert cache.get("m", DIMS + 1, vectors("a")) == {}
    cache.put("other", DIMS, vectors("a", "b"))
    stats = cache.stats()
    assert (stats.n_vectors, stats.n_by_model, stats.n_bytes) == (3, {"m": 1, "other": 2}, 3 * ROW)
    cache.clear()
    assert (cache.stats().n_vectors, cache.stats().n_bytes) == (0, 0)


def test_what_is_put_twice_counts_once(cache):
    """Two processes may have paid for it before they could know of each other."""
    cache.put("m", DIMS, vectors("a"))
    cache.put("m", DIMS, vectors("a", "b"))
    assert cache.stats().n_bytes == 2 * ROW


def test_what_was_not_used_for_longest_goes(tmp_path):
    """As soon as there is too much; what was asked for lately stays."""
    time = [0.0]
    cache = VectorCache(tmp_path / "small", most_bytes=10 * ROW, now=lambda: time[0])
    for number in range(10):
        time[0] += 10_000
        cache.put("m", DIMS, vectors(str(number)))
    time[0] += 10_000
    assert len(cache.get("m", DIMS, vectors("0"))) == 1
    cache.put("m", DIMS, vectors("10"))
    names = [str(number) for number in range(11)]
    kept = cache.get("m", DIMS, vectors(*names))
    assert [name for name in names if text_digest(name) in kept] == ["0", "3", "4", "5", "6", "7", "8", "9", "10"]
    assert cache.stats().n_bytes == 9 * ROW
    cache.close()


@given(st.lists(st.lists(st.integers(0, 60), max_size=20), max_size=20))
def test_it_never_holds_more_than_it_may(puts):
    """And knows how much that is; whatever it has is right."""
    cache = VectorCache(None, most_bytes=20 * ROW)
    for numbers in puts:
        cache.put("m", DIMS, vectors(*map(str, numbers)))
        stats = cache.stats()
        assert stats.n_bytes == stats.n_vectors * ROW <= 20 * ROW
    names = [str(number) for number in range(61)]
    assert all(vectors(*names)[digest] == vector for digest, vector in cache.get("m", DIMS, vectors(*names)).items())
    cache.close()


def test_a_claim_keeps_others_from_paying(cache, path):
    """Until the vector is there, or the claim is given up."""
    other = VectorCache(path)
    a, b, c = map(text_digest, "abc")
    assert cache.claim("m", DIMS, [a, b], claim="one").own == {a, b}
    assert cache.claim("m", DIMS, [a, b], claim="one").own == {a, b}
    assert cache.claim("m", DIMS, [a, c], claim="two").own == {c}
    assert other.claim("m", DIMS, [a, b, c], claim="one").own == set()
    cache.put("m", DIMS, vectors("a"))
    found = other.claim("m", DIMS, [a, b, c], claim="one")
    assert (found.found, found.own) == (vectors("a"), set())
    cache.release("one")
    assert other.claim("m", DIMS, [a, b, c], claim="one").own == {b}
    other.close()


def test_claims_of_who_has_gone_are_void(cache, path):
    """Closed, or killed without any farewell."""
    a = text_digest("a")
    other = VectorCache(path)
    other.claim("m", DIMS, [a], claim="x")
    assert cache.claim("m", DIMS, [a], claim="y").own == set()
    other.close()
    assert cache.claim("m", DIMS, [a], claim="y").own == {a}
    cache.release("y")
    program = (
        "import os, sys; from callsite.embedding import VectorCache, text_digest; "
        "cache = VectorCache(sys.argv[1]); cache.claim('m', 4, [text_digest('a')], claim='x'); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", program, path], check=False, env={"PYTHONPATH": "src"})
    assert killed.returncode == -9
    assert cache.claim("m", DIMS, [a], claim="y").own == {a}
    VectorCache(path).close()
    assert cache._connection.execute("SELECT count(*) FROM claims").fetchone() == (1,)
    assert len(list((path.parent / "vectors.sqlite-owners").iterdir())) == 1


def test_a_claim_that_is_very_old_is_void(path):
    """Whoever made it lives, but does not get on."""
    time = [0.0]
    cache = VectorCache(path, now=lambda: time[0])
    cache.claim("m", DIMS, [text_digest("a")], claim="x")
    time[0] = 3_500.0
    assert not cache.claim("m", DIMS, [text_digest("a")], claim="y").own
    time[0] = 3_700.0
    assert cache.claim("m", DIMS, [text_digest("a")], claim="y").own
    cache.close()


def test_many_threads_claim_each_text_once(cache, path):
    """Through two connections to one file."""
    other, claimed, lock = VectorCache(path), [], threading.Lock()
    digests = [text_digest(str(number)) for number in range(200)]

    def work(number):
        own = (
            (cache, other)[number % 2].claim("m", DIMS, digests[number * 10 : number * 10 + 50], claim=str(number)).own
        )
        with lock:
            claimed.extend(own)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == sorted(digests)
    other.close()


def test_a_file_that_can_not_be_used_is_named(tmp_path):
    """With what to do; nothing is removed by itself."""
    (tmp_path / "text").write_text("this is no database, whatever its name is" * 50)
    with pytest.raises(EmbeddingError, match=r"the vector cache .*text can't be used: file is not a database"):
        VectorCache(tmp_path / "text")
    with pytest.raises(EmbeddingError, match="can't be used"):
        VectorCache(tmp_path / "text" / "below")
    newer = VectorCache(tmp_path / "newer")
    newer._connection.execute("PRAGMA user_version = 99")
    newer.close()
    newer.close()
    with pytest.raises(EmbeddingError, match="another version"):
        VectorCache(tmp_path / "newer")


def test_vectors_of_any_kind_of_numbers_are_kept(cache):
    """In single precision, as stores keep them."""
    cache.put("m", DIMS, {text_digest("a"): [0.1, 1, 2, 3]})
    assert cache.get("m", DIMS, [text_digest("a")]) == {text_digest("a"): array("f", [0.1, 1, 2, 3])}
