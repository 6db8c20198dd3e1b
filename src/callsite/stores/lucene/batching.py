"""How much goes into one request?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from callsite.stores.batching import cut
from callsite.stores.rows import Row
from callsite.stores.values import Outcome

MOST_ROWS = 2_000
_MOST_WEIGHT = 4_000_000  # letters and numbers; servers take 100 MB, and work best with some MB at a time
_OF_A_NUMBER = 4  # a number of a vector takes as much room as so many letters, which are there twice, as terms too


def batches(rows: Iterable[Row | Outcome]) -> Iterator[list[Row | Outcome]]:
    """Rows as they go into one request."""
    return cut(rows, most_rows=MOST_ROWS, most_weight=_MOST_WEIGHT, weight=_weight)


def _weight(value: object) -> int:
    return len(value) if isinstance(value, str) else _OF_A_NUMBER * len(value) if isinstance(value, tuple) else 1
