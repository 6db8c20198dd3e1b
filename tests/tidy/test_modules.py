"""Modules and functions stay small, say what they are for, and keep their promises about names."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess

import pytest
from house import ROOT, SOURCE, modules, parsed, shown

import callsite

MOST_LINES_OF_MODULE = 400
MOST_LINES_OF_FUNCTION = 60


@pytest.mark.parametrize("path", modules(), ids=shown)
def test_a_module_opens_with_the_question_that_it_answers(path):
    """One to a few lines, beginning with a capital letter and ending like a sentence."""
    head = ast.get_docstring(parsed(path)) or ""
    first = head.split("\n\n")[0].strip()
    assert re.match(r"[A-Z`]", first), f"{shown(path)} has no header"
    assert first.endswith((".", "?", ":", ")")), f"{shown(path)}: the header is no sentence: {first!r}"


@pytest.mark.parametrize("path", modules(), ids=shown)
def test_a_module_is_short(path):
    """At most 400 lines."""
    assert path.read_text("utf-8").count("\n") <= MOST_LINES_OF_MODULE


@pytest.mark.parametrize("path", modules(), ids=shown)
def test_a_function_is_short(path):
    """At most 60 lines with its signature and docstring."""
    too_long = [
        f"{node.name} ({node.end_lineno - node.lineno + 1} lines)"
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > MOST_LINES_OF_FUNCTION
    ]
    assert too_long == []


@pytest.mark.parametrize("path", modules(), ids=shown)
def test_what_a_module_lists_in_all_is_there(path):
    """`__all__` has no doubles, and each of its names exists; ruff sees that it is sorted."""
    if path.stem == "__main__":
        return
    module = importlib.import_module(_name_of(path))
    listed = getattr(module, "__all__", [])
    assert len(listed) == len(set(listed))
    assert [name for name in listed if not hasattr(module, name)] == []


def _name_of(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_the_public_names_are_exactly_those_of_all():
    """Everything that callsite exposes without an underscore is promised, except its own rooms."""
    exposed = {
        name
        for name, value in vars(callsite).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name not in ("annotations", "TYPE_CHECKING")
    }
    assert exposed | set(callsite._LATE) == set(callsite.__all__)


def _public_members():
    for name in callsite.__all__:
        thing = getattr(callsite, name)
        yield name, thing
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    yield f"{name}.{member}", value


@pytest.mark.parametrize(
    ("name", "thing"), list(_public_members()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_public_name_has_a_docstring(name, thing):
    """Its own, not one that a dataclass or a base class made up."""
    text = inspect.getdoc(thing) or ""
    assert text.strip(), f"{name} has no docstring"
    assert not text.startswith(f"{name}("), f"{name} has only the docstring of a dataclass"


def _tracked_texts():
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=False,
    )
    names = [name for name in listed.stdout.decode("utf-8", "surrogateescape").split("\0") if name]
    for name in names:
        path = ROOT / name
        if (
            path.is_file()
            and path.suffix in (".py", ".md", ".toml", ".sql", ".txt", ".json", "")
            and path.stat().st_size < 500_000
        ):
            yield name, path.read_text("utf-8", "replace")


def test_no_file_names_a_place_of_one_machine():
    """What is committed works everywhere, so it names no home and no working folder of whoever wrote it."""
    place = re.compile(r"(?<![\w.~/-])/(?:work|root|farm|home/\w+|Users/\w+)/")
    allowed = "tests/"  # tests make up foreign paths to show that they do no harm
    found = [
        f"{name}: {hit.group()}"
        for name, text in _tracked_texts()
        if not name.startswith(allowed)
        for hit in place.finditer(text)
    ]
    assert found == []


def test_no_file_postpones_anything():
    """What is missing is an issue, not a comment."""
    later = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")
    found = [
        f"{name}: {hit.group()}"
        for name, text in _tracked_texts()
        if name.startswith(("src/", "scripts/", "benchmarks/", ".ci/"))
        for hit in later.finditer(text)
    ]
    assert found == []
