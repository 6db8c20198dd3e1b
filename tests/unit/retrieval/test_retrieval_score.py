"""What a file is worth: its reasons, added up; equal files by path; no evidence, no change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.index.snapshot import File, View
from callsite.retrieval.candidates import Candidates
from callsite.retrieval.score import rank_files, reorder_first_three, scaled, shelves_of, signals_of, sizes
from callsite.retrieval.weights import FIRST_THREE, NAME, QUESTION, REPORT, TIDYING
from callsite.text.paths import PathTerms, shelves
from callsite.text.question import understand
from callsite.text.words import Words

WORDS = Words()


def file(id, path, n_bytes=100):
    return File(
        id=id, path=path, content=id, digest="", language="python", n_bytes=n_bytes, shelves=shelves(path)
    )  # fmt: skip


def candidates(text, paths, **more):
    given_ = {"chunks": {}, "legs": {}, "definitions": {}, "defining_chunks": {}, "places": {}, "pointed": {}} | more
    files = {id: file(id, path) for id, path in enumerate(paths)}
    return Candidates(question=understand(text, WORDS), files=files, **given_)


VIEW = View(
    id=1, signature="", head="", branch="", n_files=2, n_changed=0, n_skipped=0, smallest=10, largest=1_000, used_at=0.0
)


def ranked(found):
    return rank_files(found, signals_of(found, VIEW, PathTerms(WORDS)))


def check_order(found, expected):
    assert [one.file.path for one in ranked(found)] == expected.split()


def test_scores_are_scaled_by_the_largest():
    """Nothing stays nothing."""
    assert scaled({1: 2.0, 2: 8.0}) == {1: 0.25, 2: 1.0}
    assert scaled({}) == scaled({1: 0.0}) == {}


def test_more_matching_words_rank_a_file_higher():
    """The plainest case."""
    check_order(candidates("zebra", ["a.py", "b.py"], legs={"chunk words": {0: 1.0, 1: 2.0}}), "b.py a.py")


def test_equal_files_come_in_the_order_of_their_paths():
    """Whatever the order in which they were found."""
    check_order(
        candidates("zebra", ["c.py", "a.py", "b.py"], legs={"chunk words": {1: 1.0, 0: 1.0, 2: 1.0}}), "a.py b.py c.py"
    )


def test_a_file_whose_name_is_asked_for_ranks_higher():
    """Its folders, too, as far as not all candidates lie in them."""
    legs = {"chunk words": {0: 1.0, 1: 1.0}}
    check_order(candidates("the zebra house", ["x/a.py", "x/zebra.py"], legs=legs), "x/zebra.py x/a.py")
    check_order(candidates("the zebra house", ["x/a.py", "zebra/b.py"], legs=legs), "zebra/b.py x/a.py")


@pytest.mark.parametrize("shelf", ["tests/a.py", "docs/a.md", "examples/a.py", "dist/a.py", "a/__init__.py"])
def test_other_shelves_count_less(shelf):
    """Than code, all else being equal."""
    check_order(candidates("zebra", [shelf, "z.py"], legs={"chunk words": {0: 1.0, 1: 1.0}}), f"z.py {shelf}")


@pytest.mark.parametrize(
    ("text", "shelf"), [("zebra tests", "tests/a.py"), ("zebra docs", "docs/a.md"), ("zebra example", "examples/a.py")]
)
def test_a_shelf_that_is_asked_for_does_not_count_less(text, shelf):
    """The question says which kind of file it wants."""
    check_order(candidates(text, [shelf, "z.py"], legs={"chunk words": {0: 1.0, 1: 0.9}}), f"{shelf} z.py")
    assert shelf.split("/")[0] not in shelves_of(candidates(text, [shelf]))


def test_size_lies_between_nothing_and_one():
    """Also when all files of a view are equally large."""
    found = candidates("zebra", ["a.py"])
    assert 0 < sizes(found, VIEW)[0] < 1


def test_no_evidence_changes_nothing():
    """Empty legs leave order, scores and reasons as they are."""
    plain = candidates("zebra", ["a.py", "b.py"], legs={"chunk words": {0: 1.0, 1: 2.0}})
    empty = candidates(
        "zebra", ["a.py", "b.py"], legs={"chunk words": {0: 1.0, 1: 2.0}, "path words": {}},
        places={"frame": {}, "quoted path": {}, "module": {}, "import": {}},
    )  # fmt: skip
    assert ranked(plain) == ranked(empty)


def test_every_weight_belongs_to_a_signal(engine):
    """A misspelt label would silently be worth nothing."""
    from callsite.retrieval.candidates import find_candidates

    def labels(snapshot):
        found = find_candidates(snapshot, understand("fine\n\n\n\nlend", WORDS), snapshot.scope())
        return set(signals_of(found, snapshot.view, PathTerms(WORDS)))

    assert {*QUESTION, *REPORT, *NAME, *TIDYING, *FIRST_THREE} <= engine._ask(labels)


LEGS = st.dictionaries(st.integers(0, 7), st.floats(0.001, 50), max_size=8)
PATHS = [
    "a.py",
    "tests/b.py",
    "docs/c.md",
    "lib/zebra.py",
    "zebra/d.go",
    "examples/e.rb",
    "dist/f.js",
    "src/__init__.py",
]


@given(
    st.sampled_from(["zebra", "the zebra d", "zebra\n\n\n\nfence"]),
    LEGS,
    LEGS,
    LEGS,
    LEGS,
    st.none() | st.integers(0, 9),
)
def test_reasons_add_up_and_the_order_is_that_of_the_scores(text, words, paths, definitions, frames, limit):
    """For whatever legs; a limit only cuts."""
    found = candidates(
        text, PATHS, legs={"chunk words": words, "path words": paths}, definitions=definitions, places={"frame": frames}
    )
    signals = signals_of(found, VIEW, PathTerms(WORDS))
    files = rank_files(found, signals, limit=limit)
    assert len(files) == (len(PATHS) if limit is None else min(limit, len(PATHS)))
    assert [one.score for one in files] == sorted((one.score for one in files), reverse=True)
    for one in files:
        assert sum(reason.value for reason in one.reasons) == pytest.approx(one.score)
        assert all(reason.label for reason in one.reasons)


def test_the_first_three_of_a_report_change_places_with_their_scores():
    """What the reporter points at comes first, and its reasons say so."""
    found = candidates("zebra\n\n\n\nfence", ["a.py", "b.py", "c.py"], legs={"chunk words": {0: 3.0, 1: 2.9, 2: 2.8}})
    files = ranked(found)
    moved = reorder_first_three(files, {"frame": {2: 1.0}})
    assert moved[0].file.path == "c.py"
    assert [one.score for one in moved] == [one.score for one in files]
    assert "pointed at by the report" in [reason.label for reason in moved[0].reasons]
    assert reorder_first_three(files[:1], {}) == files[:1]
