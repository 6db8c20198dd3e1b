"""How is a node made? What no collection can mean is refused here: QueryError says what, where and what to do."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from itertools import islice

from callsite.errors import QueryError
from callsite.query.nodes import (
    LEXICAL_FIELDS,
    All,
    And,
    Exists,
    Filter,
    Knn,
    Limit,
    Match,
    Missing,
    Node,
    Not,
    Or,
    Prefix,
    Scalar,
    depth_and_size,
    is_settled,
)
from callsite.query.values import (
    keyword_problem,
    name_problem,
    plain,
    scalar_problem,
    shown,
    text_problem,
    vector_problem,
)

MOST = 10_000  #: documents of a knn, a limit, a search: more in one go is refused by Elasticsearch and OpenSearch
MOST_VALUES = 65_536  # of one filter; what Elasticsearch takes
DEEPEST = 20  # levels; Elasticsearch takes 30 of its own, and a node may become more than one
MOST_NODES = 1_000
MOST_TERMS = 1_000  # of one match

Values = Scalar | Iterable[Scalar]


def every() -> Node:
    """Every document."""
    return All()


def filter_by(**fields: Values) -> Node:
    """Documents that have, in each of the fields, the value or one of the values."""
    return and_of(Filter(field=name, values=_values("filter", name, given)) for name, given in fields.items())


def prefix_of(**fields: str | Iterable[str]) -> Node:
    """Documents that begin, in each of the fields, with the text or one of the texts."""
    return and_of(Prefix(field=name, starts=_starts(name, given)) for name, given in fields.items())


def exists_in(field: str) -> Node:
    """Documents with a value in the field."""
    return Exists(field=_name("exists", field))


def missing_in(field: str) -> Node:
    """Documents without a value in the field."""
    return Missing(field=_name("missing", field))


def match_of(text: str | Mapping[str, float], /, **fields: float) -> Node:
    """Documents that hold a term of the text; or ready terms with weights; in these lexical fields with these weights.

    Without fields: all of LEXICAL_FIELDS with the weights there.
    """
    for name in fields:
        if name not in LEXICAL_FIELDS:
            raise QueryError(f"match: {shown(name)} is no lexical field; use {', '.join(LEXICAL_FIELDS)}")
    weighed = {name: _weight(f"match, {name}", fields[name]) for name in LEXICAL_FIELDS if name in fields}
    among = tuple((weighed or LEXICAL_FIELDS).items())
    if isinstance(text, Mapping):
        return Match(text="", weights=_term_weights(text), fields=among)
    _refuse("match", text_problem(text) if isinstance(text, str) else f"{shown(text)} is no text")
    return Match(text=text, fields=among)


def knn_of(*, target: str, limit: int, vector: Iterable[float] | None = None, text: str | None = None) -> Knn:
    """The nearest `limit` documents to the vector, or to that of the text, by their field `target`."""
    where = f"knn(target={_name('knn', target)})"
    _check_number(where, "limit", limit)
    if (vector is None) == (text is None):
        raise QueryError(f"{where}: give either a vector or a text")
    if vector is not None:
        return Knn(target=target, limit=int(limit), vector=_vector(where, vector))
    _refuse(where, (text_problem(text) if isinstance(text, str) else f"{shown(text)} is no text"))
    if not str(text).strip():
        raise QueryError(f"{where}: the text is empty, so nothing is near to it; leave the knn out")
    return Knn(target=target, limit=int(limit), text=str(text))


def and_of(parts: Iterable[Node]) -> Node:
    """Documents that all parts give; without parts, every document."""
    flat = tuple(one for part in parts for one in (part.parts if isinstance(part, And) else (part,)))
    return _bounded(flat[0] if len(flat) == 1 else And(parts=flat)) if flat else All()


def or_of(parts: Iterable[Node]) -> Node:
    """Documents that any part gives; without parts, none."""
    flat = tuple(one for part in parts for one in (part.parts if isinstance(part, Or) else (part,)))
    return _bounded(flat[0] if len(flat) == 1 else Or(parts=flat)) if flat else Not(part=All())


def not_of(part: Node) -> Node:
    """Documents that the part does not give."""
    if not is_settled(part):
        raise QueryError(
            "not: it holds a knn or a limit, and all documents but the nearest or the first are not meant by anybody; "
            "put the `not` inside, beside what it should narrow"
        )
    return _bounded(Not(part=part))


def limit_of(part: Node, n: int) -> Node:
    """The first `n` documents of the part, in its order."""
    _check_number("limit", "n", n)
    if isinstance(part, Limit):
        return Limit(part=part.part, n=min(int(n), part.n))
    return _bounded(Limit(part=part, n=int(n)))


def again(node: Node) -> Node:
    """The node, made anew: refuses what was put together by hand and can't be meant."""
    match node:
        case Filter():
            return filter_by(**{node.field: node.values})
        case Prefix():
            return prefix_of(**{node.field: node.starts})
        case Exists():
            return exists_in(node.field)
        case Missing():
            return missing_in(node.field)
        case Match():
            return match_of(dict(node.weights) if node.weights else node.text, **dict(node.fields))
        case Knn():
            return knn_of(
                target=node.target,
                limit=node.limit,
                vector=node.vector or None,
                text=None if node.vector else node.text,
            )
        case And():
            return and_of(map(again, node.parts))
        case Or():
            return or_of(map(again, node.parts))
        case Not():
            return not_of(again(node.part))
        case Limit():
            return limit_of(again(node.part), node.n)
    return node


def _bounded(node: Node) -> Node:
    depth, size = depth_and_size(node)
    if depth > DEEPEST:
        raise QueryError(f"the query is {depth} levels deep; at most {DEEPEST} can be asked: ask it in parts")
    if size > MOST_NODES:
        raise QueryError(f"the query has {size:,} parts, at most {MOST_NODES:,} can be asked; use lists of values")
    return node


def _values(verb: str, name: str, given: Values) -> tuple[Scalar, ...]:
    where = f"{verb}({_name(verb, name)})"
    is_list = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    listed = list(islice(given, MOST_VALUES + 1)) if is_list else [given]  # type: ignore[arg-type]
    if len(listed) > MOST_VALUES:
        raise QueryError(f"{where}: more values than {MOST_VALUES:,} can't be asked for at once; ask in parts")
    for value in listed:
        _refuse(where, scalar_problem(value))
    values = dict.fromkeys((type(one), one) for one in map(plain, listed))  # type: ignore[arg-type]
    if len({kind for kind, _ in values}) > 1:
        raise QueryError(f"{where}: the values are of several types; give values of the field's type")
    found = [value for _, value in values]
    return tuple(sorted(found) if isinstance(given, set | frozenset) else found)


def _starts(name: str, given: str | Iterable[str]) -> tuple[str, ...]:
    starts = _values("prefix", name, given)
    texts = tuple(start for start in starts if isinstance(start, str))
    if len(texts) != len(starts):
        raise QueryError(f"prefix({name}): {shown(starts[0])} is no text; use filter for other values")
    return texts


def _name(verb: str, name: str) -> str:
    _refuse(verb, name_problem(name))
    return name


def _term_weights(terms: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    if not terms:
        raise QueryError("match: there are no terms; give a text or at least one term")
    if len(terms) > MOST_TERMS:
        raise QueryError(f"match: {len(terms):,} terms, at most {MOST_TERMS:,} can be asked; leave out the lightest")
    for term in terms:
        _refuse("match", keyword_problem(term) if isinstance(term, str) else f"{shown(term)} is no term")
        if [term] != term.split():
            raise QueryError(f"match: {shown(term)} is no single term; give a text, or terms without spaces")
    return tuple((term, _weight(f"match, {shown(term)}", weight)) for term, weight in terms.items())


def _weight(where: str, weight: float) -> float:
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < 1e9:
        raise QueryError(f"{where}: the weight is {shown(weight)}; it has to be a number above 0")
    return float(weight)


def _check_number(where: str, what: str, n: int) -> None:
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MOST:
        raise QueryError(f"{where}: {what} is {shown(n)}; it has to be an integer from 1 to {MOST:,}")


def _vector(where: str, given: Iterable[float]) -> tuple[float, ...]:
    try:
        if isinstance(given, str | bytes | bytearray):
            raise TypeError("a text is no list")
        numbers = tuple(array("d", given))
    except (TypeError, OverflowError) as error:
        raise QueryError(f"{where}: {shown(given)} is no vector; give a list of numbers") from error
    _refuse(where, vector_problem(numbers))
    return numbers


def _refuse(where: str, problem: str) -> None:
    if problem:
        raise QueryError(f"{where}: {problem}")
