"""What would it cost to fill the vectors of a collection? Everything is counted, nothing is asked of a provider."""

from __future__ import annotations

from itertools import repeat

from callsite.embedding import Embedder, Policy, VectorCache, text_digest
from callsite.query.builder import Query
from callsite.stores.seam import Store
from callsite.values import replace
from callsite.vectors.lacking import collection_of, lacking, pages
from callsite.vectors.texts import FIELDS, TextOf, embedded_text
from callsite.vectors.values import Plan

_PAGE = 2_000
_CHUNKS_PER_SECOND = 3_000.0  # that a store takes, whatever the embedder does; measured on two busy cores
_PER_MINUTE = 60.0


def plan(
    store: Store,
    collection: str,
    field: str,
    embedder: Embedder,
    *,
    cache: VectorCache | None = None,
    where: Query | None = None,
    text_of: TextOf = embedded_text,
    policy: Policy = Policy(),  # noqa: B008 - a frozen value
    price: float = 0.0,
    seconds_per_request: float = 0.5,
) -> Plan:
    """What `run` with the same arguments would do. `price`: of a million tokens.

    Time is the longest of what requests take, what limits per minute allow, and what the store needs.
    """
    kept = collection_of(store, collection, field, embedder.limits.dims)
    store.refresh(collection)
    files: set[object] = set()
    seen: set[bytes] = set()
    counted = Plan(n_files=0, n_chunks=0, n_texts=0, n_cached=0, n_requests=0, n_tokens=0, cost=0.0, seconds=0.0)
    for documents in pages(store, kept, lacking(field, where), FIELDS, repeat(_PAGE)):
        files |= {(one.key.routing, one.fields.get("path")) for one in documents}
        texts = {text_digest(text): text for text in (text_of(one.fields) for one in documents)}
        new = texts.keys() - seen
        seen |= new
        counted = _with(counted, embedder, cache, {digest: texts[digest] for digest in new}, len(documents))
    return _timed(replace(counted, n_files=len(files)), embedder, policy, price, seconds_per_request)


def _with(counted: Plan, embedder: Embedder, cache: VectorCache | None, texts: dict[bytes, str], n_chunks: int) -> Plan:
    """The plan with some more chunks, and the texts among them that were not seen before."""
    limits = embedder.limits
    cached = cache.get(limits.model, limits.dims, texts) if cache is not None else {}
    most = limits.tokens_of_item or None
    n_tokens = sum(
        min(n, most or n) for digest, text in texts.items() if digest not in cached for n in (embedder.n_tokens(text),)
    )
    return replace(
        counted,
        n_chunks=counted.n_chunks + n_chunks,
        n_texts=counted.n_texts + len(texts),
        n_cached=counted.n_cached + len(cached),
        n_tokens=counted.n_tokens + n_tokens,
    )


def _timed(counted: Plan, embedder: Embedder, policy: Policy, price: float, seconds_per_request: float) -> Plan:
    limits, n_texts = embedder.limits, counted.n_texts - counted.n_cached
    n_requests = max(_parts(n_texts, limits.items), _parts(counted.n_tokens, limits.tokens))
    seconds = [
        counted.n_chunks / _CHUNKS_PER_SECOND,
        n_requests * seconds_per_request / policy.concurrency,
        _minutes(n_requests, policy.requests_per_minute),
        _minutes(counted.n_tokens, policy.tokens_per_minute),
    ]
    return replace(counted, n_requests=n_requests, cost=counted.n_tokens * price / 1e6, seconds=max(seconds))


def _parts(n: int, most: int) -> int:
    """How many parts of at most so many; 0 is no limit."""
    return -(-n // most) if most else int(n > 0)


def _minutes(n: int, per_minute: int) -> float:
    """The seconds for which so many have to be waited for; the first minute's go at once."""
    return _PER_MINUTE * max(0, _parts(n, per_minute) - 1) if per_minute else 0.0
