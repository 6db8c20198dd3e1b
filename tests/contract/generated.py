"""Random documents and random queries for them, the same for the same seed.

No two different cosines and few scores lie so near to each other that single precision could swap them; equal ones are
frequent. All documents have terms in all lexical fields: engines differ in what a field without terms counts.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from callsite.collections import Collection
from callsite.query import Query

DIMS = 4
COLLECTION = Collection.of(
    "generated",
    routing="project_id",
    fields={
        "project_id": "integer",
        "kind": "keyword",
        "n": "integer",
        "flag": "boolean",
        "at": "timestamp",
        "tags": "keywords",
        "numbers": "integers",
        "path": "keyword",
        "name": "keyword",
        "content": "text",
        "v": f"vector({DIMS})",
        "w": f"vector({DIMS})",
    },
    lexical={"path": "path", "symbols": "name", "words": "content"},
)
N_DOCUMENTS = 120
_SAID = (
    "parse header token stream index chunk vector query filter store lease retry queue branch commit blob tree".split()
)
_PATHS = [
    f"{folder}/{name}.py" for folder in ("src/app", "src/lib", "tests") for name in ("parser", "token_stream", "io")
]
_NAMES = [
    f"{owner}{name}" for owner in ("", "Parser.", "a.b.") for name in ("parse_header", "nextToken", "close", "IO")
]
_KINDS = ["a", "b", "B", "", "a'b", "%", "日本"]
_TAGS = ["x", "xy", "y", "é"]
_NUMBERS = [0, 1, 2, 3, -1, 2**63 - 1, -(2**63), 2**53 + 1]
_TIMES = [datetime(2026, 12, 1, tzinfo=UTC) + timedelta(milliseconds=n) for n in range(4)]
_PREFIXES = ["", "s", "src/", "src/lib", "tests/parser.py", "x", "Parser.", "%", "zz"]


class Generated:
    """One world: documents, and as many queries as are asked for."""

    def __init__(self, seed: int, *, is_sparse: bool = False) -> None:
        self._random = Random(seed)
        self._is_sparse = is_sparse
        self._asked = [self._vector() for _ in range(8)]
        self._vectors = self._apart()
        self.documents = [self._document(n) for n in range(N_DOCUMENTS)]

    def _vector(self):
        return [round(self._random.uniform(-1, 1), 3) or 0.5 for _ in range(DIMS)]

    def _apart(self, n=30, least=2e-4):
        """Vectors whose cosines with those that are asked for differ clearly."""
        found, seen = [], [[] for _ in self._asked]
        while len(found) < n:
            vector = self._vector()
            cosines = [_cosine(vector, asked) for asked in self._asked]
            if all(abs(one - other) > least for one, others in zip(cosines, seen, strict=True) for other in others):
                found.append(vector)
                for one, others in zip(cosines, seen, strict=True):
                    others.append(one)
        return found

    def _document(self, n):
        pick, some = self._random.choice, self._maybe
        lexical = {
            "path": pick(_PATHS),
            "name": pick(_NAMES),
            "content": " ".join(self._random.choices(_SAID, k=self._random.choice([1, 2, 3, 8, 30, 90]))),
        }
        fields = {
            "kind": some(lambda: pick(_KINDS)),
            "n": some(lambda: pick(_NUMBERS)),
            "flag": some(lambda: pick([True, False])),
            "at": some(lambda: pick(_TIMES)),
            "tags": some(lambda: self._random.choices(_TAGS, k=self._random.randrange(4))),
            "numbers": some(lambda: self._random.choices(_NUMBERS, k=self._random.randrange(3))),
            "v": some(lambda: pick(self._vectors)),
            "w": some(lambda: pick(self._vectors)),
        } | ({name: some(lambda text=text: text) for name, text in lexical.items()} if self._is_sparse else lexical)
        key = {"id": f"{pick('abAé')}{n // 2:03}", "project_id": n % 2 * 5 + 1}
        return {name: value for name, value in fields.items() if value is not None} | key

    def _maybe(self, make):
        return make() if self._random.random() < 0.7 else None

    def query(self, *, limits_matches: bool = True) -> Query:
        """Any query; without a limit over match where its scores are not those of the oracle."""
        while True:
            query = self._any(self._random.choice([1, 2, 2, 3, 4]))
            if limits_matches or not _limits_match(query.node):
                return query

    def settled(self) -> Query:
        """One without knn and limit."""
        return self._settled(self._random.choice([1, 2, 3]))

    def _any(self, depth):
        roll = self._random.random()
        if depth <= 1 or roll < 0.1:
            return self._knn() if self._random.random() < 0.25 else self._settled(1)
        if roll < 0.45:
            return Query.and_(*self._parts(depth))
        if roll < 0.8:
            return Query.or_(*self._parts(depth))
        return self._any(depth - 1).limit(self._n()) if roll < 0.93 else self._settled(depth)

    def _parts(self, depth):
        return [self._any(depth - 1) for _ in range(self._random.choice([2, 2, 3]))]

    def _settled(self, depth):
        if depth <= 1:
            return self._random.choice(self._LEAVES)(self)
        parts = [self._settled(depth - 1) for _ in range(2)]
        return self._random.choice([Query.and_(*parts), Query.or_(*parts), ~parts[0]])

    def _n(self):
        return self._random.choice([1, 2, 3, 5, 10, 40, 10_000])

    def _knn(self):
        return Query.knn(target=self._random.choice("vw"), vector=self._random.choice(self._asked), limit=self._n())

    def _several(self, values):
        return (
            self._random.choice(values)
            if self._random.random() < 0.5
            else self._random.choices(values, k=self._random.randrange(4))
        )

    def _filter(self):
        field, values = self._random.choice(
            [("kind", [*_KINDS, "c"]), ("n", _NUMBERS), ("flag", [True, False]), ("at", _TIMES), ("tags", _TAGS)]
            + [
                ("numbers", _NUMBERS),
                ("path", _PATHS),
                ("project_id", [1, 6, 7]),
                ("id", [one["id"] for one in self.documents]),
            ]
        )
        return Query.filter(**{field: self._several(values)})

    def _prefix(self):
        return Query.prefix(**{self._random.choice(["path", "name", "kind", "tags", "id"]): self._several(_PREFIXES)})

    def _there(self):
        verb = self._random.choice([Query.exists, Query.missing])
        return verb(self._random.choice(["kind", "n", "flag", "at", "tags", "numbers", "v", "w", "name", "id"]))

    def _match(self):
        fields = {} if self._random.random() < 0.6 else {self._random.choice(["path", "symbols", "words"]): 1.7}
        said = self._random.choices(
            [*_SAID, "parseHeader", "the", "io", "unheard"], k=self._random.choice([1, 1, 2, 4])
        )
        if self._random.random() < 0.7:
            return Query.match(" ".join(said), **fields)
        return Query.match({word: self._random.choice([0.5, 1.0, 2.25]) for word in said}, **fields)

    _LEAVES = (_filter, _filter, _prefix, _there, _match, _match, lambda self: Query.all())


def _cosine(one, other):
    dot = sum(x * y for x, y in zip(one, other, strict=True))
    return dot / (sum(x * x for x in one) * sum(y * y for y in other)) ** 0.5


def _limits_match(node, below=False):
    from callsite.query.nodes import Limit, Match, parts_of

    if isinstance(node, Match):
        return below
    return any(_limits_match(part, below or isinstance(node, Limit)) for part in parts_of(node))
