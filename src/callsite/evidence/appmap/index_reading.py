"""How do the files of an index directory become an entry? Read as they are, each cleaned here as recordings are.

Its `canonical.*` files tell only of what happened inside served requests when there are any; `classMap.json` holds all
functions. Event numbers are counted anew by the indexer and therefore not kept. Statements and routes are cleaned again
here: older indexers wrote whole statements into the class map.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from callsite.evidence.appmap import document as parts
from callsite.evidence.appmap.code_objects import ClassMap, place_of
from callsite.evidence.appmap.entry import entry_of_index
from callsite.evidence.appmap.found import READABLE, index_state
from callsite.evidence.appmap.index_directory import IndexDirectory
from callsite.evidence.appmap.problems import Problems
from callsite.evidence.appmap.reading import facts_of
from callsite.evidence.appmap.recording import Query, Request, title_of
from callsite.evidence.appmap.routes import normalised_route, normalised_url
from callsite.evidence.appmap.secrets import masked, name_of
from callsite.evidence.appmap.sql import normalised_sql
from callsite.text.words import Words
from callsite.values import replace

_MOST_BYTES = 64 * 2**20  # of one file
_MOST_OF_EACH = 2_000
_MOST_STACK = 50


def index_directory_of(directory: str, *, file: str, words: Words) -> IndexDirectory:
    """The index directory at a path; what is missing or damaged in it is a problem of its entry."""
    problems = Problems()
    folder = _Folder(directory, problems)
    version, mtime = index_state(folder.path)
    if not READABLE.fullmatch(version):
        problems.add("version of the index is unknown", "read as far as possible")
    metadata = folder.json("metadata.json", dict)
    class_map = ClassMap(parts.nodes_of(folder.bytes("classMap.json") or b"[]", problems), problems)
    entry = entry_of_index(
        file=file,
        name=masked(_text(metadata.get("name")), at_most=200) or title_of(file),
        facts=facts_of(metadata),
        labels=[*_names(metadata.get("labels")), *_names(folder.json("canonical.labels.json", list))],
        code_objects=class_map.objects,
        exceptions=list(_exceptions(folder.optional_list("canonical.exceptions.json"))),
        requests=tuple(dict.fromkeys(_requests(folder, class_map))),
        queries=tuple(dict.fromkeys(_queries(folder, class_map))),
        parameters=_names(folder.optional_list("canonical.parameters.json")),
        problems=(),
        words=words,
    )
    return IndexDirectory(entry=replace(entry, problems=problems.told()), version=version, mtime=mtime)


class _Folder:
    """The files of an index directory."""

    def __init__(self, path: str, problems: Problems) -> None:
        self.path = path
        self._problems = problems

    def bytes(self, name: str, *, optional: bool = False) -> bytes | None:
        """The content of a file, None with a problem when it cannot be read."""
        try:
            with open(os.path.join(self.path, name), "rb") as file:
                data = file.read(_MOST_BYTES + 1)
        except (OSError, ValueError):
            if not optional:
                self._problems.add(f"{name} cannot be read")
            return None
        if len(data) > _MOST_BYTES:
            self._problems.add(f"{name} is too large")
            return None
        return data

    def json(self, name: str, kind: type, *, optional: bool = False) -> Any:
        """The value in a file, an empty one of the kind when it holds nothing of this kind."""
        data = self.bytes(name, optional=optional)
        try:
            value = kind() if data is None else parts.value_of(data)
        except ValueError as error:
            self._problems.add(f"{name} is damaged", str(error))
            return kind()
        if not isinstance(value, kind):
            self._problems.add(f"{name} holds something else")
            return kind()
        return value

    def optional_list(self, name: str) -> list[Any]:
        """Of a file that older indexers did not write."""
        found: list[Any] = self.json(name, list, optional=True)
        return found[:_MOST_OF_EACH]


def _exceptions(found: Iterable[Any]) -> Iterator[tuple[str, str, list[tuple[str, int]]]]:
    for one in found:
        if isinstance(one, dict):
            stack = [place_of(place) for place in _texts(one.get("stack"))[:_MOST_STACK]]
            yield name_of(_text(one.get("class"))), masked(_text(one.get("message"))), [at for at in stack if at[0]]


def _requests(folder: _Folder, class_map: ClassMap) -> Iterator[Request]:
    for side, name in (
        ("server", "canonical.httpServerRequests.json"),
        ("client", "canonical.httpClientRequests.json"),
    ):
        for one in folder.optional_list(name):
            if isinstance(one, dict):
                yield _request(side, _text(one.get("route")), one.get("status") or one.get("status_code"))
    yield from (_request("server", route, 0) for route in class_map.routes[:_MOST_OF_EACH])
    yield from (_request("client", route, 0) for route in class_map.external_routes[:_MOST_OF_EACH])


def _request(side: str, route: str, status: Any) -> Request:
    method, _, path = route.strip().partition(" ")
    if not path:
        method, path = "", method
    return Request(
        side=side,
        method=method.upper() if method.isalpha() and len(method) <= 20 else "",
        route=normalised_url(path) if side == "client" else normalised_route(path),
        status=status if isinstance(status, int) and 0 < status < 1000 else 0,
    )


def _queries(folder: _Folder, class_map: ClassMap) -> Iterator[Query]:
    """Statements of all files; what an indexer could take apart stands there as an object, which says less."""
    statements = _texts(folder.optional_list("canonical.sqlNormalized.json")) + class_map.queries[:_MOST_OF_EACH]
    plain = dict.fromkeys(normalised_sql(one) for one in statements)
    yield from (Query(sql=sql) for sql in plain if sql)


def _names(value: Any) -> list[str]:
    return [name for text in _texts(value)[:_MOST_OF_EACH] if (name := name_of(text))]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
