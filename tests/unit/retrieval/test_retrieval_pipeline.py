"""From a question to hits on a real folder: spans, reasons, explanations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from library import LIBRARY, write

import callsite


@pytest.mark.parametrize(
    ("text", "path", "code"),
    [
        ("waive_fine", "library/fines.py", "def waive_fine"),
        ("waiveFine", "library/fines.py", "def waive_fine"),
        ("how does the fine of a late loan grow each day", "library/fines.py", "def daily_fine"),
        ("PermissionError: the reader is barred", "library/loans.py", "raise PermissionError"),
        ("put a book at a free place", "shelf/shelfMap.ts", "placeBook("),
        ("library/fines.py:80", "library/fines.py", "def print_bill_17"),
        ("get", "library/loans.py", "def get"),
        ("tests of barred readers", "tests/test_loans.py", "def test_lend"),
    ],
)
def test_the_code_that_answers_comes_first(engine, text, path, code):
    """For a name, a sentence, a message, a place, a stop word that is a name, tests."""
    found = engine.search(text).hits[0]
    assert (found.path, code in found.text) == (path, True)


def test_the_reasons_of_every_hit_add_up_to_its_score(engine):
    """In a list, under a budget, for a report."""
    for text in ("fine", "lend a book", "lend fails\n\n\n\nthe reader is barred", "where is Loan.extend", "balance"):
        for budget in (None, 400, 5_000):
            for hit in engine.search(text, n=50, budget=budget).hits:
                assert sum(reason.value for reason in hit.reasons) == pytest.approx(hit.score)
                assert hit.text
                assert len(hit.id) == 64


def test_a_list_shows_the_best_span_of_a_file_before_its_others(engine):
    """Scores fall, and the first span of a file has the file's own score."""
    hits = engine.search("reader loan extend weeks", n=50).hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    first = {hit.path: hit for hit in reversed(hits)}
    assert not [hit for hit in first.values() if any(r.label == "another span of the file" for r in hit.reasons)]


def test_chunks_compete_for_a_budget(engine):
    """Their parts say what the span itself brings; the file's standing is one of them."""
    hits = engine.search("fine of a late reader", n=50, budget=600).hits
    assert sum(len(hit.text) for hit in hits) <= 600
    assert {reason.label for hit in hits for reason in hit.reasons} >= {"standing of the file", "words of the span"}


def test_a_long_function_is_shown_by_the_part_that_matches(engine):
    """Its text is longer than what is shown whole."""
    hit = engine.search("library/balance.py:20").hits[0]
    assert hit.path == "library/balance.py"
    assert hit.first_line <= 20 <= hit.last_line


def test_a_filter_by_type_leaves_only_that_type(engine):
    """Files without such a chunk fall out."""
    assert {hit.type for hit in engine.search("reader book loan", types=["function"]).hits} == {"function", "file"}
    assert {hit.type for hit in engine.search("loan fine", types=["section"], budget=2_000).hits} <= {"section", "file"}


@given(st.text(st.characters(codec=None), max_size=60), st.integers(1, 20), st.none() | st.integers(1, 2_000))
def test_any_question_has_an_answer(engine, text, n, budget):
    """At most n hits and budget characters, texts as the files hold them."""
    answer = engine.search(text, n=n, budget=budget, update=False)
    assert len(answer.hits) <= n
    assert budget is None or sum(len(hit.text) for hit in answer.hits) <= budget
    for hit in answer.hits:
        assert hit.text == "\n".join(LIBRARY[hit.path].split("\n")[hit.first_line - 1 : hit.last_line])


def check_verdict(engine, text, place, expected, **filters):
    explanation = engine.explain(text, place, **filters)
    assert expected in explanation.verdict
    return explanation


def test_a_hit_is_explained_by_its_rank(engine):
    """With the terms that the file holds, and the hit that leads."""
    said = check_verdict(engine, "waive_fine walrus", "library/fines.py:9", "hit 1 of")
    assert said.rank == 1
    assert said.hit == said.first
    assert {"waiv", "fine"} <= set(said.matched)
    assert said.missing == ("walrus",)


def test_another_span_of_a_file_is_explained(engine):
    """The file is there, that line is not."""
    said = check_verdict(engine, "waive", "library/fines.py:80", "other spans of it answer better than line 80")
    assert (said.rank, said.hit.path) == (0, "library/fines.py")


def test_a_file_that_holds_nothing_is_explained(engine):
    """No term occurs in it."""
    said = check_verdict(engine, "waive_fine", "shelf/shelfMap.ts", "no term of the question occurs")
    assert (said.rank, said.hit, said.matched) == (0, None, ())


def test_skipped_filtered_and_unknown_files_are_explained(engine):
    """Each by its own sentence."""
    check_verdict(engine, "fine", "data.bin", "data.bin is not searched: ")
    check_verdict(engine, "fine", "library/gone.py", "is not in this view")
    check_verdict(engine, "fine", "library/fines.py", "filters exclude it", languages=["go"])
    check_verdict(engine, "fine", "library/fines.py", "filters exclude it", exclude=["fines.py"])


def test_a_path_with_a_colon_is_a_place(root, tmp_path):
    """The number behind the last colon is the line."""
    write(root, {"a:b.py": "def zebra():\n    return 1\n"})
    with callsite.open(root, home=str(tmp_path / "home")) as engine:
        assert engine.explain("zebra", "a:b.py:1").rank == 1
        assert engine.explain("zebra", "a:b.py").rank == 1


def test_a_low_file_is_explained(root, tmp_path):
    """It came into question, but many answer better."""
    files = {f"a{n:03}.py": f"def zebra{n}():\n    return zebra + 'zebra stripes {n}'\n" for n in range(150)}
    write(root, {**files, "tests/z.py": "\n" * 50 + "zebra = 1\n"})
    with callsite.open(root, home=str(tmp_path / "home")) as engine:
        said = engine.explain("zebra stripes", "tests/z.py")
        assert said.rank == 0 or said.rank > 100
        assert said.verdict


def test_the_longest_report_is_answered(engine):
    """Tens of thousands of different words are still one question."""
    text = "title\n" + " ".join(f"wordNumber{n} fine" for n in range(12_000))
    assert engine.search(text, update=False).hits


def test_the_head_of_a_long_function_is_shown_with_the_part_that_matches(root, tmp_path):
    """It says what the part belongs to, so it comes before what merely says the same words."""
    lines = [f"    total_{n} = reckon(entries, month={n}, currency='dinar', rounding='down')" for n in range(60)]
    lines[45] = "    if zebra_stripes > 3: raise ValueError('too many zebra stripes')"
    write(root, {"long.py": "def yearly_balance(entries):\n" + "\n".join(lines) + "\n"})
    write(root, {f"other_{n}.py": f"def count_{n}(animals):\n    return animals.zebra + {n}\n" * 12 for n in range(9)})
    with callsite.open(root, home=str(tmp_path / "home")) as engine:
        head, part, *_ = engine.search("ValueError: too many zebra stripes", n=50, budget=4_000).hits
    assert head.text.startswith("def yearly_balance")
    assert "too many zebra" in part.text
    assert head.score == part.score
    assert "head of a part" in {reason.label for reason in head.reasons}


def test_under_a_budget_chunks_of_tests_lose_a_share_unless_asked_for(engine):
    """Tests say the words of the code, often in shorter texts."""

    def losses(text):
        hits = engine.search(text, n=50, budget=5_000).hits
        return {
            r.value < 0 for hit in hits if hit.path.startswith("tests/") for r in hit.reasons if "around" in r.label
        }

    assert losses("a barred reader gets no loan") == {True}
    assert losses("tests of a barred reader who gets no loan") == set()


def test_a_report_is_answered_by_functions_rather_than_by_what_a_class_says_of_itself(root, tmp_path):
    """What a report wants changed is nearly always a function; a short question may well ask for the class."""
    about = "Counts the stripes of a zebra. " * 12
    method = "    def stripes(self, zebra):\n        return sum(stripe.width for stripe in zebra.stripes)\n"
    write(root, {"zebra.py": f'class Counter:\n    """{about}"""\n\n{method * 9}'})
    question = "counts the stripes of a zebra"
    report = f"{question}\n\nThe number is wrong.\nI expected more of it.\nNothing else is known.\n"
    with callsite.open(root, home=str(tmp_path / "home")) as engine:
        for text, expected in ((question, False), (report, True)):
            of_class = [hit for hit in engine.search(text, n=50, budget=5_000).hits if hit.type == "class"]
            assert [any(reason.label == "around the code" for reason in hit.reasons) for hit in of_class] == [expected]
