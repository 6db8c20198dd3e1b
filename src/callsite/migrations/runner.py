"""Which migrations were run in a store, and which are next? Noted in the store itself, so that a copy knows it too.

One that failed halts those behind it, until it is tried again. What it had done is not done again: each verb that ended
is noted, and how far the one that did not end had come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from callsite.collections.definition import Collection
from callsite.errors import CallsiteError, CollectionError, StoreError
from callsite.migrations.verbs import Migration
from callsite.query.builder import Query
from callsite.stores.reading import collection_named, pages
from callsite.stores.seam import Store
from callsite.stores.values import Document, Key
from callsite.values import TYPE_CHECKING, dataclass, replace

if TYPE_CHECKING:
    from typing import Any

NAME = "code_migrations"
_ROUTING = 0
STATES = ("pending", "running", "done", "failed")
_LONGEST_PROBLEM = 2_000
_COLLECTION = Collection.of(
    NAME,
    routing="place",
    fields={
        "place": "integer",
        "name": "keyword",
        "state": "keyword",
        "tries": "integer",
        "n_done": "integer",  #: verbs that ended
        "after_routing": "keyword",  #: how far the next verb had come
        "after_id": "keyword",
        "problem": "text",
        "at": "timestamp",
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How far one migration is."""

    version: int
    name: str
    state: str  #: one of STATES
    tries: int = 0
    n_done: int = 0
    after: Key | None = None
    problem: str = ""


class Problem(StoreError):
    """A migration failed; those behind it wait."""


def status(store: Store, migrations: Sequence[Migration]) -> tuple[Status, ...]:
    """All of them, in order; those that only the store knows come too, as a newer version wrote them."""
    kept = _kept(store)
    fresh = {one.version: _pending(one) for one in migrations}
    return tuple(one for _, one in sorted({**fresh, **kept}.items()))


def pending(store: Store, migrations: Sequence[Migration]) -> tuple[Migration, ...]:
    """Those that are to be run, in order."""
    return _not_done(_kept(store), migrations)


def run(
    store: Store,
    migrations: Sequence[Migration],
    *,
    retry: bool = False,
    on_step: Callable[[Status], None] | None = None,
) -> tuple[Status, ...]:
    """Run what is pending; `retry` also what failed before. Problem when one fails, or failed and is not retried."""
    _check(migrations)
    kept = _kept(store)
    if todo := _not_done(kept, migrations):
        _make_room(store)
    for migration in todo:
        before = kept.get(migration.version) or _pending(migration)
        _run_one(store, migration, before, retry=retry, on_step=on_step or (lambda status: None))
    return status(store, migrations)


def _pending(migration: Migration) -> Status:
    return Status(version=migration.version, name=migration.name, state="pending")


def _not_done(kept: Mapping[int, Status], migrations: Sequence[Migration]) -> tuple[Migration, ...]:
    done = {version for version, one in kept.items() if one.state == "done"}
    return tuple(one for one in sorted(migrations, key=lambda one: one.version) if one.version not in done)


def _run_one(
    store: Store, migration: Migration, before: Status, *, retry: bool, on_step: Callable[[Status], None]
) -> None:
    if before.state == "failed" and not retry:
        raise Problem(f"migration {migration.version} failed before: {before.problem}; mend that, then retry it")
    now = replace(before, name=migration.name, state="running", tries=before.tries + 1, problem="")

    def note(**changes: Any) -> None:
        nonlocal now
        now = replace(now, **changes)
        _note(store, now)
        on_step(now)

    note()
    try:
        for verb in migration.verbs[now.n_done :]:
            verb.do(store, after=now.after, on_batch=lambda key: note(after=key))
            note(n_done=now.n_done + 1, after=None)
    except CallsiteError as error:
        note(state="failed", problem=str(error))
        raise Problem(f"migration {migration.version} ({migration.name}) failed: {error}") from error
    note(state="done")


def _check(migrations: Sequence[Migration]) -> None:
    versions = [one.version for one in migrations]
    if len(set(versions)) != len(versions):
        raise CollectionError("two migrations have the same version; numbers are never used again")


def _make_room(store: Store) -> None:
    if collection_named(store, NAME) is None:
        store.create(_COLLECTION)


def _kept(store: Store) -> dict[int, Status]:
    if collection_named(store, NAME) is None:
        return {}
    store.refresh(NAME)
    return {int(one.key.id): _status(one) for page in pages(store, NAME, Query.all()) for one in page.documents}


def _status(one: Document) -> Status:
    get = one.fields.get
    routing = str(get("after_routing", ""))
    after = Key(int(routing[1:]) if routing[0] == "i" else routing[1:], str(get("after_id"))) if routing else None
    return Status(
        version=int(one.key.id),
        name=str(get("name", "")),
        state=str(get("state", "")),
        tries=int(get("tries", 0)),  # type: ignore[arg-type]
        n_done=int(get("n_done", 0)),  # type: ignore[arg-type]
        after=after,
        problem=str(get("problem", "")),
    )


def _note(store: Store, status: Status) -> None:
    after = status.after
    routing = None if after is None else f"{'i' if isinstance(after.routing, int) else 't'}{after.routing}"
    document = {
        "id": str(status.version),
        "place": _ROUTING,
        "name": status.name,
        "state": status.state,
        "tries": status.tries,
        "n_done": status.n_done,
        "after_routing": routing,
        "after_id": None if after is None else after.id,
        "problem": status.problem[:_LONGEST_PROBLEM] or None,
        "at": datetime.now(UTC),
    }
    for outcome in store.upsert(NAME, [document]):
        if outcome.problem:
            raise StoreError(f"{NAME}: {outcome.problem}")
