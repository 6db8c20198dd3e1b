"""Which terms does a text consist of? The same answer for code, paths, names and questions.

An identifier gives its parts, stemmed, and itself whole: `parseHTTPHeaders` → `pars http header =parsehttpheaders`.
The whole is folded over naming conventions, so `get_user`, `getUser` and `get-user` meet. Stemming pays because
questions say "parsing" where names say `parse` (+.035 NDCG@10 on the dev half, see docs/why/ranking.md).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import Stemmer

IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*|[0-9]{2,6}")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
#: Makes spaces of all that is in no identifier: splitting takes half the time that a pattern takes to find them.
_APART = "".join(chr(n) if chr(n).isalnum() or chr(n) in "_$" else " " for n in range(128))
_MAX_IDENTIFIER = 200  # longer runs are data (base64, hashes in one word), nobody asks for them
#: A digest or a key is known by the length of its parts: two letters or digits on average, where names have four. Its
#: parts are drawn by lot and would be a twelfth of all terms of a repository with test data.
_SHORTEST_DATA, _DATA_PART, _LONGEST_DATA_WORD = 20, 2.75, 5
_MAX_CACHED = 400_000

STOP_WORDS = frozenset(
    """a an and are as at be been but by can could did do does for from had has have how i if in into is it its itself
    me my no not of on or our so such that the their them then there these they this to too was we were what when where
    which while who why will with would you your about after also am any because before being between both each few
    here just more most now only other out over own same some than through under until up very should may might must
    shall via per e g ie etc use used using uses get gets work works""".split()
)


def split_identifier(identifier: str) -> list[str]:
    """The lower-case parts of a camelCase, PascalCase, snake_case or mixed identifier."""
    return [part.lower() for part in _PARTS.findall(identifier)]


def fold(identifier: str) -> str:
    """The identifier without case, underscores and dollar signs: one spelling for all naming conventions."""
    return identifier.replace("_", "").replace("$", "").replace("-", "").lower()


class _Stems(dict[str, str]):
    """The stem of each part of an identifier as it is written; "" for those that say nothing."""

    def __init__(self, stem: Callable[[str], str]) -> None:
        super().__init__()
        self._stem = stem

    def __missing__(self, part: str) -> str:
        word = part.lower()
        stem = self[part] = "" if len(word) < 2 or word in STOP_WORDS else self._stem(word)
        return stem


class Words(dict[str, str]):
    """Turns identifiers into terms and remembers them; looking up an identifier gives its terms, space-separated.

    One instance serves one process; the memory it takes is bounded.
    """

    def __init__(self) -> None:
        super().__init__()
        self._stem: Callable[[str], str] = Stemmer.Stemmer("english", 0).stemWord
        self._stems = _Stems(self._stem)

    def __missing__(self, identifier: str) -> str:
        terms = " ".join(self._terms_of_identifier(identifier))
        if len(identifier) <= _MAX_IDENTIFIER:
            if len(self) >= _MAX_CACHED:
                self.clear()
            self[identifier] = terms
        if len(self._stems) >= _MAX_CACHED or len(identifier) > _MAX_IDENTIFIER:
            self._stems.clear()
        return terms

    def line(self, text: str) -> str:
        """All terms of a text in order, separated by white space, as the index takes them."""
        found = text.translate(_APART).split() if text.isascii() else identifiers(text)
        return " ".join(map(self.__getitem__, found))

    def terms(self, text: str) -> list[str]:
        """All terms of a text in order, with repetitions."""
        return self.line(text).split()

    def stem(self, word: str) -> str:
        return self._stem(word.lower())

    def _terms_of_identifier(self, identifier: str) -> list[str]:
        if not identifier.isascii():
            return self._terms_of_other_script(identifier)
        parts = _PARTS.findall(identifier)
        if _SHORTEST_DATA <= len(identifier) < _DATA_PART * len(parts) and _is_data(identifier, parts):
            return ["=" + identifier.lower()]
        if "0" <= identifier[:1] <= "9" and " " not in identifier.translate(_APART):
            inner = IDENTIFIER.findall(identifier)
            if inner != [identifier]:  # `2fast` is none, but holds one
                return [self[one] for one in inner]
        terms = [stem for part in parts if (stem := self._stems[part])]
        if len(parts) < 2 or len(identifier) > _MAX_IDENTIFIER:
            return terms[:40]
        if len(terms) > 1 or sum([len(part) > 1 for part in parts]) > 1:
            terms.append("=" + fold(identifier))
        return terms[:40]

    def _terms_of_other_script(self, identifier: str) -> list[str]:
        """Accents are dropped; scripts without spaces between words give their pairs of letters."""
        plain = unicodedata.normalize("NFKD", identifier[:_MAX_IDENTIFIER])
        plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
        if plain.isascii():
            return self[plain].split()
        word = plain.casefold()[:_MAX_IDENTIFIER]
        if any(map(_is_spaceless, word)) and len(word) > 2:
            return [word[i : i + 2] for i in range(len(word) - 1)]
        return [word]


def _is_data(identifier: str, parts: list[str]) -> bool:
    if len(identifier) > _MAX_IDENTIFIER or not identifier.isalnum():
        return False
    return not any(len(part) > _LONGEST_DATA_WORD and part.isalpha() for part in parts)


def identifiers(text: str) -> list[str]:
    """The words and identifiers of a text in any script, in order."""
    return identifier_pattern(text).findall(text)


def identifier_pattern(text: str) -> re.Pattern[str]:
    """What finds the words and identifiers of a text."""
    return IDENTIFIER if text.isascii() else _any_script()


def _any_script() -> re.Pattern[str]:
    return re.compile(r"[^\W\d][\w$]*|\$[\w$]+|\d{2,6}")  # `re` keeps compiled patterns itself


def _is_spaceless(letter: str) -> bool:
    """Whether the letter belongs to Han, Kana, Thai, Lao, Khmer or Myanmar: written without spaces between words."""
    code = ord(letter)
    return (
        0x3040 <= code <= 0x30FF
        or 0x3400 <= code <= 0x9FFF
        or 0x0E00 <= code <= 0x0EFF
        or (0x1000 <= code <= 0x109F or 0x1780 <= code <= 0x17FF or 0x20000 <= code <= 0x3FFFF)
    )
