"""How does what is wanted get into the index? Content seen before is only looked up; the rest is read and prepared.

Taking in adds files that no view shows yet, in transactions of bounded size: a run that is killed has lost nothing that
it finished, and nobody sees half of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain

from callsite import git
from callsite.index.catalogue import Catalogue
from callsite.index.lexical import Lexical
from callsite.index.prepared import MOST_SAMPLES, Prepared, dictionary_of
from callsite.index.update import Update
from callsite.indexing.choose import Want
from callsite.indexing.fresh import Progress
from callsite.indexing.prepare import Job
from callsite.indexing.workers import prepare_all
from callsite.text.words import Words

_CONTENTS_PER_TRANSACTION = 5_000
_CONTENTS_PER_STEP = 64
_LARGE_CHANGE = 200  # contents, from which tantivy gets more memory and time to merge
_MISSING = "too large, or its content is not in this clone"

Key = tuple[str, str]  #: digest and hint of a content


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
        self.refused: dict[str, str] = {}  #: paths that turned out to have no content, with the reason

    def take(self, wants: Iterable[Want], *, unchanged: dict[tuple[str, str], int]) -> dict[str, int]:
        """The file id of each wanted path. `unchanged` maps (path, stat) of work-tree files to ids known before."""
        files: dict[str, int] = {}
        skipped: list[Want] = []
        blobs: dict[Key, list[str]] = defaultdict(list)
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
            known = self._catalogue.contents(blobs)
            recognised = self._recognised(unread)
        unread = [want for want in unread if want.path not in recognised]
        new = {key: paths for key, paths in blobs.items() if key not in known}
        self._done, self._total = 0, len(new) + len(unread)
        dictionary = self._learn(new, unread) if new or unread else b""
        files |= self._store(self._jobs(new, unread, dictionary), new)
        named = [(path, id, "") for key, id in known.items() for path in blobs[key]]
        named += [(path, id, "") for path, id in recognised.items()]
        refused = [(path, 0, reason) for path, reason in self.refused.items() if path not in files]
        return files | self._name(named + [(want.path, 0, want.skip) for want in skipped] + refused)

    def _recognised(self, wants: list[Want]) -> dict[str, int]:
        """Those of the work-tree files whose content was seen before: path → content.

        The others are read once more when their turn comes, so that no more than a few are held in memory.
        """
        if not wants or not self._catalogue.last_id("contents"):
            return {}
        keys: dict[str, Key] = {}
        for want in wants:
            found = git.read_dirty(self._source, want.path, self._max_file_bytes)
            if isinstance(found, bytes):
                keys[want.path] = (git.blob_id(found), want.hint)
        known = self._catalogue.contents(keys.values())
        return {path: known[key] for path, key in keys.items() if key in known}

    def _jobs(self, blobs: dict[Key, list[str]], unread: list[Want], dictionary: bytes) -> Iterator[Job]:
        """Contents to prepare. Runs in another thread when there are workers: it must not touch the catalogue."""
        hints: dict[str, list[str]] = defaultdict(list)
        for digest, hint in blobs:
            hints[digest].append(hint)
        for digest, data in git.blobs(self._source, hints, max_size=self._max_file_bytes) if hints else ():
            for hint in hints[digest]:
                if data is None:
                    self.refused |= dict.fromkeys(blobs[digest, hint], _MISSING)
                else:
                    yield Job(digest, hint, blobs[digest, hint][0], data, dictionary)
        for want in unread:
            found = git.read_dirty(self._source, want.path, self._max_file_bytes)
            if isinstance(found, bytes):
                yield Job(git.blob_id(found), want.hint, want.path, found, dictionary)
            else:
                self.refused[want.path] = found.reason

    def _store(self, jobs: Iterator[Job], blobs: dict[Key, list[str]]) -> dict[str, int]:
        """Prepare and store contents, and give their paths their files."""
        files: dict[str, int] = {}
        with closing(prepare_all(jobs, self._words, n_workers=self._n_workers)) as prepared:
            while (first := next(prepared, None)) is not None:
                with (
                    self._catalogue.writing(wait=self._wait),
                    self._update(large=self._total > _LARGE_CHANGE) as update,
                ):
                    files |= self._store_some(chain([first], prepared), blobs, update)
        return files

    def _learn(self, blobs: dict[Key, list[str]], unread: list[Want]) -> bytes:
        """The dictionary of the catalogue; the first time, it is made of contents from all over."""
        if not self._catalogue.last_id("contents"):
            step = max(1, (len(blobs) + len(unread)) // MOST_SAMPLES)
            ids = dict.fromkeys(digest for digest, _ in list(blobs)[::step])
            found: list[object] = []
            if ids:
                found += (data for _, data in git.blobs(self._source, ids, max_size=self._max_file_bytes))
            found += (git.read_dirty(self._source, want.path, self._max_file_bytes) for want in unread[::step])
            dictionary = dictionary_of(data for data in found if isinstance(data, bytes))
            self._catalogue.keep_dictionary(dictionary, wait=self._wait)
        return self._catalogue.dictionary()

    def _store_some(self, prepared: Iterator[Prepared], blobs: dict[Key, list[str]], update: Update) -> dict[str, int]:
        """Store a transaction's worth, in steps."""
        files: dict[str, int] = {}
        n_stored = 0
        for step in _steps(prepared):
            ids = update.add_contents(step)
            paths = {path: ids[p.digest, p.hint] for p in step for path in (*blobs.get((p.digest, p.hint), ()), p.path)}
            files |= update.add_files((path, id, "") for path, id in paths.items())
            n_stored += len(step)
            self._done += len(step)
            if self._progress is not None:
                self._progress("Indexing", self._done, self._total)
            if n_stored >= _CONTENTS_PER_TRANSACTION:
                break
        return files

    def _name(self, wanted: list[tuple[str, int, str]]) -> dict[str, int]:
        """Give paths their files: those of contents that were there, and those that nobody looks at."""
        if not wanted:
            return {}
        with self._catalogue.writing(wait=self._wait), self._update(large=len(wanted) > _LARGE_CHANGE) as update:
            return update.add_files(wanted)

    def _update(self, *, large: bool) -> Update:
        return Update(self._catalogue, self._lexical, self._words, now=self._now, large=large)


def _steps(prepared: Iterator[Prepared]) -> Iterator[list[Prepared]]:
    """Lists of a few contents; what ends early has taken no more than it gave."""
    step: list[Prepared] = []
    for one in prepared:
        step.append(one)
        if len(step) >= _CONTENTS_PER_STEP:
            yield step
            step = []
    if step:
        yield step
