"""What does a path say: its words, the shelf it stands on, whether it is the path that somebody wrote."""

from __future__ import annotations

import re

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
    return tuple(name for name, pattern in _SHELF_PATTERNS.items() if re.search(pattern, path, re.IGNORECASE))


class PathTerms(dict[str, tuple[list[str], list[str]]]):
    """Remembers `name_and_folder_terms` of each path that it is asked for."""

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._words = words

    def __missing__(self, path: str) -> tuple[list[str], list[str]]:
        if len(self) >= _MAX_REMEMBERED:
            self.clear()
        terms = self[path] = name_and_folder_terms(path, self._words)
        return terms


def name_and_folder_terms(path: str, words: Words) -> tuple[list[str], list[str]]:
    """The terms of a file's name (without extension) and of its nearest folders."""
    *folders, name = path.split("/")
    stem = name.split(".")[0] or name
    if stem in _NAMELESS and folders:
        stem = folders[-1]
    return words.terms(stem), words.terms(" ".join(folders[-_N_FOLDERS:]))


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
