"""What goes into an embedder and comes out of it? Frozen values; no provider, no store."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

from callsite.errors import SettingsError
from callsite.values import dataclass

#: What a text is embedded for: models of retrieval treat a question and what may answer it differently.
PURPOSES = ("document", "query")

#: What to do with a text that is too long for the model.
OVERSIZE = ("truncate", "fail")

#: Told of vectors as soon as they have come: the places of the texts, and their vectors.
Keep = Callable[[Sequence[tuple[int, "array[float]"]]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an embedder takes in one request, and what it gives; 0 for no limit."""

    model: str  #: embedders with the same name and dims give vectors that can be compared and exchanged
    dims: int
    items: int = 0  #: texts of one request
    tokens: int = 0  #: of all texts of one request
    tokens_of_item: int = 0  #: of one text


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """What became of one text."""

    vector: array[float] | None
    problem: str = ""  #: why there is no vector
    is_truncated: bool = False  #: the vector is that of the text's beginning


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How an embedder is asked for many vectors; 0 requests or tokens per minute are no limit."""

    concurrency: int = 4  #: requests at the same time
    tries: int = 6  #: of a request that fails; waits that the embedder asks for do not count
    first_delay: float = 1.0  #: seconds; each further one is about twice as long
    longest_delay: float = 60.0
    patience: float = 3_600.0  #: seconds without any answer, waiting for an embedder that is too busy
    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    oversize: str = "truncate"  #: one of OVERSIZE


def checked(policy: Policy) -> Policy:
    """The policy; SettingsError for one that can't be meant."""
    if policy.concurrency < 1 or policy.tries < 1:
        raise SettingsError("embedding: concurrency and tries have to be 1 or more")
    numbers = (policy.first_delay, policy.longest_delay, policy.patience)
    if min(*numbers, policy.requests_per_minute, policy.tokens_per_minute) < 0:
        raise SettingsError("embedding: delays, patience and limits per minute have to be 0 or more")
    if policy.oversize not in OVERSIZE:
        raise SettingsError(f"embedding: oversize has to be {' or '.join(OVERSIZE)}, not {policy.oversize!r}")
    return policy
