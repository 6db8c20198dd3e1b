"""Which blocks make a piece? Knows sizes and neighbourhood, nothing of languages.

A definition stands alone unless it is tiny, so an edit in one changes no other piece: only runs of statements and tiny
definitions share a piece, and a run never reaches across a definition.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from callsite.types import Piece, Symbol
from callsite.values import dataclass, replace

from .blocks import TITLE_SEPARATOR, Block, Part, Scope, all_symbols
from .cut import MAX_SIZE, NO_BORDER, TARGET_SIZE, Levels, cut_rows
from .source import Source
from .walk import Statements

TINY_SIZE = 200  #: a definition below this may share a piece
REMAINDER_SIZE = 80  #: a rest below this that names nothing goes with what it follows
FILE_SIZE = 600  #: a file below this with one definition at most is one piece
_LONGEST_SIGNATURE = 200

Walk = Callable[[Sequence[Part], Scope], Statements]


@dataclass(frozen=True, slots=True)
class _Span:
    """A block with the rows that it takes in: up to the beginning of the next one."""

    block: Block
    first: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owner:
    """The container whose members are being packed."""

    name: str = ""
    row: int = -1


class Packer:
    """Turns the blocks of one file into pieces; `levels` and `walk` tell where a long block may be cut."""

    def __init__(self, source: Source, starts: Sequence[int], *, levels: Levels, walk: Walk) -> None:
        self._source = source
        self._starts = starts
        self._levels = levels
        self._walk = walk
        self._pieces: list[Piece] = []

    def pack(self, blocks: Sequence[Block]) -> tuple[Piece, ...]:
        """Pieces that cover every row once, in order."""
        n_rows = self._source.n_rows
        if not n_rows:
            return ()
        definitions = [block for block in blocks if not block.loose]
        if self._source.size(0, n_rows) <= FILE_SIZE and len(definitions) <= 1:
            symbols = tuple(symbol for block in blocks for symbol in all_symbols(block))
            name = definitions[0].name if definitions else ""
            self._emit(0, n_rows, type="file", name=name, symbols=symbols)
        elif not blocks:
            self._emit_cut(0, n_rows, self._levels, Block(type="lines", first=0, end=n_rows, row=0, loose=True))
        else:
            self._pack_region(blocks, 0, n_rows, _Owner())
        return tuple(self._pieces)

    def _pack_region(self, blocks: Sequence[Block], first: int, end: int, owner: _Owner) -> None:
        run: list[_Span] = []
        for span in _spans(blocks, first, end):
            if self._shares(span):
                if run and self._parts(run, span):
                    self._flush(run, owner)
                run.append(span)
            elif run and self._is_bare_head(run, owner):
                self._emit_headed(run, span)
                run.clear()
            elif run and self._leads(run, span.block):
                symbols = tuple(symbol for before in run for symbol in all_symbols(before.block))
                block = replace(span.block, symbols=symbols + span.block.symbols)
                self._emit_block(_Span(block, run[0].first, span.end))
                run.clear()
            else:
                self._flush(run, owner)
                self._emit_block(span)
        self._flush(run, owner)

    def _shares(self, span: _Span) -> bool:
        size = self._source.size(span.first, span.end)
        return size <= (MAX_SIZE if span.block.loose else TINY_SIZE)

    def _parts(self, run: list[_Span], span: _Span) -> bool:
        """Imports share a piece with comments, and with other statements when they are tiny."""
        if all(span.block.lead for span in run):
            return False
        is_import = span.block.type == "imports"
        if (run[-1].block.type == "imports") == is_import:
            return False
        return self._source.size(run[0].first, run[-1].end) > TINY_SIZE

    def _is_bare_head(self, run: list[_Span], owner: _Owner) -> bool:
        if owner.row < 0 or run[0].block.row != owner.row or not all(span.block.lead for span in run[1:]):
            return False
        return self._source.size(run[0].first, run[-1].end) <= TINY_SIZE

    def _leads(self, run: list[_Span], block: Block) -> bool:
        """Comments that stand apart, a line of imports, or a bare title go with the block that follows."""
        size = self._source.size(run[0].first, run[-1].end)
        if all(span.block.lead for span in run):
            return size <= TINY_SIZE
        if size > REMAINDER_SIZE:
            return False
        if block.type == "section":
            return block.name.startswith(run[0].block.name + TITLE_SEPARATOR)
        return not any(all_symbols(span.block) for span in run)

    def _emit_headed(self, run: list[_Span], span: _Span) -> None:
        """A head of a line or two goes with the first member."""
        block, opener, first = span.block, run[0].block, run[0].first
        if self._source.size(first, span.end) <= MAX_SIZE and not block.members:
            symbols = opener.symbols + all_symbols(block)
            self._emit(first, span.end, type=opener.type, name=opener.name, symbols=symbols)
        else:
            block = replace(block, symbols=opener.symbols + block.symbols)
            self._emit_block(_Span(block, first, span.end))

    def _emit_block(self, span: _Span) -> None:
        block, size = span.block, self._source.size(span.first, span.end)
        if block.whole or size <= self._whole_size(block):
            self._emit(span.first, span.end, type=block.type, name=block.name, symbols=all_symbols(block))
        elif block.members:
            self._emit_container(span)
        else:
            self._emit_long(span)

    def _whole_size(self, block: Block) -> int:
        """Up to which size a block is one piece: methods worth a piece of their own never depend on each other."""
        own = [member for member in block.members if not member.loose]
        long = [member for member in own if self._source.size(member.first, member.end) > TINY_SIZE]
        if len(long) > 1:
            return 0
        return TARGET_SIZE if own else MAX_SIZE

    def _emit_container(self, span: _Span) -> None:
        block = span.block
        begins = max(block.members[0].first, span.first)
        members: Sequence[Block] = block.members
        if begins > block.row:
            head = Block(type=block.type, first=span.first, end=begins, row=block.row, name=block.name, loose=True)
            members = (replace(head, symbols=block.symbols), *members)
        else:
            members = (replace(members[0], symbols=block.symbols + members[0].symbols), *members[1:])
        self._pack_region(members, span.first, span.end, _Owner(name=block.name, row=block.row))

    def _emit_long(self, span: _Span) -> None:
        block = span.block
        if not block.parts:
            self._emit_cut(span.first, span.end, self._levels, block)
            return
        depth = block.depth + (not block.loose)
        statements = self._walk(block.parts, Scope(name=block.name, depth=depth))
        level_by_row = statements.level_by_row

        def levels(first: int, end: int) -> list[int]:
            return [level_by_row.get(row, NO_BORDER) for row in range(first, end)]

        self._emit_cut(span.first, span.end, levels, block, statements)

    def _emit_cut(
        self, first: int, end: int, levels: Levels, block: Block, statements: Statements | None = None
    ) -> None:
        nested = tuple(found.symbol for found in statements.nested) if statements else ()
        symbols = tuple(sorted(block.symbols + nested, key=lambda symbol: symbol.line))
        for start, stop in cut_rows(self._source, first, end, levels):
            inner = statements.innermost(start, stop) if statements else None
            holder = inner or block
            row = holder.row if inner or block.symbols or not block.loose else start
            self._emit(
                start,
                stop,
                type=holder.type,
                name=inner.symbol.name if inner else block.name,
                symbols=_within(symbols, start, stop),
                signature=self._signature(row) if row < start else "",
            )

    def _flush(self, run: list[_Span], owner: _Owner) -> None:
        """The statements and tiny definitions that follow each other, cut between them where they are too many."""
        if not run:
            return
        if self._is_remainder(run):
            self._extend_last(run[-1].end)
            run.clear()
            return
        borders = [span.first for span in run]
        symbols = tuple(symbol for span in run for symbol in all_symbols(span.block))
        own = set(borders)

        def levels(first: int, end: int) -> list[int]:
            return [0 if row in own else NO_BORDER for row in range(first, end)]

        for first, end in cut_rows(self._source, run[0].first, run[-1].end, levels):
            spans = run[max(bisect_left(borders, first + 1) - 1, 0) : bisect_left(borders, end)]
            is_single = len(spans) == 1 and not spans[0].block.loose
            self._emit(
                first,
                end,
                type=self._prevailing_type(spans, owner),
                name=_shared_name(spans, owner),
                symbols=_within(symbols, first, end),
                signature=self._signature(owner.row) if 0 <= owner.row < first and not is_single else "",
            )
        run.clear()

    def _is_remainder(self, run: list[_Span]) -> bool:
        """A line that names nothing and ends what went before: an export, a closing directive, a call of `main`."""
        size = self._source.size(run[0].first, run[-1].end)
        if size > REMAINDER_SIZE or not self._pieces or self._pieces[-1].length + size > MAX_SIZE:
            return False
        return not any(all_symbols(span.block) or span.block.type in ("imports", "section") for span in run)

    def _extend_last(self, end: int) -> None:
        last = self._pieces[-1]
        self._pieces[-1] = replace(last, last_line=end, length=self._starts[end] - last.start)

    def _prevailing_type(self, spans: list[_Span], owner: _Owner) -> str:
        if spans[0].block.row == owner.row:
            return spans[0].block.type
        size_by_type: dict[str, int] = {}
        for span in [span for span in spans if not span.block.lead] or spans:
            size = self._source.size(span.first, span.end)
            size_by_type[span.block.type] = size_by_type.get(span.block.type, 0) + size
        return max(size_by_type, key=lambda type_: size_by_type[type_])

    def _signature(self, row: int) -> str:
        return self._source.line(row).decode("utf-8", errors="replace").strip()[:_LONGEST_SIGNATURE]

    def _emit(
        self, first: int, end: int, *, type: str, name: str, symbols: tuple[Symbol, ...] = (), signature: str = ""
    ) -> None:
        start, stop = self._starts[first], self._starts[end]
        self._pieces.append(
            Piece(
                type=type,
                name=name,
                first_line=first + 1,
                last_line=end,
                start=start,
                length=stop - start,
                symbols=symbols,
                signature=signature,
            )
        )


def _spans(blocks: Sequence[Block], first: int, end: int) -> list[_Span]:
    borders = [first, *(block.first for block in blocks[1:]), end]
    return [_Span(block, borders[at], borders[at + 1]) for at, block in enumerate(blocks)]


def _shared_name(spans: list[_Span], owner: _Owner) -> str:
    """The name of what holds all the spans: of sections, the titles that they have in common."""
    first = spans[0].block
    if len(spans) == 1 and (not first.loose or first.type == "section"):
        return first.name
    if first.type != "section":
        return owner.name
    paths = [span.block.name.split(TITLE_SEPARATOR) for span in spans]
    common = [titles[0] for titles in zip(*paths, strict=False) if len(set(titles)) == 1]
    return TITLE_SEPARATOR.join(common)


def _within(symbols: tuple[Symbol, ...], first: int, end: int) -> tuple[Symbol, ...]:
    return tuple(symbol for symbol in symbols if first < symbol.line <= end)
