"""What is a match worth in each document? BM25 of the whole collection, from entries and their counts.

A document's entries say each term once, and `term 3` beside it when it holds the term three times; so the rows of an
entry are found in an index, and no row has to be read through. Where a row is found by both, the second adds what three
are worth more than one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import log

from psycopg import sql

from callsite.query.nodes import Match
from callsite.stores.memory.lexicon import K1, B
from callsite.stores.postgres.connections import Session
from callsite.stores.postgres.filters import Condition
from callsite.stores.postgres.layout import DOCUMENTS, LEXICAL_NUMBERS, Layout, entry_of, lexical_columns
from callsite.stores.values import Key
from callsite.values import dataclass

Counts = Mapping[tuple[int, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is looked for in one lexical field: entries, what each is worth, how many times it says the term."""

    to: str
    average: float
    entries: list[str]
    worth: list[float]
    times: list[float]


def asked(session: Session, layout: Layout, leg: Match, terms: Mapping[str, float]) -> list[Asked]:
    """One for each lexical field in which any of the terms is found at all."""
    weights = {to: weight for to, weight in leg.fields if to in layout.lexical()}
    counts = _counts(session, layout, weights, terms)
    found = [_asked_in(to, weight, terms, counts) for to, weight in weights.items()]
    return [one for one in found if one.entries]


def best(session: Session, layout: Layout, legs: list[Asked], among: Condition, limit: int) -> list[tuple[Key, float]]:
    """The first documents by score, then id, then routing."""
    if not legs:
        return []
    parts = [_found_by_entry(layout, one, among) for one in legs]
    statement = sql.SQL(
        "SELECT {key}, sum(score)::real::float8 AS total FROM ({parts}) AS found "
        "GROUP BY {key} ORDER BY total DESC, id, {routing} LIMIT %s"
    ).format(key=layout.key, routing=layout.routing, parts=sql.SQL(" UNION ALL ").join(part.text for part in parts))
    rows = session.run(statement, [value for part in parts for value in part.values] + [limit])
    return [(Key(routing, id), total) for routing, id, total in rows]


def scores(
    session: Session, layout: Layout, legs: list[Asked], among: Condition, keys: Collection[Key]
) -> dict[Key, float]:
    """Of those documents that pass and hold any of the entries."""
    if not legs:
        return {}
    parts = [_found_by_key(layout, one, among, keys) for one in legs]
    statement = sql.SQL("SELECT {key}, sum(score)::real::float8 FROM ({parts}) AS found GROUP BY {key}").format(
        key=layout.key, parts=sql.SQL(" UNION ALL ").join(part.text for part in parts)
    )
    rows = session.run(statement, [value for part in parts for value in part.values])
    return {Key(routing, id): total for routing, id, total in rows}


def n_documents(session: Session, layout: Layout) -> int:
    """As it was counted while writing."""
    statement = sql.SQL("SELECT coalesce(sum(n), 0)::bigint FROM {} WHERE lexical = %s AND entry = ''")
    return int(session.run(statement.format(layout.counts), (DOCUMENTS,))[0][0])


def sum_up(session: Session, layout: Layout, *, most: int) -> None:
    """One row for each entry again, once there are many; whoever writes meanwhile only adds rows."""
    additions = sql.SQL("SELECT count(*) FROM {} WHERE lexical = %s AND entry = ''").format(layout.counts)
    if session.run(additions, (DOCUMENTS,))[0][0] <= most:
        return
    session.run(
        sql.SQL(
            "WITH gone AS (DELETE FROM {counts} WHERE (lexical, entry) IN "
            "(SELECT lexical, entry FROM {counts} GROUP BY lexical, entry HAVING count(*) > 1) "
            "RETURNING lexical, entry, n) "
            "INSERT INTO {counts} SELECT lexical, entry, sum(n) FROM gone GROUP BY lexical, entry HAVING sum(n) <> 0"
        ).format(counts=layout.counts)
    )


_SUMMED = """
SELECT a.lexical, c.entry, sum(c.n)::bigint FROM unnest(%s::smallint[], %s::text[]) AS a (lexical, term),
    LATERAL (
        SELECT entry, n FROM {counts} WHERE lexical = a.lexical AND entry = a.term COLLATE "C"
        UNION ALL
        SELECT entry, n FROM {counts} WHERE lexical = a.lexical AND a.term <> ''
            AND entry > (a.term || ' ') COLLATE "C" AND entry < (a.term || '!') COLLATE "C"
    ) AS c
GROUP BY a.lexical, c.entry
"""


def _counts(session: Session, layout: Layout, fields: Collection[str], terms: Collection[str]) -> Counts:
    """How many documents hold each entry of the terms; under "" the totals."""
    pairs = [(LEXICAL_NUMBERS[to], entry) for to in fields for entry in ("", *map(entry_of, terms))]
    pairs.append((DOCUMENTS, ""))
    rows = session.run(
        sql.SQL(_SUMMED).format(counts=layout.counts), ([number for number, _ in pairs], [entry for _, entry in pairs])
    )
    return {(number, entry): n for number, entry, n in rows if n > 0}


def _asked_in(to: str, weight: float, terms: Mapping[str, float], counts: Counts) -> Asked:
    number, n_documents = LEXICAL_NUMBERS[to], counts.get((DOCUMENTS, ""), 0)
    by_term = {entry_of(term): worth for term, worth in terms.items()}
    average = counts.get((number, ""), 0) / n_documents if n_documents else 0.0
    found: list[tuple[str, float, float]] = []
    for (lexical, entry), _ in sorted(counts.items()):
        term, _, times = entry.partition(" ")
        if lexical == number and (worth := by_term.get(term)) is not None:
            n = counts.get((number, term), 0)
            rarity = log(1 + (n_documents - n + 0.5) / (n + 0.5))
            found.append((entry, weight * worth * rarity * (1 + K1), float(times or 1)))
    return Asked(
        to=to,
        average=average,
        entries=[entry for entry, _, _ in found],
        worth=[worth for _, worth, _ in found],
        times=[times for _, _, times in found],
    )


_SCORE = """
a.worth * (a.times / (a.times + t.c) - CASE WHEN a.times > 1 THEN 1 / (1 + t.c) ELSE 0 END) AS score
    FROM unnest(%s::text[], %s::float8[], %s::float8[]) AS a (entry, worth, times)
"""
_LENGTH = f"{K1 * (1 - B)}::float8 + {K1 * B}::float8 / %s::float8 * t.{{kept}} AS c"


def _found_by_entry(layout: Layout, one: Asked, among: Condition) -> Condition:
    """OFFSET keeps the planner from reading the entries of all rows, which are stored out of line, once per term."""
    entries, _, kept = lexical_columns(one.to)
    text = sql.SQL(
        f"SELECT {{key}}, {_SCORE}, LATERAL (SELECT {{key}}, {_LENGTH} FROM {{table}} AS t "
        "WHERE t.{entries} @> ARRAY[a.entry] AND ({among}) OFFSET 0) AS t"
    ).format(key=layout.key, table=layout.table, kept=kept.identifier, entries=entries.identifier, among=among.text)
    return Condition(text, (one.entries, one.worth, one.times, one.average, *among.values))


def _found_by_key(layout: Layout, one: Asked, among: Condition, keys: Collection[Key]) -> Condition:
    entries, _, kept = lexical_columns(one.to)
    given = keys_given(layout, keys)
    text = sql.SQL(
        f"SELECT {{key}}, {_SCORE} JOIN (SELECT {{key}}, {_LENGTH}, unnest(t.{{entries}}) AS entry "
        "FROM {table} AS t JOIN {given} USING ({key}) WHERE {among}) AS t USING (entry)"
    ).format(
        key=layout.key,
        table=layout.table,
        kept=kept.identifier,
        entries=entries.identifier,
        among=among.text,
        given=given.text,
    )
    return Condition(text, (one.entries, one.worth, one.times, one.average, *given.values, *among.values))


def keys_given(layout: Layout, keys: Collection[Key]) -> Condition:
    """A table `k` of keys, with their places."""
    kind = "bigint" if layout.collection.routing_field.kind == "integer" else "text"
    text = sql.SQL(f"unnest(%s::{kind}[], %s::text[]) WITH ORDINALITY AS k ({{key}}, place)")
    return Condition(text.format(key=layout.key), ([one.routing for one in keys], [one.id for one in keys]))
