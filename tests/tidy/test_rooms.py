"""Imports between rooms run downwards only, and what is heavy is imported by whoever needs it, when he needs it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from house import SOURCE, imported_names, modules, room_of, shown

#: Room → the rooms that it may import. A room that is not listed here is not built yet.
MAY_IMPORT = {
    "errors": "",
    "values": "",
    "types": "values",
    "settings": "errors values",
    "text": "values",
    "query": "errors values",
    "git": "errors types values",
    "code": "types values",
    "evidence": "errors types text values",
    "index": "errors types text values",
    "collections": "errors query values",
    "stores": "errors text query collections index values",
    "embedding": "errors values",
    "queue": "errors stores values",
    "vectors": "errors collections query stores embedding values",
    "indexing": "errors types text git code evidence index values",
    "retrieval": "errors types text evidence index values",
    "syncing": "errors types text git code collections query index indexing stores values",
    "connections": "errors collections query stores values",
    "permissions": "errors query collections stores values",
    "migrations": "errors query collections stores values",
    "storing": (
        "errors settings text git query collections stores connections syncing migrations embedding vectors index "
        "values"
    ),
    "engine": "errors types settings text git code evidence index indexing retrieval values",
    "opening": "settings git engine values",
    "__init__": "errors types engine opening values",
    "cli": (
        "errors types settings values engine __init__ storing connections stores syncing migrations embedding vectors"
    ),
    "__main__": "cli",
}

#: Third-party and slow standard modules → the rooms that know them at all.
KNOWN_BY = {
    "sqlite3": "index stores embedding queue",
    "httpx": "embedding",
    "tantivy": "index stores",
    "numpy": "stores embedding",
    "onnxruntime": "embedding",
    "tokenizers": "embedding",
    "cryptography": "connections",
    "psycopg": "stores",
    "elasticsearch": "stores",
    "opensearchpy": "stores",
    "tree_sitter": "code",
    "Stemmer": "text",
    "msgspec": "evidence",
    "pathspec": "engine",
    "rich": "cli",
    "pygments": "cli",
    "argparse": "cli",
    "subprocess": "git indexing cli",
}

#: Nothing of this is loaded by `import callsite`: a warm search as a whole process has some 80 ms.
HEAVY = (
    "argparse asyncio concurrent.futures email http importlib.metadata importlib.resources logging markdown_it "
    "msgspec multiprocessing numpy pathspec pygments pytest rich setuptools socket ssl tomllib tree_sitter unittest "
    "urllib.request xml"
).split()

#: Rooms of those who keep chunks in a store; a search in a checkout never enters them.
OF_STORES = tuple(
    f"callsite.{room}"
    for room in (
        "query collections stores syncing connections migrations permissions storing embedding vectors queue"
    ).split()
)


@pytest.mark.parametrize("path", modules(), ids=shown)
def test_a_module_imports_only_from_rooms_below_its_own(path):
    """The table above is the whole truth about who may know whom."""
    room = room_of(path)
    allowed = {room, *MAY_IMPORT[room].split()}
    for name in imported_names(path):
        if name.split(".")[0] == "callsite":
            to = _room_of_name(name)
            assert to in allowed, f"{shown(path)} imports {name}; {room} may import {sorted(allowed)}"


def _room_of_name(name: str) -> str:
    """The room of `callsite.git.source`; names that callsite itself offers belong to its public API."""
    part = name.split(".")[1] if "." in name else "__init__"
    return part if part in MAY_IMPORT else "__init__"


def test_the_table_has_no_circle_and_no_room_that_is_not_there():
    """A room stands in the table after all rooms that it may import: the order of the table is that of the floors."""
    seen: set[str] = set()
    for room, below in MAY_IMPORT.items():
        assert set(below.split()) <= seen, f"{room} imports from a room above it"
        seen.add(room)
    assert {room_of(path) for path in modules()} <= seen
    there = {room_of(path) for path in modules()}
    assert seen - there <= {"__main__"}, f"not there: {sorted(seen - there)}"


@pytest.mark.parametrize("foreign", KNOWN_BY)
def test_a_foreign_library_is_known_in_its_room_only(foreign):
    """A library can be replaced by changing one room."""
    knowing = {room_of(path) for path in modules() if foreign in {n.split(".")[0] for n in imported_names(path)}}
    assert knowing <= set(KNOWN_BY[foreign].split())


@pytest.mark.parametrize("module", ["callsite", "callsite.cli.main"])
def test_importing_loads_nothing_heavy(module):
    """Grammars, tables and highlighting are loaded by the call that needs them."""
    loaded = _loaded_by(f"import {module}")
    assert module in loaded
    assert sorted(loaded & set(HEAVY)) == []


def test_a_search_that_finds_nothing_changed_loads_nothing_heavy(tmp_path):
    """Its own parser of words, the engine and the index; neither a process pool, nor a table, nor a grammar."""
    (tmp_path / "kept.py").write_text("def keep(): pass\n")
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    search = f"from callsite.cli.main import main; main(['search', 'keep', '--in', {str(tmp_path)!r}, '--files-only'])"
    _loaded_by(search)
    os.utime(tmp_path / "kept.py", (0, 0))  # a file that has just changed is looked at again
    _loaded_by(search)
    loaded = _loaded_by(search)
    assert {"callsite.engine", "callsite.retrieval.pipeline"} <= loaded
    assert sorted(loaded & set(HEAVY)) == []
    assert [module for module in sorted(loaded) if module.startswith(OF_STORES)] == []


def _loaded_by(statement: str) -> set[str]:
    """The modules that a statement loads in a new process."""
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"
        f"sys.path.insert(0, {str(SOURCE.parent)!r})\n"
        f"{statement}\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(run.stdout.split())
