"""Where are the pieces and symbols of one file? The way from bytes to pieces, on one screen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from callsite.types import Piece

from .blocks import Part, Scope
from .cues import refined
from .cut import indentation
from .grammars import grammar_of
from .grammars.rules import Grammar, Reading
from .languages import language_of
from .outline import outline
from .pack import Packer
from .parse import first_error_row, parse, seconds_for
from .source import Decoded, Source, decode, original_starts
from .walk import Statements, statements_of

_SMALL_SIZE = 20_000
_LONG_LINE = 2_000  #: lines longer than this on average are pieces by themselves


def chunked(path: str, data: bytes) -> tuple[str, Decoded, tuple[Piece, ...], tuple[str, ...]]:
    """The language, the text, the pieces and the problems of a file."""
    decoded, source, starts = _read(data)
    first_line = decoded.text[:200].partition("\n")[0]
    language = refined(language_of(path, first_line), source.data)
    pieces, problems = _pieces(language, source, starts)
    return language, decoded, pieces, decoded.problems + problems


def _read(data: bytes) -> tuple[Decoded, Source, list[int]]:
    """The text, its rows, and where each row lies in the file; damaged UTF-16 has no rows of its own."""
    decoded = decode(data)
    is_plain = decoded.encoding == "utf-8" and not decoded.problems and not data.startswith(b"\xef\xbb\xbf")
    source = Source(data if is_plain else decoded.text.encode("utf-8", errors="replace"))
    starts = source.starts if is_plain else original_starts(data, decoded.encoding)
    if len(starts) == len(source.starts):
        return decoded, source, starts
    decoded = Decoded(text=data.decode("latin-1"), encoding="latin-1", problems=decoded.problems)
    return decoded, Source(decoded.text.encode("utf-8")), original_starts(data, "latin-1")


def _pieces(language: str, source: Source, starts: list[int]) -> tuple[tuple[Piece, ...], tuple[str, ...]]:
    grammar = None if _is_one_line(source) else grammar_of(language)
    problems: tuple[str, ...] = ()
    if grammar is not None:
        pieces, problems = _pieces_by_tree(grammar, source, starts)
        if pieces is not None:
            return pieces, problems
    from .text_outline import text_outline  # its patterns take 10 ms to compile; most files have a tree

    packer = Packer(source, starts, levels=partial(indentation, source), walk=_no_statements)
    return packer.pack(text_outline(language, source)), problems


def _is_one_line(source: Source) -> bool:
    """Whether the lines are so long that a tree, which is dear then, could not lead to better pieces."""
    size = len(source.data)
    return size > _SMALL_SIZE and size > _LONG_LINE * source.n_rows


def _pieces_by_tree(
    grammar: Grammar, source: Source, starts: list[int]
) -> tuple[tuple[Piece, ...] | None, tuple[str, ...]]:
    tree = parse(source.data, module=grammar.module, function=grammar.function)
    if tree is None:
        return None, (f"parse stopped after {seconds_for(len(source.data)):.1f} s: cut by lines",)
    row = first_error_row(tree.root_node)
    problems = (f"syntax errors near line {row + 1}",) if row >= 0 else ()
    reading = Reading(source.data, grammar.rules)

    def walk(parts: Sequence[Part], scope: Scope) -> Statements:
        return statements_of(parts, source, reading, scope)

    packer = Packer(source, starts, levels=partial(indentation, source), walk=walk)
    return packer.pack(outline(tree.root_node, source, grammar)), problems


def _no_statements(_parts: Sequence[Part], _scope: Scope) -> Statements:
    return Statements()
