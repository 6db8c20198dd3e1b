"""Which classes and functions does a class map name? Forest in, flat list out; events are not known here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from callsite.evidence.appmap.document import Node
from callsite.evidence.appmap.problems import Problems
from callsite.evidence.appmap.recording import CodeObject
from callsite.evidence.appmap.secrets import name_of

_MOST_OBJECTS = 50_000
_MOST_LEVELS = 100
_MOST_LABELS = 20
_MOST_PATH = 500

_LINE = re.compile(r"(.*):(\d{1,9})$", re.DOTALL)
_SOURCE_ENDING = re.compile(
    r"\.(?:py|pyx|rb|rake|ru|erb|haml|slim|jbuilder|java|kt|kts|scala|groovy|m?[jt]sx?|c[jt]s|vue|svelte|php|go|rs|cs|c|cc"
    r"|cpp|h|hpp|ex|exs|swift|lua|pl)$"
)


class ClassMap:
    """The class map, flat: code objects in order, and the texts of routes and queries that indexers add to it."""

    def __init__(self, roots: list[Node], problems: Problems) -> None:
        self.objects: list[CodeObject] = []
        self.routes: list[str] = []  #: `GET /users`
        self.external_routes: list[str] = []
        self.queries: list[str] = []
        self.fqid_by_place: dict[tuple[str, int, str], str] = {}
        for node, scope in _walk(roots, problems):
            if len(self.objects) >= _MOST_OBJECTS:
                problems.add("classMap is too large", f"only {_MOST_OBJECTS} code objects were read")
                break
            self._take(node, scope)

    def _take(self, node: Node, scope: str) -> None:
        if node.type == "function":
            self._take_function(node, scope)
        elif node.type == "class":
            self.objects.append(CodeObject(fqid=f"class:{_inside(scope, node)}", kind="class", labels=_labels(node)))
        elif node.type == "route":
            self.routes.append(node.name)
        elif node.type == "external-route":
            self.external_routes.append(node.name)
        elif node.type == "query":
            self.queries.append(node.name)

    def _take_function(self, node: Node, scope: str) -> None:
        path, line = place_of(node.location or "")
        name = name_of(node.name)
        fqid = f"function:{scope}{'.' if node.static else '#'}{name}"
        self.objects.append(
            CodeObject(fqid=fqid, kind="function", path=path, line=line, static=bool(node.static), labels=_labels(node))
        )
        self.fqid_by_place.setdefault((path, line, name), fqid)


def _walk(roots: list[Node], problems: Problems) -> Iterator[tuple[Node, str]]:
    """Nodes in order, parents first, each with the name of what holds it."""
    waiting = [(node, "", 0) for node in reversed(roots)]
    while waiting:
        node, scope, level = waiting.pop()
        yield node, scope
        if node.children and level >= _MOST_LEVELS:
            problems.add("classMap is too deep", f"only {_MOST_LEVELS} levels were read")
        elif node.children:
            inside = _inside(scope, node)
            waiting += [(child, inside, level + 1) for child in reversed(node.children)]


def _inside(scope: str, node: Node) -> str:
    """`app/helpers/SessionsHelper`; classes in classes are joined with `::`."""
    name = name_of(node.name)
    if not scope:
        return name
    nested = node.type == "class" and scope.rpartition("/")[2][:1].isupper()
    return f"{scope}{'::' if nested else '/'}{name}"


def _labels(node: Node) -> tuple[str, ...]:
    return tuple(filter(None, map(name_of, (node.labels or ())[:_MOST_LABELS])))


def place_of(location: str) -> tuple[str, int]:
    """Path and line of `path:line`; ("", 0) for what is no file."""
    found = _LINE.match(location)
    return (
        (source_path(found.group(1), int(found.group(2))), int(found.group(2)))
        if found
        else (source_path(location, 0), 0)
    )


def source_path(path: str, line: int) -> str:
    """A recorded path with `/`; "" for built-in functions, evaluated text and parts of an interpreter.

    Recorders of Ruby write `String#to_s` or `Module.==` where a function has no file; such places never have a line.
    """
    path = path.strip().replace("\\", "/")[:_MOST_PATH].removeprefix("./")
    if not path or path[0] in "<(" or not path.isprintable() or path == "-e" or "://" in path:
        return ""
    if line > 0:
        return path
    if "#" in path or "::" in path or not ("/" in path or _SOURCE_ENDING.search(path)):
        return ""
    return path
