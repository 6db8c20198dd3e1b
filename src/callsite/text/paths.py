"""What does a path say: its words, the shelf it stands on, whether it is the path that somebody wrote."""

from __future__ import annotations

import re
from functools import lru_cache

from callsite.text.words import Words

_NAMELESS = frozenset({"__init__", "index", "mod", "lib", "main"})  # there the folder is the name
_MAX_REMEMBERED = 200_000
_N_FOLDERS = 4  # folders further up say little about a file

SHELVES = ("tests", "docs", "examples", "generated", "reexport")
_SHELF_PATTERNS = {
    "tests": r"(^|/)(tests?|testing|__tests__|specs?|e2e|testdata|fixtures|test[-_]\w+|\w+[-_]tests?)/"
    r"|(^|/)(androidTest|unitTests?)/"
    r"|(^|/)(test_[^/]*\.(?!(?:ba|z)?sh$)\w+|[^/]*_(test|spec)s?\.\w+|[^/]*[._-](test|spec)\.\w+|conftest\.py|tests?\.\w+)$"
    r"|(^|/)[^/]*(?-i:Tests?|Spec|Suite|IT)\.(java|kt|scala|cs|swift|php|hs)$",
    "docs": r"(^|/)(docs?|documentation|website|site|wiki|guides?)/"
    r"|(^|/)(readme|changelog|changes|contributing|history|news|authors|license|todo)([-_][^/.]*)?(\.(txt|html?|org))?$"
    r"|\.(md|rst|adoc|markdown)$",
    "examples": r"(^|/)(examples?|samples?|demos?|tutorials?|playground|benchmarks?|bench|asv_bench|perf|fuzz(ing)?)"
    r"[/_]",
    "generated": r"(^|/)(generated|dist|build|_build|gen)/|\.(min|pb|generated|g)\.\w+$|_pb2\.py$|parsetab\.py$",
    "reexport": r"(^|/)(__init__\.py|index\.(js|ts|mjs|tsx)|package-info\.java)$",
}


def shelves(path: str) -> tuple[str, ...]:
    """The kinds of file that the path shows: some of SHELVES."""
    folder, slash, name = path.rpartition("/")
    found = _shelves_of(folder + slash) | _shelves_of(name)
    return tuple(shelf for shelf in SHELVES if shelf in found)


@lru_cache(maxsize=10_000)
def _shelves_of(part: str) -> frozenset[str]:
    """Of a folder or a name: no pattern reaches over the last slash, and many files share their folder."""
    return frozenset(shelf for shelf, pattern in _SHELF_PATTERNS.items() if re.search(pattern, part, re.IGNORECASE))


class PathTerms(dict[str, tuple[list[str], str]]):
    """Remembers the terms of names and folders: looking up a path gives those of its file's name, and its folder.

    `folders` gives the terms of such a folder, which many files share.
    """

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._words = words
        self._folders: dict[str, list[str]] = {}

    def __missing__(self, path: str) -> tuple[list[str], str]:
        if len(self) >= _MAX_REMEMBERED:
            self.clear()
        folder = path.rpartition("/")[0]
        found = self[path] = _name_terms(path, self._words), folder
        return found

    def folders(self, folder: str) -> list[str]:
        """The terms of a folder's name and of those above it, nearest only."""
        if (known := self._folders.get(folder)) is not None:
            return known
        if len(self._folders) >= _MAX_REMEMBERED:
            self._folders.clear()
        found = self._folders[folder] = _folder_terms(folder, self._words)
        return found


def name_and_folder_terms(path: str, words: Words) -> tuple[list[str], list[str]]:
    """The terms of a file's name (without extension) and of its nearest folders."""
    return _name_terms(path, words), _folder_terms(path.rpartition("/")[0], words)


def _name_terms(path: str, words: Words) -> list[str]:
    folder, _, name = path.rpartition("/")
    stem = name.split(".", 1)[0] or name
    if stem in _NAMELESS and folder:
        stem = folder.rpartition("/")[2]
    return words.terms(stem)


def _folder_terms(folder: str, words: Words) -> list[str]:
    return words.terms(" ".join(folder.split("/")[-_N_FOLDERS:]))


def written_parts(path: str) -> list[str]:
    """The parts of a path as people write it (Windows, ./, ~, drive letters), outermost first."""
    return [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..", "~")]


def common_suffix(path: str, parts: list[str]) -> int:
    """How many parts at the end of `path` equal the end of `parts`; 0 unless the file name itself does."""
    have = path.split("/")
    n = 0
    while n < len(have) and n < len(parts) and have[-1 - n] == parts[-1 - n]:
        n += 1
    return n
