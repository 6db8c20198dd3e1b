"""Which files and chunks come into question? The legs: raw scores from the index, a few hundred of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from callsite.evidence.values import NO_EVIDENCE, Evidence
from callsite.index.lexical import ORDINAL_BITS, ChunkKey
from callsite.index.prepared import owner
from callsite.index.query import Scope, only
from callsite.index.snapshot import Definition, File, Snapshot
from callsite.retrieval.places import Pointed, find_places, last_name
from callsite.text.question import Question
from callsite.text.words import fold
from callsite.values import dataclass

_CHUNKS = 400
_FILES = 200
_MANY_DEFINERS = 100  # a name that more files define locates nothing
_DECAY = 0.6  # a file's second chunk adds .6 of its score, the third .36, …
_BEST_CHUNKS = 6
_DECAYS = [_DECAY**rank for rank in range(_BEST_CHUNKS)]
_EXACT, _FOLDED = 1.0, 0.6  # the name as written, or in another convention
_TOP_LEVEL, _NESTED = 1.0, 0.7
_RARITY_POWER = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Raw material of a ranking. All mappings are by file id, scores larger is better and unbounded."""

    question: Question
    files: Mapping[int, File]
    chunks: Mapping[ChunkKey, float]  #: BM25 of single chunks
    legs: Mapping[
        str, Mapping[int, float]
    ]  #: "file words", "chunk words", "title words", "path words", "defined names"
    definitions: Mapping[int, float]  #: worth of the best definition of a mentioned identifier
    defining_chunks: Mapping[ChunkKey, float]
    places: Mapping[str, Mapping[int, float]]  #: "frame", "quoted path", "module", "import", "recorded"
    pointed: Mapping[int, Sequence[Pointed]]  #: what is pointed at inside a file
    problems: tuple[str, ...] = ()  #: what was not read of the question


def find_candidates(
    snapshot: Snapshot, question: Question, scope: Scope, evidence: Evidence = NO_EVIDENCE
) -> Candidates:
    """Ask every leg; the union of what they bring comes into question.

    Recorded files are asked too, however many others match better; those that don't match stay out (S5).
    """
    places, pointed = find_places(snapshot, question, evidence)
    chunks, legs = _matches(snapshot, question, scope)
    if places["recorded"]:
        more, more_legs = _matches(snapshot, question, only(scope, places["recorded"]))
        chunks = dict(sorted((chunks | more).items(), key=lambda item: -item[1]))
        legs = {name: more_legs[name] | leg for name, leg in legs.items()}
    legs["chunk words"] = sum_of_best_chunks(chunks)
    defined = snapshot.definitions(last_name(name) for name in question.mentions)
    wanted = {file for leg in legs.values() for file in leg}
    wanted |= {file for kind, leg in places.items() for file in leg if kind != "recorded"}
    wanted |= {definition.file for found in defined.values() for definition in found}
    files = in_scope(snapshot.files(wanted), scope)
    definitions, defining_chunks = _definitions(question, defined, files)
    return Candidates(
        question=question,
        files=files,
        chunks=chunks,
        legs=legs,
        definitions=definitions,
        defining_chunks=defining_chunks,
        places={name: {file: w for file, w in found.items() if file in files} for name, found in places.items()},
        pointed=pointed,
    )


def _matches(
    snapshot: Snapshot, question: Question, scope: Scope
) -> tuple[dict[ChunkKey, float], dict[str, dict[int, float]]]:
    """The chunks whose words match best, and the files by each leg but theirs."""
    lexical, terms = snapshot.lexical, question.terms
    chunks = lexical.search_chunks(terms, field="words", scope=scope, limit=_CHUNKS)
    legs = {
        name: lexical.search_files(terms, field=field, scope=scope, limit=_FILES)
        for name, field in (("file words", "words"), ("path words", "path"), ("defined names", "symbols"))
    }
    if question.is_report:
        title = lexical.search_chunks(question.title_terms, field="words", scope=scope, limit=_CHUNKS)
        legs["title words"] = sum_of_best_chunks(title)
    return chunks, legs


def sum_of_best_chunks(chunks: Mapping[ChunkKey, float]) -> dict[int, float]:
    """File coherence: a decayed sum over the best chunks of each file; beats the best chunk by .024 NDCG@10.

    chunks: best first, as a search gives them.
    """
    sums: dict[int, float] = {}
    n_counted: dict[int, int] = {}
    for key, score in chunks.items():
        file = key >> ORDINAL_BITS
        n = n_counted.get(file, 0)
        if n < _BEST_CHUNKS:
            sums[file] = sums.get(file, 0.0) + score * _DECAYS[n]
            n_counted[file] = n + 1
    return sums


def in_scope(files: dict[int, File], scope: Scope) -> dict[int, File]:
    """Definitions and places were not asked with the scope."""
    if scope.only is None and not scope.folder and not scope.languages:
        return files
    only = None if scope.only is None else frozenset(scope.only)
    return {
        id: file
        for id, file in files.items()
        if (only is None or id in only)
        and (not scope.folder or file.path.startswith(scope.folder + "/"))
        and (not scope.languages or file.language in scope.languages)
    }


def _definitions(
    question: Question, defined: Mapping[str, list[Definition]], files: Mapping[int, File]
) -> tuple[dict[int, float], dict[ChunkKey, float]]:
    """What a file is worth for defining a mentioned name, and how much each defining chunk is."""
    by_file: dict[int, float] = {}
    by_chunk: dict[ChunkKey, float] = {}
    for name, weight in question.mentions.items():
        places = [place for place in defined.get(fold(last_name(name)), ()) if place.file in files]
        places = _qualified(name, places) or places
        places = [place for place in places if "tests" not in files[place.file].shelves] or places
        worth = _worth_by_file(last_name(name), places)
        if not worth or len(worth) > _MANY_DEFINERS:
            continue
        for place in places:
            key = place.file << ORDINAL_BITS | place.ordinal
            by_chunk[key] = max(by_chunk.get(key, 0.0), weight * _worth(last_name(name), place))
        for file, value in worth.items():
            by_file[file] = max(by_file.get(file, 0.0), weight * value / len(worth) ** _RARITY_POWER)
    return by_file, by_chunk


def _qualified(name: str, places: list[Definition]) -> list[Definition]:
    """The places that belong to what a dotted mention names before the dot."""
    around = owner(name)
    return [place for place in places if place.is_of(around)] if around else []


def _worth(name: str, place: Definition) -> float:
    return (_EXACT if place.is_written(name) else _FOLDED) * (_NESTED if place.is_nested else _TOP_LEVEL)


def _worth_by_file(name: str, places: list[Definition]) -> dict[int, float]:
    worth: dict[int, float] = {}
    for place in places:
        worth[place.file] = max(worth.get(place.file, 0.0), _worth(name, place))
    return worth
