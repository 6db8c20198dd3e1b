"""Foreign text does nothing to a terminal, and is cut where the terminal ends."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.cli.clean import clean_line, clean_text, cut, width_of

ANY_TEXT = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/näme.py", "src/näme.py"),
        ("a\nb\tc", "a\\x0ab\\x09c"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31m", "\\x9b31m"),
        ("caf\udce9.py", "caf\\xe9.py"),
        ("\ud800", "\\ud800"),
        ("user\u202e\u2066", "user\\u202e\\u2066"),
        ("\u2028", "\\u2028"),
    ],
)
def test_a_line_shows_what_would_act(text, expected):
    """Controls, undecodable bytes and marks that turn letters around."""
    assert clean_line(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\tb\r\nc\r", "a   b\nc"), ("\tx", "    x"), ("a\rb", "a\\x0db"), ("\x0c\x07", "\\x0c\\x07")],
)
def test_code_keeps_its_lines(text, expected):
    """Tabs become spaces, ends of lines of other systems go."""
    assert clean_text(text) == expected


@given(ANY_TEXT)
def test_nothing_that_acts_gets_through(text):
    """No control character, no lone surrogate, no mark of direction; cleaning twice changes nothing more."""
    for cleaned in (clean_line(text), clean_text(text).replace("\n", "")):
        assert not [letter for letter in cleaned if unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp")]
        assert not set(cleaned) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
        assert clean_line(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("abc", 0, "abc"),
        ("漢字漢字", 8, "漢字漢字"),
        ("漢字漢字", 7, "漢字漢…"),
        ("漢字漢字", 6, "漢字…"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("abc", 1, "…"),
    ],
)
def test_a_line_is_cut_at_columns(text, width, expected):
    """Wide letters take two, combining marks none."""
    assert cut(text, width) == expected


@given(ANY_TEXT.map(clean_line), st.integers(1, 40))
def test_a_cut_line_fits(text, width):
    """Whatever is in it; and what fits is left alone."""
    assert width_of(cut(text, width)) <= width
    assert width_of(text) > width or cut(text, width) == text
