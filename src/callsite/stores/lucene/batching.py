"""How are very many items cut into requests? By number and size, and so that no key is in a request twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from callsite.stores.rows import Row
from callsite.stores.values import Key, Outcome

MOST_ROWS = 2_000
_MOST_WEIGHT = 4_000_000  # letters and numbers; servers take 100 MB, and work best with some MB at a time
_OF_A_NUMBER = 4  # a number of a vector takes as much room as so many letters, which are there twice, as terms too


def batches(rows: Iterable[Row | Outcome]) -> Iterator[list[Row | Outcome]]:
    """Rows in order. An item sees what those before it did, so a key that comes again begins another batch."""
    batch: list[Row | Outcome] = []
    keys: set[Key] = set()
    weight = 0
    for row in rows:
        if isinstance(row, Row):
            if row.key in keys or len(keys) >= MOST_ROWS or weight > _MOST_WEIGHT:
                yield batch
                batch, keys, weight = [], set(), 0
            keys.add(row.key)
            weight += sum(map(_weight, row.fields.values()))
        batch.append(row)
    if batch:
        yield batch


def filled(batch: Iterable[Row | Outcome], written: Iterable[Outcome]) -> list[Outcome]:
    """The outcomes of a batch in order: those of its rows, and those that were known before."""
    rest = iter(written)
    return [next(rest) if isinstance(row, Row) else row for row in batch]


def _weight(value: object) -> int:
    return len(value) if isinstance(value, str) else _OF_A_NUMBER * len(value) if isinstance(value, tuple) else 1
