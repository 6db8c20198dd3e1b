"""What goes into a store and comes out of it? Frozen values, the same for every store."""

from __future__ import annotations

from collections.abc import Mapping

from callsite.query.fields import Value
from callsite.values import dataclass, field

#: What happened to one item of a bulk call. Written: created, updated, unchanged (it was so before), deleted.
#: Not written, and no failure: missing (there is no such document), changed (it is not as was expected). Not written:
#: refused (never to be tried again as it is), failed (the store's own trouble; may be tried again).
STATES = ("created", "updated", "unchanged", "deleted", "missing", "changed", "refused", "failed")


@dataclass(frozen=True, slots=True)
class Key:
    """What tells a document from all others of its collection."""

    routing: int | str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What happened to one item of a bulk call."""

    key: Key | None  #: None when the item has none that could be read
    state: str  #: one of STATES
    problem: str = ""  #: of a refused or failed item: what, where, what to do


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """New values for fields of a document that has to be there; None empties a field."""

    key: Key
    fields: Mapping[str, object]
    expected: Mapping[str, object] = field(default_factory=dict)  #: what these fields hold; None for nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a store has under a key."""

    key: Key
    fields: Mapping[str, Value]  #: those that were asked for and have a value; `id` is in the key only


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A document that a query gives."""

    document: Document
    scores: tuple[float | None, ...]  #: one for each of the query's legs; None where the leg did not contribute it


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The first documents of a query, in its order."""

    candidates: tuple[Candidate, ...]
    has_more: bool  #: there are more than the most that one search gives


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Documents in the order of their keys."""

    documents: tuple[Document, ...]
    after: Key | None  #: where the next page begins; None when this is the last


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether a store works, as far as it says so itself."""

    engine: str
    version: str
    is_well: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much is in a collection."""

    n_documents: int
    n_filled: Mapping[str, int]  #: field of vectors → documents that have one
