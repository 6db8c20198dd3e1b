"""What is a collection? A versioned definition that every store keeps and builds its tables or mappings from."""

from __future__ import annotations

from collections.abc import Mapping

from callsite.errors import CollectionError, QueryError
from callsite.query.fields import Field, Schema
from callsite.query.nodes import LEXICAL_FIELDS
from callsite.query.values import name_problem, shown
from callsite.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from typing import Any

_LEXICAL_KINDS = ("keyword", "text")
_ROUTING_KINDS = ("integer", "keyword")


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A named set of documents with typed fields; a change of it has a higher version."""

    name: str
    schema: Schema
    routing: str  #: the field whose value says where a document lies; with its id it is the key
    lexical: tuple[tuple[str, str], ...] = ()  #: lexical field, and the field whose text gives its terms
    version: int = 1
    metadata: tuple[tuple[str, str], ...] = ()  #: what others note here; stores keep it and know nothing of it

    @staticmethod
    def of(
        name: str,
        *,
        routing: str,
        fields: Mapping[str, str],
        lexical: Mapping[str, str] | None = None,
        version: int = 1,
        metadata: Mapping[str, str] | None = None,
    ) -> Collection:
        """Checked: fields are names with kinds as `Schema.of` takes them; CollectionError for what can't be meant."""
        try:
            schema = Schema.of(**fields)
        except QueryError as error:
            raise CollectionError(f"the collection {shown(name)}: {error}") from error
        made = Collection(
            name=name,
            schema=schema,
            routing=routing,
            lexical=tuple((to, (lexical or {})[to]) for to in LEXICAL_FIELDS if to in (lexical or {})),
            version=version,
            metadata=tuple(sorted((metadata or {}).items())),
        )
        if problem := _problem(made, lexical or {}):
            raise CollectionError(f"the collection {shown(name)}: {problem}")
        return made

    def again(self) -> Collection:
        """The definition, made anew: CollectionError for what was put together by hand and can't be meant."""
        return Collection.from_json(self.to_json())

    @property
    def routing_field(self) -> Field:
        return _known(self.schema, self.routing)

    def vector_fields(self) -> tuple[Field, ...]:
        """Sorted by name."""
        return tuple(field for field in self.schema.fields if field.kind == "vector")

    def changed(self, *, add: Mapping[str, str] | None = None, metadata: Mapping[str, str] | None = None) -> Collection:
        """The next version: with more fields, with other metadata."""
        return Collection.of(
            self.name,
            routing=self.routing,
            fields=self.schema.kinds() | dict(add or {}),
            lexical=dict(self.lexical),
            version=self.version + 1,
            metadata=dict(self.metadata) if metadata is None else metadata,
        )

    def to_json(self) -> dict[str, Any]:
        """What `from_json` takes back: as stores keep a definition."""
        return {
            "name": self.name,
            "routing": self.routing,
            "fields": self.schema.kinds(),
            "lexical": dict(self.lexical),
            "version": self.version,
            "metadata": dict(self.metadata),
        }

    @staticmethod
    def from_json(kept: Mapping[str, Any]) -> Collection:
        """CollectionError when it is no definition."""
        try:
            return Collection.of(**kept)
        except (TypeError, AttributeError) as error:
            raise CollectionError(f"{shown(kept)} is no definition of a collection: {error}") from error


def change_problem(now: Collection, wanted: Collection) -> str:
    """Why a collection can't become as wanted, "" for nothing: fields and metadata may be added, no field may go."""
    where = f"the collection {now.name}"
    if (now.routing, now.lexical) != (wanted.routing, wanted.lexical):
        return f"{where}: routing and lexical fields can't change; make another collection and copy"
    for field in now.schema.fields:
        if (other := wanted.schema.field(field.name)) != field:
            return f"{where}: {field.name} is {field} and can't become {other or 'nothing'}; add another field"
    if wanted.version <= now.version:
        return f"{where} has version {now.version}, so {wanted.version} is no change of it; begin from what it is now"
    return ""


def _problem(made: Collection, lexical: Mapping[str, str]) -> str:
    if problem := name_problem(made.name):
        return problem.replace("of a field", "of a collection")
    if isinstance(made.version, bool) or not isinstance(made.version, int) or made.version < 1:
        return f"the version {shown(made.version)} is no integer above 0"
    if problem := _role_problem(made.schema, "routing", made.routing, _ROUTING_KINDS):
        return problem
    if unknown := [to for to in lexical if to not in LEXICAL_FIELDS]:
        return f"{shown(unknown[0])} is no lexical field; use {', '.join(LEXICAL_FIELDS)}"
    problems = (_role_problem(made.schema, to, source, _LEXICAL_KINDS) for to, source in made.lexical)
    return next(filter(None, problems), "")


def _role_problem(schema: Schema, role: str, name: str, kinds: tuple[str, ...]) -> str:
    field = next((one for one in schema.fields if one.name == name), None)
    if field is None:
        return f"{role}: there is no field {shown(name)}"
    return "" if field.kind in kinds else f"{role}: {name} is of kind {field}, not {' or '.join(kinds)}"


def _known(schema: Schema, name: str) -> Field:
    field = schema.field(name)
    if field is None:
        raise CollectionError(f"there is no field {name}; make collections with Collection.of")
    return field
