"""Random writes, the same for the same seed, and a model of what becomes of them: a dictionary, field by field."""

from __future__ import annotations

from random import Random

from generated import COLLECTION, Generated
from naive import World, plain, single

from callsite.query import Query
from callsite.stores import Change, Key

NAME = COLLECTION.name
_BAD = [("n", "text"), ("kind", 5), ("v", [1.0]), ("flag", 3), ("other", 1), ("at", "noon"), ("tags", "x")]


class Writes:
    """One call after the other, as functions of a store; `now` are the documents that its author believes in."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._generated = Generated(seed, is_sparse=True)
        self._ids = sorted({one["id"] for one in self._generated.documents})[:15]

    def call(self, now):
        """The name of a call and its arguments."""
        make = self._random.choices([self._upsert, self._update, self._delete, self._orphans], [5, 5, 2, 1])[0]
        return make(now)

    def _upsert(self, now):
        return "upsert", {"documents": [self._document() for _ in range(self._random.randrange(7))]}

    def _update(self, now):
        return "update", {"changes": [self._change(now) for _ in range(self._random.randrange(7))]}

    def _delete(self, now):
        return "delete", {"keys": [self._key() for _ in range(self._random.randrange(4))]}

    def _orphans(self, now):
        kept = set(self._random.sample(self._ids, self._random.randrange(len(self._ids))))
        of = Query.filter(project_id=self._random.choice([1, 6])) & self._generated.settled()
        return "delete_orphans", {"of": of, "keep": kept}

    def _key(self):
        return Key(self._random.choice([1, 6]), self._random.choice(self._ids))

    def _document(self):
        key = self._key()
        return {"id": key.id, "project_id": key.routing, **self._fields()}

    def _change(self, now):
        key = self._key()
        there = now.get(key, {})
        names = self._random.sample(["kind", "n", "tags", "content", "at", "flag"], self._random.randrange(3))
        expected = {name: there.get(name) for name in names}
        if self._random.random() < 0.2:
            expected = {"kind": "never"}
        return Change(key=key, fields=self._fields(), expected=expected)

    def _fields(self):
        """Some fields of some document, some of them emptied, now and then one that can't be kept."""
        source = self._random.choice(self._generated.documents)
        names = [name for name in COLLECTION.schema.kinds() if name != "project_id"]
        chosen = self._random.sample(names, self._random.randrange(5))
        fields = {name: source.get(name) for name in chosen}
        return fields | dict([self._random.choice(_BAD)]) if self._random.random() < 0.1 else fields


class Model:
    """What a store has to do with them, told as simply as can be."""

    def __init__(self) -> None:
        self.now = {}

    def upsert(self, documents):
        return [self._one(Key(one["project_id"], one["id"]), one, None) for one in documents]

    def update(self, changes):
        return [self._one(one.key, one.fields, one.expected) for one in changes]

    def delete(self, keys):
        return [(key, "missing" if self.now.pop(key, None) is None else "deleted") for key in keys]

    def delete_orphans(self, of, keep):
        raw = [dict(fields, id=key.id) for key, fields in self.now.items()]
        world = World([{name: list(v) if isinstance(v, tuple) else v for name, v in one.items()} for one in raw])
        gone = [Key(*key) for key, _ in world.answer(of) if key[1] not in keep] if raw else []
        for key in gone:
            del self.now[key]
        return len(gone)

    def _one(self, key, fields, expected):
        if any(name in fields and fields[name] == bad for name, bad in _BAD):
            return key, "refused"
        before = self.now.get(key)
        if expected is not None and before is None:
            return key, "missing"
        if any(before.get(name) != value for name, value in (expected or {}).items()):
            return key, "changed"
        after = dict(before or {})
        for name, value in fields.items():
            after[name] = _kept(name, value)
        after = {name: value for name, value in after.items() if name != "id" and value not in (None, ())}
        self.now[key] = after
        return key, "created" if before is None else "unchanged" if after == before else "updated"


def _kept(name, value):
    if isinstance(value, list):
        return tuple(single(one) if name in "vw" else one for one in value)
    return plain(value)
