"""What can be said about a node of a syntax tree? The words in which the language records are written.

A rule looks at one node and its nearest children, never at a whole body: bodies are most of a file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from callsite.values import TYPE_CHECKING, dataclass, replace

if TYPE_CHECKING:
    from tree_sitter import Node

LEAD, IMPORT, LOOSE, FUNCTION, CLASS, NAMESPACE, GROUP = (
    "lead",  # a comment or attribute of what follows
    "import",
    "loose",  # a statement; its names are constants
    "function",
    "class",  # members are read and qualified
    "namespace",  # members are read, names stay as they are
    "group",  # only the members matter
)

_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a node is: its role, what it defines, where its definition begins and which node holds its members."""

    role: str
    kind: str = ""
    names: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()  #: of the names, where they stand apart
    node: Node | None = None
    body: Node | None = None
    adds_depth: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """The bytes and the rules that go with a tree."""

    data: bytes
    rules: Mapping[str, Rule]

    def text(self, node: Node | None) -> str:
        """What the node covers, on one line."""
        if node is None:
            return ""
        raw = self.data[node.start_byte : min(node.end_byte, node.start_byte + 4 * _LONGEST_NAME)]
        return " ".join(raw.decode("utf-8", errors="ignore").split())[:_LONGEST_NAME]

    def find(self, node: Node) -> Found:
        """What the rule for its type says of the node; a statement when there is none."""
        kind = node.type
        rule = self.rules.get(kind)
        if rule is not None:
            return rule(node, self)
        return _STATEMENT if kind != "ERROR" else Found(role=GROUP, body=node)


Rule = Callable[["Node", Reading], Found]
Name = str | Callable[["Node", Reading], str]
Names = Callable[["Node", Reading], tuple[str, ...]]

_STATEMENT, _LEAD, _IMPORT = Found(role=LOOSE), Found(role=LEAD), Found(role=IMPORT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How one language is read."""

    module: str
    function: str = "language"
    rules: Mapping[str, Rule]
    statements: str = "constant"  #: the type of a piece of statements
    joins_equal_names: bool = False  #: equations of a function, overloads before their body
    flat: tuple[str, ...] = ()  #: node types under the root whose children are read as if they stood at the top


def lead(_node: Node, _reading: Reading) -> Found:
    """A comment, decorator or attribute: belongs to what follows it directly."""
    return _LEAD


def imports(_node: Node, _reading: Reading) -> Found:
    """An import, include, use or package line."""
    return _IMPORT


def function(name: Name = "name", kind: str = "function") -> Rule:
    """A definition whose body is only read when it is too long."""

    def rule(node: Node, reading: Reading) -> Found:
        return Found(role=FUNCTION, kind=kind, names=(named(node, reading, name),), node=node)

    return rule


def container(kind: str = "class", name: Name = "name", body: str = "body") -> Rule:
    """A definition with members, whose names it qualifies; `body` is a field or the type of a child."""

    def rule(node: Node, reading: Reading) -> Found:
        return Found(role=CLASS, kind=kind, names=(named(node, reading, name),), node=node, body=child_of(node, body))

    return rule


def namespace(name: Name = "name", body: str = "body", adds_depth: bool = False) -> Rule:
    """A definition whose members are read as if they stood outside."""

    def rule(node: Node, reading: Reading) -> Found:
        return Found(
            role=NAMESPACE,
            kind="module",
            names=(named(node, reading, name),),
            node=node,
            body=child_of(node, body),
            adds_depth=adds_depth,
        )

    return rule


def group(body: str = "") -> Rule:
    """Nothing by itself: its children are read in its place."""

    def rule(node: Node, _reading: Reading) -> Found:
        return Found(role=GROUP, body=child_of(node, body) if body else node)

    return rule


def constants(names: Names, kind: str = "constant") -> Rule:
    """A statement that gives names to values."""

    def rule(node: Node, reading: Reading) -> Found:
        return Found(role=LOOSE, kind=kind, names=names(node, reading))

    return rule


def types(name: Name = "name") -> Rule:
    """A short definition of a type, without members."""

    def rule(node: Node, reading: Reading) -> Found:
        return Found(role=LOOSE, kind="type", names=(named(node, reading, name),))

    return rule


def wrapper(*fields: str) -> Rule:
    """Something around one definition: what is found is the definition inside, the rows are those of the whole."""

    def rule(node: Node, reading: Reading) -> Found:
        for field in fields:
            inner = node.child_by_field_name(field)
            if inner is not None:
                return _inner(inner, reading)
        return _inner(node.named_children[-1], reading) if not fields and node.named_child_count else _STATEMENT

    return rule


def named(node: Node, reading: Reading, name: Name) -> str:
    """The name of a definition by field or by function."""
    if isinstance(name, str):
        return reading.text(node.child_by_field_name(name))
    return name(node, reading)


def child_of(node: Node, field_or_type: str) -> Node | None:
    """The child in that field, or else the first one of that type."""
    found = node.child_by_field_name(field_or_type)
    if found is not None:
        return found
    return next((child for child in node.named_children if child.type == field_or_type), None)


def _inner(node: Node, reading: Reading) -> Found:
    found = reading.find(node)
    return found if found.node or found.role == GROUP else replace(found, node=node)
