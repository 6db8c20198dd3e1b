"""How are Java, Kotlin, Scala, C# and Swift read?"""

from __future__ import annotations

import re

from callsite.values import TYPE_CHECKING

from .rules import (
    CLASS,
    FUNCTION,
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
    types,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_GENERICS = re.compile(r"<.*")


def _named(node: Node, reading: Reading) -> tuple[str, ...]:
    name = node.child_by_field_name("name")
    return (reading.text(name),) if name is not None else ()


def _declarators(node: Node, reading: Reading) -> tuple[str, ...]:
    fields = node.children_by_field_name("declarator")
    return tuple(reading.text(field.child_by_field_name("name")) for field in fields)


JAVA = Grammar(
    module="tree_sitter_java",
    rules={
        "line_comment": lead,
        "block_comment": lead,
        "package_declaration": imports,
        "import_declaration": imports,
        "class_declaration": container(),
        "record_declaration": container(),
        "interface_declaration": container("type"),
        "annotation_type_declaration": container("type"),
        "enum_declaration": container("type"),
        "enum_body_declarations": group(),
        "enum_constant": constants(_named),
        "method_declaration": function(),
        "constructor_declaration": function(),
        "compact_constructor_declaration": function(),
        "field_declaration": constants(_declarators),
        "constant_declaration": constants(_declarators),
    },
)


def _kotlin_class(node: Node, reading: Reading) -> Found:
    body = child_of(node, "class_body") or child_of(node, "enum_class_body")
    return Found(role=CLASS, kind="class", names=_named(node, reading), node=node, body=body)


def _kotlin_companion(node: Node, reading: Reading) -> Found:
    name = reading.text(node.child_by_field_name("name")) or "Companion"
    return Found(role=CLASS, kind="class", names=(name,), node=node, body=child_of(node, "class_body"))


def _kotlin_function(node: Node, reading: Reading) -> str:
    """`fun String.trimmed()` defines `String.trimmed`."""
    name = node.child_by_field_name("name")
    previous = name.prev_named_sibling if name is not None else None
    if previous is not None and previous.type in ("user_type", "nullable_type"):
        return f"{_GENERICS.sub('', reading.text(previous)).rstrip('?')}.{reading.text(name)}"
    return reading.text(name)


def _kotlin_property(node: Node, reading: Reading) -> tuple[str, ...]:
    variable = child_of(node, "variable_declaration")
    return (reading.text(child_of(variable, "identifier")),) if variable is not None else ()


def _first_identifier(node: Node, reading: Reading) -> tuple[str, ...]:
    return (reading.text(child_of(node, "identifier")),)


KOTLIN = Grammar(
    module="tree_sitter_kotlin",
    rules={
        "line_comment": lead,
        "block_comment": lead,
        "package_header": imports,
        "import": imports,
        "class_declaration": _kotlin_class,
        "object_declaration": _kotlin_class,
        "companion_object": _kotlin_companion,
        "function_declaration": function(_kotlin_function),
        "secondary_constructor": function(lambda _node, _reading: "constructor"),
        "property_declaration": constants(_kotlin_property),
        "enum_entry": constants(_first_identifier),
        "type_alias": types("type"),
    },
)


def _scala_pattern(node: Node, reading: Reading) -> tuple[str, ...]:
    pattern = node.child_by_field_name("pattern") or node.child_by_field_name("name")
    return (reading.text(pattern),) if pattern is not None and pattern.type == "identifier" else ()


def _scala_cases(node: Node, reading: Reading) -> tuple[str, ...]:
    return tuple(reading.text(child.child_by_field_name("name")) for child in node.named_children)


SCALA = Grammar(
    module="tree_sitter_scala",
    rules={
        "comment": lead,
        "block_comment": lead,
        "package_clause": imports,
        "import_declaration": imports,
        "class_definition": container(),
        "object_definition": container(),
        "package_object": container("module"),
        "trait_definition": container("type"),
        "enum_definition": container("type"),
        "enum_case_definitions": constants(_scala_cases),
        "function_definition": function(),
        "function_declaration": constants(_named, "function"),
        "given_definition": function(),
        "extension_definition": group("body"),
        "val_definition": constants(_scala_pattern),
        "val_declaration": constants(_scala_pattern),
        "var_definition": constants(_scala_pattern),
        "type_definition": types(),
    },
)


def _csharp_field(node: Node, reading: Reading) -> tuple[str, ...]:
    declaration = child_of(node, "variable_declaration")
    if declaration is None:
        return ()
    variables = (child for child in declaration.named_children if child.type == "variable_declarator")
    return tuple(reading.text(variable.child_by_field_name("name")) for variable in variables)


def _csharp_property(node: Node, reading: Reading) -> Found:
    return Found(role=FUNCTION, kind="constant", names=_named(node, reading), node=node)


CSHARP = Grammar(
    module="tree_sitter_c_sharp",
    flat=("global_statement",),
    rules={
        "comment": lead,
        "using_directive": imports,
        "extern_alias_directive": imports,
        "file_scoped_namespace_declaration": imports,
        "namespace_declaration": namespace(),
        "preproc_if": group(),
        "preproc_else": group(),
        "preproc_elif": group(),
        "preproc_region": lead,
        "class_declaration": container(),
        "struct_declaration": container(),
        "record_declaration": container(),
        "interface_declaration": container("type"),
        "enum_declaration": container("type"),
        "enum_member_declaration": constants(_named),
        "delegate_declaration": types(),
        "method_declaration": function(),
        "constructor_declaration": function(),
        "destructor_declaration": function(),
        "operator_declaration": function(
            lambda node, reading: "operator " + reading.text(node.child_by_field_name("operator"))
        ),
        "indexer_declaration": function(lambda _node, _reading: "this[]"),
        "property_declaration": _csharp_property,
        "event_declaration": _csharp_property,
        "field_declaration": constants(_csharp_field),
        "event_field_declaration": constants(_csharp_field),
    },
)


def _swift_type(node: Node, reading: Reading) -> Found:
    word = reading.text(node.child_by_field_name("declaration_kind"))
    kind = {"enum": "type", "extension": ""}.get(word, "class")
    name = _GENERICS.sub("", reading.text(node.child_by_field_name("name")))
    return Found(role=CLASS, kind=kind, names=(name,), node=node, body=node.child_by_field_name("body"))


def _swift_property(node: Node, reading: Reading) -> Found:
    name = node.child_by_field_name("name")
    names = (reading.text(name),) if name is not None else ()
    is_computed = child_of(node, "computed_property") is not None
    return Found(role=FUNCTION if is_computed else "loose", kind="constant", names=names, node=node)


def _swift_entries(node: Node, reading: Reading) -> tuple[str, ...]:
    return tuple(reading.text(name) for name in node.children_by_field_name("name"))


SWIFT = Grammar(
    module="tree_sitter_swift",
    rules={
        "comment": lead,
        "multiline_comment": lead,
        "import_declaration": imports,
        "class_declaration": _swift_type,
        "protocol_declaration": container("type"),
        "function_declaration": function(),
        "protocol_function_declaration": constants(_named, "function"),
        "protocol_property_declaration": constants(_named),
        "init_declaration": function(lambda _node, _reading: "init"),
        "deinit_declaration": function(lambda _node, _reading: "deinit"),
        "subscript_declaration": function(lambda _node, _reading: "subscript"),
        "property_declaration": _swift_property,
        "enum_entry": constants(_swift_entries),
        "typealias_declaration": types(),
    },
)

GRAMMARS = {"java": JAVA, "kotlin": KOTLIN, "scala": SCALA, "csharp": CSHARP, "swift": SWIFT}
