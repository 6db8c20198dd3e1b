"""Which files may a written path, a module name or an import mean? Suffixes on path borders, never a wrong guess."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from callsite.text.paths import common_suffix, written_parts

_MAX_FILES = 5  # a name that means more files means none
_NAMELESS = ("__init__", "index", "mod", "lib", "main")
_INSTALLED = frozenset({"site-packages", "dist-packages", "node_modules", "gems"})  # below lie other people's trees
_BUILD_FOLDERS = frozenset({"dist", "lib", "build", "out", "es", "esm", "cjs", "umd", "src", "target"})
_MIN_MODULE_PARTS = 2  # `os.path` may be anybody's path.py; two parts that agree are no accident


class PathIndex:
    """The paths of a view by their last part."""

    def __init__(self, paths: Mapping[int, str]) -> None:
        self._paths = paths
        self._by_name: dict[str, list[int]] = defaultdict(list)
        self._by_stem: dict[str, list[int]] = defaultdict(list)
        for file, path in paths.items():
            folder, _, name = path.rpartition("/")
            self._by_name[name].append(file)
            stem = name.split(".", 1)[0]
            self._by_stem[stem].append(file)
            above = folder.rpartition("/")[2]
            if stem in _NAMELESS and above and above != stem:
                self._by_stem[above].append(file)

    def written(self, path: str) -> list[int]:
        """Files that a path means as somebody wrote it, perhaps on another machine; the longest agreement wins."""
        parts = written_parts(path)
        if not parts:
            return []
        agreement = {file: common_suffix(self._paths[file], parts) for file in self._by_name.get(parts[-1], ())}
        agreement = {file: n for file, n in agreement.items() if n > 1 or self._is_enough(file, parts)}
        longest = max(agreement.values(), default=0)
        found = [file for file, n in agreement.items() if n == longest]
        return found if len(found) <= _MAX_FILES else []

    def _is_enough(self, file: int, parts: list[str]) -> bool:
        """Whether agreeing in the name alone is: nothing more is said, or the file lies at the top of the tree."""
        return len(parts) == 1 or ("/" not in self._paths[file] and _INSTALLED.isdisjoint(parts[:-2]))

    def installed(self, path: str) -> list[int]:
        """Files that a path inside an installed package means: all of it agrees, or all below the folder of a build."""
        parts = written_parts(path)
        if not parts:
            return []
        for name in (parts[-1], *_sources_of(parts[-1])):
            wanted = [*parts[:-1], name]
            files = self._by_name.get(name, [])
            found = [file for file in files if self._agrees_wholly(file, wanted)]
            if not found and len(parts) > 2 and parts[0] in _BUILD_FOLDERS:
                found = [file for file in files if self._agrees_wholly(file, wanted[1:])]
            if found:
                return [min(found, key=lambda file: len(self._paths[file]))]
        return []

    def _agrees_wholly(self, file: int, parts: list[str]) -> bool:
        """In all parts; a name alone only at the top of the tree."""
        path = self._paths[file]
        return common_suffix(path, parts) == len(parts) and (len(parts) > 1 or path == parts[0])

    def module(self, name: str) -> list[int]:
        """Files that a dotted name means: the module itself, or the module that its last part belongs to."""
        parts = [part for part in re.split(r"::|[./#]", name) if part]
        for cut in (0, 1):
            tail = parts[: len(parts) - cut]
            if tail and (found := self._modules_ending(tail)):
                return found if len(found) <= _MAX_FILES else []
        return []

    def _modules_ending(self, parts: list[str]) -> list[int]:
        """Files whose path ends in all of these parts, else in the last two: leading ones may not be in the tree."""
        candidates = self._by_stem.get(parts[-1], ())
        for n in range(len(parts), 0, -1):
            if n < len(parts) and n < _MIN_MODULE_PARTS:
                break
            if found := [file for file in candidates if self._ends_in(file, parts[-n:])]:
                return found
        return []

    def _ends_in(self, file: int, parts: list[str]) -> bool:
        *folders, name = self._paths[file].split("/")
        stem = name.split(".", 1)[0]
        if parts[-1] == stem and folders[len(folders) - len(parts) + 1 :] == parts[:-1]:
            return len(folders) >= len(parts) - 1
        return stem in _NAMELESS and len(folders) >= len(parts) and folders[len(folders) - len(parts) :] == parts


def _sources_of(name: str) -> list[str]:
    """The names that a compiled JavaScript file may have been written under."""
    stem, _, ending = name.rpartition(".")
    return (
        [f"{stem}.{other}" for other in ("ts", "tsx", "mts", "jsx", "coffee")] if ending in ("js", "cjs", "mjs") else []
    )
