"""How are JavaScript, TypeScript, CSS and HTML read?"""

from __future__ import annotations

from callsite.values import TYPE_CHECKING

from ..cut import MAX_SIZE
from .rules import (
    CLASS,
    FUNCTION,
    IMPORT,
    LOOSE,
    Found,
    Grammar,
    Reading,
    constants,
    container,
    function,
    group,
    imports,
    lead,
    namespace,
    types,
    wrapper,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = frozenset(("arrow_function", "function_expression", "generator_function", "function"))

#: What a definition may be passed through: `memo(() => …)`, `(function () {…})`, `{…} as const`.
_AROUND = frozenset(("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"))


def _valued(name: str, value: Node | None, *, node: Node) -> Found:
    """A name and the value that it is given: a function, an object or class with members, or a constant."""
    while value is not None and value.type in _AROUND and value.named_child_count:
        value = value.named_child(0)
    names = (name,) if name else ()
    if value is None:
        return Found(role=LOOSE, kind="constant", names=names)
    if value.type in _FUNCTIONS:
        return Found(role=FUNCTION, kind="function", names=names, node=node)
    if value.type == "class":
        return Found(role=CLASS, kind="class", names=names, node=node, body=value.child_by_field_name("body"))
    if value.type == "object":
        return Found(role=CLASS, kind="constant", names=names, node=node, body=value)
    if value.type == "call_expression" and _takes_function(value):
        return Found(role=FUNCTION, kind="function", names=names, node=node)
    return Found(role=LOOSE, kind="constant", names=names, node=node)


def _takes_function(call: Node) -> bool:
    return _called_function(call) is not None


def _variables(node: Node, reading: Reading) -> Found:
    declarators = [child for child in node.named_children if child.type == "variable_declarator"]
    if len(declarators) == 1:
        target = declarators[0].child_by_field_name("name")
        value = declarators[0].child_by_field_name("value")
        if target is not None and target.type == "identifier":
            if value is not None and _is_require(value, reading):
                return Found(role=IMPORT)
            return _valued(reading.text(target), value, node=node)
        return Found(role=IMPORT if value is not None and _is_require(value, reading) else LOOSE)
    targets = [declarator.child_by_field_name("name") for declarator in declarators]
    names = tuple(reading.text(target) for target in targets if target is not None and target.type == "identifier")
    return Found(role=LOOSE, kind="constant", names=names)


def _is_require(value: Node, reading: Reading) -> bool:
    return value.type == "call_expression" and reading.data.startswith(b"require(", value.start_byte)


def _expression(node: Node, reading: Reading) -> Found:
    inner = node.named_child(0) if node.named_child_count else None
    if inner is None:
        return Found(role=LOOSE)
    if inner.type == "assignment_expression":
        left = inner.child_by_field_name("left")
        if left is not None and left.type == "member_expression":
            found = _valued(_member_name(reading.text(left)), inner.child_by_field_name("right"), node=node)
            return found if found.role != LOOSE or found.names else Found(role=LOOSE)
    if inner.type == "internal_module":
        return reading.find(inner)
    return _call(node, inner) if inner.type == "call_expression" else Found(role=LOOSE)


def _call(node: Node, call: Node) -> Found:
    """A call around a function, `describe("…", () => {…})` or `(function () {…})()`: opened when it is long."""
    function_node = _called_function(call)
    if function_node is None:
        return Found(role=LOOSE)
    body = function_node.child_by_field_name("body")
    if body is None or body.type != "statement_block":
        return Found(role=LOOSE)
    is_long = node.end_byte - node.start_byte > MAX_SIZE
    return Found(role=CLASS, node=node, body=body) if is_long else Found(role=FUNCTION, node=node)


def _called_function(call: Node) -> Node | None:
    arguments, callee = call.child_by_field_name("arguments"), call.child_by_field_name("function")
    candidates = arguments.named_children[:3] if arguments is not None else []
    if callee is not None and callee.type == "parenthesized_expression":
        candidates = [*callee.named_children, *candidates]
    return next((child for child in candidates if child.type in _FUNCTIONS), None)


def _member_name(target: str) -> str:
    """`exports.parse` and `module.exports.parse` define `parse`, `A.prototype.run` defines `A.run`."""
    parts = [part for part in target.split(".") if part != "prototype"]
    if parts[:2] == ["module", "exports"]:
        parts = parts[2:]
    elif parts[:1] in (["exports"], ["this"]):
        parts = parts[1:]
    return ".".join(parts)


def _export(node: Node, reading: Reading) -> Found:
    declaration = node.child_by_field_name("declaration")
    if declaration is not None:
        return reading.find(declaration)
    value = node.child_by_field_name("value")
    if value is not None:
        return _valued("default" if value.type in _FUNCTIONS else "", value, node=node)
    return Found(role=IMPORT)


def _pair(node: Node, reading: Reading) -> Found:
    found = _valued(
        reading.text(node.child_by_field_name("key")).strip("'\""), node.child_by_field_name("value"), node=node
    )
    return found if found.role == FUNCTION else Found(role=LOOSE)


def _field(node: Node, reading: Reading) -> Found:
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    return _valued(reading.text(name), node.child_by_field_name("value"), node=node)


def _field_name(node: Node, reading: Reading) -> tuple[str, ...]:
    return (reading.text(node.child_by_field_name("name")),)


def _selectors(node: Node, reading: Reading) -> tuple[str, ...]:
    return (reading.text(node.named_child(0)),) if node.named_child_count else ()


_SCRIPT = {
    "comment": lead,
    "decorator": lead,
    "hash_bang_line": lead,
    "import_statement": imports,
    "export_statement": _export,
    "function_declaration": function(),
    "generator_function_declaration": function(),
    "class_declaration": container(),
    "lexical_declaration": _variables,
    "variable_declaration": _variables,
    "expression_statement": _expression,
    "method_definition": function(),
    "field_definition": _field,
    "pair": _pair,
}

_TYPED = {
    **_SCRIPT,
    "abstract_class_declaration": container(),
    "public_field_definition": _field,
    "interface_declaration": container("type"),
    "type_alias_declaration": types(),
    "enum_declaration": container("type"),
    "enum_assignment": constants(_field_name),
    "property_identifier": constants(lambda node, reading: (reading.text(node),)),
    "function_signature": function(),
    "method_signature": constants(_field_name, "function"),
    "property_signature": constants(_field_name),
    "abstract_method_signature": constants(_field_name, "function"),
    "internal_module": namespace(adds_depth=True),
    "module": namespace(),
    "ambient_declaration": wrapper(),
}

JAVASCRIPT = Grammar(module="tree_sitter_javascript", rules=_SCRIPT)
TYPESCRIPT = Grammar(
    module="tree_sitter_typescript", function="language_typescript", rules=_TYPED, joins_equal_names=True
)
TSX = Grammar(module="tree_sitter_typescript", function="language_tsx", rules=_TYPED, joins_equal_names=True)

CSS = Grammar(
    module="tree_sitter_css",
    statements="section",
    rules={
        "comment": lead,
        "import_statement": imports,
        "rule_set": constants(_selectors, "section"),
        "media_statement": group("block"),
        "supports_statement": group("block"),
        "keyframes_statement": constants(_selectors, "section"),
    },
)

HTML = Grammar(module="tree_sitter_html", statements="section", rules={"comment": lead, "doctype": imports})

GRAMMARS = {
    "javascript": JAVASCRIPT,
    "jsx": JAVASCRIPT,
    "typescript": TYPESCRIPT,
    "tsx": TSX,
    "css": CSS,
    "html": HTML,
}
