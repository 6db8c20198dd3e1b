"""How does PostgreSQL find the best of one leg among what a filter gives? An Engine for one state of a collection."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import fsum
from operator import mul
from typing import Any

from psycopg import sql

from callsite.query.fields import Field, single_precision
from callsite.query.nodes import All, Knn, Match, Node
from callsite.query.values import length
from callsite.stores.answering import Ranked
from callsite.stores.order import by_id
from callsite.stores.postgres import lexicon
from callsite.stores.postgres.connections import Session
from callsite.stores.postgres.filters import Condition, Filters, TermWeights, both
from callsite.stores.postgres.layout import MOST_INDEXED, Layout, column_of
from callsite.stores.postgres.lexicon import keys_given
from callsite.stores.postgres.packing import vector_of
from callsite.stores.postgres.tables import has_index
from callsite.stores.values import Key

#: Beyond the k nearest by the server's cosine, which it adds up in single precision: who may yet belong to them.
_MARGIN = 16
_WIDEST_SEARCH = 1_000  # what hnsw.ef_search may be
_NARROWEST_SEARCH = 100  # in each partition; recall@10 is above .99 from 40 on, see docs/why/postgres-store.md
_NEAR = 1.5  # times the bound: an estimate within is not trusted
_MOST_SCANNED = 100_000  # tuples of an index before a search in it gives up, and all are compared


class PostgresEngine:
    """Answers within one transaction."""

    def __init__(self, session: Session, layout: Layout, *, term_weights: TermWeights, exact_up_to: int) -> None:
        self._session = session
        self._layout = layout
        self._filters = Filters(layout, term_weights)
        self._term_weights = term_weights
        self._exact_up_to = exact_up_to
        self._asked: dict[Match, list[lexicon.Asked]] = {}

    def matching(self, leg: Match, among: Node, limit: int) -> Ranked:
        condition = self._filters.condition(among)
        return lexicon.best(self._session, self._layout, self._asked_by(leg), condition, limit)

    def matching_of(self, leg: Match, among: Node, keys: Collection[Key]) -> dict[Key, float]:
        condition = self._filters.condition(among)
        return lexicon.scores(self._session, self._layout, self._asked_by(leg), condition, keys)

    def nearest(self, leg: Knn, among: Node) -> Ranked:
        field = self._layout.collection.schema.field(leg.target)
        assert field is not None
        there = Condition(sql.SQL("t.{} IS NOT NULL").format(column_of(field).identifier))
        condition = both(self._filters.condition(among), there)
        asked = single_precision(leg.vector)
        if self._is_approximate(field, leg, among, condition):
            found = self._near_by_index(field, asked, condition, leg.limit)
            if len(found) >= leg.limit:
                return found[: leg.limit]
        return self._near_by_all(field, asked, condition, leg.limit)[: leg.limit]

    def passing(self, among: Node, limit: int) -> list[Key]:
        condition = self._filters.condition(among)
        return self._keys(
            "SELECT {key} FROM {table} AS t WHERE {where} ORDER BY id, {routing} LIMIT %s", condition, limit
        )

    def count(self, among: Node) -> int:
        if isinstance(among, All):
            return lexicon.n_documents(self._session, self._layout)
        return int(self._rows("SELECT count(*) FROM {table} AS t WHERE {where}", self._filters.condition(among))[0][0])

    def passing_of(self, among: Node, keys: Collection[Key]) -> set[Key]:
        given, condition = keys_given(self._layout, keys), self._filters.condition(among)
        statement = sql.SQL("SELECT {key} FROM {table} AS t JOIN {given} USING ({key}) WHERE {where}").format(
            key=self._layout.key, table=self._layout.table, given=given.text, where=condition.text
        )
        rows = self._session.run(statement, (*given.values, *condition.values))
        return {Key(routing, id) for routing, id in rows}

    def _asked_by(self, leg: Match) -> list[lexicon.Asked]:
        if leg not in self._asked:
            terms = self._term_weights(leg)
            self._asked[leg] = lexicon.asked(self._session, self._layout, leg, terms) if terms else []
        return self._asked[leg]

    def _near_by_all(self, field: Field, asked: Sequence[float], condition: Condition, limit: int) -> Ranked:
        """Every vector that passes is compared; the sum keeps the planner from an index."""
        column = column_of(field).identifier
        distance = sql.SQL("({} <=> %s::vector) + 0").format(column)
        return self._near(field, asked, condition, sql.SQL("{}, id, {}").format(distance, self._layout.routing), limit)

    def _near_by_index(self, field: Field, asked: Sequence[float], condition: Condition, limit: int) -> Ranked:
        width = min(_WIDEST_SEARCH, max(_NARROWEST_SEARCH, limit + _MARGIN))
        self._session.run(
            "SELECT set_config('hnsw.iterative_scan', 'strict_order', true), "
            "set_config('hnsw.ef_search', %s, true), set_config('hnsw.max_scan_tuples', %s, true)",
            (str(width), str(_MOST_SCANNED)),
        )
        column = column_of(field).identifier
        cast = "" if field.dims <= MOST_INDEXED else f"::halfvec({int(field.dims)})"
        distance = sql.SQL(f"({{}}{cast}) <=> (%s::vector{cast})").format(column)
        return self._near(field, asked, condition, distance, limit)

    def _near(
        self, field: Field, asked: Sequence[float], condition: Condition, order: sql.Composable, limit: int
    ) -> Ranked:
        """Found by the server's cosine, and put in order by an exact one."""
        statement = sql.SQL(
            "SELECT {key}, {column}, vector_norm({column}) FROM {table} AS t WHERE {where} ORDER BY {order} LIMIT %s"
        ).format(
            key=self._layout.key,
            column=column_of(field).identifier,
            table=self._layout.table,
            where=condition.text,
            order=order,
        )
        text = f"[{','.join(map(repr, asked))}]"
        rows = self._session.run(statement, (*condition.values, text, limit + _MARGIN))
        size = length(asked)
        found = [
            (Key(routing, id), _single(fsum(map(mul, asked, vector_of(packed))) / (size * norm)))
            for routing, id, packed, norm in rows
        ]
        return sorted(found, key=lambda one: (-one[1], by_id(one[0])))

    def _is_approximate(self, field: Field, leg: Knn, among: Node, condition: Condition) -> bool:
        """Whether there is an index, and so many documents pass that comparing all takes long."""
        if leg.limit > _WIDEST_SEARCH or not has_index(self._session, self._layout, field):
            return False
        if self.count(All()) <= self._exact_up_to:
            return False
        return isinstance(among, All) or self._n_passing(condition) > self._exact_up_to

    def _n_passing(self, condition: Condition) -> int:
        """As the planner estimates it; counted, as far as it matters, when the estimate is near to the bound."""
        estimated = self._rows("EXPLAIN (FORMAT json) SELECT FROM {table} AS t WHERE {where}", condition)
        n = int(estimated[0][0][0]["Plan"]["Plan Rows"])
        if not self._exact_up_to / _NEAR < n < self._exact_up_to * _NEAR:
            return n
        few = "SELECT count(*) FROM (SELECT FROM {table} AS t WHERE {where} LIMIT %s) AS few"
        return int(self._rows(few, condition, self._exact_up_to + 1)[0][0])

    def _keys(self, statement: str, condition: Condition, *more: object) -> list[Key]:
        return [Key(routing, id) for routing, id in self._rows(statement, condition, *more)]

    def _rows(self, statement: str, condition: Condition, *more: object) -> list[tuple[Any, ...]]:
        names: Mapping[str, sql.Composable] = {
            "key": self._layout.key,
            "routing": self._layout.routing,
            "table": self._layout.table,
            "where": condition.text,
        }
        return self._session.run(sql.SQL(statement).format(**names), (*condition.values, *more))


def _single(number: float) -> float:
    return single_precision((number,))[0]
