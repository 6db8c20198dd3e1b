"""Is a file wanted in the index? Ignore rules first, then its path and size; never its content."""

from __future__ import annotations

from callsite import code, git
from callsite.text.digest import digest
from callsite.values import dataclass

FORCED = "!"  #: at the end of a hint: taken in even if it looks generated, minified or like data


@dataclass(frozen=True, slots=True, kw_only=True)
class Want:
    """A file that a view shows: a blob of git, a file of the work tree (no blob), or the reason not to look at it."""

    path: str
    blob: str = ""
    hint: str = ""
    skip: str = ""
    stat: str = ""


class Chooser:
    """Decides for each file whether its content is looked at: ignore rules first, then the path and size."""

    def __init__(self, rules: git.IgnoreRules, *, max_file_bytes: int) -> None:
        self._rules = rules
        self._max_file_bytes = max_file_bytes

    @property
    def signature(self) -> str:
        """Two choosers with the same signature decide alike."""
        text = f"{self._max_file_bytes}\n{self._rules.fingerprint}\n{code.VERSION}"
        return digest(text)[:24]

    def want(self, path: str, *, size: int, blob: str = "", stat: str = "") -> Want:
        verdict = self._rules.verdict(path)
        if verdict == "ignored":
            return Want(path=path, skip="ignored by .callsiteignore")
        hint = code.language_of(path)
        if verdict == "forced":
            return Want(path=path, blob=blob, hint=hint + FORCED, stat=stat)
        skip = code.skip_by_path(path, size, max_size=self._max_file_bytes)
        return Want(path=path, skip=skip) if skip else Want(path=path, blob=blob, hint=hint, stat=stat)
