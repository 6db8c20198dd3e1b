"""How does the embedded store search among what a filter gives? An Engine for `stores/answering.py`.

Words and vectors are searched outside SQLite, filters inside. Where few documents pass a filter, they are listed first
and only they are searched; where many do, the best are looked through until enough of them pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from heapq import nlargest
from typing import cast

from callsite.query.nodes import All, And, Filter, Knn, Match, Node
from callsite.stores.answering import Ranked
from callsite.stores.embedded.database import Database
from callsite.stores.embedded.documents import Documents
from callsite.stores.embedded.filters import EVERY, Condition, Filters
from callsite.stores.embedded.lexicon import Lexicon
from callsite.stores.order import by_id
from callsite.stores.terms import match_terms
from callsite.stores.values import Key
from callsite.text.words import Words
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from callsite.stores.embedded.vectors import Vectors

_FEW = 2_000  # documents: to list so many takes a millisecond
_FIRST_LOOK = 1_000
_GROWTH = 8

Scored = list[tuple[int, float]]  #: rows with scores
Best = Iterator[tuple[Scored, float]]  #: more and more of them, and a score that no other exceeds


class EmbeddedEngine:
    """Searches one collection, inside a transaction."""

    def __init__(
        self,
        database: Database,
        documents: Documents,
        words: Words,
        *,
        lexicon: Callable[[], Lexicon],
        vectors_of: Callable[[str], Vectors],
    ) -> None:
        self._database = database
        self._documents = documents
        self._lexicon = lexicon
        self._words = words
        self._vectors_of = vectors_of
        self._table = f"documents_{documents.number} d"
        self._filters = Filters(documents.collection, documents.number, self._rows_matching)

    def matching(self, leg: Match, among: Node, limit: int) -> Ranked:
        condition = self._filters.condition(among)
        few = None if isinstance(among, All) else self._few(condition)
        if few is not None:
            return self._ranked(self._scores(leg, limit, among=few)[0], EVERY)[:limit]
        return self._enough(self._best_matching(leg, limit), condition, limit)

    def nearest(self, leg: Knn, among: Node) -> Ranked:
        condition = self._filters.condition(among)
        vectors = self._vectors_of(leg.target)
        few = None if isinstance(among, All) else self._few(condition)
        if few is not None:
            return self._ranked(_first(vectors.of_rows(leg.vector, few), leg.limit), EVERY)[: leg.limit]
        return self._enough(vectors.best_first(leg.vector, self._routings(among)), condition, leg.limit)

    def passing(self, among: Node, limit: int) -> list[Key]:
        condition = self._filters.condition(among)
        query = f"SELECT d.routing, d.id FROM {self._table} WHERE {condition.sql} ORDER BY d.id, d.routing LIMIT ?"
        return [Key(routing, id) for routing, id in self._database.rows(query, *condition.values, limit)]

    def count(self, among: Node) -> int:
        condition = self._filters.condition(among)
        return int(self._database.value(f"SELECT count(*) FROM {self._table} WHERE {condition.sql}", *condition.values))

    def matching_of(self, leg: Match, among: Node, keys: Collection[Key]) -> dict[Key, float]:
        rows = self._documents.rows_of(keys)
        scores, _ = self._scores(leg, len(rows), among=list(rows.values()))
        return dict(self._ranked(scores, self._filters.condition(among)))

    def passing_of(self, among: Node, keys: Collection[Key]) -> set[Key]:
        rows = self._documents.rows_of(keys)
        return set(self._documents.keys_of(rows.values(), self._filters.condition(among)).values())

    def scan(self, among: Node, after: Key | None, size: int) -> list[Key]:
        """The first documents that pass and come after the key, by routing, then id."""
        condition = self._filters.condition(among)
        later, values = ("(d.routing, d.id) > (?, ?)", (after.routing, after.id)) if after else ("1", ())
        query = f"SELECT d.routing, d.id FROM {self._table} WHERE {later} AND {condition.sql}"
        values = (*values, *condition.values, size)
        found = self._database.rows(f"{query} ORDER BY d.routing, d.id LIMIT ?", *values)
        return [Key(routing, id) for routing, id in found]

    def rows_passing(self, among: Node) -> dict[int, str]:
        """All documents that pass: row → id."""
        condition = self._filters.condition(among)
        found = self._database.rows(f"SELECT d.row, d.id FROM {self._table} WHERE {condition.sql}", *condition.values)
        return dict(found)

    def _routings(self, among: Node) -> Sequence[int | str] | None:
        """Where the documents that pass have to be routed; None for anywhere."""
        for part in among.parts if isinstance(among, And) else (among,):
            if isinstance(part, Filter) and part.field == self._documents.collection.routing:
                return cast("Sequence[int | str]", part.values)
        return None

    def _few(self, condition: Condition) -> list[int] | None:
        """The rows that meet the condition, None when they are many."""
        query = f"SELECT d.row FROM {self._table} WHERE {condition.sql} LIMIT ?"
        rows = [row for (row,) in self._database.rows(query, *condition.values, _FEW + 1)]
        return rows if len(rows) <= _FEW else None

    def _scores(self, leg: Match, limit: int, *, among: Sequence[int] | None = None) -> tuple[Scored, bool]:
        return self._lexicon().best(match_terms(leg, self._words), dict(leg.fields), limit, among=among)

    def _best_matching(self, leg: Match, limit: int) -> Best:
        look, is_all = max(_FIRST_LOOK, limit), False
        while not is_all:
            found, is_all = self._scores(leg, look)
            yield found, -1.0 if is_all else found[-1][1]
            look *= _GROWTH

    def _rows_matching(self, leg: Match) -> list[int]:
        found, _ = self._scores(leg, max(1, self._lexicon().n_documents))
        return [row for row, _ in found]

    def _enough(self, best: Best, condition: Condition, limit: int) -> Ranked:
        """Looks on until so many pass that no other can be among the first."""
        for found, others in best:
            ranked = self._ranked(found, condition)
            if len(ranked) >= limit and ranked[limit - 1][1] > others:
                break
        return ranked[:limit]

    def _ranked(self, scores: Scored, condition: Condition) -> Ranked:
        """Those that meet the condition, best first."""
        keys = self._documents.keys_of([row for row, _ in scores], condition)
        found = [(keys[row], score) for row, score in scores if row in keys]
        return sorted(found, key=lambda one: (-one[1], by_id(one[0])))


def _first(scores: Scored, limit: int) -> Scored:
    """Those of which no more than `limit` - 1 are better."""
    if len(scores) <= limit:
        return scores
    least = nlargest(limit, (score for _, score in scores))[-1]
    return [one for one in scores if one[1] >= least]
