"""Which files and chunks come into question: words, definitions of what is mentioned, places, all in the scope."""

from __future__ import annotations

import pytest

from callsite.evidence.traces.read import read_traces
from callsite.evidence.values import Evidence
from callsite.index.lexical import ORDINAL_BITS
from callsite.retrieval.candidates import find_candidates, sum_of_best_chunks
from callsite.retrieval.frames import DECAY
from callsite.retrieval.places import last_name
from callsite.text.question import understand


def found(engine, text, **scope):
    def asked(snapshot):
        question = understand(text, engine._words)
        return find_candidates(snapshot, question, snapshot.scope(**scope), Evidence(traces=read_traces(text)))

    return engine._ask(asked)


def paths_of(candidates, values):
    return {candidates.files[file].path for file in values}


def test_the_best_chunks_of_a_file_add_up_with_decay():
    """The second counts .6, the third .36; beyond the sixth none does."""
    one, two = 1 << ORDINAL_BITS, 2 << ORDINAL_BITS
    assert sum_of_best_chunks({one + 5: 10.0, two: 3.0, one: 1.0}) == {1: 10.6, 2: 3.0}
    assert sum_of_best_chunks({one + n: 1.0 for n in range(50)}) == {1: pytest.approx(sum(0.6**n for n in range(6)))}
    assert sum_of_best_chunks({}) == {}


@pytest.mark.parametrize(("name", "expected"), [("a.b", "b"), ("A::b", "b"), ("A#b", "b"), ("b", "b")])
def test_the_last_part_of_a_qualified_name_is_what_is_defined(name, expected):
    """In every language's way to qualify."""
    assert last_name(name) == expected


def check_definitions(engine, text, expected, **scope):
    candidates = found(engine, text, **scope)
    assert paths_of(candidates, candidates.definitions) == set(expected.split())
    chunk_files = {key >> ORDINAL_BITS for key in candidates.defining_chunks}
    assert chunk_files == set(candidates.definitions)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("waive_fine", "library/fines.py"),
        ("waiveFine", "library/fines.py"),
        ("where is `lend` called", "library/loans.py"),
        ("extend", "library/loans.py shelf/src/catalog/Reader.java"),
        ("get", "library/loans.py"),
        ("placeBook", "shelf/shelfMap.ts"),
        ("nobody_defines_this", ""),
        ("some words only", ""),
    ],
)
def test_definitions_of_mentioned_names_come_into_question(engine, text, expected):
    """In any convention."""
    check_definitions(engine, text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Loan.extend", "library/loans.py"),
        ("library.loans.Loan.extend", "library/loans.py"),
        ("Reader.extend", "shelf/src/catalog/Reader.java"),
        ("Reader::extend", "shelf/src/catalog/Reader.java"),
        ("Reader#extend", "shelf/src/catalog/Reader.java"),
        ("er.extend", ""),
    ],
)
def test_a_qualified_name_prefers_the_place_that_is_qualified_so(engine, text, expected):
    """On whole parts; without such a place all that define the last part are worth the same."""
    candidates = found(engine, text)
    worth = candidates.definitions
    best = paths_of(candidates, [file for file in worth if worth[file] == max(worth.values())])
    assert best == (set(expected.split()) or {"library/loans.py", "shelf/src/catalog/Reader.java"})


def test_the_exact_spelling_is_worth_more(engine):
    """Than the same name in another convention."""
    exact, other = found(engine, "waive_fine"), found(engine, "waiveFine")
    assert max(exact.definitions.values()) > max(other.definitions.values()) > 0


def test_a_definition_in_a_test_counts_only_when_there_is_no_other(engine):
    """Helpers of tests are named like what they test."""
    check_definitions(engine, "lend_nothing", "tests/test_loans.py")


def test_definitions_and_places_stay_in_the_scope(engine):
    """A folder or a language that is left out comes in by no leg."""
    check_definitions(engine, "extend", "shelf/src/catalog/Reader.java", folder="shelf")
    check_definitions(engine, "extend", "library/loans.py", languages=("python",))
    check_definitions(engine, "extend", "", only=[])
    candidates = found(engine, "library/fines.py:4 and Reader.java", folder="shelf")
    assert paths_of(candidates, candidates.places["quoted path"]) == {"shelf/src/catalog/Reader.java"}
    assert all(file.path.startswith("shelf/") for file in candidates.files.values())


def test_named_lines_are_kept_for_their_file(engine):
    """They choose the chunk that is shown."""
    candidates = found(engine, "library/fines.py:9")
    ((file, (pointed,)),) = candidates.pointed.items()
    assert (candidates.files[file].path, pointed.line, pointed.weight) == ("library/fines.py", 9, 1.0)


def test_frames_modules_and_imports_of_a_report_are_places(engine):
    """Inner frames count more than outer ones."""
    text = (
        "It fails\n\nfrom library.fines import daily_fine\nlibrary.balance is slow\n\n"
        'Traceback (most recent call last):\n  File "/x/library/fines.py", line 5, in daily_fine\n'
        '  File "/x/library/loans.py", line 20, in get\nKeyError\n'
    )
    candidates = found(engine, text)
    by_path = {name: {candidates.files[f].path: w for f, w in leg.items()} for name, leg in candidates.places.items()}
    assert by_path["frame"] == {"library/loans.py": 1.0, "library/fines.py": DECAY}
    assert by_path["import"] == {"library/fines.py": 1.0}
    assert by_path["module"].keys() >= {"library/balance.py", "library/fines.py"}


def test_words_find_files_by_content_path_and_names(engine):
    """Each its own leg; the title's leg exists for reports only."""
    candidates = found(engine, "fine")
    assert "library/fines.py" in paths_of(candidates, candidates.legs["chunk words"])
    assert paths_of(candidates, candidates.legs["path words"]) == {"library/fines.py"}
    assert "library/fines.py" in paths_of(candidates, candidates.legs["defined names"])
    assert "title words" not in candidates.legs
    assert "title words" in found(engine, "fine\n\n\n\nfine").legs


def test_skipped_files_never_come_into_question(engine):
    """Not even by their path."""
    candidates = found(engine, "data.bin")
    assert "data.bin" not in {file.path for file in candidates.files.values()}
