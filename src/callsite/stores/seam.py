"""What does every store do? The seam between those who ask and the engines that answer.

Stores know no model, no git and no ranking. All calls are synchronous and may come from several threads. Writes that
were acknowledged are seen by lookup, update, delete and delete_orphans at once, by search, count, scan and stats after
`refresh` at the latest. Calls raise StoreError and its children, and QueryError for a query that the collection can't
answer; a bad item of a bulk call is an outcome, never an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Protocol

from callsite.collections.definition import Collection
from callsite.query.builder import Query
from callsite.stores.values import Change, Document, Found, Health, Key, Outcome, Page, Stats

MOST_IN_PAGE = 10_000


class Store(Protocol):
    """Keeps collections and answers queries about them; implementations inherit, so that their types are checked."""

    def create(self, collection: Collection) -> None:
        """Make it; nothing to do when it is there just so.

        CollectionError when another one has its name, or it was put together by hand and can't be meant.
        """

    def change(self, collection: Collection) -> None:
        """Make the collection of that name as defined here: with more fields, with other metadata.

        Nothing to do when it is so already; CollectionError when there is none, or `change_problem` has a reason.
        """

    def drop(self, collection: str) -> bool:
        """Remove it with its documents; whether it was there."""

    def collections(self) -> tuple[Collection, ...]:
        """Those that are there, by name."""

    def upsert(self, collection: str, documents: Iterable[Mapping[str, object]]) -> list[Outcome]:
        """Write documents, in order: created, updated, unchanged, refused, failed.

        A document holds `id`, the routing field, and any others. Of one that is there, fields that are not given stay
        as they are, vectors among them; None empties a field.
        """

    def update(self, collection: str, changes: Iterable[Change]) -> list[Outcome]:
        """Write fields of documents that are there and as expected; it never creates. Id and routing can't be changed.

        Outcomes: updated, unchanged, missing, changed, refused, failed.
        """

    def delete(self, collection: str, keys: Iterable[Key]) -> list[Outcome]:
        """Remove documents: deleted, missing, refused, failed."""

    def delete_orphans(self, collection: str, *, of: Query, keep: AbstractSet[str]) -> int:
        """Remove the documents that a query without knn and limit gives, except those with these ids; how many.

        With no ids to keep, all of them go. The ids may be any number.
        """

    def lookup(
        self, collection: str, keys: Iterable[Key], *, fields: Iterable[str] | None = None
    ) -> list[Document | None]:
        """The documents under the keys, in their order. Without `fields`: all but vectors, here and below."""

    def search(self, collection: str, query: Query, *, fields: Iterable[str] | None = None) -> Found:
        """The first 10,000 documents of a query in its order, with the raw scores of its legs."""

    def count(self, collection: str, query: Query) -> int:
        """How many documents a query gives, all told."""

    def scan(
        self,
        collection: str,
        query: Query,
        *,
        after: Key | None = None,
        size: int = 1_000,
        fields: Iterable[str] | None = None,
    ) -> Page:
        """Up to `size` documents of a query without knn and limit whose keys come after that one.

        Keys go by routing, then by id in the order of code points. A document that is there all the time is given once.
        """

    def refresh(self, collection: str) -> None:
        """From now on, every call sees what was written before."""

    def health(self) -> Health:
        """How the engine is; a Health also when it can't be reached."""

    def stats(self, collection: str) -> Stats:
        """How much is in it."""

    def close(self) -> None:
        """Give back connections and files; closing twice is fine."""
