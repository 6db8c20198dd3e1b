"""How do the documents of a collection get their vectors? Scanned, looked up, embedded, written: in pages that overlap.

What has a vector is not asked for again, so a run that was ended anyhow is gone on with by the next one. Several may
run at once. A document that was deleted meanwhile stays so, since `update` never creates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from callsite.embedding import Clock, Driver, Embedder, Policy, VectorCache, text_digest
from callsite.query.builder import Query
from callsite.stores.seam import Store
from callsite.stores.values import Change, Document, Outcome
from callsite.vectors.lacking import collection_of, lacking, pages
from callsite.vectors.paying import Paid, Paying
from callsite.vectors.texts import FIELDS, TextOf, embedded_text
from callsite.vectors.values import Progress, Report

_FIRST_PAGE, _LARGEST_PAGE = 256, 4_000  # documents; pages grow until one takes some seconds
_SECONDS_PER_PAGE = 2.0
_PAGES_AT_ONCE = 3  # one is scanned or written while others are embedded
_MOST_PROBLEMS = 50


def run(
    store: Store,
    collection: str,
    field: str,
    embedder: Embedder,
    *,
    cache: VectorCache | None = None,
    where: Query | None = None,
    text_of: TextOf = embedded_text,
    guard: Sequence[str] = (),
    policy: Policy = Policy(),  # noqa: B008 - a frozen value
    on_progress: Callable[[Progress], None] | None = None,
    clock: Clock | None = None,
) -> Report:
    """Fill a field of vectors of all documents that lack one, or of those among them that `where` gives.

    `guard` names fields whose change meanwhile forbids to write the vector; a chunk of code needs none, because its id
    follows from its content. Without a cache one in memory is used. CollectionError when the field does not take the
    embedder's vectors; StoreError and EmbeddingError when store or embedder as a whole fail: then nothing that was
    paid for is lost, if the cache is a file, and the same call goes on.
    """
    kept = collection_of(store, collection, field, embedder.limits.dims)
    clock = clock or Clock()
    own = VectorCache(None) if cache is None else None
    try:
        store.refresh(collection)
        with Driver(embedder, policy=policy, clock=clock) as driver:
            paying = Paying(embedder, cache or own, driver, clock)  # type: ignore[arg-type]
            filling = _Filling(store, kept.name, field, paying, text_of, tuple(guard))
            query = lacking(field, where)
            counting = _Counting(store.count(collection, query), clock, on_progress)
            found = pages(store, kept, query, dict.fromkeys((*FIELDS, *guard)), counting.sizes())
            _overlapped(found, filling.fill, counting.add, driver.close)
        store.refresh(collection)
    finally:
        if own is not None:
            own.close()
    return counting.report()


class _Filling:
    """Gives the documents of a page their vectors."""

    def __init__(
        self, store: Store, collection: str, field: str, paying: Paying, text_of: TextOf, guard: tuple[str, ...]
    ) -> None:
        self._store = store
        self._collection = collection
        self._field = field
        self._paying = paying
        self._text_of = text_of
        self._guard = guard

    def fill(self, documents: Sequence[Document]) -> tuple[list[Outcome], Paid]:
        """What became of each, and what it took."""
        texts = [self._text_of(one.fields) for one in documents]
        digests = [text_digest(text) for text in texts]
        paid = self._paying.vectors_of(dict(zip(digests, texts, strict=True)))
        changes = [
            self._change(one, paid.vectors[digest])
            for one, digest in zip(documents, digests, strict=True)
            if digest in paid.vectors
        ]
        written = iter(self._store.update(self._collection, changes) if changes else [])
        return [
            next(written)
            if digest in paid.vectors
            else Outcome(key=one.key, state="failed", problem=paid.problems[digest])
            for one, digest in zip(documents, digests, strict=True)
        ], paid

    def _change(self, document: Document, vector: object) -> Change:
        """A write that neither revives nor overwrites."""
        expected = {self._field: None, **{name: document.fields.get(name) for name in self._guard}}
        return Change(key=document.key, fields={self._field: vector}, expected=expected)


class _Counting:
    """Adds up what became of pages, and tells how far it is."""

    def __init__(self, n_all: int, clock: Clock, on_progress: Callable[[Progress], None] | None) -> None:
        self._n_all = n_all
        self._clock = clock
        self._on_progress = on_progress
        self._start = clock.now()
        self._states: Counter[str] = Counter()
        self._problems: Counter[str] = Counter()
        self._paid: Counter[str] = Counter()

    def sizes(self) -> Iterator[int]:
        """Of pages: as many documents as get their vectors in some seconds."""
        while True:
            size = int(self._per_second() * _SECONDS_PER_PAGE)
            yield min(_LARGEST_PAGE, max(_FIRST_PAGE, size))

    def add(self, outcomes: Sequence[Outcome], paid: Paid) -> None:
        self._states.update(outcome.state for outcome in outcomes)
        for outcome in outcomes:
            if outcome.problem and (outcome.problem in self._problems or len(self._problems) < _MOST_PROBLEMS):
                self._problems[outcome.problem] += 1
        for name in ("n_embedded", "n_cached", "n_truncated", "n_tokens"):
            self._paid[name] += getattr(paid, name)
        if self._on_progress is not None:
            self._on_progress(self._progress())

    def report(self) -> Report:
        n = self._states
        return Report(
            n_written=n["updated"] + n["unchanged"],
            n_gone=n["missing"],
            n_changed=n["changed"],
            n_failed=n["failed"] + n["refused"],
            n_truncated=self._paid["n_truncated"],
            n_embedded=self._paid["n_embedded"],
            n_cached=self._paid["n_cached"],
            n_requested_tokens=self._paid["n_tokens"],
            seconds=self._clock.now() - self._start,
            problems=dict(self._problems.most_common()),
        )

    def _progress(self) -> Progress:
        n_done, per_second = self._states.total(), self._per_second()
        left = max(0, self._n_all - n_done)
        return Progress(
            n_done=n_done,
            n_all=max(self._n_all, n_done),
            per_second=per_second,
            seconds_left=left / per_second if per_second else None,
        )

    def _per_second(self) -> float:
        seconds = self._clock.now() - self._start
        return self._states.total() / seconds if seconds > 0 else 0.0


def _overlapped(
    found: Iterator[tuple[Document, ...]],
    fill: Callable[[Sequence[Document]], tuple[list[Outcome], Paid]],
    add: Callable[[Sequence[Outcome], Paid], None],
    end: Callable[[], None],
) -> None:
    """Some pages at once; after an error nothing more is asked, and what is on its way is waited for."""
    running: set[Future[tuple[list[Outcome], Paid]]] = set()
    with ThreadPoolExecutor(_PAGES_AT_ONCE, thread_name_prefix="vectors") as pool:
        try:
            for documents in found:
                running.add(pool.submit(fill, documents))
                while len(running) >= _PAGES_AT_ONCE:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for one in done:
                        add(*one.result())
            for one in running:
                add(*one.result())
        except BaseException:
            end()
            raise
