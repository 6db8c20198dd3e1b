"""What does a query give, by the page on the query language alone? The oracle itself is compared with this.

It shares the nodes and the making of terms with the code, nothing else: no evaluation, no order, no BM25, no cosine.
Everything is told from the root downwards, where the code goes upwards: a node is named by its path, a tuple of the
places of parts.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import UTC
from decimal import Decimal, localcontext
from functools import cache
from math import log2

from callsite.query import Query
from callsite.query.nodes import All, And, Exists, Filter, Knn, Limit, Match, Missing, Not, Or, Prefix
from callsite.text.paths import name_and_folder_terms
from callsite.text.words import Words

WORDS = Words()
_FOUR_BITS = [mantissa << shift for shift in range(28) for mantissa in range(8, 16)]
LENGTHS = sorted({*range(24), *(24 + n for n in range(8)), *(24 + n for n in _FOUR_BITS)})


def single(number):
    return struct.unpack("f", struct.pack("f", number))[0]


@cache
def cosine(one, other):
    """Of vectors that are tuples, with forty digits."""
    with localcontext() as context:
        context.prec = 40
        a, b = ([Decimal(single(number)) for number in vector] for vector in (one, other))
        dot = sum(x * y for x, y in zip(a, b, strict=True))
        return single(float(dot / (sum(x * x for x in a).sqrt() * sum(y * y for y in b).sqrt())))


def lexical(document):
    """The terms of a document's lexical fields."""
    name, folders = name_and_folder_terms(document.get("path") or "", WORDS)
    return {
        "path": [*name, *name, *folders],
        "symbols": WORDS.terms((document.get("name") or "").split(".")[-1]),
        "words": WORDS.terms(document.get("content") or ""),
    }


class World:
    """The documents of a collection, none of them twice, as they were given to the store."""

    def __init__(self, documents):
        self.documents = {(one["project_id"], one["id"]): one for one in documents}
        self.terms = {key: lexical(one) for key, one in self.documents.items()}

    def answer(self, query: Query):
        """(routing, id) and scores, in order."""
        answer = _Answer(self, query.node)
        return answer.in_order(answer.members(()), ())

    def bm25(self, key, terms, fields):
        total = 0.0
        for field, weight in fields:
            said = self.terms[key][field]
            for term, worth in terms.items():
                if said.count(term):
                    total += weight * worth * self._rarity(field, term) * self._saturated(field, said, said.count(term))
        return single(total)

    def _rarity(self, field, term):
        n_with = sum(term in terms[field] for terms in self.terms.values())
        return log2(1 + (len(self.terms) - n_with + 0.5) / (n_with + 0.5)) / log2(2.718281828459045)

    def _saturated(self, field, said, times):
        average = sum(len(terms[field]) for terms in self.terms.values()) / len(self.terms)
        kept = max(length for length in LENGTHS if length <= len(said))
        return times * 2.2 / (times + 1.2 * (0.25 + 0.75 * kept / average))


class _Answer:
    def __init__(self, world, root):
        self.world = world
        self.nodes = dict(_paths(root, ()))
        self._members = {}

    def in_order(self, keys, above):
        """Keys that the node at the path gives, with their scores by the legs that are in it, in its order."""
        legs = [path for path in self.legs() if path[: len(above)] == above]
        return by_rounds([(key, tuple(self.score(leg, key, above) for leg in legs)) for key in keys], len(legs))

    def legs(self):
        """The paths of match and knn that are in no `not`, from left to right."""
        found = [path for path, node in self.nodes.items() if isinstance(node, Match | Knn)]
        return sorted(path for path in found if not any(isinstance(self.nodes[up], Not) for up in _ups(path)))

    def score(self, leg, key, above):
        """None unless each node from the leg up to `above` gives the document."""
        if any(key not in self.members(path) for path in [leg, *_ups(leg)] if len(path) >= len(above)):
            return None
        node, document = self.nodes[leg], self.world.documents[key]
        if isinstance(node, Knn):
            return cosine(tuple(node.vector), tuple(document[node.target]))
        return self.world.bm25(key, _terms(node), node.fields)

    def members(self, path):
        if path not in self._members:
            self._members[path] = frozenset(self._given(path))
        return self._members[path]

    def _given(self, path):
        node = self.nodes[path]
        parts = [(*path, n) for n in range(len(getattr(node, "parts", ())))]
        if isinstance(node, And):
            return frozenset(self.world.documents).intersection(*map(self.members, parts))
        if isinstance(node, Or):
            return frozenset().union(*map(self.members, parts))
        if isinstance(node, Not):
            return self.world.documents.keys() - self.members((*path, 0))
        if isinstance(node, Limit):
            return self._first(path, node)
        if isinstance(node, Knn):
            return self._nearest(path, node)
        return [key for key, one in self.world.documents.items() if self._has(node, key, one)]

    def _first(self, path, node):
        """Only those of the part that pass the filters beside this node take part in the rounds."""
        keys = self._reached(self.members((*path, 0)), path)
        return [key for key, _ in self.in_order(keys, (*path, 0))[: node.n]]

    def _nearest(self, path, node):
        having = [key for key, one in self.world.documents.items() if one.get(node.target) is not None]
        near = {key: cosine(tuple(node.vector), tuple(self.world.documents[key][node.target])) for key in having}
        return sorted(self._reached(having, path), key=lambda key: (-near[key], key[1], key[0]))[: node.limit]

    def _reached(self, keys, path):
        """Those that pass each part, free of knn and limit, of each `and` on the way up."""
        conditions = [
            (*up, n)
            for up in _ups(path)
            if isinstance(self.nodes[up], And)
            for n in range(len(self.nodes[up].parts))
            if (*up, n) != path[: len(up) + 1] and self._is_free((*up, n))
        ]
        return [key for key in keys if all(key in self.members(condition) for condition in conditions)]

    def _is_free(self, path):
        return not any(isinstance(self.nodes[one], Knn | Limit) for one in self.nodes if one[: len(path)] == path)

    def _has(self, node, key, document):
        if isinstance(node, All):
            return True
        if isinstance(node, Match):
            said = self.world.terms[key]
            return any(term in said[field] for field, _ in node.fields for term in _terms(node))
        value = document.get(node.field)
        values = [] if value is None else list(value) if isinstance(value, list) else [value]
        if isinstance(node, Exists | Missing):
            return bool(values) == isinstance(node, Exists)
        if isinstance(node, Filter):
            return any(plain(one) == wanted for one in values for wanted in node.values)
        assert isinstance(node, Prefix)
        return any(one[: len(start)] == start for one in values for start in node.starts)


def plain(value):
    """A value as it is kept."""
    if not hasattr(value, "microsecond"):
        return value
    moment = value.astimezone(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _terms(node):
    return dict(node.weights) or dict.fromkeys(WORDS.terms(node.text), 1.0)


def _ups(path) -> Iterator[tuple[int, ...]]:
    """The paths of all nodes above, the nearest first."""
    return (path[:n] for n in range(len(path) - 1, -1, -1))


def _paths(node, path):
    yield path, node
    parts = node.parts if isinstance(node, And | Or) else [node.part] if isinstance(node, Not | Limit) else []
    for n, part in enumerate(parts):
        yield from _paths(part, (*path, n))


def by_rounds(rows, n_legs):
    """Rows of key and scores: again and again the best that is left of each leg; in the end the others by id."""
    left, found = dict(rows), []
    queues = [
        sorted((row for row in rows if row[1][leg] is not None), key=lambda row: (-row[1][leg], row[0][1], row[0][0]))
        for leg in range(n_legs)
    ]
    for place in range(max(map(len, queues), default=0)):
        for queue in queues:
            if place < len(queue) and queue[place][0] in left:
                found.append((queue[place][0], left.pop(queue[place][0])))
    return found + sorted(left.items(), key=lambda row: (row[0][1], row[0][0]))
