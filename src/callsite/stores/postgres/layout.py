"""Which tables and columns does a collection have? Names and types only; nothing here runs.

Names of fields are columns as they are. What is ours begins with `_` or is written in capitals,
as no field is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b

from psycopg import sql

from callsite.collections.definition import Collection
from callsite.query.fields import Field
from callsite.query.nodes import LEXICAL_FIELDS
from callsite.values import dataclass

_SYSTEM = frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"})  # of every table in PostgreSQL
_LONGEST_NAME = 40  # letters of the collection's name in those of its tables, which have 63
#: Letters of a keyword in an index: an entry of a btree or GIN index has at most 2,700 bytes.
INDEXED_LETTERS = 200
#: pgvector's HNSW takes so many dimensions in single precision, and so many in half.
MOST_INDEXED, MOST_HALVED = 2_000, 4_000

_TYPES = {
    "integer": "bigint",
    "keyword": 'text COLLATE "C"',
    "text": 'text COLLATE "C"',
    "boolean": "boolean",
    "timestamp": "timestamptz",
    "integers": "bigint[]",
    "keywords": 'text[] COLLATE "C"',
}
#: Number of a lexical field in the table of counts; documents are counted under DOCUMENTS.
LEXICAL_NUMBERS = {name: n for n, name in enumerate(LEXICAL_FIELDS)}
DOCUMENTS = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column, and how its values are packed: as one of the kinds of fields, or `small` for counts."""

    name: str
    kind: str
    dims: int = 0

    @property
    def identifier(self) -> sql.Identifier:
        return sql.Identifier(self.name)

    @property
    def type(self) -> sql.SQL:
        if self.kind == "vector":
            return sql.SQL(f"vector({int(self.dims)})")
        return sql.SQL("integer" if self.kind == "small" else _TYPES[self.kind])


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where a collection is kept."""

    schema: str
    number: int  #: tells its tables from those of all others that ever were
    collection: Collection

    @property
    def name(self) -> str:
        """Of the table; the names of all that belongs to it begin so."""
        return f"{self.collection.name[:_LONGEST_NAME]}_{self.number}"

    @property
    def table(self) -> sql.Identifier:
        return sql.Identifier(self.schema, self.name)

    @property
    def counts(self) -> sql.Identifier:
        """How many documents hold an entry: (lexical, entry, n), to be summed up."""
        return sql.Identifier(self.schema, f"{self.name}_terms")

    @property
    def counting(self) -> sql.Identifier:
        """The function that keeps them right."""
        return sql.Identifier(self.schema, f"{self.name}_count")

    def partition(self, n: int) -> sql.Identifier:
        return sql.Identifier(self.schema, f"{self.name}_p{n}")

    @property
    def routing(self) -> sql.Identifier:
        return column_of(self.collection.routing_field).identifier

    @property
    def key(self) -> sql.Composable:
        """Routing and id."""
        return sql.SQL("{}, id").format(self.routing)

    def lexical(self) -> tuple[str, ...]:
        return tuple(to for to, _ in self.collection.lexical)

    def fields(self, names: Iterable[str]) -> list[Field]:
        """Those of these names, sorted."""
        wanted = set(names)
        return [field for field in self.collection.schema.fields if field.name in wanted]

    def derived(self, names: Iterable[str]) -> list[Column]:
        """The columns that follow from these fields."""
        given = set(names)
        found = [column for to, source in self.collection.lexical if source in given for column in lexical_columns(to)]
        return found + [shortened_column(one) for one in self.fields(given) if one.kind == "keywords"]


def column_of(field: Field) -> Column:
    name = f"_{field.name}" if field.name in _SYSTEM else field.name
    return Column(name=name, kind=field.kind, dims=field.dims)


def shortened_column(field: Field) -> Column:
    """Of a list of keywords: the beginnings of its elements, which are indexed."""
    return Column(name=field.name.upper(), kind="keywords")


def lexical_columns(to: str) -> tuple[Column, Column, Column]:
    """Entries, the number of terms, and that number as one byte says it."""
    return (
        Column(name=f"_{to}_entries", kind="keywords"),
        Column(name=f"_{to}_n", kind="small"),
        Column(name=f"_{to}_kept", kind="small"),
    )


def named(columns: Iterable[Column], *, of: str = "") -> sql.Composed:
    """The columns in a row, of a table when its alias is given."""
    prefix = (of,) if of else ()
    return sql.SQL(", ").join(sql.Identifier(*prefix, column.name) for column in columns)


def entry_of(term: str, times: int = 1) -> str:
    """What stands in a document's entries for a term: itself, and beside that how often when that is several times.

    A term holds no white space. A very long one, which no index takes, is told by its digest.
    """
    if len(term) > INDEXED_LETTERS:
        term = f"\x01{blake2b(term.encode(), digest_size=20).hexdigest()}"
    return term if times == 1 else f"{term} {times}"


def entries_of(terms: Mapping[str, int]) -> tuple[str, ...]:
    """All entries of a document in one lexical field, from its terms with their numbers."""
    several = [entry_of(term, times) for term, times in terms.items() if times > 1]
    return (*map(entry_of, terms), *several)


def shortened(values: Iterable[str]) -> tuple[str, ...]:
    """Keywords as they are indexed."""
    return tuple(dict.fromkeys(value[:INDEXED_LETTERS] for value in values))
