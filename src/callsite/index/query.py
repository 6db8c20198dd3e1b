"""How is a question put to the lexical index? Weighted terms and the limits of a search, as one compiled query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import tantivy

from callsite.values import dataclass, replace

_LONG_SET = 100  # values; in a union 13 files cost .06 ms of a search of 9,000 chunks, as a set .24


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which documents a search may return; every leg applies it inside its query (S14)."""

    hidden: Sequence[int] = ()  #: files of other views
    newest: int | None = None  #: files above are still being added; None when there are none
    only: Sequence[int] | None = None  #: files that globs chose; None = all
    folder: str = ""
    languages: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


def only(scope: Scope, files: Iterable[int]) -> Scope:
    """The scope, limited to these files."""
    return replace(scope, only=sorted(files if scope.only is None else set(scope.only).intersection(files)))


def compile_query(
    schema: tantivy.Schema, weights: Mapping[str, float], *, field: str, scope: Scope, part: str
) -> tantivy.Query | None:
    """Weighted terms and a scope as one query; None when nothing can match."""
    should = [
        (tantivy.Occur.Should, _weighted(tantivy.Query.term_query(schema, field, term, "freq"), weight))
        for term, weight in weights.items()
        if weight > 0
    ]
    if not should or (scope.only is not None and not scope.only):
        return None
    words = tantivy.Query.boolean_query(should)
    limits = list(_limits(schema, scope, part))
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, words), *limits]) if limits else words


def _weighted(query: tantivy.Query, weight: float) -> tantivy.Query:
    return query if weight == 1.0 else tantivy.Query.boost_query(query, weight)


def _limits(schema: tantivy.Schema, scope: Scope, part: str) -> Iterator[tuple[tantivy.Occur, tantivy.Query]]:
    def any_of(field: str, values: Sequence[str] | Sequence[int]) -> tantivy.Query:
        """A union walks its lists; a set first looks through all terms of the field, which pays when it is long."""
        if len(values) > _LONG_SET:
            return tantivy.Query.const_score_query(tantivy.Query.term_set_query(schema, field, list(values)), 0.0)
        each = [tantivy.Query.term_query(schema, field, value, "basic") for value in values]
        union = tantivy.Query.boolean_query([(tantivy.Occur.Should, one) for one in each])
        return tantivy.Query.const_score_query(union, 0.0)

    if scope.hidden:
        yield tantivy.Occur.MustNot, any_of("file", scope.hidden)
    if scope.newest is not None:
        yield tantivy.Occur.MustNot, above(schema, scope.newest)
    if scope.only is not None:
        yield tantivy.Occur.Must, any_of("file", scope.only)
    if scope.folder:
        yield tantivy.Occur.Must, any_of("limits", limit_terms(folders=[scope.folder]))
    if scope.languages:
        yield tantivy.Occur.Must, any_of("limits", limit_terms(languages=scope.languages))
    if scope.types and part == "chunks":
        yield tantivy.Occur.Must, any_of("limits", limit_terms(types=scope.types))


def limit_terms(*, types: Iterable[str] = (), languages: Iterable[str] = (), folders: Iterable[str] = ()) -> list[str]:
    """The values of the field `limits`: one field, since each costs every document a byte and has a dictionary."""
    kinds = (("type", types), ("language", languages), ("folder", folders))
    return [f"{kind}:{value}" for kind, values in kinds for value in values]


def above(schema: tantivy.Schema, file: int) -> tantivy.Query:
    return tantivy.Query.range_query(schema, "file", tantivy.FieldType.Unsigned, lower_bound=file, include_lower=False)
