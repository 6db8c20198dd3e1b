"""How are bytes read as text?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.code import decode
from callsite.code.source import original_starts, row_starts

CASES = {
    "plain": (b"abc\r\n", "utf-8", "abc\r\n"),
    "marked": (b"\xef\xbb\xbfabc", "utf-8", "abc"),
    "UTF-16": ("aé\n".encode("utf-16-le"), "cp1252", None),
    "UTF-16 with mark": ("aé\n".encode("utf-16"), "utf-16-le", "aé\n"),
    "UTF-16 big-endian": (b"\xfe\xff" + "aé".encode("utf-16-be"), "utf-16-be", "aé"),
    "UTF-32": ("aé".encode("utf-32"), "utf-32-le", "aé"),
    "long UTF-16": ("class A {}\n".encode("utf-16-le"), "utf-16-le", "class A {}\n"),
    "western": ("naïve “x”".encode("cp1252"), "cp1252", "naïve “x”"),
    "undefined in cp1252": (b"caf\xe9 \x81", "latin-1", "café \x81"),
}


@pytest.mark.parametrize("case", CASES)
def test_encoding(case: str) -> None:
    """The encoding is told by its mark, by validity, or by where the zeros are."""
    data, encoding, text = CASES[case]
    decoded = decode(data)
    assert decoded.encoding == encoding
    assert text is None or decoded.text == text


def test_damaged_utf8_stays_utf8() -> None:
    """One broken byte in a long text of another script doesn't turn the rest to rubbish."""
    decoded = decode("Köln äöü ".encode() * 100 + b"\xff")
    assert (decoded.encoding, decoded.problems) == ("utf-8", ("1 bytes are not UTF-8",))


@given(data=st.binary(max_size=400))
def test_decoding_never_fails(data: bytes) -> None:
    """Any bytes are some text."""
    assert isinstance(decode(data).text, str)


@given(
    text=st.text(alphabet="ab\n\r\u0a0a\u0a00\u000a", max_size=60), encoding=st.sampled_from(["utf-16-le", "utf-16-be"])
)
def test_rows_of_wide_encodings_are_those_of_the_text(text: str, encoding: str) -> None:
    """Halves of neighbouring characters that look like a line feed start no row."""
    assert len(original_starts(text.encode(encoding), encoding)) == len(row_starts(text.encode()))
