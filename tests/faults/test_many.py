"""Many at once: processes and threads that index, search and clear the same index never see a lock or half an index."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import campaign
import pytest
from checkout import TEXTS, Checkout
from shown import shown

import callsite
from callsite.index.lexical import Lexical


@pytest.fixture
def checkout(tmp_path):
    """A repository of some files, most of which hold "alpha" or "beta"."""
    made = Checkout(tmp_path)
    for number in range(40):
        made.write(f"src/file{number}.py", f"{TEXTS[number % len(TEXTS)]}\nalpha = 'beta{number}'\n")
    made.commit()
    return made


def engine_of(checkout: Checkout, **settings: object) -> callsite.Engine:
    return callsite.open(checkout.roots[0], home=str(checkout.folder / "home"), **settings)


def check_right(checkout: Checkout) -> None:
    found = shown(checkout.roots[0], checkout.folder / "home")
    assert found.texts == checkout.expected()
    assert found == shown(checkout.roots[0], checkout.folder / "fresh")


@pytest.mark.parametrize("n", [2, 4])
def test_processes_that_begin_at_once(checkout, n):
    """On an index that does not exist yet: all of them answer the same, none names a lock."""
    children = [campaign.start_child(checkout.roots[0], checkout.folder / "home", "0", "search") for _ in range(n)]
    answers = [child.communicate()[0] for child in children]
    assert [child.returncode for child in children] == [0] * n
    assert len(set(answers)) == 1
    assert "src/file7.py" in answers[0]
    check_right(checkout)


def test_processes_that_search_while_files_change(checkout):
    """Each answer is of some state that was; in the end all is right."""
    for round in range(4):
        children = [campaign.start_child(checkout.roots[0], checkout.folder / "home", "0", "search") for _ in range(2)]
        for number in range(10):
            checkout.write(f"src/file{number}.py", f"alpha = {round}\n")
        assert [child.communicate()[0] != "" and child.returncode for child in children] == [0, 0]
    check_right(checkout)


@pytest.fixture
def writer(checkout):
    """Another process at work: it holds the write lock of an index that is complete but old."""
    with engine_of(checkout) as engine:
        engine.index()
        place = Path(engine.folder) / "catalogue.sqlite"
    checkout.write("src/file1.py", "gamma = 'not yet known'\n")
    checkout.remove("src/file2.py")
    held = sqlite3.connect(place, isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    yield held
    held.close()


def test_who_does_not_wait_answers_from_the_last_complete_state(checkout, writer):
    """And says so, with the number of files that it does not know yet."""
    with engine_of(checkout, wait=0.0) as engine:
        answer = engine.search("alpha", n=100)
        assert {"src/file1.py", "src/file2.py"} <= {hit.path for hit in answer.hits}
        assert any("another process is indexing" in note for note in answer.freshness.notes)
        assert answer.freshness.n_behind == 2
        writer.execute("ROLLBACK")
        answer = engine.search("alpha", n=100)
        assert not {"src/file1.py", "src/file2.py"} & {hit.path for hit in answer.hits}
        assert (answer.freshness.n_behind, answer.freshness.notes) == (0, ())


def test_who_indexes_and_does_not_wait_is_told(checkout, writer):
    """In one line that says what to do."""
    with engine_of(checkout, wait=0.0) as engine, pytest.raises(callsite.IndexBusy, match="another process is writing"):
        engine.index()


def test_who_waits_gets_the_new_state(checkout, writer):
    """As soon as the other process is done."""
    timer = threading.Timer(0.2, writer.execute, ["ROLLBACK"])
    with engine_of(checkout, wait=30.0) as engine:
        writer.execute("ROLLBACK")
        assert "src/file2.py" not in {hit.path for hit in engine.search("alpha", n=100).hits}
    timer.cancel()


def test_nothing_to_answer_from_while_another_process_begins(checkout):
    """IndexBusy, not an empty answer."""
    with engine_of(checkout) as engine:
        folder = Path(engine.folder)
    folder.mkdir(parents=True)
    with engine_of(checkout) as engine:
        engine._index._open()
    held = sqlite3.connect(folder / "catalogue.sqlite", isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    with engine_of(checkout, wait=0.0) as engine, pytest.raises(callsite.IndexBusy):
        engine.search("alpha")
    held.close()


def test_half_a_lexical_index_is_no_answer(checkout, writer):
    """While another process makes the lexical index again, who does not wait is told so."""
    writer.execute("UPDATE meta SET value = '' WHERE key = 'stamps'")
    writer.execute("COMMIT")
    writer.execute("BEGIN IMMEDIATE")
    with engine_of(checkout, wait=0.0) as engine, pytest.raises(callsite.IndexBusy):
        engine.search("alpha")


def test_documents_that_nobody_committed_take_no_place(checkout, writer):
    """The lexical index may be ahead of the catalogue: what it has more is not found."""
    writer.execute("ROLLBACK")
    from callsite.index.lexical import FileTerms

    folder = next((checkout.folder / "home").iterdir()) / "lexical"
    before = shown(checkout.roots[0], checkout.folder / "home")
    ahead = [
        FileTerms(
            file=10_000 + n, path="alpha", language="python", folders=(), chunks=[("file", "alpha beta", "alpha", "")]
        )
        for n in range(600)
    ]
    writing = Lexical(str(folder)).writing(large=False)
    writing.add(ahead)
    writing.commit()
    writer.execute("BEGIN IMMEDIATE")
    with engine_of(checkout, wait=0.0) as engine:
        assert len(engine.search("alpha", n=100).hits) > 10
    writer.execute("ROLLBACK")
    assert shown(checkout.roots[0], checkout.folder / "home") == before


def test_threads_share_one_engine(checkout):
    """Searches and updates of many threads, while files change."""
    with engine_of(checkout) as engine, ThreadPoolExecutor(8) as pool:

        def work(number: int) -> int:
            if number % 5 == 0:
                checkout.write(f"src/thread{number}.py", f"alpha = {number}\n")
            if number % 7 == 0:
                engine.index()
            return len(engine.search("alpha beta", n=100).hits)

        assert all(pool.map(work, range(40)))
    check_right(checkout)


def test_engines_of_one_process_share_an_index(checkout):
    """Each with a lock and a connection of its own."""

    def work(number: int) -> int:
        with engine_of(checkout) as engine:
            checkout.write(f"src/engine{number}.py", f"alpha = {number}\n")
            engine.index()
            return len(engine.search("alpha beta", n=100).hits)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(12)))
    check_right(checkout)


def test_clearing_while_others_search(checkout):
    """They notice, make the index again, and go on."""
    stop = threading.Event()
    failures: list[BaseException] = []

    def search() -> None:
        try:
            with engine_of(checkout) as engine:
                while not stop.is_set():
                    assert engine.search("alpha", n=100).hits
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(8):
            with engine_of(checkout) as engine:
                assert str(engine.clear()) == engine.folder
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert failures == []
    check_right(checkout)


def test_clearing_between_two_searches_of_another_process(checkout):
    """An engine whose index was removed opens the new one."""
    with engine_of(checkout) as engine, engine_of(checkout) as other:
        before = engine.search("alpha", n=100).hits
        other.clear()
        assert not Path(engine.folder).exists()
        assert engine.search("alpha", n=100).hits == before
        other.clear()
        other.index()
        assert engine.search("alpha", n=100).hits == before
    check_right(checkout)
