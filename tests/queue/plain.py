"""A queue as plain as can be, in memory and by the seam's sentences: what the tables are compared with."""

from __future__ import annotations

from dataclasses import dataclass

from callsite.queue import LIMITED, NEVER, Reference, text_of


@dataclass
class Entry:
    reference: Reference
    number: int
    due: float | None
    tracked: float
    version: int = 0
    tries: int = 0
    lost: int = 0
    token: object = None
    error: str = ""

    def renew(self, now: float) -> None:
        self.due, self.tracked, self.tries, self.lost, self.token, self.error = now, now, 0, 0, None, ""


class Plain:
    """The entries, one for each reference; `now` is given to each call. A token is an object of the take."""

    def __init__(self, policy) -> None:
        self.policy = policy
        self.entries: dict[Reference, Entry] = {}
        self.n_made = 0

    def track(self, references, now):
        for one in sorted(set(references), key=text_of):
            entry = self.entries.get(one)
            if entry is None:
                self.n_made += 1
                self.entries[one] = Entry(one, self.n_made, now, now)
            elif entry.due is None:
                entry.version += 1
                entry.renew(now)
            elif entry.token is not None:
                entry.version += 1

    def take(self, limit, lease, now):
        while True:
            due = [entry for entry in self.entries.values() if entry.due is not None and entry.due <= now]
            found = sorted(due, key=lambda entry: (entry.due, entry.number))[:limit]
            for entry in found:
                entry.lost += entry.token is not None
            dying = [entry for entry in found if entry.lost >= self.policy.most_lost]
            for entry in dying:
                entry.due, entry.token, entry.error = None, None, "LeaseLost"
            left = [entry for entry in found if entry not in dying]
            if left or not dying:
                break
        chosen = [entry for entry in left if entry.lost < self.policy.alone_from]
        if left and left[0].lost >= self.policy.alone_from:
            chosen = left[:1]
        for entry in left:  # those that were looked at and left are as they were
            entry.lost -= entry.token is not None and entry not in chosen
        token = object()
        for entry in chosen:
            entry.token, entry.due = token, now + lease
        return token, [(entry.reference, entry.version, entry.tries) for entry in chosen]

    def extend(self, token, lease, now):
        held = [entry for entry in self.entries.values() if entry.token is token]
        for entry in held:
            entry.due = now + lease
        return len(held)

    def acknowledge(self, token, items, now):
        return [self._acknowledge(token, reference, version, now) for reference, version, _ in items]

    def _acknowledge(self, token, reference, version, now):
        entry = self.entries.get(reference)
        if entry is None or entry.token is not token:
            return "lost"
        if entry.version != version:
            entry.renew(now)
            return "again"
        del self.entries[reference]
        return "done"

    def fail(self, token, items, failed, now):
        return [self._fail(token, reference, version, failed, now) for reference, version, _ in items]

    def _fail(self, token, reference, version, failed, now):
        entry = self.entries.get(reference)
        if entry is None or entry.token is not token:
            return "lost"
        tries = entry.tries + (failed.delay != LIMITED)
        if failed.delay == NEVER or (failed.delay != LIMITED and tries >= self.policy.tries):
            if entry.version != version:
                entry.renew(now)
                return "again"
            entry.due, entry.token, entry.tries, entry.error = None, None, tries, failed.error
            return "dead"
        delay = (
            failed.seconds if failed.delay == LIMITED else self.policy.first_delay * self.policy.growth ** (tries - 1)
        )
        entry.due, entry.token, entry.tries, entry.lost, entry.error = now + delay, None, tries, 0, failed.error
        return "waiting"

    def dead(self, routing, error):
        found = [e for e in self.entries.values() if e.due is None and e.error == (error or e.error)]
        return sorted((e for e in found if routing in (None, e.reference.routing)), key=lambda e: e.number)

    def replay(self, routing, error, now):
        found = self.dead(routing, error)
        for entry in found:
            entry.renew(now)
        return len(found)

    def clear(self, routing, error):
        found = self.dead(routing, error)
        for entry in found:
            del self.entries[entry.reference]
        return len(found)

    def statistics(self, now):
        alive = [entry for entry in self.entries.values() if entry.due is not None]
        due = [entry for entry in alive if entry.due <= now]
        leased = [entry for entry in alive if entry.due > now and entry.token is not None]
        oldest = max((now - entry.tracked for entry in alive), default=None)
        n_waiting = len(alive) - len(due) - len(leased)
        return (len(alive), len(due), len(leased), n_waiting, len(self.entries) - len(alive), oldest)
