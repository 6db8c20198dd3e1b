"""How are C, C++, Go, Rust and Zig read?"""

from __future__ import annotations

import re

from callsite.values import TYPE_CHECKING

from .rules import (
    CLASS,
    FUNCTION,
    GROUP,
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
    types,
    wrapper,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_DECLARATOR_DEPTH = 12
_RECORDS = frozenset(("struct_specifier", "union_specifier", "enum_specifier", "class_specifier"))
_NO_NAMES = frozenset(("namespace", "extern", "class", "struct"))
_CLASS_HEAD = re.compile(rb"\b(?:class|struct)\s+(?:[A-Z_0-9]+\s+)?(\w+)")
_TEMPLATE_DEPTH = 4
_ARGUMENTS = re.compile(r"<[^<>]*>")
_GENERICS = re.compile(r"[<\[].*")


def _declared(node: Node | None) -> tuple[Node | None, bool]:
    """The innermost declarator and whether a function is declared on the way to it."""
    is_function = False
    for _ in range(_DECLARATOR_DEPTH):
        if node is None:
            break
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type in ("reference_declarator", "parenthesized_declarator", "attributed_declarator"):
            inner = node.named_child(0) if node.named_child_count else None
        if inner is None:
            break
        is_function = is_function or (node.type == "function_declarator" and inner.type != "parenthesized_declarator")
        node = inner
    return node, is_function


def _qualified(name: str) -> str:
    """`fmt::detail::buffer<T>::grow` is found as `fmt.detail.buffer.grow`."""
    for _ in range(_TEMPLATE_DEPTH):
        name, n_removed = _ARGUMENTS.subn("", name)
        if not n_removed:
            break
    return name.replace("::", ".").strip()


def _c_function(node: Node, reading: Reading) -> Found:
    """A function, or what the grammar takes for one where a macro stands before a class or a namespace."""
    name = _qualified(reading.text(_declared(node.child_by_field_name("declarator"))[0]))
    kind, body = node.child_by_field_name("type"), node.child_by_field_name("body")
    if body is not None and kind is not None and kind.type in _RECORDS and kind.child_by_field_name("body") is None:
        return Found(role=CLASS, kind="class", names=(name,), node=node, body=body)
    if body is not None and (" " in name or name in _NO_NAMES) and not name.startswith("operator"):
        head = _CLASS_HEAD.search(reading.data, node.start_byte, body.start_byte)
        if head is None:
            return Found(role=GROUP, body=body)
        return Found(role=CLASS, kind="class", names=(head[1].decode("utf-8", "replace"),), node=node, body=body)
    return Found(role=FUNCTION, kind="function", names=(name,), node=node)


def _c_declaration(node: Node, reading: Reading) -> Found:
    kind = node.child_by_field_name("type")
    declarators = node.children_by_field_name("declarator")
    if kind is not None and kind.type in _RECORDS and kind.child_by_field_name("body") is not None:
        found = _record(kind, reading)
        names = [_declared(declarator)[0] for declarator in declarators]
        return Found(
            role=CLASS,
            kind=found.kind,
            names=tuple(name for name in (*found.names, *map(reading.text, names)) if name),
            node=node,
            body=found.body,
        )
    pairs = [_declared(declarator) for declarator in declarators]
    names_only = tuple(_qualified(reading.text(name)) for name, _ in pairs if name is not None)
    is_function = any(is_function for _, is_function in pairs)
    return Found(role=LOOSE, kind="function" if is_function else "constant", names=names_only)


def _typedef(node: Node, reading: Reading) -> Found:
    found = _c_declaration(node, reading)
    if found.role == CLASS:
        return Found(role=CLASS, kind=found.kind, names=found.names[-1:], node=node, body=found.body)
    return Found(role=LOOSE, kind="type", names=found.names)


def _record(node: Node, reading: Reading) -> Found:
    kind = "class" if node.type in ("class_specifier", "struct_specifier") else "type"
    name = _qualified(reading.text(node.child_by_field_name("name")))
    body = node.child_by_field_name("body")
    if body is None:
        return Found(role=LOOSE, kind=kind)
    return Found(role=CLASS, kind=kind, names=(name,) if name else (), node=node, body=body)


def _enumerator(node: Node, reading: Reading) -> tuple[str, ...]:
    return (reading.text(node.child_by_field_name("name")),)


def _macro(node: Node, reading: Reading) -> Found:
    names = (reading.text(node.child_by_field_name("name")),)
    if node.type == "preproc_function_def":
        return Found(role=FUNCTION, kind="function", names=names, node=node)
    return Found(role=LOOSE, kind="constant", names=names)


def _linkage(node: Node, reading: Reading) -> Found:
    body = node.child_by_field_name("body")
    if body is not None and body.type == "declaration_list":
        return Found(role=GROUP, body=body)
    return reading.find(body) if body is not None else Found(role=LOOSE)


_C = {
    "comment": lead,
    "preproc_include": imports,
    "preproc_def": _macro,
    "preproc_function_def": _macro,
    "preproc_ifdef": group(),
    "preproc_if": group(),
    "preproc_else": group(),
    "preproc_elif": group(),
    "linkage_specification": _linkage,
    "function_definition": _c_function,
    "declaration": _c_declaration,
    "field_declaration": _c_declaration,
    "type_definition": _typedef,
    "struct_specifier": _record,
    "union_specifier": _record,
    "enum_specifier": _record,
    "enumerator": constants(_enumerator),
}

C = Grammar(module="tree_sitter_c", rules=_C)

CPP = Grammar(
    module="tree_sitter_cpp",
    rules={
        **_C,
        "class_specifier": _record,
        "namespace_definition": namespace(),
        "template_declaration": wrapper(),
        "alias_declaration": types(),
        "concept_definition": types(),
        "using_declaration": imports,
        "access_specifier": lead,
    },
)


def _receiver(node: Node, reading: Reading) -> str:
    name = reading.text(node.child_by_field_name("name"))
    receiver = reading.text(node.child_by_field_name("receiver")).strip("()")
    owner = _GENERICS.sub("", receiver.split()[-1] if "[" not in receiver else receiver.split("[")[0].split()[-1])
    owner = owner.strip("*() ")
    return f"{owner}.{name}" if owner else name


def _go_values(node: Node, reading: Reading) -> Found:
    specs = node.named_children
    if specs and specs[0].type == "var_spec_list":
        specs = specs[0].named_children
    names = [name for spec in specs for name in spec.children_by_field_name("name") if name.is_named]
    rows = tuple(name.start_point[0] for name in names)
    return Found(role=LOOSE, kind="constant", names=tuple(map(reading.text, names)), rows=rows)


def _go_types(node: Node, reading: Reading) -> Found:
    specs = [child for child in node.named_children if child.type in ("type_spec", "type_alias")]
    names = tuple(reading.text(spec.child_by_field_name("name")) for spec in specs)
    inner = specs[0].child_by_field_name("type") if len(specs) == 1 else None
    if inner is not None and inner.type in ("struct_type", "interface_type"):
        kind = "class" if inner.type == "struct_type" else "type"
        return Found(role=FUNCTION, kind=kind, names=names, node=node)
    return Found(role=LOOSE, kind="type", names=names, rows=tuple(spec.start_point[0] for spec in specs))


GO = Grammar(
    module="tree_sitter_go",
    rules={
        "comment": lead,
        "package_clause": imports,
        "import_declaration": imports,
        "function_declaration": function(),
        "method_declaration": function(_receiver),
        "type_declaration": _go_types,
        "const_declaration": _go_values,
        "var_declaration": _go_values,
    },
)


def _implemented(node: Node, reading: Reading) -> str:
    return _GENERICS.sub("", reading.text(node.child_by_field_name("type"))).lstrip("&").strip()


def _impl(node: Node, reading: Reading) -> Found:
    return Found(role=CLASS, names=(_implemented(node, reading),), node=node, body=node.child_by_field_name("body"))


def _rust_name(node: Node, reading: Reading) -> tuple[str, ...]:
    return (reading.text(node.child_by_field_name("name")),)


RUST = Grammar(
    module="tree_sitter_rust",
    rules={
        "line_comment": lead,
        "block_comment": lead,
        "attribute_item": lead,
        "use_declaration": imports,
        "extern_crate_declaration": imports,
        "function_item": function(),
        "function_signature_item": constants(_rust_name, "function"),
        "struct_item": function(kind="class"),
        "union_item": function(kind="class"),
        "enum_item": container("type"),
        "enum_variant": constants(_rust_name),
        "trait_item": container("type"),
        "impl_item": _impl,
        "mod_item": container("module"),
        "macro_definition": function(),
        "const_item": constants(_rust_name),
        "static_item": constants(_rust_name),
        "type_item": types(),
        "associated_type": types(),
        "foreign_mod_item": group("body"),
    },
)

_ZIG_CONTAINERS = ("struct_declaration", "enum_declaration", "union_declaration", "opaque_declaration")


def _zig_variable(node: Node, reading: Reading) -> Found:
    children = node.named_children
    names = (reading.text(children[0]),) if children else ()
    value = children[-1] if len(children) > 1 else None
    if value is not None and value.type in _ZIG_CONTAINERS:
        return Found(role=CLASS, kind="class", names=names, node=node, body=value)
    if value is not None and value.type == "builtin_function" and reading.text(value).startswith("@import"):
        return Found(role="import")
    return Found(role=LOOSE, kind="constant", names=names)


def _zig_test(node: Node, reading: Reading) -> str:
    return reading.text(child_of(node, "string") or child_of(node, "identifier")).strip('"')


ZIG = Grammar(
    module="tree_sitter_zig",
    rules={
        "comment": lead,
        "variable_declaration": _zig_variable,
        "function_declaration": function(),
        "test_declaration": function(_zig_test),
    },
)

GRAMMARS = {"c": C, "cpp": CPP, "go": GO, "rust": RUST, "zig": ZIG}
