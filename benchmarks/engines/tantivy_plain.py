"""tantivy as it comes: 40 lines a document, English stems, all words of the question, BM25 and nothing else."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import tantivy

from benchmarks.engines.contract import Checkout, Place

N_LINES = 40
LARGEST_FILE = 1_000_000  # bytes, the bound that callsite and semble have too
MOST_WORDS = 1_000  # tantivy allows 1,024 clauses


class TantivyRanker:
    """An index in memory for each checkout."""

    name = "tantivy"
    version = version("tantivy")
    reads_commits = False

    def rank(
        self, checkout: Checkout, questions: Sequence[str], *, n: int, budget: int | None = None
    ) -> list[list[Place]]:
        index = PlainIndex(checkout.folder)
        return [index.search(question, n) for question in questions]


class PlainIndex:
    """Text blocks of the files below a folder."""

    def __init__(self, folder: Path) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("path", stored=True, tokenizer_name="raw")
        builder.add_unsigned_field("line", stored=True)
        builder.add_unsigned_field("last_line", stored=True)
        builder.add_text_field("body", tokenizer_name="en_stem", index_option="freq")
        self._index = tantivy.Index(builder.build())
        self.n_documents = 0
        writer = self._index.writer(128_000_000, 1)
        for path, text in texts(folder):
            self._add(writer, path, text.split("\n"))
        writer.commit()
        self._index.reload()
        self._searcher = self._index.searcher()

    def _add(self, writer: tantivy.IndexWriter, path: str, lines: list[str]) -> None:
        for start in range(0, len(lines), N_LINES):
            block = lines[start : start + N_LINES]
            body = "\n".join(block)
            writer.add_document(tantivy.Document(path=path, line=start + 1, last_line=start + len(block), body=body))
            self.n_documents += 1

    def search(self, question: str, n: int) -> list[Place]:
        """Blocks, best first."""
        words = re.findall(r"[^\W_]+", question.lower())[:MOST_WORDS]  # lower case: no word is an operator
        if not words:
            return []
        query = self._index.parse_query(" ".join(words), ["body"])
        found = (self._searcher.doc(address) for _, address in self._searcher.search(query, n).hits)
        return [_place(document) for document in found]


def _place(document: tantivy.Document) -> Place:
    (path,), (first,), (last,) = (document[name] for name in ("path", "line", "last_line"))
    return Place(path=path, first_line=first, last_line=last)


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Path and text of the files below a folder that hold text; hidden folders are left out."""
    for current, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(current) / name
            if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST_FILE:
                continue
            content = path.read_bytes()
            if b"\0" not in content:
                yield path.relative_to(folder).as_posix(), content.decode("utf-8", "replace")
