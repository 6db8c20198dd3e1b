"""Which paths do ignore files leave out, or force in; it must not know of git or of what files contain."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from callsite.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from typing import Literal

    from callsite.git.patterns import Patterns
    from callsite.git.source import Source

    Verdict = Literal["ignored", "forced", ""]

#: Callsite's own ignore file; `!pattern` in it forces files in that would be skipped for another reason.
OWN_FILE = ".callsiteignore"

#: In a folder without git all of these count, the later ones first.
FOLDER_FILES = (".gitignore", ".ignore", OWN_FILE)

#: Larger than any ignore file that a person wrote.
LONGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules of ignore files in one tree, by the directory that each stands in ("" = root)."""

    patterns: Mapping[str, Patterns]
    fingerprint: str = ""  #: changes with the text of the rules, "" without any

    @classmethod
    def load(cls, source: Source, known_paths: Iterable[str] = ()) -> IgnoreRules:
        """The `.callsiteignore` of a source's root, and those in directories where `known_paths` has one."""
        nested = {path for path in known_paths if path.endswith("/" + OWN_FILE)}
        return cls.parsed({os.path.dirname(name): text for name, text in _texts(source, sorted({OWN_FILE, *nested}))})

    @classmethod
    def parsed(cls, texts: Mapping[str, bytes]) -> IgnoreRules:
        """Rules from the bytes of an ignore file per directory."""
        if not texts:
            return cls({})
        import hashlib

        from callsite.git.patterns import Patterns

        digest = hashlib.sha256(repr(sorted(texts.items())).encode()).hexdigest()
        return cls({directory: Patterns(text) for directory, text in texts.items()}, digest)

    def verdict(self, path: str) -> Verdict:
        """What the rules say of a path, or else of the nearest directory above it that they speak of.

        The path of a directory ends in `/`. Of several ignore files the nearest decides.
        """
        while self.patterns and path:
            if found := self._of_itself(path):
                return found
            above = path.rstrip("/").rpartition("/")[0]
            path = f"{above}/" if above else ""
        return ""

    def _of_itself(self, path: str) -> Verdict:
        directory = path
        while directory:
            directory = directory.rstrip("/").rpartition("/")[0]
            patterns = self.patterns.get(directory)
            decided = patterns.decide(path[len(directory) + 1 :] if directory else path) if patterns else None
            if decided is not None:
                return "ignored" if decided else "forced"
        return ""


def _texts(source: Source, names: list[str]) -> Iterable[tuple[str, bytes]]:
    """The ignore files that exist, as the source's view shows them."""
    from callsite.git import files, objects

    if source.commit:
        yield from ((name, text) for name, text in objects.at_commit(source, names, LONGEST) if text is not None)
        return
    if source.kind == "bare":
        return
    for name in names:
        text = files.read(source.root, name, LONGEST)
        if isinstance(text, bytes):
            yield name, text
