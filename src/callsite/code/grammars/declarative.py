"""How are Elixir, Haskell and SQL read?"""

from __future__ import annotations

from callsite.values import TYPE_CHECKING

from .rules import (
    CLASS,
    FUNCTION,
    IMPORT,
    LEAD,
    LOOSE,
    Found,
    Grammar,
    Reading,
    child_of,
    constants,
    container,
    function,
    imports,
    lead,
    types,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_ELIXIR_FUNCTIONS = frozenset(
    ("def", "defp", "defmacro", "defmacrop", "defguard", "defguardp", "defdelegate", "defn", "defnp", "test")
)
_ELIXIR_MODULES = frozenset(("defmodule", "defprotocol", "defimpl"))
_ELIXIR_IMPORTS = frozenset(("alias", "import", "require", "use"))
_ELIXIR_LEADS = frozenset(("doc", "spec", "impl", "tag", "deprecated", "typedoc", "since"))


def _elixir_call(node: Node, reading: Reading) -> Found:
    word = reading.text(node.child_by_field_name("target"))
    if word in _ELIXIR_FUNCTIONS:
        return Found(role=FUNCTION, kind="function", names=(_elixir_name(node, reading),), node=node)
    if word in _ELIXIR_MODULES:
        arguments = child_of(node, "arguments")
        name = reading.text(arguments.named_child(0)) if arguments is not None and arguments.named_child_count else ""
        return Found(role=CLASS, kind="module", names=(name,), node=node, body=child_of(node, "do_block"))
    if word == "describe":
        return Found(role=CLASS, node=node, body=child_of(node, "do_block"))
    return Found(role=IMPORT if word in _ELIXIR_IMPORTS else LOOSE)


def _elixir_name(node: Node, reading: Reading) -> str:
    """The name in `def name(arguments) when guard`, whatever of it is there."""
    arguments = child_of(node, "arguments")
    head = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    if head is not None and head.type == "binary_operator":
        head = head.child_by_field_name("left")
    if head is not None and head.type == "call":
        head = head.child_by_field_name("target")
    return reading.text(head).strip('"')


def _elixir_attribute(node: Node, reading: Reading) -> Found:
    operand = node.child_by_field_name("operand")
    word = reading.text(operand.child_by_field_name("target")) if operand is not None and operand.type == "call" else ""
    if word in _ELIXIR_LEADS:
        return Found(role=LEAD)
    if word in ("type", "typep", "opaque", "callback", "macrocallback"):
        text = reading.text(operand)[len(word) :].strip(" (")
        return Found(role=LOOSE, kind="type", names=(text.split("(")[0].split(" ")[0],))
    return Found(role=LOOSE, kind="constant", names=(word,) if word not in ("", "moduledoc", "behaviour") else ())


ELIXIR = Grammar(
    module="tree_sitter_elixir",
    joins_equal_names=True,
    rules={"comment": lead, "call": _elixir_call, "unary_operator": _elixir_attribute},
)


def _instance(node: Node, reading: Reading) -> str:
    patterns = node.child_by_field_name("patterns")
    return f"{reading.text(node.child_by_field_name('name'))} {reading.text(patterns)}".strip()


def _signature(node: Node, reading: Reading) -> str:
    names = node.child_by_field_name("names")
    name = node.child_by_field_name("name") or (names.named_child(0) if names is not None else None)
    return reading.text(name)


HASKELL = Grammar(
    module="tree_sitter_haskell",
    joins_equal_names=True,
    flat=("declarations", "imports"),
    rules={
        "comment": lead,
        "haddock": lead,
        "pragma": lead,
        "header": imports,
        "import": imports,
        "signature": function(_signature),
        "function": function(),
        "bind": function(),
        "data_type": function(kind="type"),
        "newtype": function(kind="type"),
        "type_synomym": types(),
        "type_synonym": types(),
        "class": container("class", body="declarations"),
        "instance": container("", _instance, "declarations"),
    },
)


def _created(node: Node, reading: Reading) -> Found:
    """`CREATE TABLE a.b` defines `b`; other statements define nothing."""
    inner = node.named_child(0) if node.named_child_count else None
    if inner is None or not inner.type.startswith("create_"):
        return Found(role=LOOSE)
    reference = child_of(inner, "object_reference")
    name = reading.text(reference.child_by_field_name("name")) if reference is not None else ""
    if inner.type == "create_index":
        name = reading.text(inner.child_by_field_name("column"))
    name = name.strip('`"[]')
    kind = "function" if inner.type in ("create_function", "create_trigger", "create_procedure") else "type"
    return Found(role=FUNCTION, kind=kind, names=(name,), node=node)


def _sql_variable(node: Node, reading: Reading) -> tuple[str, ...]:
    return (reading.text(node.child_by_field_name("name")),)


SQL = Grammar(
    module="tree_sitter_sql",
    rules={"comment": lead, "marginalia": lead, "statement": _created, "var_declaration": constants(_sql_variable)},
)

GRAMMARS = {"elixir": ELIXIR, "haskell": HASKELL, "sql": SQL}
