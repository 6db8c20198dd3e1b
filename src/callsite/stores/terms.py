"""Which terms does a document hold, and which does a match ask for? Made here, so that all stores hold the same.

Terms are those of `text/words.py`. A file's own name counts twice as much as its folders, as in the index of files; of
a qualified name the last part is searched.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock

from callsite.collections.definition import Collection
from callsite.errors import QueryError
from callsite.index.prepared import last_part
from callsite.query.make import MOST_TERMS
from callsite.query.nodes import Match
from callsite.text.paths import name_and_folder_terms
from callsite.text.words import Words


def lexical_terms(collection: Collection, fields: Mapping[str, object], words: Words) -> dict[str, str]:
    """Lexical field → terms separated by spaces, for those lexical fields whose source is among the given fields.

    So it serves parts of documents too: each lexical field depends on one field. A source without a value gives "".
    """
    return {to: _MAKERS[to](str(fields[source] or ""), words) for to, source in collection.lexical if source in fields}


def match_terms(match: Match, words: Words) -> dict[str, float]:
    """Term → weight, each term once; none for a text of stop words. QueryError for more terms than may be asked for."""
    if match.weights:
        return dict(match.weights)
    terms = dict.fromkeys(words.terms(match.text), 1.0)
    if len(terms) > MOST_TERMS:
        raise QueryError(
            f"match: the text has {len(terms):,} different terms, at most {MOST_TERMS:,} can be asked for; "
            "choose those that say most and give them with weights"
        )
    return terms


class Terms:
    """Makes terms for several threads; the stemmer serves one at a time."""

    def __init__(self) -> None:
        self._words = Words()
        self._lock = Lock()

    def of_fields(self, collection: Collection, fields: Mapping[str, object]) -> dict[str, str]:
        """See `lexical_terms`."""
        with self._lock:
            return lexical_terms(collection, fields, self._words)

    def of_match(self, match: Match) -> dict[str, float]:
        """See `match_terms`."""
        with self._lock:
            return match_terms(match, self._words)


def _of_path(path: str, words: Words) -> str:
    name, folders = name_and_folder_terms(path, words)
    return " ".join(name + name + folders)


def _of_name(qualified: str, words: Words) -> str:
    return words.line(last_part(qualified))


def _of_text(text: str, words: Words) -> str:
    return " ".join(words.terms(text))


_MAKERS = {"path": _of_path, "symbols": _of_name, "words": _of_text}
