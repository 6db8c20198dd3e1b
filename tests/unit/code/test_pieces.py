"""Do the pieces of any file cover it, and do edits stay local?"""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsite.code import Analysis, analyse
from callsite.code.grammars import GRAMMAR_LANGUAGES

PATH_BY_LANGUAGE = {
    "python": "a.py",
    "ruby": "a.rb",
    "php": "a.php",
    "lua": "a.lua",
    "bash": "a.sh",
    "javascript": "a.js",
    "jsx": "a.jsx",
    "typescript": "a.ts",
    "tsx": "a.tsx",
    "css": "a.css",
    "html": "a.html",
    "java": "A.java",
    "kotlin": "a.kt",
    "scala": "a.scala",
    "csharp": "a.cs",
    "swift": "a.swift",
    "c": "a.c",
    "cpp": "a.cpp",
    "go": "a.go",
    "rust": "a.rs",
    "zig": "a.zig",
    "elixir": "a.ex",
    "haskell": "a.hs",
    "sql": "a.sql",
}
OTHER_PATHS = (
    "a.md a.rst a.adoc a.org a.tex a.ipynb a.yaml a.toml a.ini a.json Dockerfile Makefile a.proto a.graphql a.tf a.vue "
    "a.dart a.pl a.r a.erl a.ml a.clj a.txt a.xml a.scss unknown"
).split()
WORDS = (
    "class A def f ( ) { } [ ] : ; = => -> function fn func import from \n \n\n \t     // /* */ # "
    '""" \' " ` ${ $( <a> </a> module end do if else struct impl for let const var enum namespace '
    "#ifdef #endif = == === --- ## ``` == @x , . \r\n é \x00 create table ( insert begin"
).split(" ")


def check_covers(path: str, data: bytes) -> Analysis:
    """Joined, the pieces are the file; their lines follow each other without a gap."""
    analysis = analyse(path, data)
    assert b"".join(data[piece.start : piece.start + piece.length] for piece in analysis.pieces) == data
    next_line = 1
    for piece in analysis.pieces:
        assert piece.first_line == next_line <= piece.last_line
        assert all(piece.first_line <= symbol.line <= piece.last_line for symbol in piece.symbols)
        next_line = piece.last_line + 1
    return analysis


def test_every_grammar_language_has_a_path() -> None:
    """The table above is complete."""
    assert set(PATH_BY_LANGUAGE) == GRAMMAR_LANGUAGES


@pytest.mark.parametrize("path", [*PATH_BY_LANGUAGE.values(), *OTHER_PATHS])
@settings(max_examples=40, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), max_size=400))
def test_pieces_cover_word_salad(path: str, words: list[str]) -> None:
    """Whatever the words of programming are thrown together to, every line is in one piece."""
    check_covers(path, " ".join(words).encode())


@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.md", "a.txt", "a.ipynb"])
@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=3000))
def test_pieces_cover_any_bytes(path: str, data: bytes) -> None:
    """Bytes that are no text at all are covered as well."""
    check_covers(path, data)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1"])
@settings(max_examples=30, deadline=None)
@given(text=st.text(alphabet="abc def():\n\r\tüß=#", max_size=2000))
def test_offsets_are_those_of_the_file(encoding: str, text: str) -> None:
    """Pieces are counted in the bytes as they lie in the file, whatever the encoding."""
    check_covers("a.py", text.encode(encoding))


def test_analysis_travels_between_processes() -> None:
    """An analysis survives pickling."""
    analysis = analyse("a.py", b"def f():\n    return 1\n")
    assert pickle.loads(pickle.dumps(analysis)) == analysis
