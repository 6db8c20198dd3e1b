"""Which files may a written path, a module name or an import mean? Suffixes on path borders, never a wrong guess."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from callsite.text.paths import common_suffix, written_parts

_MAX_FILES = 5  # a name that means more files means none
_NAMELESS = ("__init__", "index", "mod", "lib", "main")
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
            if stem in _NAMELESS and folder:
                self._by_stem[folder.rpartition("/")[2]].append(file)

    def written(self, path: str) -> list[int]:
        """Files that a path means as somebody wrote it, perhaps on another machine; the longest agreement wins."""
        parts = written_parts(path)
        if not parts:
            return []
        longest = 1 if len(parts) == 1 else 2
        found: list[int] = []
        for file in self._by_name.get(parts[-1], ()):
            n = common_suffix(self._paths[file], parts)
            if n >= longest or n == len(self._paths[file].split("/")):
                found = [*found, file] if n == longest else [file]
                longest = n
        return found if len(found) <= _MAX_FILES else []

    def module(self, name: str) -> list[int]:
        """Files that a dotted name means: the module itself, or the module that its last part belongs to."""
        parts = [part for part in name.replace("::", ".").replace("/", ".").split(".") if part]
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
