"""Any query that can be built, for properties: values of all types, all nodes, some levels deep."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from callsite.errors import QueryError
from callsite.query import Query

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
TIMES = st.integers(0, 10**13).map(lambda n: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=n))
VALUES = st.one_of(
    *(
        st.one_of(one, st.lists(one, max_size=3))
        for one in (st.integers(-(2**63), 2**63 - 1), TEXTS, st.booleans(), TIMES)
    )
)
VECTORS = st.lists(st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-9), min_size=1, max_size=4).filter(any)
LIMITS = st.integers(1, 10_000)
WEIGHTS = st.floats(1e-6, 1e6)
TERMS = st.dictionaries(st.from_regex(r"=?[a-z]{1,6}", fullmatch=True), WEIGHTS, min_size=1, max_size=3)
FIELD_WEIGHTS = st.dictionaries(st.sampled_from(["path", "symbols", "words"]), WEIGHTS)

LEAVES = st.one_of(
    st.just(Query.all()),
    st.dictionaries(NAMES, VALUES, max_size=3).map(lambda fields: Query.filter(**fields)),
    st.dictionaries(NAMES, st.one_of(TEXTS, st.lists(TEXTS, max_size=3)), max_size=2).map(lambda f: Query.prefix(**f)),
    NAMES.map(Query.exists),
    NAMES.map(Query.missing),
    st.builds(lambda text, fields: Query.match(text, **fields), st.one_of(TEXTS, TERMS), FIELD_WEIGHTS),
    st.builds(lambda t, v, n: Query.knn(target=t, vector=v, limit=n), NAMES, VECTORS, LIMITS),
    st.builds(lambda t, x, n: Query.knn(target=t, text=f"x{x}", limit=n), NAMES, TEXTS, LIMITS),
)


def _joined(parts):
    return st.one_of(
        st.lists(parts, max_size=3).map(lambda queries: Query.and_(*queries)),
        st.lists(parts, max_size=3).map(lambda queries: Query.or_(*queries)),
        parts.map(_negated),
        st.builds(Query.limit, parts, LIMITS),
    )


def _negated(query):
    try:
        return ~query
    except QueryError:  # it holds a knn or a limit
        return query


QUERIES = st.recursive(LEAVES, _joined, max_leaves=8)
