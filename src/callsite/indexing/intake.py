"""How does what is wanted get into the index? Content seen before is only looked up; the rest is read and prepared.

Taking in adds files that no view shows yet, in transactions of bounded size: a run that is killed has lost nothing that
it finished, and nobody sees half of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from callsite import git
from callsite.index.catalogue import Catalogue
from callsite.index.lexical import Lexical
from callsite.index.prepared import Prepared
from callsite.index.update import Update
from callsite.indexing.plan import Want
from callsite.indexing.prepare import Job
from callsite.indexing.workers import prepare_all
from callsite.text.words import Words

_CONTENTS_PER_TRANSACTION = 5_000
_MISSING = "too large, or its content is not in this clone"

Progress = Callable[[str, int, int], None]  #: what is being done, how many are done, how many there are


class Intake:
    """Takes wanted files into one index."""

    def __init__(
        self,
        source: git.Source,
        catalogue: Catalogue,
        lexical: Lexical,
        words: Words,
        *,
        now: float,
        wait: float,
        n_workers: int,
        max_file_bytes: int,
        progress: Progress | None,
    ) -> None:
        self._source = source
        self._catalogue = catalogue
        self._lexical = lexical
        self._words = words
        self._now = now
        self._wait = wait
        self._n_workers = n_workers
        self._max_file_bytes = max_file_bytes
        self._progress = progress
        self._done = self._total = 0
        self.unreadable: list[str] = []  #: for the notes of the answer
        self._refused: list[tuple[str, str]] = []  # paths that turned out to have no content, with the reason

    def take(self, wants: Iterable[Want], *, unchanged: dict[tuple[str, str], int]) -> dict[str, int]:
        """The file id of each wanted path. `unchanged` maps (path, stat) of work-tree files to ids known before."""
        files: dict[str, int] = {}
        skipped: list[Want] = []
        blobs: dict[tuple[str, str], list[str]] = defaultdict(list)
        unread: list[Want] = []
        for want in wants:
            if want.stat and (want.path, want.stat) in unchanged:
                files[want.path] = unchanged[want.path, want.stat]
            elif want.skip:
                skipped.append(want)
            elif want.blob:
                blobs[want.blob, want.hint].append(want.path)
            else:
                unread.append(want)
        with self._catalogue.reading():
            new_blobs = {key: paths for key, paths in blobs.items() if self._content(*key) is None}
        self._done, self._total = 0, len(new_blobs) + len(unread)
        jobs = self._jobs(new_blobs, unread)
        self._store(prepare_all(jobs, self._words, n_workers=self._n_workers), new_blobs, files)
        known = {key: paths for key, paths in blobs.items() if key not in new_blobs}
        self._name(known, skipped, files)
        return files

    def _content(self, digest: str, hint: str) -> int | None:
        row = self._catalogue.row("SELECT id FROM contents WHERE digest = ? AND hint = ?", digest, hint)
        return int(row[0]) if row else None

    def _jobs(self, blobs: dict[tuple[str, str], list[str]], unread: list[Want]) -> Iterator[Job]:
        """Contents to prepare. Runs in another thread when there are workers: it must not touch the catalogue."""
        hints: dict[str, list[str]] = defaultdict(list)
        for digest, hint in blobs:
            hints[digest].append(hint)
        for digest, data in git.blobs(self._source, hints, max_size=self._max_file_bytes) if hints else ():
            for hint in hints[digest]:
                if data is None:
                    self._refused += [(path, _MISSING) for path in blobs[digest, hint]]
                else:
                    yield Job(digest, hint, blobs[digest, hint][0], data)
        for want in unread:
            found = git.read_dirty(self._source, want.path, self._max_file_bytes)
            if isinstance(found, bytes):
                yield Job(git.blob_id(found), want.hint, want.path, found)
            else:
                self._refused.append((want.path, found.reason))
                self.unreadable.append(f"{want.path}: {found.reason}")

    def _store(
        self, prepared: Iterator[Prepared], blobs: dict[tuple[str, str], list[str]], files: dict[str, int]
    ) -> None:
        while (first := next(prepared, None)) is not None:
            with self._catalogue.writing(wait=self._wait), self._update(large=self._total > 200) as update:
                self._store_batch(chain([first], prepared), blobs, update, files)

    def _store_batch(
        self,
        prepared: Iterator[Prepared],
        blobs: dict[tuple[str, str], list[str]],
        update: Update,
        files: dict[str, int],
    ) -> None:
        """Store up to a transaction's worth."""
        for one in islice(prepared, _CONTENTS_PER_TRANSACTION):
            content = self._content(one.digest, one.hint) or update.add_content(one)  # another process may be quicker
            for path in dict.fromkeys([*blobs.get((one.digest, one.hint), ()), one.path]):
                files[path] = update.file(path, content)
            self._done += 1
            if self._progress is not None:
                self._progress("Indexing", self._done, self._total)

    def _name(self, known: dict[tuple[str, str], list[str]], skipped: list[Want], files: dict[str, int]) -> None:
        """Give the remaining paths their files: contents that were there, and reasons not to look."""
        refused = [(want.path, want.skip) for want in skipped] + self._refused
        if not known and not refused:
            return
        with self._catalogue.writing(wait=self._wait), self._update(large=len(known) > 200) as update:
            for (digest, hint), paths in known.items():
                content = self._content(digest, hint)
                for path in paths if content else ():
                    files[path] = update.file(path, content or 0)
            for path, reason in refused:
                files[path] = update.file(path, 0, skip=reason)
        self._refused.clear()

    def _update(self, *, large: bool) -> Update:
        return Update(self._catalogue, self._lexical, self._words, now=self._now, large=large)
