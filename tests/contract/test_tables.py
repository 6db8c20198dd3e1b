"""The tables of docs/why/query-language.md, line by line, on every store; all lines are asked of the same documents."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from samples import SMALL, check, document, filled, lettered, near

from callsite.query import Query
from callsite.values import replace

FIVE, VALUED = (replace(SMALL, name=name) for name in ("five", "valued"))
KIND_B = Query.filter(kind="b")
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def five(opened):
    """Made once: to make a collection takes a server longer than to answer all lines."""
    opened[0].drop(FIVE.name)
    return filled(opened[0], lettered(), FIVE)


@pytest.fixture(scope="module")
def valued(opened):
    """Documents with values at the edges of every kind."""
    opened[0].drop(VALUED.name)
    return filled(opened[0], VALUES, VALUED)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (near(2), "a1 b1"),
        (KIND_B & near(2), "b1 b2"),
        (near(2) & KIND_B, "b1 b2"),
        (KIND_B | near(2), "a1 b1 b2"),
        (KIND_B & (Query.filter(n=2) | near(1)), "b1 b2"),
        (near(3) & near(3, target="w"), "a2"),
        (KIND_B & ~Query.filter(n=1) & near(1), "b2"),
        (KIND_B & (Query.filter(n=[1, 2]) & near(1)), "b1"),
        (KIND_B & (near(1) | (Query.filter(n=2) & near(1))), "b1 b2"),
        (Query.filter(n=1) & (KIND_B | near(1)), "a1 b1"),
        (near(3) & near(3, target="w") & Query.filter(n=[1, 2]), "b1 a2"),
        (KIND_B & near(10_000), "b1 b2"),
        (near(2).limit(1), "a1"),
        (KIND_B & near(2).limit(1), "b1"),
        (KIND_B & Query.all().limit(1), "b1"),
        (KIND_B.limit(1), "b1"),
        ((KIND_B & near(2)).limit(1), "b1"),
        ((KIND_B | near(1)).limit(2), "a1 b1"),
        (near(2) | near(2, target="w"), "a1 a3 b1 b2"),
        (Query.filter(kind="none") & near(2), ""),
        (Query.or_() | near(1), "a1"),
        (near(1) & Query.all(), "a1"),
        (Query.filter(kind=[]) | near(1), "a1"),
        (Query.filter(kind=[]) & near(1), ""),
    ],
    ids=str,
)
def test_knn_and_limit_find_among_what_passes_the_filters_beside_them(five, query, expected):
    """Wherever they stand; an `or` adds, an `and` with another knn narrows neither."""
    check(five, query, expected, FIVE)


VALUES = [
    document("all", kind="x", n=5, flag=True, at=NOON, tags=["p", "q"], numbers=[1, 2], path="src/a.py"),
    document("none"),
    document("zero", kind="", n=0, flag=False, tags=[], numbers=[0], path="src"),
    document("big", n=2**63 - 1, at=NOON + timedelta(milliseconds=1), tags=["q"], path="SRC/b.py"),
    document("small", n=-(2**63), at=datetime(1, 1, 2, tzinfo=UTC), tags=["pq"], path="src/"),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query.all(), "all big none small zero"),
        (~Query.all(), ""),
        (Query.filter(kind="x"), "all"),
        (Query.filter(kind=""), "zero"),
        (Query.filter(kind="X"), ""),
        (Query.filter(kind=["x", "", "y"]), "all zero"),
        (Query.filter(kind=[]), ""),
        (~Query.filter(kind=[]), "all big none small zero"),
        (~Query.filter(kind="x"), "big none small zero"),
        (Query.filter(n=0), "zero"),
        (Query.filter(n=[2**63 - 1, -(2**63)]), "big small"),
        (Query.filter(n=2**63 - 2), ""),
        (Query.filter(flag=True), "all"),
        (Query.filter(flag=False), "zero"),
        (Query.filter(flag=[True, False]), "all zero"),
        (Query.filter(at=NOON), "all"),
        (Query.filter(at=NOON.astimezone(timezone(timedelta(hours=9)))), "all"),
        (Query.filter(at=NOON + timedelta(microseconds=999)), "all"),
        (Query.filter(at=[NOON + timedelta(milliseconds=1), datetime(1, 1, 2, tzinfo=UTC)]), "big small"),
        (Query.filter(tags="q"), "all big"),
        (Query.filter(tags=["p", "pq"]), "all small"),
        (Query.filter(numbers=2), "all"),
        (Query.filter(numbers=[0, 2]), "all zero"),
        (Query.filter(id="all"), "all"),
        (Query.filter(id=["zero", "none", "other"]), "none zero"),
        (Query.filter(project_id=1), "all big none small zero"),
        (Query.filter(project_id=2), ""),
        (Query.filter(kind="x", n=5, tags="p"), "all"),
        (Query.filter(kind="x", n=6), ""),
        (Query.prefix(path="src/"), "all small"),
        (Query.prefix(path="src"), "all small zero"),
        (Query.prefix(path=""), "all big small zero"),
        (Query.prefix(path=["SRC", "src/a"]), "all big"),
        (Query.prefix(path=[]), ""),
        (Query.prefix(tags="p"), "all small"),
        (Query.prefix(id="z"), "zero"),
        (Query.prefix(kind=""), "all zero"),
        (Query.exists("kind"), "all zero"),
        (Query.missing("kind"), "big none small"),
        (Query.exists("tags"), "all big small"),
        (Query.missing("tags"), "none zero"),
        (Query.exists("n"), "all big small zero"),
        (Query.exists("flag"), "all zero"),
        (Query.exists("at"), "all big small"),
        (Query.exists("numbers"), "all zero"),
        (Query.exists("id"), "all big none small zero"),
        (Query.missing("v"), "all big none small zero"),
        (Query.exists("v"), ""),
        (~(Query.filter(kind="x") | Query.filter(n=0)), "big none small"),
        (~(Query.exists("kind") & Query.exists("at")), "big none small zero"),
        (~~Query.filter(kind="x"), "all"),
        (Query.filter(kind="x") | Query.filter(tags="q"), "all big"),
        (Query.filter(kind="x").limit(3) | Query.filter(n=0), "all zero"),
        (Query.all().limit(2), "all big"),
        (Query.exists("at").limit(2) & Query.missing("kind"), "big small"),
    ],
    ids=str,
)
def test_filters_give_the_documents_that_the_table_says(valued, query, expected):
    """Each kind of field, with values at its edges and without; by id in the order of code points."""
    check(valued, query, expected, VALUED)
