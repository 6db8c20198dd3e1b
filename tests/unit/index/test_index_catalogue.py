"""The catalogue's promises: transactions, errors that say what to do, and who may write when."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from callsite.errors import IndexBusy, IndexUnusable
from callsite.index.catalogue import Catalogue, Damaged, Replaced, inflate
from callsite.index.prepared import deflate, dictionary_of


@pytest.fixture
def catalogue(tmp_path):
    return Catalogue(str(tmp_path / "catalogue.sqlite"), maker="test")


def another(catalogue):
    return Catalogue(catalogue.path, maker="test")


def test_what_was_written_is_there_for_others(catalogue):
    """After the transaction, not before."""
    other = another(catalogue)
    with catalogue.writing(wait=0):
        catalogue.set_meta("a", "1")
        assert other.meta("a") == ""
    assert other.meta("a") == "1"


def test_an_exception_undoes_the_transaction(catalogue):
    """And gives the lock back."""
    with pytest.raises(KeyError), catalogue.writing(wait=0):
        catalogue.set_meta("a", "1")
        raise KeyError
    with another(catalogue).writing(wait=0):
        assert catalogue.meta("a") == ""


def test_a_reader_sees_the_state_of_its_beginning(catalogue):
    """Whatever others commit meanwhile, even before its first question."""
    other = another(catalogue)
    with other.reading():
        with catalogue.writing(wait=0):
            catalogue.set_meta("a", "1")
        assert other.meta("a") == ""
    with other.reading():
        assert other.meta("a") == "1"


def test_a_reader_leaves_no_transaction_open(catalogue):
    """Not even when its body raises."""
    with pytest.raises(KeyError), catalogue.reading():
        raise KeyError
    assert not catalogue._connection.in_transaction


def test_reading_inside_writing_sees_the_writer(catalogue):
    """It is one transaction."""
    with catalogue.writing(wait=0):
        catalogue.set_meta("a", "1")
        with catalogue.reading():
            assert catalogue.meta("a") == "1"
        catalogue.set_meta("a", "2")
    assert catalogue.meta("a") == "2"


def test_two_do_not_write_at_once(catalogue):
    """Who does not wait is told."""
    refused = pytest.raises(IndexBusy, match="another process is writing")
    with catalogue.writing(wait=0), refused, another(catalogue).writing(wait=0):
        pass


def test_a_commit_that_fails_is_undone(catalogue):
    """The lock is free, the old state is there."""
    with pytest.raises(IndexUnusable), catalogue.writing(wait=0):
        catalogue.run("CREATE TABLE parents (id INTEGER PRIMARY KEY)")
        catalogue.run("CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)")
        catalogue.run("INSERT INTO children VALUES (1)")
        catalogue._connection.execute("PRAGMA max_page_count = 1")
        catalogue.run("INSERT INTO meta VALUES ('large', ?)", "x" * 1_000_000)
    assert not catalogue._connection.in_transaction
    with another(catalogue).writing(wait=0):
        assert catalogue.row("SELECT count(*) FROM sqlite_schema WHERE name = 'children'") == (0,)


def test_no_room_says_what_to_do(catalogue):
    """IndexUnusable with the way out."""
    with pytest.raises(IndexUnusable, match="free some room"), catalogue.writing(wait=0):
        catalogue.run("PRAGMA max_page_count = 1")
        catalogue.run("INSERT INTO meta VALUES ('large', ?)", "x" * 1_000_000)


def test_no_database_is_damaged(tmp_path):
    """Whatever lies there instead."""
    (tmp_path / "catalogue.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(Damaged):
        Catalogue(str(tmp_path / "catalogue.sqlite"), maker="test")


def test_a_lost_table_is_damage(catalogue):
    """The file is a database, but not ours."""
    with sqlite3.connect(catalogue.path) as connection:
        connection.execute("DROP TABLE views")
    with pytest.raises(Damaged):
        catalogue.rows("SELECT * FROM views")


def test_a_damaged_name_of_a_table_is_damage(catalogue):
    """SQLite names it in a message that is no text then."""
    catalogue.close()
    data = Path(catalogue.path).read_bytes()
    data = data.replace(b"tabledoomed", b"tabled\xf3omed").replace(b"TABLE doomed", b"TABEL doomed")
    Path(catalogue.path).write_bytes(data)
    with pytest.raises(Damaged):
        another(catalogue).rows("SELECT * FROM views")


def test_a_removed_catalogue_is_noticed(catalogue):
    """By the next reader and writer, also when another lies in its place."""
    os.unlink(catalogue.path)
    with pytest.raises(Replaced), catalogue.reading():
        pass
    another(catalogue)
    with pytest.raises(Replaced), catalogue.writing(wait=0):
        pass


def test_our_own_mistakes_are_not_called_damage(catalogue):
    """They stay what they are."""
    with pytest.raises(sqlite3.ProgrammingError):
        catalogue.rows("SELECT ?")


def test_damage_finds_rows_that_lead_nowhere(catalogue):
    """A view that shows a file that is not there."""
    assert catalogue.damage() == ""
    with catalogue.writing(wait=0):
        catalogue.run("INSERT INTO overlays VALUES (0, ?, 1, ?, '')", b"a", 7)
    assert catalogue.damage() == "1 rows of overlays lead nowhere"


def test_long_lists_are_asked_in_parts(catalogue):
    """No limit of SQLite is met."""
    with catalogue.writing(wait=0):
        catalogue.run_many(
            "INSERT INTO contents VALUES (?,?,'','','',0,0,NULL,NULL,'','')",
            [(n, n.to_bytes(4)) for n in range(1, 2_001)],
        )
    assert len(catalogue.contents((n.to_bytes(4).hex(), "") for n in range(3_000))) == 2_000
    assert len(catalogue.rows_in("SELECT id FROM contents WHERE id IN ({})", list(range(25_000)))) == 2_000
    assert catalogue.last_id("contents") == 2_000


@pytest.mark.parametrize("text", ["", "ascii", "Üñï \U0001f600", "\ud800 alone", "a\0b\r\n"])
def test_a_text_comes_back_as_it_was(text):
    """Lone surrogates and zero bytes too."""
    assert inflate(deflate(text)) == text


@pytest.mark.parametrize("stored", [b"", b"x", deflate("text")[:-1], None])
def test_a_damaged_text_is_damage(stored):
    """Its checksum is wrong."""
    with pytest.raises(Damaged):
        inflate(stored)


def test_a_dictionary_takes_the_room_of_what_texts_share(catalogue):
    """And what was deflated with it needs it."""
    shared = "def a_function_of_some_length(argument, another):\n"
    dictionary = dictionary_of([shared.encode()] * 4)
    assert len(deflate(shared + "1", dictionary)) < len(deflate(shared + "1")) / 2
    catalogue.keep_dictionary(dictionary, wait=0)
    assert another(catalogue).inflate(deflate(shared, dictionary)) == shared
    assert another(catalogue).inflate(deflate(shared)) == shared
    with pytest.raises(Damaged):
        inflate(deflate(shared, dictionary))


def test_the_first_dictionary_stays(catalogue):
    """Whoever comes second uses it; once there are contents, no first one comes."""
    other = another(catalogue)
    catalogue.keep_dictionary(b"first", wait=0)
    other.keep_dictionary(b"second", wait=0)
    assert catalogue.dictionary() == other.dictionary() == b"first"


def test_contents_without_a_dictionary_stay_without(catalogue):
    """Others may have noticed that there is none."""
    with catalogue.writing(wait=0):
        catalogue.run("INSERT INTO contents VALUES (1,'d','','','',0,0,NULL,NULL,'','')")
    catalogue.keep_dictionary(b"late", wait=0)
    assert catalogue.dictionary() == b""


def test_few_texts_or_binary_ones_make_no_dictionary():
    """They say nothing about the others."""
    assert dictionary_of([b"a", b"b", b"c"]) == b""
    assert dictionary_of([b"a\0"] * 9) == b""
    assert dictionary_of([b"ab", b"c", b"", b"d"]) == b"abbccdd"


def test_a_damaged_dictionary_is_damage(catalogue):
    """No text can be read then."""
    catalogue.set_meta("dictionary", "no bytes")
    with pytest.raises(Damaged):
        catalogue.inflate(deflate("text"))
