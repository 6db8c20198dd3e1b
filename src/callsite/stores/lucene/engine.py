"""How does a server find the best of one leg among what a filter gives? An Engine for one state of a collection."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from callsite.query.fields import single_precision
from callsite.query.nodes import Knn, Match, Node
from callsite.query.values import length
from callsite.stores.answering import Ranked
from callsite.stores.lucene.dialect import Dialect, Json
from callsite.stores.lucene.fetching import Fetching
from callsite.stores.lucene.filters import Filters, after, all_of, under
from callsite.stores.lucene.mapping import Place
from callsite.stores.lucene.snapshot import AS_IS, BY_WORDS, MOST_HITS, Hit, Snapshot
from callsite.stores.order import by_id
from callsite.stores.terms import Terms
from callsite.stores.values import Document, Key

_FETCHED_AT_ONCE = 1_000  # hits: of so few the fields come with them, of more only those that are chosen in the end
_SEARCH = "search"

Item = TypeVar("Item")


class LuceneEngine:
    """Answers about one snapshot, and keeps the documents that came with the answers."""

    def __init__(
        self,
        snapshot: Snapshot,
        dialect: Dialect,
        place: Place,
        terms: Terms,
        *,
        names: Sequence[str] = (),
        exact_up_to: int,
    ) -> None:
        self._snapshot = snapshot
        self._dialect = dialect
        self._collection = place.collection
        self._filters = Filters(place.collection, terms.of_match)
        self._has_fields = bool(names)
        self._fetching = Fetching(place.collection, names)
        self._exact_up_to = exact_up_to
        self._came: dict[Key, Document] = {}
        self._passed: dict[Node, set[Key]] = {}  #: what was found among a filter need not be asked whether it passes
        self._by_id = [{"id": "asc"}, {place.collection.routing: "asc"}]
        self._by_key = [{place.collection.routing: "asc"}, {"id": "asc"}]

    def matching(self, leg: Match, among: Node, limit: int) -> Ranked:
        query = self._filters.matching(leg, self._filters.condition(among))
        return self._noted(among, self._best(query, limit, by=BY_WORDS))

    def matching_of(self, leg: Match, among: Node, keys: Collection[Key]) -> dict[Key, float]:
        condition = self._filters.condition(among)
        found: dict[Key, float] = {}
        for some in _parts(keys, MOST_HITS):
            query = self._filters.matching(leg, condition, under(some))
            hits = self._hits({"query": query}, len(some), fetches=False, by=BY_WORDS)
            found |= {self._fetching.key_of(hit): _single(hit["_score"]) for hit in hits}
        return found

    def nearest(self, leg: Knn, among: Node) -> Ranked:
        there = all_of([self._filters.condition(among), self._filters.there(leg.target)])
        size = length(leg.vector)
        vector = [number / size for number in leg.vector]  # servers add up in single precision; so nothing overflows
        if self._snapshot.count(_SEARCH, there, self._exact_up_to + 1) > self._exact_up_to:
            found = self._near_by_graph(leg, vector, self._filters.condition(among))
            if len(found) >= leg.limit:
                return self._noted(among, found)
        query = self._dialect.by_all(leg.target, vector, there)
        cosine = self._dialect.cosine_by_all
        return self._noted(among, [(key, _cosine(cosine(score))) for key, score in self._best(query, leg.limit)])

    def passing(self, among: Node, limit: int) -> list[Key]:
        return self._keys(self._filters.condition(among), self._by_id, limit)

    def count(self, among: Node) -> int:
        return self._snapshot.count("count", self._filters.condition(among))

    def passing_of(self, among: Node, keys: Collection[Key]) -> set[Key]:
        condition = self._filters.condition(among)
        found = self._passed.get(among, set()).intersection(keys)
        for some in _parts([key for key in keys if key not in found], MOST_HITS):
            hits = self._hits({"query": all_of([condition, under(some)])}, len(some), fetches=False)
            found |= {self._fetching.key_of(hit) for hit in hits}
        return found

    def scan(self, among: Node, start: Key | None, limit: int) -> list[Key]:
        """The first that pass and come after the key, by routing, then id."""
        conditions = [self._filters.condition(among)]
        if start is not None:
            conditions.append(after(self._collection.routing, start))
        return self._keys(all_of(conditions), self._by_key, limit, fetches=True)

    def documents(self, keys: Iterable[Key]) -> dict[Key, Document]:
        """With the fields that the engine was made for."""
        wanted = list(keys)
        if not self._has_fields:
            return {key: Document(key=key, fields={}) for key in wanted}
        for some in _parts([key for key in wanted if key not in self._came], MOST_HITS):
            self._hits({"query": all_of([under(some)])}, len(some), fetches=True)
        return {key: self._came[key] for key in wanted}

    def _noted(self, among: Node, ranked: Ranked) -> Ranked:
        self._passed.setdefault(among, set()).update(key for key, _ in ranked)
        return ranked

    def _near_by_graph(self, leg: Knn, vector: Sequence[float], among: Json) -> Ranked:
        body = self._dialect.by_graph(leg.target, vector, among, leg.limit)
        hits = self._hits(body, leg.limit)
        found = [(self._fetching.key_of(hit), _cosine(2 * hit["_score"] - 1)) for hit in hits]
        return sorted(found, key=lambda one: (-one[1], by_id(one[0])))

    def _best(self, query: Json, limit: int, *, by: Mapping[str, str] = AS_IS) -> Ranked:
        """By score; equal ones by id, then routing, at the cut too."""
        hits = self._hits({"query": query, "sort": [{"_score": "desc"}, *self._by_id]}, limit, by=by)
        return [(self._fetching.key_of(hit), _single(hit["_score"])) for hit in hits]

    def _keys(self, condition: Json, sort: list[Json], limit: int, *, fetches: bool | None = None) -> list[Key]:
        body = {"query": condition, "sort": sort}
        return [self._fetching.key_of(hit) for hit in self._hits(body, limit, fetches=fetches)]

    def _hits(self, body: Json, limit: int, *, fetches: bool | None = None, by: Mapping[str, str] = AS_IS) -> list[Hit]:
        """With the documents, unless they are so many that most may not be wanted."""
        is_fetching = self._has_fields and (limit <= _FETCHED_AT_ONCE if fetches is None else fetches)
        body |= self._fetching.documents if is_fetching else self._fetching.keys
        hits = self._snapshot.hits(_SEARCH, body, limit, by=by)
        if is_fetching:
            self._came |= {document.key: document for document in map(self._fetching.document_of, hits)}
        return hits


def _parts(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def _cosine(number: float) -> float:
    return _single(max(-1.0, min(1.0, number)))


def _single(number: float) -> float:
    return single_precision((number,))[0]
