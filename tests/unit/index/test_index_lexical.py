"""The two tantivy indexes: fields are weighed, scopes filter inside, changes are seen at once or not at all."""

from __future__ import annotations

import pytest
from index_parts import terms

from callsite.errors import IndexUnusable
from callsite.index.lexical import FIELDS, ORDINAL_BITS, ORDINALS, Lexical, LexicalDamaged
from callsite.index.query import Scope


@pytest.fixture
def lexical(tmp_path):
    return Lexical(str(tmp_path))


def write(lexical, *files):
    writing = lexical.writing(large=False)
    writing.add(files)
    writing.commit()
    lexical.reload()


def files(lexical, word, scope=Scope(), field="words"):
    return list(lexical.search_files({word: 1.0}, field=field, scope=scope, limit=100))


def chunks(lexical, word, scope=Scope(), field="words"):
    found = lexical.search_chunks({word: 1.0}, field=field, scope=scope, limit=100)
    return [(key >> ORDINAL_BITS, key & ORDINALS) for key in found]


@pytest.mark.parametrize("field", FIELDS["files"])
def test_each_field_of_a_file_is_asked_by_itself(lexical, field):
    """What the others say does not count."""
    write(
        lexical,
        terms(1, ("wanted a", "b"), path="c"),
        terms(2, ("x a", "wanted"), path="c"),
        terms(3, ("x a", "b"), path="wanted"),
    )
    assert files(lexical, "wanted", field=field) == [{"words": 1, "symbols": 2, "path": 3}[field]]


def test_a_chunk_is_asked_for_its_words_or_where_it_lies(lexical):
    """The names that it defines are words of it."""
    write(lexical, terms(1, ("wanted a", "b"), path="c"), terms(2, ("x a", "b"), path="wanted"))
    assert chunks(lexical, "wanted") == [(1, 0)]
    assert chunks(lexical, "wanted", field="path") == [(2, 0)]


def test_a_term_without_weight_is_not_asked(lexical):
    """No weight at all finds nothing."""
    write(lexical, terms(1, ("wanted", "")))
    assert lexical.search_files({"wanted": 0.0}, field="words", scope=Scope(), limit=9) == {}


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(), [1, 2, 3]),
        (Scope(hidden=[2]), [1, 3]),
        (Scope(only=[2, 3]), [2, 3]),
        (Scope(only=[]), []),
        (Scope(newest=2), [1, 2]),
        (Scope(folder="src"), [1, 2]),
        (Scope(folder="src/deep er"), [2]),
        (Scope(folder="sr"), []),
        (Scope(languages=("rust", "go")), [3]),
        (Scope(languages=("python",), folder="src", hidden=[1]), [2]),
    ],
)
def test_a_scope_filters_inside_the_query(lexical, scope, expected):
    """What does not pass takes no place among the results."""
    write(
        lexical,
        terms(1, ("wanted", ""), folders=("src",)),
        terms(2, ("wanted", ""), folders=("src", "src/deep er")),
        terms(3, ("wanted", ""), language="rust"),
    )
    assert sorted(files(lexical, "wanted", scope)) == expected
    assert sorted(file for file, _ in chunks(lexical, "wanted", scope)) == expected


def test_types_choose_chunks_not_files(lexical):
    """A file has no type of its own."""
    write(lexical, terms(1, ("wanted", "")))
    assert chunks(lexical, "wanted", Scope(types=("class",))) == []
    assert chunks(lexical, "wanted", Scope(types=("class", "function"))) == [(1, 0)]
    assert files(lexical, "wanted", Scope(types=("class",))) == [1]


def test_a_scope_changes_no_score(lexical):
    """Filters say yes or no, nothing else."""
    write(lexical, terms(1, ("wanted here", ""), folders=("a",)), terms(2, ("other words here", "")))
    (free,) = lexical.search_files({"wanted": 1.0}, field="words", scope=Scope(), limit=9).values()
    scope = Scope(folder="a", hidden=[2], languages=("python",))
    (limited,) = lexical.search_files({"wanted": 1.0}, field="words", scope=scope, limit=9).values()
    assert limited == pytest.approx(free)


def test_a_change_is_seen_when_it_is_committed(tmp_path, lexical):
    """And by others when they look."""
    other = Lexical(str(tmp_path))
    writing = lexical.writing(large=False)
    writing.add([terms(1, ("wanted", ""))])
    assert files(Lexical(str(tmp_path)), "wanted") == []
    writing.commit()
    assert files(other, "wanted") == []
    other.reload_if_changed()
    assert files(other, "wanted") == [1]


def test_a_change_that_is_closed_falls_away(lexical):
    """Its lock is free at once, even while a traceback holds the writer."""
    try:
        writing = lexical.writing(large=False)
        writing.add([terms(1, ("wanted", ""))])
        raise KeyError
    except KeyError:
        writing.close()
        write(lexical, terms(2, ("wanted", "")))
    assert files(lexical, "wanted") == [2]


def test_removed_files_are_gone(lexical):
    """By number, and beyond a number."""
    write(lexical, *(terms(n, ("wanted", ""), ("more wanted", "")) for n in range(1, 8)))
    writing = lexical.writing(large=False)
    writing.remove([2, 3, 99])
    writing.remove_above(5)
    writing.add([terms(9, ("wanted", ""))])
    writing.commit()
    lexical.reload()
    assert sorted(files(lexical, "wanted")) == [1, 4, 5, 9]
    assert (lexical.n_documents("files"), lexical.n_documents("chunks")) == (4, 7)


def test_small_changes_do_not_pile_up(lexical):
    """Every search asks every segment, so tantivy is given the time to merge them."""
    for n in range(1, 30):
        write(lexical, terms(n, ("wanted", "")))
    assert all(searcher.num_segments <= 9 for searcher in lexical._searchers.values())
    assert len(files(lexical, "wanted")) == 29


def test_stamps_tell_commits_not_merges(lexical):
    """They grow with every commit and cover all earlier ones."""
    before = lexical.stamps()
    for n in range(1, 12):
        write(lexical, terms(n, ("wanted", "")))
        assert lexical.covers(before) and lexical.stamps() != before
        before = lexical.stamps()


@pytest.mark.parametrize("noted", ["", "?", "? ?", "1", "a b", "9999999 0", "0 9999999"])
def test_stamps_that_cannot_be_or_lie_ahead_are_not_covered(lexical, noted):
    """Then documents are missing."""
    write(lexical, terms(1, ("wanted", "")))
    assert not lexical.covers(noted)


def test_garbage_of_another_process_is_collected(tmp_path, lexical):
    """Two indexes that stay open and write in turn leave no files behind."""
    other = Lexical(str(tmp_path))
    for n in range(1, 40, 2):
        write(lexical, terms(n, ("wanted", "")))
        write(other, terms(n + 1, ("wanted", "")))
    n_segments = max(searcher.num_segments for searcher in other._searchers.values())
    n_files = len(list((tmp_path / "chunks").glob("*.idx")))
    assert n_files <= 2 * n_segments + 8


def test_an_index_that_cannot_be_read_says_so(tmp_path):
    """LexicalDamaged when opening, never something of tantivy."""
    write(Lexical(str(tmp_path)), terms(1, ("wanted", "")))
    (tmp_path / "chunks" / "meta.json").write_text("{")
    with pytest.raises(LexicalDamaged, match="can't be read"):
        Lexical(str(tmp_path))


def test_a_place_that_cannot_be_written_says_so(tmp_path):
    """IndexUnusable, with what to do."""
    (tmp_path / "files").write_text("")
    with pytest.raises(IndexUnusable, match="CALLSITE_HOME"):
        Lexical(str(tmp_path))


def test_damage_names_the_file(tmp_path, lexical):
    """A byte that is not what tantivy wrote."""
    write(lexical, terms(1, ("wanted", "")))
    assert lexical.damage() == ""
    place = next((tmp_path / "chunks").glob("*.store"))
    data = bytearray(place.read_bytes())
    data[0] ^= 1
    place.write_bytes(data)
    assert lexical.damage() == f"{place} is damaged"


def test_lists_of_deletions_that_a_killed_writer_left_do_no_harm(lexical, tmp_path):
    """tantivy would give one of its own the same name, and fail."""
    write(lexical, *(terms(n, ("wanted", "")) for n in range(1, 8)))
    for part in FIELDS:
        (segment,) = {path.name.partition(".")[0] for path in (tmp_path / part).glob("*.term")}
        for stamp in range(100):
            (tmp_path / part / f"{segment}.{stamp}.del").write_bytes(b"")
    writing = lexical.writing(large=False)
    writing.remove([2, 3])
    writing.commit()
    lexical.reload()
    assert files(lexical, "wanted") == [1, 4, 5, 6, 7]
    assert lexical.damage() == ""
