"""What does the repository consist of? Files, modules and what they import, for the tests of its order."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "callsite"
DOCS = (ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md")


@cache
def modules() -> tuple[Path, ...]:
    """The modules of the package."""
    return tuple(sorted(SOURCE.rglob("*.py")))


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text("utf-8"))


def pages() -> list[Path]:
    """All Markdown pages: those at the top and those in docs/."""
    return [*DOCS, *sorted((ROOT / "docs").rglob("*.md"))]


def shown(path: Path) -> str:
    """A path as the messages of a failing test name it."""
    return path.relative_to(ROOT).as_posix()


def room_of(path: Path) -> str:
    """The folder or single file below src/callsite that a module belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_names(path: Path) -> Iterator[str]:
    """Full names of the modules that a module imports, at its top or inside a function."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _names_of_from(node, path)


def _names_of_from(node: ast.ImportFrom, path: Path) -> Iterator[str]:
    package = ("callsite", *path.relative_to(SOURCE).parent.parts)
    base = package[: len(package) - node.level + 1] if node.level else ()
    module = ".".join((*base, *filter(None, [node.module])))
    if module == "callsite":
        yield from (f"callsite.{alias.name}" for alias in node.names)
    else:
        yield module
