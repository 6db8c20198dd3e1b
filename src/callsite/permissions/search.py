"""How does a user get the best of what he may read, and nothing else?

The projects that he may read are a filter inside the query, so others take no place among the first k; each project of
the answer is checked once more on the way out, since rights may have changed and filters can be wrong. When that takes
hits away, the query is asked again without those projects, until it gives what it can. In doubt there is nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import Protocol, TypeVar

from callsite.errors import CollectionError
from callsite.query.builder import Query
from callsite.query.make import MOST_VALUES
from callsite.query.values import shown
from callsite.stores.reading import collection_named
from callsite.stores.seam import Store
from callsite.stores.values import Found

User = TypeVar("User", bound=Hashable, contravariant=True)

_NOTHING = Found(candidates=(), has_more=False)


class Policy(Protocol[User]):
    """The caller's own rules. What it raises, the search raises: then nobody sees anything."""

    def projects(self, user: User) -> Collection[int]:
        """All projects that the user may read, as far as a list can say; the filter of his queries."""

    def may_read(self, user: User, project_id: int) -> bool:
        """Whether the user may read the project now; asked once for each project of an answer."""


def search(
    store: Store,
    collection: str,
    query: Query,
    *,
    user: User | None,
    policy: Policy[User],
    fields: Iterable[str] | None = None,
) -> Found:
    """What the store finds of a query among the projects that the user may read; without a user nothing.

    The collection has to be routed by the numbers of projects. A query that says how many it wants (limit, knn) gives
    so many, if the user may read so many that match. Only where several knn or limit stand in one query, and the list
    names a project that may not be read any more, its documents can have taken the place of others.
    """
    routing = _routing(store, collection)
    if user is None:
        return _NOTHING
    allowed = {int(project) for project in policy.projects(user)}
    wanted = None if fields is None else tuple(fields)
    is_known: dict[int, bool] = {}
    while allowed:
        found = store.search(collection, _among(routing, allowed) & query, fields=wanted)
        projects = dict.fromkeys(candidate.document.key.routing for candidate in found.candidates)
        for project in projects:
            if project not in is_known:
                is_known[int(project)] = project in allowed and policy.may_read(user, int(project)) is True
        refused = {int(project) for project in projects if not is_known[int(project)]}
        if not refused:
            return found
        if not refused & allowed:  # a store that gives what was not asked for is asked no more
            return Found(
                candidates=tuple(one for one in found.candidates if is_known[int(one.document.key.routing)]),
                has_more=found.has_more,
            )
        allowed -= refused
    return _NOTHING


def _among(routing: str, projects: set[int]) -> Query:
    """These projects, however many: one filter takes no more than MOST_VALUES."""
    ordered = sorted(projects)
    parts = [ordered[at : at + MOST_VALUES] for at in range(0, len(ordered), MOST_VALUES)]
    return Query.or_(*(Query.filter(**{routing: part}) for part in parts))


def _routing(store: Store, name: str) -> str:
    collection = collection_named(store, name)
    if collection is None:
        raise CollectionError(f"there is no collection {shown(name)}; index a repository into the store first")
    if collection.routing_field.kind != "integer":
        raise CollectionError(f"{name} is routed by {collection.routing}, which is no number of a project")
    return collection.routing
