"""How do the chunks of files get into a store? In batches of whole files; orphans are removed after each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet

from callsite import code, git
from callsite.collections import extension_of
from callsite.errors import StoreError
from callsite.indexing.choose import FORCED, Want
from callsite.indexing.stream import chunks_of_content
from callsite.query.builder import Query
from callsite.stores.reading import collection_named
from callsite.stores.seam import Store
from callsite.stores.values import Outcome
from callsite.syncing.values import Changed, Place
from callsite.text.digest import digest
from callsite.types import Chunk

_CHUNKS_PER_BATCH = 1_000
_PATHS_PER_CALL = 10_000
_MOST_PROBLEMS = 20
_NO_CONTENT = "too large, or its content is not in this clone"


class Writing:
    """Writes files of one place, and counts."""

    def __init__(
        self,
        source: git.Source,
        store: Store,
        place: Place,
        *,
        max_file_bytes: int,
        on_change: Callable[[Changed], None] | None,
    ) -> None:
        self._source = source
        self._store = store
        self._place = place
        self._max_file_bytes = max_file_bytes
        self._on_change = on_change
        kept = collection_named(store, place.collection)
        self._has_extension = kept is not None and kept.schema.field("extension") is not None
        self._batch: list[dict[str, object]] = []
        self._paths: list[str] = []
        self.written: set[str] = set()  #: ids of all chunks of the files that were written
        self.n_read = self.n_skipped = self.n_gone = 0
        self.n_by_state = {"created": 0, "updated": 0, "unchanged": 0}
        self.problems: list[str] = []

    def write(self, wants: Iterable[Want]) -> None:
        """Make the place show these files and no other chunks of their paths."""
        files = list(wants)
        self.remove(want.path for want in files if want.skip)
        self.n_skipped += sum(bool(want.skip) for want in files)
        by_blob: dict[str, list[Want]] = {}
        for want in files:
            if want.blob and not want.skip:
                by_blob.setdefault(want.blob, []).append(want)
        for blob, data in git.blobs(self._source, by_blob, max_size=self._max_file_bytes):
            for want in by_blob[blob]:
                self._take(want, _NO_CONTENT if data is None else data, blob)
        for want in files:
            if not want.blob and not want.skip:
                found = git.read_dirty(self._source, want.path, self._max_file_bytes)
                self._take(want, found if isinstance(found, bytes) else found.reason, "")
        self._flush()

    def remove(self, paths: Iterable[str]) -> None:
        """Make the place show no chunks of these paths."""
        gone = list(paths)
        for at in range(0, len(gone), _PATHS_PER_CALL):
            self._remove_orphans(gone[at : at + _PATHS_PER_CALL], frozenset())

    def sweep(self) -> None:
        """Remove all chunks of the place that were not written."""
        self.n_gone += self._store.delete_orphans(self._place.collection, of=self._all(), keep=self.written)

    def _all(self) -> Query:
        return Query.filter(project_id=self._place.project_id, overlay=self._place.overlay)

    def _take(self, want: Want, data: bytes | str, blob: str) -> None:
        """The chunks of one file; none, said or counted, for what can't be searched."""
        self._paths.append(want.path)
        self.n_read += isinstance(data, bytes)
        if isinstance(data, str) or (not want.hint.endswith(FORCED) and code.skip_by_content(want.path, data)):
            self.n_skipped += 1
        elif problem := path_problem(want.path):
            self._note(problem)
        else:
            found = chunks_of_content(want.path, data, blob=blob or git.blob_id(data))
            more = {"extension": extension_of(want.path) or None} if self._has_extension else {}
            self._batch += [_document(chunk, self._place) | more for chunk in found]
        if len(self._batch) >= _CHUNKS_PER_BATCH or len(self._paths) >= _PATHS_PER_CALL:
            self._flush()

    def _flush(self) -> None:
        """Chunks first, orphans after: a file that is being written is never without any."""
        if not self._paths:
            return
        outcomes = self._store.upsert(self._place.collection, self._batch) if self._batch else []
        for document, outcome in zip(self._batch, outcomes, strict=True):
            self._count(document, outcome)
        ids = {str(document["id"]) for document in self._batch}
        self.written |= ids
        self._remove_orphans(self._paths, ids)
        self._batch, self._paths = [], []

    def _count(self, document: Mapping[str, object], outcome: Outcome) -> None:
        if outcome.state in self.n_by_state:
            self.n_by_state[outcome.state] += 1
        elif outcome.state == "refused":
            self._note(f"{document['path']}: a chunk was refused: {outcome.problem}")
        else:
            raise StoreError(f"{document['path']}: {outcome.problem or outcome.state}; run it again")
        if outcome.state == "created" and self._on_change is not None:
            self._on_change(Changed(id=str(document["id"]), path=str(document["path"])))

    def _remove_orphans(self, paths: list[str], keep: AbstractSet[str]) -> None:
        spelt = [path for path in paths if not path_problem(path)]
        if spelt:
            of = self._all() & Query.filter(path=spelt)
            self.n_gone += self._store.delete_orphans(self._place.collection, of=of, keep=keep)

    def _note(self, problem: str) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)


def _document(chunk: Chunk, place: Place) -> dict[str, object]:
    """A chunk as the collection has it. In the base its id is the same everywhere, of path and content alone (F)."""
    return {
        "id": digest("\0".join((place.overlay, chunk.id))) if place.overlay else chunk.id,
        "project_id": place.project_id,
        "overlay": place.overlay,
        "path": chunk.path,
        "type": chunk.type,
        "content": _spelt(chunk.text),
        "name": _spelt(chunk.name),
        "source": chunk.source,
        "language": chunk.language,
    }


def _spelt(text: str) -> str:
    """A text that every store can keep: what UTF-8 can't spell, and NUL, become the sign for unknown characters."""
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def path_problem(path: str) -> str:
    """Why no store can keep chunks of this path, "" for nothing."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return f"{path!a}: the name is no UTF-8, so no store can keep its chunks; rename the file"
    return ""
