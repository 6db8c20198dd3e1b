"""How do many rows get into an index, each with its own outcome? By bulk requests, repeated for those it says so of.

Most rows are merged by the server, in one step. What it can't say in one step is read first and written only if it is
as it was read: fields to be emptied, of which the server would not know that they were empty, and what is expected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from callsite.stores.lucene.dialect import Json
from callsite.stores.lucene.documents import name_of, restored, source_of
from callsite.stores.lucene.failing import mapped, reason_of
from callsite.stores.lucene.mapping import Place
from callsite.stores.lucene.server import Server, encoded
from callsite.stores.rows import Row
from callsite.stores.terms import Terms
from callsite.stores.values import Key, Outcome
from callsite.values import dataclass

_N_ROUNDS = 10  # of the same row, when others write it at the same time or the server is too busy
_N_CONFLICTS = 10  # within the server, of a row that is merged there
_CONFLICT = 409
_STATES = {"created": "created", "updated": "updated", "noop": "unchanged", "deleted": "deleted"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """A document as it was read: what is written under this number is not lost on another one's."""

    guard: Mapping[str, int]
    source: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Again:
    """A row that has no outcome yet, and why."""

    problem: str


_Written = Outcome | _Again


class Writing:
    """Writes rows of one collection; those of one call have different keys."""

    def __init__(self, server: Server, place: Place, terms: Terms) -> None:
        self._server = server
        self._index = place.alias
        self._collection = place.collection
        self._terms = terms

    def upsert(self, rows: Sequence[Row]) -> list[Outcome]:
        return self._in_rounds(rows, lambda some: self._written("upsert", some, creates=True))

    def update(self, rows: Sequence[Row]) -> list[Outcome]:
        return self._in_rounds(rows, lambda some: self._written("update", some, creates=False))

    def delete(self, rows: Sequence[Row]) -> list[Outcome]:
        return self._in_rounds(rows, self._deleted)

    def _in_rounds(self, rows: Sequence[Row], write: Callable[[list[Row]], Iterator[_Written]]) -> list[Outcome]:
        found: dict[Key, Outcome] = {}
        left, problems = list(rows), dict[Key, str]()
        for n in range(_N_ROUNDS):
            if not left:
                break
            if n:
                self._server.pause(n - 1)
            for row, written in zip(left, list(write(left)), strict=True):
                if isinstance(written, Outcome):
                    found[row.key] = written
                else:
                    problems[row.key] = written.problem
            left = [row for row in left if row.key not in found]
        for row in left:
            found[row.key] = Outcome(key=row.key, state="failed", problem=problems[row.key])
        return [found[row.key] for row in rows]

    def _written(self, doing: str, rows: list[Row], *, creates: bool) -> Iterator[_Written]:
        seen = self._seen(doing, [row for row in rows if _has_to_be_read(row)])
        actions = [self._action(row, seen, creates=creates) for row in rows]
        lines = [line for action in actions if not isinstance(action, Outcome) for line in action]
        items = iter(self._server.bulk(doing, self._index, lines) if lines else ())
        for row, action in zip(rows, actions, strict=True):
            yield action if isinstance(action, Outcome) else self._outcome(doing, row.key, next(items), creates=creates)

    def _deleted(self, rows: list[Row]) -> Iterator[_Written]:
        lines = [encoded({"delete": address_of(row.key)}) for row in rows]
        items = self._server.bulk("delete", self._index, lines)
        for row, item in zip(rows, items, strict=True):
            yield self._outcome("delete", row.key, item, creates=False)

    def _seen(self, doing: str, rows: Sequence[Row]) -> dict[Key, _Seen]:
        """Those that are there, with the fields that matter; as they are now, refreshed or not."""
        docs = [address_of(row.key) | {"_source": [*row.expected, *_emptied(row)]} for row in rows]
        found = read(self._server, doing, self._index, docs)
        return {
            row.key: _Seen(
                guard={"if_seq_no": one["_seq_no"], "if_primary_term": one["_primary_term"]}, source=one["_source"]
            )
            for row, one in zip(rows, found, strict=True)
            if one["found"]
        }

    def _action(self, row: Row, seen: Mapping[Key, _Seen], *, creates: bool) -> tuple[str, str] | Outcome:
        """The lines of a request, or the outcome when there is nothing to ask for."""
        if not _has_to_be_read(row):
            address = address_of(row.key) | {"retry_on_conflict": _N_CONFLICTS}
            upserts = ',"doc_as_upsert":true' if creates else ""
            return encoded({"update": address}), f'{{"doc":{self._source(row, row.fields, is_new=creates)}{upserts}}}'
        if (there := seen.get(row.key)) is None:
            if not creates:
                return Outcome(key=row.key, state="missing")
            filled = {name: value for name, value in row.fields.items() if value is not None}
            return encoded({"create": address_of(row.key)}), self._source(row, filled, is_new=True)
        if not self._is_as_expected(row, there):
            return Outcome(key=row.key, state="changed")
        given = {name: one for name, one in row.fields.items() if one is not None or there.source.get(name) is not None}
        address = address_of(row.key) | dict(there.guard)
        return encoded({"update": address}), f'{{"doc":{self._source(row, given, is_new=False)}}}'

    def _source(self, row: Row, fields: Mapping[str, Any], *, is_new: bool) -> str:
        return source_of(self._collection, {"id": row.key.id, **fields} if is_new else fields, self._terms)

    def _is_as_expected(self, row: Row, there: _Seen) -> bool:
        for name, value in row.expected.items():
            kept = there.source.get(name)
            if (None if kept is None else restored(self._collection, name, kept)) != value:
                return False
        return True

    def _outcome(self, doing: str, key: Key, item: Mapping[str, Any], *, creates: bool) -> _Written:
        if (error := item.get("error")) is None:
            return Outcome(key=key, state=_STATES.get(item["result"], "missing"))
        kind, status = error.get("type"), item["status"]
        if kind == "index_not_found_exception":
            raise mapped(self._server.product, doing, status, {"error": error})
        if kind == "document_missing_exception" and not creates:
            return Outcome(key=key, state="missing")
        if status == _CONFLICT or kind == "document_missing_exception":
            return _Again("others write the same document all the time; try again")
        said = reason_of(error)
        if status == 429 or status >= 500:
            return _Again(f"the server can't do it now: {said}")
        return Outcome(key=key, state="refused", problem=f"the server refuses it: {said}")


def read(server: Server, doing: str, index: str, docs: Sequence[Json]) -> list[Json]:
    """Documents by address, as they are now, refreshed or not; `found` says whether each is there."""
    if not docs:
        return []
    found: list[Json] = server.ask(doing, "POST", f"/{index}/_mget", body={"docs": list(docs)}).body["docs"]
    for one in found:
        if error := one.get("error"):
            raise mapped(server.product, doing, 500, {"error": error})
    return found


def address_of(key: Key) -> Json:
    """What a request about one document says of it."""
    return {"_id": name_of(key), "routing": str(key.routing)}


def _has_to_be_read(row: Row) -> bool:
    return bool(row.expected or _emptied(row))


def _emptied(row: Row) -> list[str]:
    return [name for name, value in row.fields.items() if value is None]
