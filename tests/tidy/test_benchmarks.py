"""The benchmarks know callsite as its users do, and are as tidy as the package."""

from __future__ import annotations

import ast
import re
from importlib import import_module

import pytest
from house import ROOT, parsed, shown

import callsite

FILES = sorted((ROOT / "benchmarks").rglob("*.py"))


#: Rooms that are public as a whole, besides `callsite` itself: those of programs that keep chunks in stores.
PUBLIC_ROOMS = (
    "collections",
    "connections",
    "embedding",
    "migrations",
    "query",
    "queue",
    "stores",
    "syncing",
    "vectors",
)


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_benchmarks_use_public_names_only(path):
    """What the `__all__` of `callsite` or of a public room promises, never a module inside."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            assert not [alias.name for alias in node.names if alias.name.startswith("callsite.")]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "callsite":
            assert node.module == "callsite" or node.module.split(".")[1] in PUBLIC_ROOMS
            assert {alias.name for alias in node.names} <= set(import_module(node.module).__all__)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "callsite":
            assert node.attr in (*callsite.__all__, "__version__")


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_a_benchmark_module_is_short_and_says_what_it_is_for(path):
    """The rules of the package hold here too: a header, at most 400 lines, functions of at most 60."""
    assert re.match(r"[A-Z`a-z]", ast.get_docstring(parsed(path)) or "")
    assert path.read_text("utf-8").count("\n") <= 400
    functions = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef)]
    assert [f.name for f in functions if (f.end_lineno or 0) - f.lineno >= 60] == []


def test_no_benchmark_data_is_kept_here():
    """Questions and answers stay in the data folder; only results are committed."""
    kept = {
        path.suffix for path in (ROOT / "benchmarks").rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    assert kept <= {".py", ".json", ".md", ".svg"}
    assert [path for path in (ROOT / "benchmarks").rglob("*.json") if path.parent.name != "runs"] == []
