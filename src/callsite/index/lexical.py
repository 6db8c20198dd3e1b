"""Which chunks and which files hold these terms? Two tantivy indexes of one shape, `files` and `chunks` (S1).

They know terms and numbers only: files by the catalogue's id, a chunk by file and ordinal. Everything in them can be
made again from the catalogue. A file that the catalogue does not know is invisible, so documents are added before the
catalogue commits and removed after; the order makes a crash harmless.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import tantivy

from callsite.errors import IndexUnusable

#: One query over all three fields weighs them so: a name in the path says more than a defined name, and that more
#: than a word (S1). Retrieval asks the legs one by one and weighs them with `retrieval.weights`.
FIELD_WEIGHTS = {"path": 3.0, "symbols": 1.5, "words": 1.0}
PARTS = ("files", "chunks")

_ORDINAL_BITS = 20
_LARGE_HEAP = 60_000_000
_SMALL_HEAP = 15_000_000  # tantivy's minimum


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What the index is told of a file or a chunk: terms separated by spaces, and the values that filters ask for."""

    file: int
    ordinal: int
    words: str
    symbols: str
    path: str
    type: str
    language: str
    folders: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which documents a search may return; every leg applies it inside its query (S14)."""

    hidden: Sequence[int] = ()  #: files of other views
    only: Sequence[int] | None = None  #: files that globs chose; None = all
    folder: str = ""
    languages: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


class LexicalDamaged(IndexUnusable):
    """The lexical index can't be read; it can be made again from the catalogue."""


class Lexical:
    """Both indexes, open for reading; `writing()` opens them for writing."""

    def __init__(self, folder: Path) -> None:
        """Open the indexes in `folder`, made when absent; LexicalDamaged when one can't be read."""
        self._folder = folder
        self._schema = _schema()
        self._indexes = {part: self._open(part) for part in PARTS}
        self._searchers = {part: index.searcher() for part, index in self._indexes.items()}
        self._shown = self.stamps()

    def _open(self, part: str) -> tantivy.Index:
        folder = self._folder / part
        try:
            folder.mkdir(parents=True, exist_ok=True)
            index = tantivy.Index(self._schema, str(folder))
            index.config_reader("manual")
            index.reload()
            return index
        except (ValueError, OSError) as error:
            raise LexicalDamaged(f"the lexical index in {folder} can't be opened: {error}") from error

    def stamps(self) -> str:
        """What was committed last, as the indexes themselves say: compared with the catalogue's note of it."""
        found = []
        for part in PARTS:
            try:
                found.append(str(json.loads((self._folder / part / "meta.json").read_bytes())["opstamp"]))
            except (OSError, ValueError, KeyError, TypeError):
                found.append("?")
        return " ".join(found)

    def n_documents(self, part: str) -> int:
        return int(self._searchers[part].num_docs)

    def reload(self) -> None:
        """See what was committed last."""
        for part, index in self._indexes.items():
            index.reload()
            self._searchers[part] = index.searcher()
        self._shown = self.stamps()

    def reload_if_changed(self) -> None:
        """See what another process committed."""
        if self.stamps() != self._shown:
            self.reload()

    def search_chunks(
        self, weights: Mapping[str, float], *, fields: Mapping[str, float], scope: Scope, limit: int
    ) -> list[tuple[int, int, float]]:
        """The best chunks as (file, ordinal, BM25 score), best first."""
        found = self._search("chunks", weights, fields=fields, scope=scope, limit=limit)
        mask = (1 << _ORDINAL_BITS) - 1
        return [(key >> _ORDINAL_BITS, key & mask, score) for key, score in found]

    def search_files(
        self, weights: Mapping[str, float], *, fields: Mapping[str, float], scope: Scope, limit: int
    ) -> list[tuple[int, float]]:
        """The best files as (file, BM25 score), best first."""
        found = self._search("files", weights, fields=fields, scope=scope, limit=limit)
        return [(key >> _ORDINAL_BITS, score) for key, score in found]

    def _search(
        self, part: str, weights: Mapping[str, float], *, fields: Mapping[str, float], scope: Scope, limit: int
    ) -> list[tuple[int, float]]:
        query = compile_query(self._schema, weights, fields=fields, scope=scope, part=part)
        if query is None or limit <= 0:
            return []
        searcher = self._searchers[part]
        try:
            hits = searcher.search(query, limit, count=False).hits
            keys = searcher.fast_field_values("key", [address for _, address in hits])
        except (ValueError, OSError) as error:
            raise LexicalDamaged(f"the lexical index in {self._folder / part} can't be read: {error}") from error
        return [(int(key), score) for key, (score, _) in zip(keys, hits, strict=True) if key is not None]

    def writing(self, *, large: bool) -> Writing:
        """Open both indexes for writing; the catalogue's lock must be held."""
        return Writing(self._schema, self._indexes, heap=_LARGE_HEAP if large else _SMALL_HEAP)


class Writing:
    """A change to both indexes; nothing is seen before `commit`, and without it everything falls away.

    `close` gives tantivy's own write locks back.
    """

    def __init__(self, schema: tantivy.Schema, indexes: Mapping[str, tantivy.Index], *, heap: int) -> None:
        self._schema = schema
        try:
            self._writers = {part: index.writer(heap, 1) for part, index in indexes.items()}
        except (ValueError, OSError) as error:
            raise IndexUnusable(f"the lexical index can't be written: {error}") from error

    def close(self) -> None:
        self._writers.clear()

    def add(self, part: str, documents: Iterable[Document]) -> None:
        writer = self._writers[part]
        for document in documents:
            writer.add_document(_tantivy_document(document))

    def remove(self, files: Iterable[int]) -> None:
        for file in files:
            for writer in self._writers.values():
                writer.delete_documents_by_term("file", file)

    def remove_above(self, file: int) -> None:
        """Remove what a writer that died had added: files beyond the last id that the catalogue gave out."""
        beyond = tantivy.Query.range_query(
            self._schema, "file", tantivy.FieldType.Unsigned, lower_bound=file, include_lower=False
        )
        for writer in self._writers.values():
            writer.delete_documents_by_query(beyond)

    def clear(self) -> None:
        for writer in self._writers.values():
            writer.delete_all_documents()

    def commit(self, *, wait_for_merges: bool) -> None:
        """Make the change durable; both parts side by side, as each waits for the disk."""
        failures: list[Exception] = []

        def finish(writer: tantivy.IndexWriter) -> None:
            try:
                writer.commit()
                if wait_for_merges:
                    writer.wait_merging_threads()
            except (ValueError, OSError) as error:
                failures.append(error)

        threads = [Thread(target=finish, args=(writer,)) for writer in self._writers.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.close()
        if failures:
            raise IndexUnusable(f"the lexical index can't be written: {failures[0]}") from failures[0]


def compile_query(
    schema: tantivy.Schema, weights: Mapping[str, float], *, fields: Mapping[str, float], scope: Scope, part: str
) -> tantivy.Query | None:
    """Weighted terms and a scope as one query; None when nothing can match."""
    should = [
        (tantivy.Occur.Should, _weighted(tantivy.Query.term_query(schema, field, term, "freq"), weight * field_weight))
        for field, field_weight in fields.items()
        for term, weight in weights.items()
        if weight * field_weight > 0
    ]
    if not should or (scope.only is not None and not scope.only):
        return None
    words = tantivy.Query.boolean_query(should)
    limits = list(_limits(schema, scope, part))
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, words), *limits]) if limits else words


def _weighted(query: tantivy.Query, weight: float) -> tantivy.Query:
    return query if weight == 1.0 else tantivy.Query.boost_query(query, weight)


def _limits(schema: tantivy.Schema, scope: Scope, part: str) -> Iterator[tuple[tantivy.Occur, tantivy.Query]]:
    def any_of(field: str, values: Sequence[str] | Sequence[int]) -> tantivy.Query:
        return tantivy.Query.const_score_query(tantivy.Query.term_set_query(schema, field, list(values)), 0.0)

    if scope.hidden:
        yield tantivy.Occur.MustNot, any_of("file", scope.hidden)
    if scope.only is not None:
        yield tantivy.Occur.Must, any_of("file", scope.only)
    if scope.folder:
        yield tantivy.Occur.Must, any_of("folder", [scope.folder])
    if scope.languages:
        yield tantivy.Occur.Must, any_of("language", scope.languages)
    if scope.types and part == "chunks":
        yield tantivy.Occur.Must, any_of("type", scope.types)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("key", fast=True)
    builder.add_unsigned_field("file", indexed=True)
    for field in FIELD_WEIGHTS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    for field in ("type", "language", "folder"):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    return builder.build()


def _tantivy_document(document: Document) -> tantivy.Document:
    made = tantivy.Document()
    made.add_unsigned("key", document.file << _ORDINAL_BITS | document.ordinal)
    made.add_unsigned("file", document.file)
    made.add_text("words", document.words)
    made.add_text("symbols", document.symbols)
    made.add_text("path", document.path)
    made.add_text("type", document.type)
    made.add_text("language", document.language)
    for folder in document.folders:
        made.add_text("folder", folder)
    return made
