"""Which chunks does a view of a repository show? A filter for every query about it (decision 1 of the design)."""

from __future__ import annotations

from callsite.errors import QueryError
from callsite.query.builder import Query
from callsite.query.make import MOST_VALUES
from callsite.stores.reading import pages
from callsite.stores.seam import Store
from callsite.syncing.values import Place


def seen_in(store: Store, place: Place) -> Query:
    """The chunks of an overlay, and those of the base that it does not hide; for the base, its own.

    QueryError for an overlay that hides more files than one query can name.
    """
    base = Query.filter(project_id=place.project_id, overlay="")
    if not place.overlay:
        return base
    own = Query.filter(project_id=place.project_id, overlay=place.overlay)
    hidden = sorted(shadows_of(store, place))
    if len(hidden) > MOST_VALUES:
        raise QueryError(
            f"the overlay {place.overlay} differs from its base in {len(hidden):,} files, and a query can name"
            f" {MOST_VALUES:,} at most; index it as a project of its own"
        )
    return own | (base & ~Query.filter(path=hidden)) if hidden else own | base


def shadows_of(store: Store, place: Place) -> dict[str, str]:
    """Path → blob of the files that an overlay shows in place of the base's, "" for none."""
    of = Query.filter(project_id=place.project_id, overlay=place.overlay)
    found = (one.fields for page in pages(store, place.shadows, of) for one in page.documents)
    return {str(fields["path"]): str(fields.get("blob", "")) for fields in found}
