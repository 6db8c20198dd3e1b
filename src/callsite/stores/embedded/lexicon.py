"""Which documents of a collection hold these terms? A tantivy index that knows rows and terms, nothing else.

Everything in it can be made again from the documents; one that can't be read says so with Lost.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tantivy

from callsite.errors import StoreError, StoreUnreachable
from callsite.index.segments import committed, is_busy, is_foreign, mark, remove_strays, writer_of
from callsite.query.nodes import LEXICAL_FIELDS

_HEAP = 60_000_000  # bytes
_MOST_ALIKE = 64  # documents beyond the last that are fetched, so that equal scores at the end are all seen

Ranked = list[tuple[int, float]]  #: rows with scores, best first


class Lost(Exception):
    """The index is not there, or not readable: it has to be made again."""


class Lexicon:
    """One index, open."""

    def __init__(self, folder: Path) -> None:
        """Open it, made when absent; Lost when it can't be read."""
        self._folder = folder
        self._schema = _schema()
        with _foreign(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._index = tantivy.Index(self._schema, str(folder))
            self._index.config_reader("manual")
        self.reload()

    def reload(self) -> None:
        """See what was committed last."""
        with _foreign(self._folder):
            self._mark = mark(self._folder)
            self.stamp = _stamp(self._folder)
            self._index.reload()
            self._searcher = self._index.searcher()

    def reload_if_changed(self) -> None:
        """See what another process committed."""
        if mark(self._folder) != self._mark:
            self.reload()

    @property
    def n_documents(self) -> int:
        return int(self._searcher.num_docs)

    def write(self, rows: Sequence[int], terms_by_row: Iterable[tuple[int, Mapping[str, str]]]) -> None:
        """Make these rows hold these terms and no others; rows without terms go."""
        remove_strays(self._folder)
        with _foreign(self._folder):
            writer = writer_of(self._index, _HEAP)
            try:
                if self.n_documents:
                    writer.delete_documents_by_query(tantivy.Query.term_set_query(self._schema, "row", list(rows)))
                for row, terms in terms_by_row:
                    writer.add_document(_document(row, terms))
                writer.commit()
            finally:
                writer.wait_merging_threads()
        self.reload()

    def best(
        self, terms: Mapping[str, float], fields: Mapping[str, float], limit: int, *, among: Sequence[int] | None = None
    ) -> tuple[Ranked, bool]:
        """The best rows with their BM25 scores, and whether these are all.

        There are more than `limit` when more are as good as the last.
        """
        query = self._query(terms, fields, among)
        size = limit + _MOST_ALIKE
        while query is not None and limit > 0:
            with _foreign(self._folder):
                hits = self._searcher.search(query, size, count=False).hits
                rows: Iterable[Any] = self._searcher.fast_field_values("row", [address for _, address in hits])
            if len(hits) < size or hits[limit - 1][0] > hits[-1][0]:
                return list(zip(rows, [score for score, _ in hits], strict=True)), len(hits) < size
            size *= 4
        return [], True

    def _query(
        self, terms: Mapping[str, float], fields: Mapping[str, float], among: Sequence[int] | None
    ) -> tantivy.Query | None:
        should = [
            (tantivy.Occur.Should, tantivy.Query.boost_query(self._term(field, term), weight * field_weight))
            for field, field_weight in fields.items()
            for term, weight in terms.items()
        ]
        if not should or (among is not None and not among):
            return None
        words = tantivy.Query.boolean_query(should)
        if among is None:
            return words
        rows = tantivy.Query.const_score_query(tantivy.Query.term_set_query(self._schema, "row", list(among)), 0.0)
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, words), (tantivy.Occur.Must, rows)])

    def _term(self, field: str, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, term, "freq")


def opened(folder: Path, *, is_current: Callable[[Lexicon], bool]) -> tuple[Lexicon, bool]:
    """The index in the folder, and whether it had to be begun anew."""
    try:
        found = Lexicon(folder)
        if is_current(found):
            return found, False
    except Lost:
        pass
    shutil.rmtree(folder, ignore_errors=True)
    return Lexicon(folder), True


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("row", fast=True, indexed=True)
    for field in LEXICAL_FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _document(row: int, terms: Mapping[str, str]) -> tantivy.Document:
    made = tantivy.Document()
    made.add_unsigned("row", row)
    for field, said in terms.items():
        made.add_text(field, said)
    return made


def _stamp(folder: Path) -> int:
    """The number of the last commit, which only grows; -1 for none."""
    found = committed(folder).get("opstamp")
    return found if isinstance(found, int) else -1


@contextmanager
def _foreign(folder: Path) -> Iterator[None]:
    """tantivy's errors as ours."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
            raise StoreError(f"the words of the store in {folder} can't be written: {error}; free some room") from error
        if is_busy(error):
            raise StoreUnreachable("another process is writing the store; try again") from error
        if is_foreign(error):
            raise Lost(str(error).partition("\n")[0]) from error
        raise
