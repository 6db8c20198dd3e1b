"""How do keys and documents come with hits? From columns where that will do, from what is stored where it will not."""

from __future__ import annotations

from collections.abc import Iterable

from callsite.collections.definition import Collection
from callsite.stores.lucene.dialect import Json
from callsite.stores.lucene.documents import document_of, key_of
from callsite.stores.lucene.snapshot import Hit
from callsite.stores.values import Document, Key

#: Of these a column keeps the value as it was given; of lists it keeps neither order nor repetitions.
_IN_COLUMNS = frozenset({"integer", "keyword", "boolean", "timestamp"})
_MOST_COLUMNS = 90  # servers take 100 in one request


class Fetching:
    """What is asked of a hit, and what it says.

    What is stored of a document lies in one piece, with its vectors and its name, and takes most of the time of a
    search to read.
    """

    def __init__(self, collection: Collection, names: Iterable[str]) -> None:
        self._collection = collection
        self._names = tuple(names)
        kinds = {field.kind for field in collection.schema.fields if field.name in self._names}
        self._has_columns = kinds <= _IN_COLUMNS and len(self._names) <= _MOST_COLUMNS
        self.keys = self._columns(())
        self.documents = self._columns(self._names) if self._has_columns else {"_source": list(self._names)}

    def _columns(self, names: Iterable[str]) -> Json:
        return {"stored_fields": "_none_", "docvalue_fields": ["id", self._collection.routing, *names]}

    def key_of(self, hit: Hit) -> Key:
        """The key of what was found."""
        if "fields" in hit:
            return Key(hit["fields"][self._collection.routing][0], hit["fields"]["id"][0])
        return key_of(self._collection, hit["_id"])

    def document_of(self, hit: Hit) -> Document:
        """The document, when `documents` were asked for."""
        key = self.key_of(hit)
        if self._has_columns:
            source = {name: values[0] for name, values in hit["fields"].items()}
            return document_of(self._collection, self._names, key, source)
        return document_of(self._collection, self._names, key, hit.get("_source", {}))
