"""Which chunks and which files hold these terms? Two tantivy indexes, `files` and `chunks` (S1).

They know terms and numbers only: files by the catalogue's id, a chunk by file and ordinal. Everything in them can be
made again from the catalogue. A file that the catalogue does not know is invisible, so documents are added before the
catalogue commits and removed after; the order makes a crash harmless.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import log
from threading import Thread

import tantivy

from callsite.errors import IndexBusy, IndexUnusable
from callsite.index.query import Scope, above, compile_query, limit_terms
from callsite.index.segments import committed, is_busy, is_foreign, mark, remove_strays, writer_of
from callsite.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from typing import Any

#: What each index knows of a document in fields of its own. Where a chunk lies is said by its path and by its own name;
#: the other names that it defines are words of it, and asking for them apart made no ranking better (docs/why).
FIELDS = {"files": ("path", "symbols", "words"), "chunks": ("path", "words")}

_WHOLE = re.compile(r"=\S+")

_COMPONENTS = ("idx", "pos", "term", "store", "fast", "fieldnorm")  # files of a segment

ORDINAL_BITS = 20
ORDINALS = (1 << ORDINAL_BITS) - 1
ChunkKey = int  #: file << ORDINAL_BITS | ordinal

_LARGE_HEAP = 60_000_000
_SMALL_HEAP = 15_000_000  # tantivy's minimum
_MANY_SEGMENTS = 8  # then tantivy merges them, if somebody waits for it; each costs every search a little


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTerms:
    """What the index is told of a file: terms separated by spaces, and the values that filters ask for."""

    file: int
    path: str
    language: str
    folders: tuple[str, ...]  #: all above the file, each as a path
    chunks: Sequence[tuple[str, str, str, str]]  #: types, terms of text, of defined names, of its own name; in order


class LexicalDamaged(IndexUnusable):
    """The lexical index can't be read; it can be made again from the catalogue."""


class Lexical:
    """Both indexes, open for reading; `writing()` opens them for writing."""

    def __init__(self, folder: str) -> None:
        """Open the indexes in `folder`, made when absent; LexicalDamaged when one can't be read."""
        self._folder = folder
        self._schemas = {part: _schema(fields) for part, fields in FIELDS.items()}
        self._indexes = {part: self._open(part) for part in FIELDS}
        self._searchers: dict[str, tantivy.Searcher] = {}
        self.reload()

    def _open(self, part: str) -> tantivy.Index:
        folder = self._place(part)
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise IndexUnusable(
                f"no index can be kept in {folder}: {error}; set CALLSITE_HOME to another folder"
            ) from error
        with _reading(folder):
            index = tantivy.Index(self._schemas[part], folder)
            index.config_reader("manual")
            return index

    def _place(self, *names: str) -> str:
        return os.path.join(self._folder, *names)

    def stamps(self) -> str:
        """What was committed last, as the indexes themselves say: compared with the catalogue's note of it."""
        return " ".join(str(self._meta(part).get("opstamp", "?")) for part in FIELDS)

    def covers(self, stamps: str) -> bool:
        """Whether everything is there that was when the catalogue noted these stamps."""
        noted, present = stamps.split(), self.stamps().split()
        numbers = [one for one in (*noted, *present) if one.isdigit()]
        return (
            len(noted) == len(FIELDS)
            and len(numbers) == 2 * len(FIELDS)
            and all(int(now) >= int(then) for then, now in zip(noted, present, strict=True))
        )

    def _meta(self, part: str) -> dict[str, Any]:
        return committed(self._place(part))

    def damage(self) -> str:
        """Which file is not as tantivy wrote it, "" for none; reads everything."""
        for part in FIELDS:
            segments = self._meta(part).get("segments")
            for segment in segments if isinstance(segments, list) else []:
                name = str(segment["segment_id"]).replace("-", "")
                deletions = [other for other in os.listdir(self._place(part)) if other.startswith(f"{name}.")]
                deletions = [other for other in deletions if other.endswith(".del")]
                for file in [*(f"{name}.{suffix}" for suffix in _COMPONENTS), *deletions]:
                    if not _is_sound(place := self._place(part, file)):
                        return f"{place} is damaged"
        return ""

    def n_documents(self, part: str) -> int:
        return int(self._searchers[part].num_docs)

    def n_removed(self, part: str) -> int:
        """Documents that were removed and still take room: tantivy drops them when it merges their segment, if ever."""
        segments = self._meta(part).get("segments")
        deletes = [one.get("deletes") for one in segments] if isinstance(segments, list) else []
        return sum(int(one["num_deleted_docs"]) for one in deletes if one)

    def reload(self) -> None:
        """See what was committed last."""
        self._marks = self._read_marks()
        shown = self.stamps()
        for part, index in self._indexes.items():
            with _reading(self._place(part)):
                index.reload()
                self._searchers[part] = index.searcher()
        self.shown = shown  #: the stamps of what searches see

    def reload_if_changed(self) -> None:
        """See what another process committed."""
        if self._read_marks() != self._marks:
            self.reload()

    def _read_marks(self) -> list[tuple[int, int, int] | None]:
        return [mark(self._place(part)) for part in FIELDS]

    def search_chunks(
        self, weights: Mapping[str, float], *, field: str, scope: Scope, limit: int
    ) -> dict[ChunkKey, float]:
        """The best chunks with the BM25 scores of one field, best first."""
        found = self._search("chunks", weights, field=field, scope=scope, limit=limit)
        return {key: score for key, (score, _) in found}

    def search_files(self, weights: Mapping[str, float], *, field: str, scope: Scope, limit: int) -> dict[int, float]:
        """The best files with the BM25 scores of one field, best first."""
        found = self._search("files", weights, field=field, scope=scope, limit=limit)
        return {key >> ORDINAL_BITS: score for key, (score, _) in found}

    def _search(
        self, part: str, weights: Mapping[str, float], *, field: str, scope: Scope, limit: int
    ) -> Iterable[tuple[ChunkKey, tuple[float, object]]]:
        """Keys, with scores and addresses."""
        query = compile_query(self._schemas[part], weights, field=field, scope=scope, part=part)
        if query is None or limit <= 0:
            return ()
        searcher = self._searchers[part]
        with _reading(self._place(part)):
            hits: Sequence[Any] = searcher.search(query, limit, count=False).hits
            keys: Iterable[Any] = searcher.fast_field_values("key", [address for _, address in hits])
        return zip(keys, hits, strict=True)

    def rarity(self, term: str) -> float:
        """The inverse document frequency of a word among the chunks, as BM25 has it."""
        searcher = self._searchers["chunks"]
        with _reading(self._place("chunks")):
            n_all, n_with = int(searcher.num_docs), int(searcher.doc_freq("words", term))
        return log(1 + (n_all - n_with + 0.5) / (n_with + 0.5))

    def writing(self, *, large: bool) -> Writing:
        """Open both indexes for writing; the catalogue's lock must be held.

        They are opened anew, since tantivy collects the garbage of those files only that it saw when opening.
        """
        for part in FIELDS:
            remove_strays(self._place(part))
        self._indexes = {part: self._open(part) for part in FIELDS}
        self.reload()
        crowded = any(int(searcher.num_segments) >= _MANY_SEGMENTS for searcher in self._searchers.values())
        heap = _LARGE_HEAP if large else _SMALL_HEAP
        return Writing(self._schemas, self._indexes, heap=heap, merging=large or crowded)


class Writing:
    """A change to both indexes; nothing is seen before `commit`, and without it everything falls away.

    `close` gives tantivy's own write locks back.
    """

    def __init__(
        self,
        schemas: Mapping[str, tantivy.Schema],
        indexes: Mapping[str, tantivy.Index],
        *,
        heap: int,
        merging: bool,
    ) -> None:
        self._schemas = schemas
        self._merging = merging
        self._writers: dict[str, tantivy.IndexWriter] = {}
        try:
            for part, index in indexes.items():
                with _changing():
                    self._writers[part] = writer_of(index, heap)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Also while an exception is handled, whose traceback keeps the writers from being collected."""
        for writer in self._writers.values():
            with suppress(Exception):  # consumed by `commit`, or it failed before
                writer.wait_merging_threads()
        self._writers = {}

    def add(self, files: Iterable[FileTerms]) -> None:
        with _changing():
            for file in files:
                self._add_file(file)

    def _add_file(self, file: FileTerms) -> None:
        words = _words_of_file(" ".join([words for _, words, *_ in file.chunks]))
        symbols = " ".join([symbols for *_, symbols, _ in file.chunks])
        limits = limit_terms(languages=(file.language,), folders=file.folders)
        said = {"path": file.path, "symbols": symbols, "words": words}
        self._writers["files"].add_document(_document(file.file, 0, said, limits))
        add = self._writers["chunks"].add_document
        for ordinal, (types, words, _, own) in enumerate(file.chunks[: 1 << ORDINAL_BITS]):
            said = {"path": f"{file.path} {own}", "words": words}
            add(_document(file.file, ordinal, said, [*limits, *limit_terms(types=types.split())]))

    def remove(self, files: Iterable[int]) -> None:
        """By query: tantivy's binding takes a number for a term too, and then finds nothing."""
        ids = list(files)
        with _changing():
            for part, writer in self._writers.items():
                writer.delete_documents_by_query(tantivy.Query.term_set_query(self._schemas[part], "file", ids))

    def remove_above(self, file: int) -> None:
        """Remove what a writer that died had added: files beyond the last id that the catalogue gave out."""
        with _changing():
            for part, writer in self._writers.items():
                writer.delete_documents_by_query(above(self._schemas[part], file))

    def clear(self) -> None:
        with _changing():
            for writer in self._writers.values():
                writer.delete_all_documents()

    def commit(self) -> None:
        """Make the change durable; both parts side by side, as each waits for the disk."""
        failures: list[BaseException] = []

        def finish(writer: tantivy.IndexWriter) -> None:
            try:
                with _changing():
                    writer.commit()
                    if self._merging:
                        writer.wait_merging_threads()
            except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, not swallowed
                failures.append(error)

        threads = [Thread(target=finish, args=(writer,)) for writer in self._writers.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._writers = {} if not failures else self._writers
        self.close()
        if failures:
            raise failures[0]


def _words_of_file(said: str) -> str:
    """The terms of a file without those whole identifiers that it says once: they tell of a chunk, not of the file.

    They are half of all different terms.
    """
    times: dict[str, int] = {}
    for whole in _WHOLE.findall(said):
        times[whole] = times.get(whole, 0) + 1
    return _WHOLE.sub(lambda found: found[0] if times[found[0]] > 1 else "", said)


@contextmanager
def _reading(folder: str) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        if not is_foreign(error):
            raise
        raise LexicalDamaged(f"the lexical index in {folder} can't be read: {_first_line(error)}") from error


@contextmanager
def _changing() -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        if not is_foreign(error):
            raise
        said = _first_line(error)
        if is_busy(error):
            raise IndexBusy("another process is writing the lexical index; try again") from error
        if "No such file" in said or "does not exist" in said:
            raise LexicalDamaged(f"the lexical index lost a file: {said}") from error
        raise IndexUnusable(
            f"the lexical index can't be written: {said}; free some room or set CALLSITE_HOME to another folder"
        ) from error


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


def _bytes_of(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _is_sound(path: str) -> bool:
    """Whether a file has the checksum that tantivy wrote at its end: text, its length, a sign, 4 bytes each."""
    try:
        data = _bytes_of(path)
        footer = json.loads(data[-8 - int.from_bytes(data[-8:-4], "little") : -8])
        return bool(zlib.crc32(data[: -8 - int.from_bytes(data[-8:-4], "little")]) == footer["crc"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _schema(fields: Iterable[str]) -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("key", fast=True)
    builder.add_unsigned_field("file", indexed=True)
    for field in fields:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("limits", tokenizer_name="raw", index_option="basic")
    return builder.build()


def _document(file: int, ordinal: int, said: Mapping[str, str], limits: Iterable[str]) -> tantivy.Document:
    made = tantivy.Document()
    made.add_unsigned("key", file << ORDINAL_BITS | ordinal)
    made.add_unsigned("file", file)
    for field, terms in said.items():
        made.add_text(field, terms)
    for term in limits:
        made.add_text("limits", term)
    return made
