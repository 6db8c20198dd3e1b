"""Which lines of a text are read for evidence? All of a report, the two ends of an enormous log. Pure."""

from __future__ import annotations

from callsite.values import dataclass

MAX_LINES = 50_000  # of a text
MAX_CHARACTERS = 800_000  # of a text: the worst that we know take the patterns less than two seconds
MAX_LINE = 20_000  # characters; a longer line is read so far


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """The lines of a text, as many as it has; those that are not read are empty."""

    lines: tuple[str, ...]
    problems: tuple[str, ...] = ()  #: what is not read


def lines_of(text: str) -> Lines:
    """The lines that are read. Of a text that is too long the middle is left out: failures stand at its ends."""
    lines = text.replace("\r\n", "\n").split("\n")
    problems = []
    n_long = sum(len(line) > MAX_LINE for line in lines)
    if n_long:
        lines = [line[:MAX_LINE] for line in lines]
        problems.append(f"{n_long:,} lines have more than {MAX_LINE:,} characters; only their beginnings were read")
    if len(lines) > MAX_LINES or len(text) > MAX_CHARACTERS:
        first = _n_that_fit(lines)
        last = _n_that_fit(lines[: first - 1 if first else None : -1])
        n_left_out = len(lines) - first - last
        if n_left_out:
            lines[first : len(lines) - last] = [""] * n_left_out
            problems.append(f"the text is long: lines {first + 1:,} to {first + n_left_out:,} were not read")
    return Lines(lines=tuple(lines), problems=tuple(problems))


def _n_that_fit(lines: list[str]) -> int:
    """How many of the first lines fit into half of what is read."""
    left = MAX_CHARACTERS // 2
    for n, line in enumerate(lines[: MAX_LINES // 2]):
        left -= len(line) + 1
        if left < 0:
            return n
    return min(len(lines), MAX_LINES // 2)
