"""What can a migration do? Each verb may be repeated: done twice, it is as if done once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import repeat
from typing import Protocol

from callsite.collections.definition import Collection
from callsite.errors import CollectionError, StoreError
from callsite.query.builder import Query
from callsite.stores.reading import collection_named, pages
from callsite.stores.seam import Store
from callsite.stores.values import Change, Document, Key
from callsite.values import dataclass, field

_PER_BATCH = 1_000
_UNWRITTEN = ("refused", "failed")


class Verb(Protocol):
    """One step of a migration."""

    def do(self, store: Store, *, after: Key | None, on_batch: Callable[[Key], None]) -> None:
        """Do it, beginning behind `after` where it goes by documents; `on_batch` is told how far it has come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One change of a store, with a number that never changes."""

    version: int
    name: str
    verbs: tuple[Verb, ...]


@dataclass(frozen=True, slots=True)
class CreateCollection:
    """Make a collection; one of that name that has at least these fields is good enough."""

    collection: Collection

    def do(self, store: Store, *, after: Key | None, on_batch: Callable[[Key], None]) -> None:
        found = collection_named(store, self.collection.name)
        if found is None:
            store.create(self.collection)
            return
        if missing := sorted(self.collection.schema.kinds().keys() - found.schema.kinds().keys()):
            raise CollectionError(
                f"there is another collection {found.name}, without {', '.join(missing)}; drop it first"
            )


@dataclass(frozen=True, slots=True)
class DropCollection:
    """Remove a collection with its documents."""

    name: str

    def do(self, store: Store, *, after: Key | None, on_batch: Callable[[Key], None]) -> None:
        store.drop(self.name)


@dataclass(frozen=True, slots=True)
class AddFields:
    """Make room for more fields, which no document has at first."""

    name: str
    fields: Mapping[str, str]  #: name → kind

    def do(self, store: Store, *, after: Key | None, on_batch: Callable[[Key], None]) -> None:
        collection = there(store, self.name)
        known = collection.schema.kinds()
        for field_name, kind in self.fields.items():
            if known.get(field_name, kind) != kind:
                raise CollectionError(f"{self.name}: {field_name} is {known[field_name]}, and can't become {kind}")
        if new := {name: kind for name, kind in self.fields.items() if name not in known}:
            store.change(collection.changed(add=new))


@dataclass(frozen=True, slots=True)
class ChangeMetadata:
    """Note something about a collection; "" forgets it."""

    name: str
    values: Mapping[str, str]

    def do(self, store: Store, *, after: Key | None, on_batch: Callable[[Key], None]) -> None:
        collection = there(store, self.name)
        before = dict(collection.metadata)
        now = {name: value for name, value in {**before, **self.values}.items() if value}
        if now != before:
            store.change(collection.changed(metadata=now))


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """Give fields a value in the documents that are there, in batches."""

    name: str
    of: Query  #: those that it is about
    values: Callable[[Document], Mapping[str, object]]  #: new values of one document, {} for none
    reads: tuple[str, ...] = field(default_factory=tuple)  #: the fields that `values` looks at

    def do(self, store: Store, *, after: Key | None, on_batch: Callable[[Key], None]) -> None:
        store.refresh(self.name)
        for page in pages(store, self.name, self.of, after=after, sizes=repeat(_PER_BATCH), fields=self.reads):
            given = ((one.key, self.values(one)) for one in page.documents)
            changes = [Change(key=key, fields=values) for key, values in given if values]
            for outcome in store.update(self.name, changes):
                if outcome.state in _UNWRITTEN:
                    raise StoreError(f"{self.name}: {outcome.key}: {outcome.problem}")
            if page.after is not None:
                on_batch(page.after)
        store.refresh(self.name)


def there(store: Store, name: str) -> Collection:
    """The collection of that name; CollectionError when there is none."""
    if (found := collection_named(store, name)) is None:
        raise CollectionError(f"there is no collection {name}; run the migrations that make it")
    return found
