"""From the bytes of a file to what the index stores: decoded, chunked, turned into terms. Runs in any process."""

from __future__ import annotations

from callsite import code
from callsite.index.prepared import Prepared, chunk_terms, deflate, last_part, name_key
from callsite.indexing.choose import FORCED
from callsite.text.words import Words, fold
from callsite.values import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """A content to prepare. A forced one is taken in even if it looks generated, minified or like data."""

    digest: str
    hint: str
    path: str
    data: bytes

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
    return Prepared(
        path=job.path,
        digest=job.digest,
        hint=job.hint,
        language=analysis.language,
        encoding=analysis.encoding,
        n_bytes=len(job.data),
        text=deflate(analysis.text),
        problems="; ".join(analysis.problems),
        chunks=[(p.type, p.name, p.first_line, p.last_line, p.start, p.length, p.signature) for p in pieces],
        symbols=[(n, s.line, s.name, s.kind, s.depth) for n, defined in enumerate(symbols) for s in defined],
        name_keys=sorted({(name_key(fold(last_part(name))), n) for n, defined in enumerate(names) for name in defined}),
        terms=chunk_terms(analysis.text, [(p.name, p.first_line, p.last_line) for p in pieces], names, words),
    )


def unprepared(job: Job, reason: str) -> Prepared:
    """A content that could not be prepared."""
    return Prepared(path=job.path, digest=job.digest, hint=job.hint, n_bytes=len(job.data), skip=reason)
