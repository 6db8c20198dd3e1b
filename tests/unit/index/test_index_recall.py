"""What is remembered is what would be read: across changes of one's own, of others, and beyond its bounds."""

from __future__ import annotations

import pytest
from index_parts import Index, content

from callsite.index.recall import Bounded, Recall
from callsite.index.snapshot import Snapshot, view_named


@pytest.fixture
def index(tmp_path):
    return Index(tmp_path)


def snapshot(index, recall):
    return Snapshot(index.catalogue, index.lexical, view_named(index.catalogue, "v"), recall)


def everything(snapshot):
    files = snapshot.files(snapshot.paths())
    read = {id: (snapshot.lines(file.content), snapshot.chunks(file.content)) for id, file in files.items()}
    return snapshot.paths(), snapshot.hidden(), files, read


def check_same(index, recall):
    with index.catalogue.reading():
        assert everything(snapshot(index, recall)) == everything(snapshot(index, Recall()))


def test_what_is_remembered_follows_changes(index, tmp_path):
    """Of this connection and of another one."""
    recall, other = Recall(), Index(tmp_path)
    index.base({"a.py": content("one"), "b.py": content("two\nlines"), "c.bin": content("?", skip="binary")})
    index.view("v")
    check_same(index, recall)
    index.view("v", {"a.py": content("three"), "b.py": None})
    check_same(index, recall)
    other.view("v", {"a.py": content("four"), "d.py": content("five")})
    check_same(index, recall)
    other.base({"e.py": content("six")}, commit="2", removed=("b.py",))
    check_same(index, recall)


def test_a_thing_is_read_once(index):
    """Files, chunks and lines: the same values, not only equal ones; what follows from the state too."""
    index.base({"a.py": content("one\ntwo")})
    index.view("v")
    recall = Recall()
    with index.catalogue.reading():
        one, other = snapshot(index, recall), snapshot(index, recall)
        (file,) = one.files(one.paths()).values()
        assert other.files([file.id])[file.id] is file
        assert other.lines(file.content) is one.lines(file.content)
        assert other.chunks(file.content) is one.chunks(file.content)
        assert other.paths() is one.paths()


def test_views_do_not_share_what_follows_from_them(index):
    """The same state of the catalogue shows other paths in another view."""
    index.base({"a.py": content("one")})
    index.view("v", {"b.py": content("two")})
    index.view("w", {"c.py": content("three")})
    recall = Recall()
    with index.catalogue.reading():
        views = [view_named(index.catalogue, name) for name in "vw"]
        shown = [set(Snapshot(index.catalogue, index.lexical, view, recall).paths().values()) for view in views]
    assert shown == [{"a.py", "b.py"}, {"a.py", "c.py"}]


def test_what_grows_too_large_is_forgotten():
    """All of it, and what is being asked for is kept all the same."""
    bounded = Bounded(10)
    for key in range(20):
        assert bounded.keep(key, ["", ""], size=2) == ["", ""]
        assert key in bounded
        assert len(bounded) <= 3
    assert bounded.keep(99, [""] * 50, size=50) == [""] * 50
    assert bounded.keep(100, [""]) == [""]
    assert set(bounded) == {100}


def test_more_files_than_are_remembered_are_found(index):
    """Even within one call."""
    index.base({f"{n}.py": content(f"text {n}") for n in range(30)})
    index.view("v")
    recall = Recall()
    recall.files = Bounded(7)
    check_same(index, recall)
