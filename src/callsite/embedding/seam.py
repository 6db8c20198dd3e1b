"""What does every embedder do? The seam between those who need vectors and the models that make them.

An embedder makes one request for one call: it neither splits nor repeats nor waits, that is the driver's. It may be
called from several threads.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Protocol

from callsite.embedding.values import Limits

_BYTES_PER_TOKEN = 3  # code has 3 to 4 in the vocabularies of common models; hex digits and minified code have 2


class Embedder(Protocol):
    """Makes vectors of texts."""

    @property
    def limits(self) -> Limits:
        """What a request may hold, and what the vectors are."""

    def n_tokens(self, text: str) -> int:
        """About how many tokens a text has; too many rather than too few."""

    def embed(self, texts: Sequence[str], *, purpose: str = "document") -> Sequence[array[float] | None]:
        """The vectors of the texts, in order; None where the answer holds none.

        One request. EmbedderBusy to be waited for, other EmbedderUnreachable to be tried again, InputRefused for texts
        that it does not take, EmbedderRefused for what will not get better by itself.
        """

    def close(self) -> None:
        """Give back connections; closing twice is fine."""


def estimate(text: str) -> int:
    """Tokens of a text: a third of its bytes, and one at each end.

    Byte-level vocabularies give at most one token for each byte, so the estimate is at most 3 times too small; for code
    it is up to a third too large. A request that was packed too full is halved when it is refused.
    """
    return (len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))) // _BYTES_PER_TOKEN + 2
