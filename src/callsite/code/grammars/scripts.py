"""How are Python, Ruby, PHP, Lua and shell read?"""

from __future__ import annotations

from callsite.values import TYPE_CHECKING

from .rules import (
    CLASS,
    FUNCTION,
    LOOSE,
    Found,
    Grammar,
    Reading,
    child_of,
    constants,
    container,
    function,
    group,
    imports,
    lead,
    namespace,
    wrapper,
)

if TYPE_CHECKING:
    from tree_sitter import Node


def _python_targets(node: Node, reading: Reading) -> tuple[str, ...]:
    inner = node.named_child(0) if node.named_child_count else None
    if inner is None or inner.type != "assignment":
        return ()
    left = inner.child_by_field_name("left")
    targets = left.named_children if left is not None and left.type == "pattern_list" else [left]
    return tuple(reading.text(target) for target in targets if target is not None and target.type == "identifier")


def _ruby_call(node: Node, reading: Reading) -> Found:
    method = reading.text(node.child_by_field_name("method"))
    if method in ("require", "require_relative", "load", "autoload"):
        return Found(role="import")
    return Found(role=LOOSE)


def _ruby_target(node: Node, reading: Reading) -> tuple[str, ...]:
    left = node.child_by_field_name("left")
    return (reading.text(left),) if left is not None and left.type == "constant" else ()


def _ruby_method(node: Node, reading: Reading) -> str:
    return reading.text(node.child_by_field_name("name"))


def _php_elements(node: Node, reading: Reading) -> tuple[str, ...]:
    elements = [child for child in node.named_children if child.type in ("const_element", "property_element")]
    return tuple(reading.text(child.named_child(0)).lstrip("$") for child in elements if child.named_child_count)


def _lua_assignment(node: Node, reading: Reading) -> Found:
    if node.type == "variable_declaration":
        inner = child_of(node, "assignment_statement")
        if inner is None:
            return Found(role=LOOSE, names=())
        node = inner
    variables, values = child_of(node, "variable_list"), child_of(node, "expression_list")
    names = tuple(reading.text(child) for child in variables.named_children) if variables is not None else ()
    value = values.named_child(0) if values is not None and values.named_child_count else None
    if value is not None and value.type == "function_definition":
        return Found(role=FUNCTION, kind="function", names=names[:1], node=node)
    if value is not None and value.type == "table_constructor":
        return Found(role=CLASS, kind="constant", names=names[:1], node=node, body=value)
    return Found(role=LOOSE, kind="constant", names=names)


def _lua_field(node: Node, reading: Reading) -> Found:
    value = node.child_by_field_name("value")
    if value is not None and value.type == "function_definition":
        return Found(role=FUNCTION, kind="function", names=(reading.text(node.child_by_field_name("name")),), node=node)
    return Found(role=LOOSE)


def _bash_variable(node: Node, reading: Reading) -> tuple[str, ...]:
    assigned = node if node.type == "variable_assignment" else child_of(node, "variable_assignment")
    return (reading.text(assigned.child_by_field_name("name")),) if assigned is not None else ()


#: What may stand around definitions of a module or a class: versions, optional imports.
_PYTHON_GROUPS = (
    "if_statement",
    "elif_clause",
    "else_clause",
    "try_statement",
    "except_clause",
    "finally_clause",
    "block",
)

PYTHON = Grammar(
    module="tree_sitter_python",
    rules={
        "comment": lead,
        "import_statement": imports,
        "import_from_statement": imports,
        "future_import_statement": imports,
        "function_definition": function(),
        "class_definition": container(),
        "decorated_definition": wrapper("definition"),
        "expression_statement": constants(_python_targets),
        **dict.fromkeys(_PYTHON_GROUPS, group()),
        "type_alias_statement": constants(
            lambda node, reading: (reading.text(node.child_by_field_name("left")),), "type"
        ),
    },
)

RUBY = Grammar(
    module="tree_sitter_ruby",
    rules={
        "comment": lead,
        "call": _ruby_call,
        "module": container("module"),
        "class": container(),
        "singleton_class": group("body"),
        "method": function(_ruby_method),
        "singleton_method": function(_ruby_method),
        "assignment": constants(_ruby_target),
    },
)

_PHP_CLASS = container()
PHP = Grammar(
    module="tree_sitter_php",
    function="language_php",
    rules={
        "comment": lead,
        "php_tag": imports,
        "namespace_use_declaration": imports,
        "namespace_definition": namespace(),
        "class_declaration": _PHP_CLASS,
        "trait_declaration": _PHP_CLASS,
        "interface_declaration": container("type"),
        "enum_declaration": container("type"),
        "function_definition": function(),
        "method_declaration": function(),
        "if_statement": group(),
        "compound_statement": group(),
        "const_declaration": constants(_php_elements),
        "property_declaration": constants(_php_elements),
        "enum_case": constants(lambda node, reading: (reading.text(node.child_by_field_name("name")),)),
    },
)

LUA = Grammar(
    module="tree_sitter_lua",
    rules={
        "comment": lead,
        "function_declaration": function(),
        "assignment_statement": _lua_assignment,
        "variable_declaration": _lua_assignment,
        "field": _lua_field,
    },
)

BASH = Grammar(
    module="tree_sitter_bash",
    rules={
        "comment": lead,
        "function_definition": function(),
        "if_statement": group(),
        "elif_clause": group(),
        "else_clause": group(),
        "variable_assignment": constants(_bash_variable),
        "declaration_command": constants(_bash_variable),
    },
)

GRAMMARS = {"python": PYTHON, "ruby": RUBY, "php": PHP, "lua": LUA, "bash": BASH}
