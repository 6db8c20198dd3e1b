"""One change of an index: contents once, files by path and content, views that stay exact, crashes without a trace."""

from __future__ import annotations

import pytest
from index_parts import content

from callsite.index.ageing import drop_unused, drop_views
from callsite.index.catalogue import Damaged
from callsite.index.update import Shadow

ALPHA, BETA, GAMMA = content("alpha"), content("beta"), content("gamma")


def test_a_content_is_stored_once(index):
    """Two files with it are two files, one content; the second time nothing is stored."""
    first = index.add({"a.py": ALPHA, "b.py": ALPHA})
    assert first["a.py"] != first["b.py"]
    assert index.add({"a.py": ALPHA, "b.py": ALPHA}) == first
    assert index.catalogue.row("SELECT count(*) FROM contents") == (1,)
    assert (index.lexical.n_documents("files"), index.lexical.n_documents("chunks")) == (2, 2)


def test_a_content_seen_before_needs_no_terms(index):
    """A new path for it gets the same documents from what is stored."""
    index.base({"a.py": content("parseHTTP header\nbeta", symbols=("Class.parseHTTP", "beta"))})
    with index.update() as update:
        update.add_files([("b/c.py", 1, "")])
    index.view("v")
    index.view("w", {"b/c.py": content("parseHTTP header\nbeta", symbols=("Class.parseHTTP", "beta"))})
    assert sorted(index.found("w", "header")) == ["a.py", "b/c.py"]
    assert index.lexical.n_documents("chunks") == 4


def test_the_base_shines_through_the_overlay(index):
    """Changed, added, removed."""
    index.base({"a.py": ALPHA, "b.py": BETA, "c.py": GAMMA})
    index.view("v", {"b.py": GAMMA, "c.py": None, "d.py": ALPHA})
    assert index.shown("v") == {"a.py": "alpha", "b.py": "gamma", "d.py": "alpha"}
    assert index.found("v", "beta") == []
    assert index.found("v", "gamma") == ["b.py"]
    assert sorted(index.found("v", "alpha")) == ["a.py", "d.py"]


def test_views_go_on_showing_what_they_show_when_the_base_moves(index):
    """Whatever the move does to a path: add, change, remove, or make it what an overlay had."""
    index.base({"same.py": ALPHA, "changed.py": ALPHA, "removed.py": ALPHA, "mine.py": ALPHA, "hidden.py": BETA})
    index.view("v", {"mine.py": BETA, "hidden.py": None, "new.py": GAMMA})
    before = index.shown("v")
    index.base(
        {"changed.py": BETA, "added.py": BETA, "mine.py": BETA, "new.py": ALPHA}, commit="2", removed=("removed.py",)
    )
    assert index.shown("v") == before
    assert index.found("v", "gamma") == ["new.py"]
    index.view("w")
    assert index.shown("w") == {
        "same.py": "alpha", "changed.py": "beta", "added.py": "beta", "mine.py": "beta", "hidden.py": "beta",
        "new.py": "alpha",
    }  # fmt: skip


def test_a_view_counts_what_it_shows(index):
    """Searchable and skipped files, the smallest and the largest."""
    index.base({"a.py": ALPHA, "long.py": content("long " * 20), "x": content("bin", skip="binary")})
    with index.update() as update:
        files = update.add_files([("big", 0, "too large")])
        shadows = {"big": Shadow(files["big"]), "a.py": Shadow(None)}
        update.set_view("v", root="/", signature="s", head="h", branch="b", overlay=shadows, n_changed=2)
    with index.snapshot("v") as snapshot:
        view = snapshot.view
        assert (view.n_files, view.n_skipped, view.n_changed, view.smallest, view.largest) == (1, 2, 2, 100, 100)
        assert snapshot.skipped() == [("big", "too large"), ("x", "binary")]


SIZES = {"small": content("a"), "middle": content("beta"), "large": content("gamma delta")}


@pytest.mark.parametrize("moved", [False, True], ids=["kept base", "moved base"])
@pytest.mark.parametrize(
    "overlay",
    [
        {},
        {"small": None},
        {"large": None, "new": content("epsilon")},
        {"small": content("alpha"), "large": content("alpha")},
        {"new": content("z" * 90), "middle": content("", skip="empty")},
        {"small": None, "middle": None, "large": None},
    ],
)
def test_a_view_counts_as_if_every_file_were_looked_at(index, overlay, moved):
    """Whatever the overlay hides of the base: its smallest file, its largest, all of it."""
    index.base({**SIZES, "x": content("bin", skip="binary")})
    index.view("w")
    if moved:
        index.base({"larger": content("a larger file")}, commit="2", removed=("large",))
    index.view("v", overlay)
    with index.snapshot("v") as snapshot:
        view, sizes = snapshot.view, [file.n_bytes for file in snapshot.files(snapshot.paths()).values()]
        expected = (len(sizes), len(snapshot.skipped()), min(sizes, default=0), max(sizes, default=0))
        assert (view.n_files, view.n_skipped, view.smallest, view.largest) == expected


def test_a_definition_is_found_by_its_folded_last_part(index):
    """In any naming convention; a name that only shares a chunk or a checksum is not."""
    index.base({"a.py": content("x\ny", symbols=("Class.get_user", "other"))})
    index.view("v")
    with index.snapshot("v") as snapshot:
        found = snapshot.definitions(["getUser", "missing", "Class"])
        (place,) = found["getuser"]
        assert (place.ordinal, snapshot.line(place, "get_user")) == (0, 1)
        assert place.is_of("Class")
        assert place.is_written("get_user")
        assert not place.is_written("getUser")
        assert list(found) == ["getuser"]
        assert [(n, name) for n, _, name, _ in snapshot.symbols(1)] == [(0, "Class.get_user"), (1, "other")]


def test_an_exception_leaves_nothing_behind(index):
    """Neither in the catalogue nor in the lexical index, and both locks are free."""
    index.base({"a.py": ALPHA})
    with pytest.raises(KeyError), index.update() as update:
        ids = update.add_contents([BETA])
        update.add_files([("b.py", ids["beta", "python"], "")])
        raise KeyError
    assert index.add({"c.py": GAMMA})
    index.view("v", {"c.py": GAMMA})
    assert index.shown("v") == {"a.py": "alpha", "c.py": "gamma"}
    assert index.lexical.n_documents("files") == 2


def crash_before_the_catalogue_commits(index, files):
    """The lexical index is committed, the catalogue is not."""
    with pytest.raises(KeyError), index.catalogue.writing(wait=0):
        with index_update(index) as update:
            ids = update.add_contents(files.values())
            update.add_files((path, ids[p.digest, p.hint], "") for path, p in files.items())
        raise KeyError


def index_update(index):
    from index_parts import WORDS

    from callsite.index.update import Update

    return Update(index.catalogue, index.lexical, WORDS, now=index.now)


def test_documents_of_a_crash_are_rolled_back(index):
    """By `recover`; afterwards both parts agree."""
    index.base({"a.py": ALPHA})
    crash_before_the_catalogue_commits(index, {"b.py": BETA})
    assert index.lexical.n_documents("files") == 2
    with index.update() as update:
        assert update.recover() == "an interrupted indexing was rolled back"
        assert update.recover() == ""
    assert index.lexical.n_documents("files") == 1


def test_documents_of_a_crash_never_meet_the_file_that_gets_their_number(index):
    """Even when nobody called `recover` in between."""
    index.base({"a.py": ALPHA})
    crash_before_the_catalogue_commits(index, {"b.py": BETA})
    index.view("v", {"c.py": GAMMA})
    assert index.found("v", "beta") == []
    assert index.found("v", "gamma") == ["c.py"]
    assert index.lexical.n_documents("files") == 2


def test_a_new_index_needs_no_recovery(index):
    """Both parts are empty."""
    with index.update() as update:
        assert update.recover() == ""
    assert index.catalogue.meta("stamps") == index.lexical.stamps()


@pytest.mark.parametrize("noted", ["", "9999 9999", "? ?"])
def test_a_lexical_index_that_lacks_something_is_made_again(index, noted):
    """All terms come from the catalogue: the same documents, the same answers."""
    index.base({"a/b.py": content("parseHTTP header\nbeta", symbols=("Class.parseHTTP", "beta")), "b.py": BETA})
    index.view("v", {"b.py": None, "c.py": GAMMA})
    before = [index.found("v", word) for word in ("header", "beta", "gamma")]
    writing = index.lexical.writing(large=False)
    writing.remove([1])
    writing.commit()
    with index.update() as update:
        index.catalogue.set_meta("stamps", noted)
        assert update.recover() == "the lexical index was made again from the catalogue"
    assert [index.found("v", word) for word in ("header", "beta", "gamma")] == before
    assert (index.lexical.n_documents("files"), index.lexical.n_documents("chunks")) == (3, 4)


def test_a_lost_content_is_damage(index):
    """Not an answer without it."""
    index.base({"a.py": ALPHA})
    index.catalogue.run("DELETE FROM contents")
    with pytest.raises(Damaged), index.update() as update:
        update.rebuild()


DAY = 86_400.0


def forget(index, *, days: float) -> None:
    """Some days later somebody changes something."""
    index.now += days * DAY
    with index.update():
        drop_views(index.catalogue, keep="", now=index.now)
        drop_unused(index.catalogue, now=index.now)


def test_files_that_nobody_shows_stay_for_a_week(index):
    """A branch that is visited again is free; then they go, from both parts."""
    index.base({f"f{n}.py": content(f"alpha {n}" * 50) for n in range(20)})
    index.view("v", {"b.py": BETA})
    index.view("v")
    forget(index, days=0)
    forget(index, days=6)
    assert index.catalogue.contents([(content("beta").digest, "python")])
    forget(index, days=2)
    assert not index.catalogue.contents([(content("beta").digest, "python")])
    assert index.lexical.n_documents("files") == 21
    index.add({"c.py": GAMMA})
    assert index.lexical.n_documents("files") == 21
    assert index.catalogue.row("SELECT count(*) FROM doomed") == (0,)
    assert index.catalogue.damage() == ""


def test_too_much_unused_text_goes_earlier(index):
    """At most a quarter of what is shown, the oldest first, but never within a minute."""
    index.base({"a.py": content("alpha " * 100)})
    for n in range(5):
        index.view("v", {"big.py": content(f"beta{n} " * 20)})
        index.now += 1
    forget(index, days=0)
    assert index.catalogue.row("SELECT count(*) FROM files") == (6,)
    forget(index, days=0.1)
    left = [row[0].decode() for row in index.catalogue.rows("SELECT digest FROM contents ORDER BY id")]
    assert left[0].startswith("alpha") and left[-1].startswith("beta4") and len(left) == 3


def test_many_doomed_documents_leave_at_once(index):
    """Without waiting for a change that writes documents."""
    index.view("v", {f"f{n}.py": content(f"word{n}") for n in range(600)})
    index.view("v", {"a.py": ALPHA})
    forget(index, days=0)
    forget(index, days=8)
    assert index.lexical.n_documents("files") == 1


@pytest.mark.parametrize("many", [10, 1_000])
def test_removed_documents_do_not_outnumber_the_others(index, monkeypatch, many):
    """Tantivy might keep them for good, so the lexical index is made again, unless it is small; it shows the same."""
    monkeypatch.setattr("callsite.index.update._MANY_REMOVED", many)
    index.base({"large.py": content("alpha\n" * 100), "small.py": BETA})
    index.base({"large.py": ALPHA}, commit="2")
    index.view("v")
    forget(index, days=0)
    forget(index, days=8)
    index.add({"c.py": GAMMA})
    assert index.lexical.n_removed("chunks") == (0 if many == 10 else 101)
    assert (index.found("v", "alpha"), index.found("v", "beta")) == (["large.py"], ["small.py"])


def test_a_view_whose_folder_is_gone_goes(index, tmp_path):
    """And one of a commit that nobody asked for during a month; the others stay."""
    index.base({"a.py": ALPHA})
    index.view("gone", root=str(tmp_path / "gone"))
    index.view("here", root=str(tmp_path))
    index.view("commit", root="")
    names = lambda: [row[0] for row in index.catalogue.rows("SELECT name FROM views ORDER BY name")]  # noqa: E731
    forget(index, days=29)
    assert names() == ["commit", "here"]
    forget(index, days=2)
    assert names() == ["here"]


def test_a_doomed_file_is_hidden_until_it_is_gone(index):
    """Its documents take no place among the results."""
    index.base({"a.py": ALPHA})
    index.view("v", {"b.py": content("alpha beta")})
    index.view("v")
    forget(index, days=0)
    forget(index, days=8)
    assert index.lexical.n_documents("files") == 2
    assert index.found("v", "alpha") == ["a.py"]
