"""What was wrong with a file? Kinds of problems, each counted, so that a broken file says little and says it once."""

from __future__ import annotations

_MOST_KINDS = 20


class Problems:
    """Collects problems by kind; what it says never holds content of the file."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._number: dict[str, int] = {}

    def add(self, kind: str, detail: str = "") -> None:
        """One more of its kind; the detail of the first is kept."""
        if kind not in self._first and len(self._first) >= _MOST_KINDS:
            kind, detail = "other problems", ""
        self._first.setdefault(kind, detail)
        self._number[kind] = self._number.get(kind, 0) + 1

    def told(self) -> tuple[str, ...]:
        """One line for each kind, in order of appearance: `lineno has the wrong type: ignored (3 times)`."""
        return tuple(_line(kind, detail, self._number[kind]) for kind, detail in self._first.items())


def _line(kind: str, detail: str, number: int) -> str:
    line = f"{kind}: {detail}" if detail else kind
    return f"{line} ({number} times)" if number > 1 else line
