"""Which collections are on a server? Each is an index with an alias, and its definition lies in the mapping."""

from __future__ import annotations

from callsite.collections.definition import Collection, change_problem
from callsite.errors import CollectionError
from callsite.query.values import name_problem
from callsite.stores.asking import unknown
from callsite.stores.lucene.dialect import Dialect
from callsite.stores.lucene.failing import kinds_in, mapped
from callsite.stores.lucene.mapping import Place, alias_of, index_body, index_of, meta_of, place_in, properties_of
from callsite.stores.lucene.server import Server
from callsite.stores.lucene.upkeep import version_of

_ONLY = {"filter_path": "*.mappings._meta"}


class Definitions:
    """Makes, changes, removes and lists the indices whose names begin with a prefix."""

    def __init__(self, server: Server, dialect: Dialect, *, prefix: str, shards: int, replicas: int) -> None:
        self._server = server
        self._dialect = dialect
        self._prefix = prefix
        self._shards = shards
        self._replicas = replicas

    def create(self, collection: Collection) -> None:
        place = self._place(collection)
        version = version_of(self._server)
        body = index_body(place, self._dialect, version=version, shards=self._shards, replicas=self._replicas)
        reply = self._server.ask("create", "PUT", f"/{index_of(place.alias)}", body=body, also=(400,))
        if reply.status == 400 and "resource_already_exists_exception" not in kinds_in(reply.body):
            raise mapped(self._server.product, "create", reply.status, reply.body)
        if reply.status == 400 and self.of(collection.name).collection != collection:
            raise CollectionError(f"there is another collection {collection.name}; change or drop that one")

    def change(self, collection: Collection) -> None:
        now = self.of(collection.name).collection
        if now == collection:
            return
        if problem := change_problem(now, collection):
            raise CollectionError(problem)
        place = self._place(collection)
        new = [field for field in collection.schema.fields if now.schema.field(field.name) is None]
        body = {"properties": properties_of(new, self._dialect), "_meta": meta_of(place)}
        self._server.ask("change", "PUT", f"/{place.alias}/_mapping", body=body)

    def drop(self, name: str) -> bool:
        if name_problem(name):
            return False
        reply = self._server.ask("drop", "DELETE", f"/{index_of(alias_of(self._prefix, name))}", also=(404,))
        return reply.status != 404

    def all(self) -> tuple[Collection, ...]:
        """By name."""
        reply = self._server.ask("collections", "GET", f"/{self._prefix}*/_mapping", params=_ONLY, also=(404,))
        found = [place_in(one) for one in reply.body.values()] if reply.status != 404 else []
        ours = [one.collection for one in found if one and one.alias == alias_of(self._prefix, one.collection.name)]
        return tuple(sorted(ours, key=lambda one: one.name))

    def of(self, name: str) -> Place:
        """Where a collection lies; CollectionError when it is not there."""
        if not name_problem(name):
            path = f"/{alias_of(self._prefix, name)}/_mapping"
            reply = self._server.ask("its definition", "GET", path, params=_ONLY, also=(404,))
            found = [place_in(one) for one in reply.body.values()] if reply.status != 404 else []
            if found and found[0]:
                return found[0]
        raise unknown(name, (one.name for one in self.all()))

    def _place(self, collection: Collection) -> Place:
        return Place(alias=alias_of(self._prefix, collection.name), collection=collection)
