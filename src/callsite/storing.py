"""What can be done with chunks in stores? One function for each use case, for doors to call; a search needs none."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from callsite import git, migrations, vectors
from callsite import settings as settings_room
from callsite.collections import CHUNKS
from callsite.connections import Connections
from callsite.embedding import Embedder, VectorCache
from callsite.errors import SettingsError, StoreError
from callsite.index.home import cache_folder
from callsite.query import Query, parse
from callsite.query.nodes import Limit
from callsite.stores import Found, Store
from callsite.syncing import Changed, Place, Synced, seen_in, sync
from callsite.text.digest import digest
from callsite.vectors import Plan, Progress, Report

LOCAL = "local"  #: the store that needs no connection: the embedded one, beside the indexes
_HITS = 10
_ID_DIGITS = 12
_CHECKED = 5  # documents of a field of vectors, before it is searched
_SAME = 0.999


def connections() -> Connections:
    """The connections of this user; SettingsError when the environment names no folder for them."""
    folder = settings_room.user_folder()
    if not folder:
        raise SettingsError("there is no folder for connections; set HOME or XDG_CONFIG_HOME")
    return Connections(Path(folder), key=settings_room.sealing_key())


def open_store(name: str = "", **settings: Any) -> Store:
    """The store of a connection; without a name that of the active one, or the local store when none is active."""
    known = connections()
    if name == LOCAL or not (name or known.active()):
        from callsite.stores.embedded import EmbeddedStore

        found = settings_room.load(**settings)
        return EmbeddedStore(Path(cache_folder(os.environ, found.home), "store"), wait=found.wait)
    return known.open(name)


def index_into(
    store: Store,
    path: str | os.PathLike[str] = ".",
    *,
    project_id: int | None = None,
    overlay: str = "",
    from_commit: str = "",
    to: str = "HEAD",
    work_tree: bool = False,
    force: bool = False,
    on_change: Callable[[Changed], None] | None = None,
    **settings: Any,
) -> tuple[Place, Synced]:
    """Bring the chunks of a repository in a store to a commit; see `syncing.sync`.

    Without a project, its number is made of the repository: the same for all clones that have a remote.
    """
    source = git.discover(path)
    if source.kind == "folder":
        raise StoreError(f"{source.root} is no git repository; a store follows commits, so `git init` and commit first")
    found = settings_room.load(source.root, **settings)
    place = Place(project_id=project_number(source) if project_id is None else project_id, overlay=overlay)
    _require_collections(store)
    synced = sync(
        source,
        store,
        place,
        max_file_bytes=found.max_file_size,
        from_commit=from_commit,
        to=to,
        work_tree=work_tree,
        force=force,
        on_change=on_change,
    )
    return place, synced


def vector_cache(**settings: Any) -> VectorCache:
    """The vectors that were paid for, of all stores and models, beside the indexes."""
    found = settings_room.load(**settings)
    return VectorCache(Path(cache_folder(os.environ, found.home), "vectors.sqlite"))


def embedding_plan(store: Store, embedder: Embedder, cache: VectorCache, *, price: float = 0.0) -> Plan:
    """What `embed_chunks` would do; makes the empty field of a model that is new to the store."""
    field = _field_of(store, embedder)
    return vectors.plan(store, CHUNKS, field, embedder, cache=cache, price=price)


def embed_chunks(
    store: Store, embedder: Embedder, cache: VectorCache, *, on_progress: Callable[[Progress], None] | None = None
) -> Report:
    """Give every chunk that lacks one a vector of the model; a model that is new is searched once all have one.

    StoreError when some could not be embedded: then the old vectors go on being searched, and the same call goes on.
    """
    field = _field_of(store, embedder)
    reports: list[Report] = []

    def fill(field: str) -> int:
        reports.append(vectors.run(store, CHUNKS, field, embedder, cache=cache, on_progress=on_progress))
        return store.count(CHUNKS, Query.missing(field))

    if migrations.state_of(store, CHUNKS).coming == field:
        migrations.advance(store, CHUNKS, fill=fill, check=lambda field: _wrong_vectors(store, field))
    else:
        fill(field)
    return reports[0] if reports else Report()


def _field_of(store: Store, embedder: Embedder) -> str:
    """The field for the model's vectors: the one that is searched, or the one that the store comes to."""
    _require_collections(store)
    model, dims = embedder.limits.model, embedder.limits.dims
    state = migrations.state_of(store, CHUNKS)
    if state.searched and state.model == model and not state.coming:
        return state.searched
    return migrations.begin(store, CHUNKS, model=model, dims=dims).coming


def _wrong_vectors(store: Store, field: str) -> str:
    """What is wrong with a field that is full: a document has to be nearest to its own vector."""
    for one in store.scan(CHUNKS, Query.exists(field), size=_CHECKED, fields=[field]).documents:
        near = Query.knn(target=field, vector=one.fields[field], limit=1)  # type: ignore[arg-type]
        found = store.search(CHUNKS, near, fields=[]).candidates
        if not found or (found[0].scores[0] or 0.0) < _SAME:
            return f"{one.key.id} is not near to itself"
    return ""


def ask(store: Store, text: str, *, place: Place | None = None, collection: str = CHUNKS, n: int = _HITS) -> Found:
    """The first n documents of a query in its text form; with a place only what that shows.

    QueryError names the position of what can't be read.
    """
    query = parse(text)
    if place is not None:
        query = seen_in(store, place) & query
    store.refresh(collection)
    return store.search(collection, query if isinstance(query.node, Limit) and query.node.n <= n else query.limit(n))


def _require_collections(store: Store) -> None:
    """A new store is made ready; one that holds something is changed only when somebody says so."""
    if not store.collections():
        migrations.run(store, migrations.MIGRATIONS)
    elif todo := migrations.pending(store, migrations.MIGRATIONS):
        raise StoreError(f"{len(todo)} migrations of the store are to be run: `callsite migrations run` does it")


def project_number(source: git.Source) -> int:
    """A number of 48 bits for a repository: of its remote and first commits, or else of where it is."""
    key = git.clone_key(source) or source.common_dir or source.root
    return int(digest(key)[:_ID_DIGITS], 16)
