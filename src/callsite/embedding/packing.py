"""Which texts go into which request? Split before the call, by texts and by tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from callsite.values import dataclass

_SHORTER = 0.9  # so much is left of a text whose beginning still seems too long


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A text on its way."""

    place: int  #: among the texts that were given
    text: str
    n_tokens: int
    is_truncated: bool = False


def batches(items: Iterable[Item], *, most_items: int, most_tokens: int) -> Iterator[list[Item]]:
    """Items in order, as many as fit; one that fits nowhere goes alone. 0 is no limit."""
    batch: list[Item] = []
    n_tokens = 0
    for item in items:
        is_full = most_items and len(batch) >= most_items
        if batch and (is_full or (most_tokens and n_tokens + item.n_tokens > most_tokens)):
            yield batch
            batch, n_tokens = [], 0
        batch.append(item)
        n_tokens += item.n_tokens
    if batch:
        yield batch


def halves(batch: list[Item]) -> tuple[list[Item], list[Item]]:
    """Of at least two items: halves by tokens, none of them empty."""
    half, n_tokens = sum(item.n_tokens for item in batch) / 2, 0
    for n, item in enumerate(batch[:-1], 1):
        n_tokens += item.n_tokens
        if n_tokens >= half or n == len(batch) - 1:
            return batch[:n], batch[n:]
    raise ValueError("one item has no halves")


def shortened(item: Item, most_tokens: int, n_tokens: Callable[[str], int]) -> Item:
    """The beginning of its text that has so many tokens, as far as can be told."""
    text = item.text[: max(1, len(item.text) * most_tokens // max(1, item.n_tokens))]
    while len(text) > 1 and n_tokens(text) > most_tokens:
        text = text[: int(len(text) * _SHORTER)]
    return Item(place=item.place, text=text, n_tokens=n_tokens(text), is_truncated=True)
