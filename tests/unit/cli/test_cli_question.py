"""Where the question comes from: words, standard input, a file, in any encoding."""

from __future__ import annotations

import io
import sys

import pytest

from callsite.cli.arguments import UsageError
from callsite.cli.question import MOST_BYTES, read_question


@pytest.fixture
def standard_input(monkeypatch):
    def give(data: bytes, *, terminal: bool = False) -> None:
        stream = io.TextIOWrapper(io.BytesIO(data))
        stream.isatty = lambda: terminal
        monkeypatch.setattr(sys, "stdin", stream)

    give(b"", terminal=True)
    return give


@pytest.mark.parametrize(
    ("words", "data", "expected"),
    [
        (["a", "b"], b"other", "a b"),
        (["-"], b"from input\n", "from input\n"),
        ([], b"from input", "from input"),
        (["-", "-"], b"x", "- -"),
        (["-"], "grün".encode("utf-8-sig"), "grün"),
        (["-"], "grün".encode("utf-16"), "grün"),
        (["-"], b"caf\xe9", "caf\ufffd"),
        (["caf\udce9"], b"", "caf\ufffd\ufffd\ufffd"),
    ],
)
def test_a_question_is_read(standard_input, words, data, expected):
    """Words win; `-` or no words mean standard input."""
    standard_input(data)
    assert read_question(words) == expected


def test_a_file_is_read_when_it_exists(tmp_path, monkeypatch):
    """`@dataclass` is a question, not a missing file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.txt").write_text("it crashes", "utf-8")
    assert read_question(["@report.txt"]) == "it crashes"
    assert read_question(["@dataclass"]) == "@dataclass"
    assert read_question(["@report.txt", "now"]) == "@report.txt now"
    assert read_question([f"@{tmp_path}"]) == f"@{tmp_path}"


@pytest.mark.parametrize("words", [[], [""], ["  ", "\n"]])
def test_an_empty_question_is_refused(standard_input, words):
    """With an example of how to ask; a terminal is never read from unasked."""
    with pytest.raises(UsageError, match="the question is empty"):
        read_question(words)


def test_closed_input_is_empty(monkeypatch):
    """As under a service that gives no standard streams."""
    monkeypatch.setattr(sys, "stdin", None)
    for words in ([], ["-"]):
        with pytest.raises(UsageError):
            read_question(words)


def test_endless_input_is_cut(standard_input):
    """`yes | callsite search -` ends."""
    standard_input(b"y\n" * MOST_BYTES)
    assert len(read_question(["-"])) == MOST_BYTES
