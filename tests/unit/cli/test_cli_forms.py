"""The three forms of an answer: text, Markdown, JSON; the same hits, and nothing in them acts."""

from __future__ import annotations

import base64
import json
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.cli.clean import clean_line, width_of
from callsite.cli.human import Look, answer_text, counted, explanation_text, freshness_text
from callsite.cli.markdown import markdown_text
from callsite.cli.records import answer_record, as_json, chunk_record, explanation_record, path_record
from callsite.types import Answer, Chunk, Explanation, Freshness, Hit, Reason

ANY_TEXT = st.text(st.characters(codec=None), max_size=80)
COLOURS = re.compile(r"\x1b\[[\d;]*m")


def hit(text="def greet():\n    return 1", *, path="src/a.py", name="greet", first=3, language="python") -> Hit:
    return Hit(
        path=path, first_line=first, last_line=first + text.count("\n"), type="function", name=name, language=language,
        score=2.5, reasons=(Reason(label="file words", value=3.0), Reason(label="tests", value=-0.5, detail="a test")),
        source="0:0:0:3", text=text,
    )  # fmt: skip


def no_matches(_text):
    return []


def every_word(word):
    return lambda text: [found.span() for found in re.finditer(word, text)]


def check(hits, look, expected):
    assert answer_text(hits, look, no_matches) == expected


def test_a_hit_is_a_place_a_name_and_numbered_lines():
    """An empty line between two."""
    check([hit()], Look(), "src/a.py:3-4  greet\n  3  def greet():\n  4      return 1\n")
    one = hit("x = 1", name="", first=120)
    check([one, one], Look(), "src/a.py:120  (function)\n  120  x = 1\n\nsrc/a.py:120  (function)\n  120  x = 1\n")


def test_long_hits_are_cut_unless_they_are_wanted_whole():
    """A quiet `…` stands for what is missing."""
    long = hit("\n".join(f"line {n}" for n in range(1, 41)), name="")
    text = answer_text([long], Look(), every_word("line 30"))
    assert text.splitlines()[1:4] == ["   3  line 1", "   …", "  22  line 20"]
    assert text.splitlines()[-1] == "   …"
    assert answer_text([long], Look(whole=True), no_matches).count("\n") == 41


def test_reasons_stand_under_a_hit():
    """With their sign, after the score that they add up to."""
    text = answer_text([hit()], Look(reasons=True), no_matches)
    assert text.splitlines()[3:] == ["      2.50  score", "     +3.00  file words", "     -0.50  tests  a test"]


def test_lines_end_where_the_terminal_ends():
    """A place is never cut: it is there to be opened."""
    wide = hit("x" * 200 + "\n漢" * 60, name="n" * 100)
    for width in (20, 40, 80):
        lines = answer_text([wide], Look(width=width), no_matches).splitlines()
        assert lines[0].startswith("src/a.py:3-63")
        assert max(map(width_of, lines)) <= width


@pytest.mark.parametrize("language", ["python", "go", "php", "no such language", "", "markdown", "tsx"])
def test_colours_change_no_letter(language):
    """What is left without them is the plain text; matched words are bold and underlined."""
    text = 'def greet(name):\n\n    """Say hello."""  # twice\n    return f"hello {name}" * 2'
    one = hit(text, language=language)
    coloured = answer_text([one], Look(colour=True), every_word("hello"))
    assert COLOURS.sub("", coloured) == answer_text([one], Look(), every_word("hello"))
    assert re.search(r"\x1b\[(\d+;)?1;4mhello\x1b\[0m", coloured)


def test_code_of_a_known_language_has_colours():
    """Keywords are one kind of token that shows it."""
    assert "\x1b[35mdef\x1b[0m" in answer_text([hit()], Look(colour=True), no_matches)


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_no_hit_acts_on_a_terminal(text, path, name):
    """Whatever code, file names and symbols hold."""
    for form in (
        answer_text([hit(text, path=path or "a", name=name)], Look(width=60), no_matches),
        markdown_text([hit(text, path=path or "a", name=name)], "now", shown=str, reasons=True),
    ):
        assert all(clean_line(line) == line for line in form.split("\n"))


def test_freshness_is_one_line():
    """Only what is there is told."""
    whole = Freshness(commit="0123456789abcdef", branch="main", n_files=12, n_changed=1, n_behind=2, n_skipped=3)
    assert freshness_text(whole) == "at 0123456789ab on main, 12 files, 1 changed, 2 not yet indexed, 3 skipped"
    assert freshness_text(Freshness(n_files=1, n_changed=1)) == "no commit, 1 file"
    assert (counted(1, "file"), counted(2, "file"), counted(0, "x", plural="y")) == ("1 file", "2 files", "0 y")


def test_markdown_fences_hold_any_code():
    """A fence is longer than every run of backticks inside; a name with backticks is still a code span."""
    text = markdown_text(
        [hit("````\n```py\n````", name="a`b", language="markdown")], "at *x*", shown=str, reasons=False
    )
    assert text.startswith("### `src/a.py:3-5` ``a`b``\n\n`````markdown\n````\n```py\n````\n`````\n")
    assert text.endswith("_at \\*x\\*_\n")


@given(ANY_TEXT, ANY_TEXT, st.binary(min_size=1, max_size=20))
def test_json_holds_every_answer(text, name, path):
    """It is UTF-8 and one line; a path whose bytes are no text comes with exactly these bytes."""
    path = path.replace(b"\0", b"x")
    answer = Answer(
        question="q", hits=(hit(text, name=name, path=os.fsdecode(path)),), freshness=Freshness(branch=name)
    )
    line = as_json(answer_record(answer, root="/x"))
    assert line.count("\n") == 1
    (found,) = json.loads(line.encode("utf-8"))["hits"]
    assert base64.b64decode(found["path_base64"]) == path if "path_base64" in found else found["path"].encode() == path


def test_json_keys_are_these():
    """Programs rely on them; one that goes or changes its meaning makes `format` grow."""
    freshness = ["commit", "branch", "n_files", "n_changed", "n_behind", "n_skipped", "notes"]
    keys = "id path first_line last_line type name language score reasons source text".split()
    answer = answer_record(Answer(question="q", hits=(hit(),), freshness=Freshness()), root="/x")
    assert list(answer) == ["format", "question", "terms", "root", "hits", "recordings", "freshness"]
    assert list(answer["hits"][0]) == keys
    assert list(answer["hits"][0]["reasons"][0]) == ["label", "value", "detail"]
    assert list(answer["freshness"]) == freshness
    chunk = Chunk(
        id="1", path="a", type="file", name="", language="", first_line=1, last_line=1, source="", symbols=("s",),
        signature="", text="t",
    )  # fmt: skip
    assert (
        list(chunk_record(chunk))
        == "id path type name language first_line last_line source symbols signature text".split()
    )
    explained = explanation_record(Explanation(path="a", line=0, verdict="v"), root="/x")
    assert list(explained) == "format root path line verdict rank matched missing hit first".split()


def test_a_path_that_is_no_text_has_its_bytes_beside_it():
    """In base64; the readable form shows them as escapes."""
    assert path_record("a/ü.py") == {"path": "a/ü.py"}
    assert path_record("caf\udce9") == {"path": "caf\\xe9", "path_base64": base64.b64encode(b"caf\xe9").decode()}


def test_an_explanation_compares_with_the_first_hit():
    """Verdict, terms, and the reasons of both."""
    explanation = Explanation(
        path="a", line=1, verdict="too low", hit=hit(), first=hit(name="other"), matched=("=ab",), missing=("c",)
    )
    lines = explanation_text(explanation, Look()).splitlines()
    assert lines[:5] == ["too low", "found: ab", "not found: c", "", "hit: src/a.py:3-4  greet"]
    assert "first: src/a.py:3-4  other" in lines
    same = Explanation(path="a", line=1, verdict="hit 1", hit=hit(), first=hit())
    assert "first:" not in explanation_text(same, Look())
