"""What does a store say of what was indexed? Reading and writing the documents of `collections/views.py`."""

from __future__ import annotations

from datetime import datetime

from callsite.errors import StoreError
from callsite.query.builder import Query
from callsite.stores.reading import pages
from callsite.stores.seam import Store
from callsite.stores.values import Document, Key, Outcome
from callsite.syncing.values import Place
from callsite.values import dataclass

_WRITTEN = frozenset({"created", "updated", "unchanged", "deleted", "missing"})


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What one place shows; all empty before its first run."""

    overlay: str = ""
    commit: str = ""
    coming: str = ""
    base: str = ""
    rules: str = ""


def view_of(store: Store, place: Place) -> View:
    """What the place shows."""
    (found,) = store.lookup(place.views, [_key(place)])
    return View(overlay=place.overlay) if found is None else _view(found)


def overlays_of(store: Store, place: Place) -> list[View]:
    """What the overlays of the place's project show."""
    store.refresh(place.views)
    of = Query.filter(project_id=place.project_id) & ~Query.filter(overlay="")
    return [_view(one) for page in pages(store, place.views, of) for one in page.documents]


def note(store: Store, place: Place, **fields: str | datetime | None) -> None:
    """Write what is new of a view; StoreError when it could not be written."""
    document = {"id": _key(place).id, "project_id": place.project_id, "overlay": place.overlay, **fields}
    require_written(store.upsert(place.views, [document]))


def require_written(outcomes: list[Outcome]) -> None:
    """StoreError for the first that was not written, though nothing was wrong with it or the code made it."""
    for outcome in outcomes:
        if outcome.state not in _WRITTEN:
            raise StoreError(f"{outcome.key}: {outcome.problem or outcome.state}; run it again")


def _key(place: Place) -> Key:
    return Key(place.project_id, f"overlay {place.overlay}" if place.overlay else "base")


def _view(found: Document) -> View:
    names = ("overlay", "commit", "coming", "base", "rules")
    return View(**{name: str(found.fields.get(name, "")) for name in names})
