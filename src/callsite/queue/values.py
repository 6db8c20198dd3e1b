"""What goes into a queue and comes out of it? Frozen values, the same for every queue."""

from __future__ import annotations

from callsite.errors import QueryError
from callsite.queue.reference import Reference
from callsite.values import dataclass

#: How long a failed reference waits. LIMITED: as long as was told, and no try is used up. GROWING: longer each time,
#: until its tries are used up. NEVER: it won't get better by itself, so it is dead at once.
LIMITED, GROWING, NEVER = "limited", "growing", "never"
DELAYS = (LIMITED, GROWING, NEVER)

#: What became of a reference that was acknowledged or failed. Done: it is gone. Again: it was tracked meanwhile, and is
#: due. Waiting, dead: as its failure says. Lost: somebody else has it, or had it; nothing was changed.
OUTCOMES = ("done", "again", "waiting", "dead", "lost")

MOST_IN_MESSAGE = 500
MOST_IN_ERROR = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A reference that was taken, as it was then."""

    number: int  #: of its entry in the queue; never given twice
    version: int  #: grows when it is tracked while somebody has it
    text: str
    reference: Reference | None  #: None when the text is damaged
    tries: int = 0  #: how often it has failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """References that were taken together."""

    token: int  #: of this take alone: who has it may settle what was taken, until somebody else takes it
    items: tuple[Taken, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Why a reference was not processed, and how long it waits."""

    error: str  #: its class, by which dead letters are chosen
    message: str  #: cut after 500 characters
    delay: str = GROWING  #: one of DELAYS
    seconds: float | None = None  #: what was told, if LIMITED


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A reference that is not tried any more."""

    number: int
    text: str
    reference: Reference | None  #: None when the text is damaged
    error: str
    message: str
    tries: int
    died: float  #: seconds since 1970


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """How much is in a queue; queued = due + leased + waiting."""

    queued: int  #: all but the dead
    due: int  #: may be taken now
    leased: int
    waiting: int  #: failed, and not due yet
    dead: int
    oldest: float | None  #: seconds since the oldest of those queued was tracked; None without one


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """When failed references are tried again, and when no more; times in seconds."""

    tries: int = 5
    first_delay: float = 30.0
    growth: float = 6.0  #: of the delay from try to try: 30 s, 3 min, 18 min, 108 min
    longest_delay: float = 8 * 3600.0
    jitter: float = 0.2  #: the share of a delay by which it may be longer or shorter
    limited_delay: float = 60.0  #: where a limit does not tell how long to wait
    longest_limited: float = 24 * 3600.0  #: whatever a limit tells
    most_lost: int = 10  #: leases that may run out one after another: what kills its workers has to end
    alone_from: int = 3  #: such leases from which on a reference is taken alone, so that it harms no others


LEAST_LIMITED = 1.0  # a limit that tells no wait at all must not keep a worker spinning


def checked(policy: Policy) -> Policy:
    """The policy; QueryError when it can't be meant."""
    counts = (policy.tries, policy.most_lost, policy.alone_from)
    delays = (policy.first_delay, policy.longest_delay, policy.limited_delay, policy.longest_limited)
    if min(counts) < 1 or min(delays) < 0 or policy.growth < 1 or not 0 <= policy.jitter <= 1:
        raise QueryError(f"no policy of a queue: {policy}; counts from 1, delays from 0, growth from 1, jitter 0 to 1")
    return policy


def delay_after(failed: Failed, tries: int, policy: Policy, chance: float) -> float | None:
    """Seconds until it is tried again after so many tries; None for never. `chance` is from 0 to 1."""
    if failed.delay == LIMITED:
        told = policy.limited_delay if failed.seconds is None else failed.seconds
        return max(LEAST_LIMITED, min(told, policy.longest_limited))
    if failed.delay == NEVER or tries >= policy.tries:
        return None
    grown = policy.first_delay * policy.growth ** min(tries - 1, 100)
    return min(grown, policy.longest_delay) * (1 + policy.jitter * (2 * chance - 1))


def one_line(text: str, most: int) -> str:
    """A text that every table takes and every terminal shows: one line, no control characters, of a bounded length."""
    clean = "".join(letter if letter.isprintable() else " " for letter in text[: most + 1])
    return clean if len(clean) <= most else clean[: most - 1] + "…"
