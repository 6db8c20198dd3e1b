"""From the bytes of a file to what the index stores: decoded, chunked, turned into terms. Runs in any process."""

from __future__ import annotations

from callsite import code
from callsite.index.outline import packed
from callsite.index.prepared import Prepared, chunk_terms, chunk_types, deflate, last_part, name_form, name_key
from callsite.indexing.choose import FORCED
from callsite.text.words import Words, fold
from callsite.types import Symbol
from callsite.values import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """A content to prepare. A forced one is taken in even if it looks generated, minified or like data."""

    digest: str
    hint: str
    path: str
    data: bytes
    dictionary: bytes = b""  #: what text and outline are deflated with

    @property
    def is_forced(self) -> bool:
        return self.hint.endswith(FORCED)


def prepare(job: Job, words: Words) -> Prepared:
    """Chunk a content and extract its terms; the result names the problem where there is one."""
    skip = "" if job.is_forced else code.skip_by_content(job.path, job.data)
    if skip:
        return Prepared(path=job.path, digest=job.digest, hint=job.hint, n_bytes=len(job.data), skip=skip)
    analysis = code.analyse(job.path, job.data)
    pieces = analysis.pieces
    symbols = [list({(symbol.line, symbol.name): symbol for symbol in piece.symbols}.values()) for piece in pieces]
    names = [[symbol.name for symbol in defined] for defined in symbols]
    terms = chunk_terms(analysis.text, [(p.name, p.first_line, p.last_line) for p in pieces], names, words)
    outlined = [(n, symbol.line, symbol.name, symbol.kind) for n, defined in enumerate(symbols) for symbol in defined]
    types = chunk_types([piece.type for piece in pieces], [kind for *_, kind in outlined])
    return Prepared(
        path=job.path,
        digest=job.digest,
        hint=job.hint,
        language=analysis.language,
        encoding=analysis.encoding,
        n_bytes=len(job.data),
        text=deflate(analysis.text, job.dictionary),
        problems="; ".join(analysis.problems),
        outline=deflate(packed(pieces, outlined), job.dictionary),
        names=sorted({_name(n, symbol) for n, defined in enumerate(symbols) for symbol in defined}),
        terms=[(type, *found) for type, found in zip(types, terms, strict=True)],
    )


def _name(ordinal: int, symbol: Symbol) -> tuple[int, int, int]:
    form = name_form(symbol.name, is_nested=bool(symbol.depth))
    return name_key(fold(last_part(symbol.name))), ordinal, form


def unprepared(job: Job, reason: str) -> Prepared:
    """A content that could not be prepared."""
    return Prepared(path=job.path, digest=job.digest, hint=job.hint, n_bytes=len(job.data), skip=reason)
