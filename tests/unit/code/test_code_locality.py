"""Does an edit inside one definition leave all other pieces as they were?"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callsite.code import analyse

PYTHON = "def f{n}(a, b):\n    '''What f{n} does.'''\n{body}\n    return a\n\n\n"
PYTHON_METHOD = "    def m{n}(self):\n{body}\n        return self\n\n"
GO = "// F{n} does it.\nfunc F{n}(a int) int {{\n{body}\n\treturn a\n}}\n\n"
TYPESCRIPT = "export async function f{n}(a: number) {{\n{body}\n  return a\n}}\n\n"
RUST_METHOD = "    /// Does it.\n    pub fn m{n}(&self) {{\n{body}\n    }}\n\n"
ELIXIR = "  def f{n}(a) do\n{body}\n    a\n  end\n\n"

#: Statements that make a definition too long to share a piece with its neighbours.
SHORTEST = 14

#: Path, head, definition, tail, a statement.
LANGUAGES = {
    "python": ("a.py", "import os\n\nX = 1\n\n\n", PYTHON, "", "    total{k} = a + b * {k}"),
    "method": ("a.py", "class A:\n    size = 1\n\n", PYTHON_METHOD, "", "        self.value{k} = self.size * {k}"),
    "go": ("a.go", "package a\n\n", GO, "", "\tvalue{k} := a * {k}"),
    "typescript": ("a.ts", "import x from 'x'\n\n", TYPESCRIPT, "", "  const value{k} = a * {k}"),
    "rust": ("a.rs", "struct A;\n\nimpl A {\n", RUST_METHOD, "}\n", "        let value{k} = self.size * {k};"),
    "elixir": ("a.ex", "defmodule A do\n", ELIXIR, "end\n", "    value{k} = a * {k}"),
}


def written(language: str, lengths: list[int]) -> tuple[str, bytes]:
    """A file of definitions with so many statements each."""
    path, head, definition, tail, statement = LANGUAGES[language]
    definitions = (
        definition.format(n=n, body="\n".join(statement.format(k=k) for k in range(length)))
        for n, length in enumerate(lengths)
    )
    return path, (head + "".join(definitions) + tail).encode()


def pieces_in(path: str, data: bytes) -> Counter[tuple[str, str, str, bytes]]:
    """What of a piece makes its identity."""
    return Counter(
        (piece.type, piece.name, piece.signature, data[piece.start : piece.start + piece.length])
        for piece in analyse(path, data).pieces
    )


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=40, deadline=None)
@given(
    lengths=st.lists(st.integers(SHORTEST, 120), min_size=3, max_size=8),
    place=st.integers(0, 7),
    length=st.integers(SHORTEST, 120),
)
def test_an_edit_stays_in_its_definition(language: str, lengths: list[int], place: int, length: int) -> None:
    """Only pieces of the edited function differ, however much longer or shorter it became."""
    place %= len(lengths)
    path, before = written(language, lengths)
    _, after = written(language, [*lengths[:place], length, *lengths[place + 1 :]])
    old, new = pieces_in(path, before), pieces_in(path, after)
    changed = (old - new) + (new - old)
    owner = f"m{place}" if language in ("method", "rust") else f"F{place}" if language == "go" else f"f{place}"
    assert all(name.split(".")[-1] == owner or (place == 0 and name == "A") for _, name, _, _ in changed)


@settings(max_examples=30, deadline=None)
@given(n_lines=st.integers(150, 400), place=st.integers(0, 399))
def test_an_edit_of_a_long_text_stays_near(n_lines: int, place: int) -> None:
    """Borders find themselves again behind a changed line of a text without structure."""
    place %= n_lines
    lines = [f"entry {number} says {number * 7919 % 1000} and more" for number in range(n_lines)]
    before = "\n".join(lines).encode()
    after = "\n".join([*lines[:place], "something else", "and one more", *lines[place + 1 :]]).encode()
    old, new = pieces_in("a.txt", before), pieces_in("a.txt", after)
    assert (old - new).total() <= 6
