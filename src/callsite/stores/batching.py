"""How are very many items cut into batches? By number and size, and so that no key is in a batch twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from callsite.query.fields import Value
from callsite.stores.rows import Row
from callsite.stores.values import Key, Outcome


def cut(
    rows: Iterable[Row | Outcome], *, most_rows: int, most_weight: int, weight: Callable[[Value | None], int]
) -> Iterator[list[Row | Outcome]]:
    """Rows in order. An item sees what those before it did, so a key that comes again begins another batch."""
    batch: list[Row | Outcome] = []
    keys: set[Key] = set()
    heavy = 0
    for row in rows:
        if isinstance(row, Row):
            if row.key in keys or len(keys) >= most_rows or heavy > most_weight:
                yield batch
                batch, keys, heavy = [], set(), 0
            keys.add(row.key)
            heavy += sum(map(weight, row.fields.values()))
        batch.append(row)
    if batch:
        yield batch


def filled(batch: Iterable[Row | Outcome], written: Iterable[Outcome]) -> list[Outcome]:
    """The outcomes of a batch in order: those of its rows, and those that were known before."""
    rest = iter(written)
    return [next(rest) if isinstance(row, Row) else row for row in batch]
