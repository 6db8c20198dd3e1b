"""Which migrations are there? All of them, in order; what was published never changes, what is new comes at the end."""

from __future__ import annotations

from collections.abc import Mapping

from callsite.collections import CHUNKS, chunks, extension_of, shadows, views
from callsite.migrations.verbs import AddFields, Backfill, CreateCollection, Migration
from callsite.query.builder import Query
from callsite.stores.values import Document

#: What the design names as fields that come later. Only the extension can be told from a chunk; the others are for
#: whoever knows the projects, and are empty until he writes them.
_LATER = {
    "archived": "boolean",
    "branches": "keywords",
    "extension": "keyword",
    "repository_access_level": "integer",
    "traversal_ids": "keyword",
    "visibility_level": "integer",
}


def _extension(document: Document) -> Mapping[str, object]:
    extension = extension_of(str(document.fields.get("path", "")))
    return {"extension": extension} if extension else {}


MIGRATIONS = (
    Migration(
        version=1,
        name="chunks, views and shadows of repositories",
        verbs=(CreateCollection(chunks()), CreateCollection(views()), CreateCollection(shadows())),
    ),
    Migration(
        version=2,
        name="who may see a chunk, and its extension",
        verbs=(
            AddFields(CHUNKS, _LATER),
            Backfill(name=CHUNKS, of=Query.missing("extension"), values=_extension, reads=("path",)),
        ),
    ),
)
