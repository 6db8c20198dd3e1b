"""No text is an error or takes long: patterns that could be tempted to go back and forth are fed what tempts them.

A quadratic pattern would need minutes to hours for one of these, so that the run shows it without any clock.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.text.question import MAX_CHARACTERS, understand
from callsite.text.words import Words

WORDS = Words()
PIECES = st.sampled_from(
    ["```", "~~~", "`", "<!--", "-->", "\n", "\r\n", "    ", "\t", ">>> ", "In [1]: ", "from a import b", "import c.d",
     'File "a/b.py", line 3, in f', "Traceback (most recent call last):", "ValueError: x", "https://h/a/b/blob/c/d.py#L3",
     "src/a.py:12", "C:\\a\\b.cs", "Foo::bar", "a.b.c(", "### Versions", "numpy: 1.2", "é", "漢字", "🙂", "\0",
     "\ud800", "the", "tests", "_", "$", "9", "\u2028", "\x85"]
)  # fmt: skip
ANY_REPORT = st.lists(PIECES | st.text(st.characters(codec=None), max_size=6), max_size=60).map("".join)


def check(text):
    question = understand(text, WORDS)
    assert all(weight > 0 for weight in question.terms.values())
    assert all(place.line >= 0 and place.path for place in question.places)
    "".join([*question.terms, *question.said]).encode()  # the index takes UTF-8


@given(st.text(st.characters(codec=None), max_size=400))
def test_any_characters_are_a_question(text):
    """Lone surrogates, zero bytes, anything."""
    check(text)


@given(ANY_REPORT)
def test_any_heap_of_what_reports_consist_of_is_a_question(text):
    """Fences that never close, traces without frames, links in comments."""
    check(text)
    check("A title\n\n\n\n" + text)


TEMPTATIONS = [
    "a.", "a.a-", "_", "a_", "(", "a(", "`", "`\n", "~", "~~~\n", "```\n", "``` ", " ", "\t", "\n", " \n", "a", "A",
    "Aa",
    "a::", "a#b", "/", "a/", "\\", ".", "-", "a-b.", "@", "~/", "a.py", "a.py ", "a.py:1", "<!--", "-->", "http://",
    "https://g/a/b/blob/c/", "/a.b", 'File "', 'File "a", line 1\n', "import ", "from a import ", "> ", "\n> ",
    "In [1]: ", '"', '"a', ",", "version ", "versions:\n", "?!", "a.Error", "*", "# ", "a: 1 ", "a  ", "é", "é.", "漢",
    "🙂", "9", "$a", "\ud800", "\0", "\x0b", "from  a  ",
]  # fmt: skip


@pytest.mark.parametrize("piece", TEMPTATIONS)
@pytest.mark.parametrize("before", ["", "t\n", 't\nTraceback (most recent call last)\nFile "'])
def test_no_repetition_takes_long(piece, before):
    """Whatever is repeated, at whichever place, with an end that fits no pattern."""
    check(before + piece * (20_000 // len(piece)) + "!\n")


@pytest.mark.parametrize("piece", ["a.b.", "a/", " ", "`", "<!--", "漢", "word_x1 ", "ﷺ", "a.py "])
def test_the_longest_questions_are_read(piece):
    """What stands beyond the limit is not."""
    check(piece * (MAX_CHARACTERS // len(piece)))
    check("t\n" + piece * (2 * MAX_CHARACTERS // len(piece)))


def test_a_thousand_lines_at_the_limits_of_the_line_patterns_are_read():
    """The patterns of single lines are bounded by their length; many such lines still end."""
    for line in ("a" + " " * 90 + "1" * 90 + " b c", "version " * 7, " " * 59, "." * 199, "a=1" + "1" * 150 + "  b c"):
        check("t\n" + (line + "\n") * (60_000 // len(line)))
