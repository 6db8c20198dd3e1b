"""What recordings went through comes first among what matches; nothing comes in by evidence alone."""

from __future__ import annotations

import pytest

import callsite
from callsite.evidence.values import Recorded
from callsite.retrieval import pipeline

TWINS = "".join(
    f"def lend_{name}(book):\n"
    + "    paper = cellar.fold(paper, twice=True)\n" * 12
    + "    return shelf.take(book)\n\n\n"
    for name in "abcdef"
)


@pytest.fixture
def engine(tmp_path):
    for path, text in {
        "left.py": TWINS.replace("lend", "borrow"),
        "right.py": TWINS.replace("lend", "borrow"),
        "other.py": "def paint(wall):\n    colour = 'vermilion'\n    return wall + colour\n"
        + TWINS.replace("book", "cup"),
        "far.py": "def weld(iron):\n    return iron\n",
    }.items():
        (tmp_path / "root").mkdir(exist_ok=True)
        (tmp_path / "root" / path).write_text(text, "utf-8")
    with callsite.open(tmp_path / "root", home=str(tmp_path / "home")) as engine:
        engine.index()
        yield engine


def asked(engine, question, *recorded, budget=None):
    def found(snapshot):
        ranking = pipeline.rank(
            snapshot, question, engine._words, engine._path_terms, scope=snapshot.scope(), recorded=lambda _: recorded
        )
        return pipeline.answer(snapshot, ranking, n=10, budget=budget)

    return engine._ask(found)


def recorded(path, function, *, line=0, weight=1.0):
    return Recorded(path=path, line=line, function=function, weight=weight, said=f"called in test_{function}")


@pytest.mark.parametrize("budget", [None, 900])
def test_of_equal_matches_the_recorded_one_comes_first(engine, budget):
    """S3, S4: by path, whichever of two files it is in."""
    for path in ("left.py", "right.py"):
        assert asked(engine, "borrow book", recorded(path, "borrow_d"), budget=budget)[0].path == path


def test_what_does_not_match_stays_out_whatever_its_weight(engine):
    """S5: a factor on nothing is nothing."""
    hits = asked(engine, "borrow book", recorded("far.py", "weld", line=1), budget=5_000)
    assert hits
    assert "far.py" not in {hit.path for hit in hits}


def test_without_evidence_the_answer_is_the_unboosted_one(engine):
    """S5: the same hits with the same scores; evidence on other files changes nothing either."""
    plain = asked(engine, "borrow book", budget=1_000)
    assert asked(engine, "borrow book", recorded("nowhere.py", "borrow_a"), budget=1_000) == plain


def test_a_word_of_the_body_finds_the_recorded_function(engine):
    """S6: whole bodies are searched."""
    (hit, *_) = asked(engine, "vermilion", recorded("other.py", "paint"), budget=900)
    assert (hit.path, "vermilion" in hit.text) == ("other.py", True)


def test_reasons_tell_the_boost_and_where_it_comes_from(engine):
    """S13: they add up to the score; the boost is bounded by a factor."""
    (hit, *_) = asked(engine, "borrow book", recorded("left.py", "borrow_c"), budget=1_200)
    assert sum(reason.value for reason in hit.reasons) == pytest.approx(hit.score)
    (boost,) = [reason for reason in hit.reasons if reason.label == "recorded"]
    assert boost.detail == "called in test_borrow_c"
    words = sum(r.value for r in hit.reasons if r.label not in ("recorded", "standing of the file", "around the code"))
    assert 0 < boost.value <= 3.0 * words + 1e-9


def test_a_function_is_found_although_its_lines_have_moved(engine):
    """By its name; a line alone means the piece around it."""
    (hit, *_) = asked(engine, "borrow book", recorded("left.py", "borrow_e", line=9_999), budget=800)
    assert "borrow_e" in hit.text


def test_a_frame_without_a_file_is_found_by_its_names(engine):
    """The method of the type, else the only one of that name; two of a name mean none."""
    trace = "   at Walls.Painter.{}(Int32 width)\n   at System.Threading.Thread.Start()\n"
    assert asked(engine, "It fails\n\n" + trace.format("weld"))[0].path == "far.py"
    for twice in ("borrow_c", "nothing_here"):
        hits = asked(engine, "It fails\n\n" + trace.format(twice), budget=2_000)
        assert not [reason for hit in hits for reason in hit.reasons if reason.label == "pointed at"]
