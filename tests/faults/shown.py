"""What does an index show? Everything that it knows of a view, in values that two indexes can be compared by."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from io import StringIO
from pathlib import Path

import callsite
from callsite.index.lexical import FIELDS, ORDINAL_BITS, ORDINALS
from callsite.index.query import Scope
from callsite.index.snapshot import Snapshot
from callsite.text.words import Words

QUESTIONS = ("alpha", "beta gamma", "Delta.epsilon", "sigma tau return", "words about kappa", "word7")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A view: by path, without the numbers that every index gives out in its own order."""

    texts: dict[str, str]
    chunks: dict[str, list[tuple[object, ...]]]
    names: dict[str, list[tuple[str, int, int, int]]]
    symbols: dict[str, list[tuple[int, int, str, str]]]
    skipped: dict[str, str]
    found: dict[str, set[tuple[object, ...]]]


def shown(root: Path, home: Path, **settings: object) -> Shown:
    """Bring the index in `home` up to date and look at all of it."""
    with callsite.open(root, home=str(home), **settings) as engine:
        return engine._index.ask(_looked_at, updating="required")[0]


def _looked_at(snapshot: Snapshot) -> Shown:
    files = snapshot.files(snapshot.paths())
    names = ("alpha", "beta", "delta", "epsilon", "theta", "nu", "sigma_3", "kappa")
    chunks = {file.path: snapshot.chunks(file.content) for file in files.values()}
    texts = {file.path: snapshot.text(file.content) for file in files.values()}
    for path, text in texts.items():
        lines = list(StringIO(text, newline="\n"))
        assert "".join("".join(lines[c.first_line - 1 : c.last_line]) for c in chunks[path]) == text, path
    path_by_id = {id: file.path for id, file in files.items()}
    defined: dict[str, list[tuple[str, int, int, int]]] = {}
    for name, places in snapshot.definitions(names).items():
        defined[name] = sorted((path_by_id[p.file], p.ordinal, p.written, p.owner) for p in places)
    return Shown(
        texts=texts,
        chunks={path: [astuple(chunk) for chunk in found] for path, found in chunks.items()},
        names={name: places for name, places in defined.items() if places},
        symbols={file.path: snapshot.symbols(file.content) for file in files.values()},
        skipped=dict(snapshot.skipped()),
        found={question: _found(snapshot, question, path_by_id) for question in QUESTIONS},
    )


def _found(snapshot: Snapshot, question: str, path_by_id: dict[int, str]) -> set[tuple[object, ...]]:
    """What both lexical indexes find: files and chunks by path. One that the view does not show is an error."""
    terms = dict.fromkeys(Words().terms(question), 1.0)
    scope: Scope = snapshot.scope()
    found: set[tuple[object, ...]] = set()
    for field in FIELDS["files"]:
        files = snapshot.lexical.search_files(terms, field=field, scope=scope, limit=10_000)
        found |= {(path_by_id[file], field) for file in files}
    for field in FIELDS["chunks"]:
        chunks = snapshot.lexical.search_chunks(terms, field=field, scope=scope, limit=10_000)
        found |= {(path_by_id[key >> ORDINAL_BITS], key & ORDINALS, field) for key in chunks}
    return found
