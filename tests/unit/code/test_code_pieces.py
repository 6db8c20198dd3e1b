"""Do the pieces of any file cover it, hostile ones included?"""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsite.code import Analysis, analyse, parse
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


REPEATED = {
    "brackets": b"(",
    "brackets on rows": b"(\n",
    "braces on rows": b"{\n",
    "nested lists": b"[1,",
    "nested classes": b"class A {\n",
    "nested functions": b"function f() {\n",
    "definitions": b"def f(:\n ",
    "strings": b'"',
    "templates": b"`${",
    "comments": b"/* ",
    "tags": b"<a>",
    "generics": b"a<b>(c)",
    "conditions": b"#ifdef A\n",
    "statements": b"x = 1; ",
    "line feeds": b"\n",
    "modules": b"defmodule A do\n",
    "underlines": b"a\n---\n",
    "keys": b'{"a":\n',
    "zeros": b"\0",
}


@pytest.mark.parametrize("path", [*PATH_BY_LANGUAGE.values(), *OTHER_PATHS])
@pytest.mark.parametrize("case", REPEATED)
def test_repetition_is_covered(path: str, case: str) -> None:
    """Two kilobytes of one thing nested in itself are cut like anything else."""
    data = REPEATED[case]
    check_covers(path, data * (2_000 // len(data)))


@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.json", "a.md", "a.txt"])
def test_one_enormous_line_is_one_piece(path: str) -> None:
    """Five megabytes without a line feed are read at once, without a tree."""
    analysis = check_covers(path, b"x = [1, 2]; " * 420_000)
    assert len(analysis.pieces) == 1


def test_nesting_of_a_hundred_thousand_brackets_ends() -> None:
    """Depth of the tree is no depth of the stack."""
    check_covers("a.js", b"[\n" * 100_000)


def test_a_parse_out_of_budget_is_cut_by_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the parser is stopped, pieces come from the lines and the analysis says so."""
    monkeypatch.setattr(parse, "MOST_SECONDS", -1.0)
    analysis = analyse("a.py", b"def f():\n    return 1\n\n\n" * 2000)
    assert analysis.problems == ("parse stopped after -1.0 s: cut by lines",)
    assert {symbol.name for piece in analysis.pieces for symbol in piece.symbols} == {"f"}


def test_damaged_code_keeps_its_sound_definitions() -> None:
    """A syntax error costs its surroundings, not the file."""
    source = b"def before():\n    return 1\n\n\ndef broken(:\n    ((\n\n\ndef after():\n    return 2\n"
    analysis = check_covers("a.py", source)
    names = {symbol.name for piece in analysis.pieces for symbol in piece.symbols}
    assert "before" in names
    assert analysis.problems == ("syntax errors near line 5",)
