"""What does a glance show? Two rows of bars as SVG: how good, and how fast on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from benchmarks.aims import Records

_COLOURS = {"callsite": "#c2410c", "semble": "#475569", "tantivy": "#94a3b8", "ripgrep": "#cbd5e1", "appmap": "#78716c"}
_WIDTH, _LEFT, _BAR, _GAP = 760, 270, 14, 26  # pixels; bars begin at _LEFT
_ROOM = _WIDTH - _LEFT - 70  # of the longest bar, its figure stands behind it
_SHORTEST, _LONGEST = 0.005, 20  # seconds: both ends of the logarithmic scale

Group = tuple[str, list[tuple[str, float, str]]]  # title; engine, share of the full width, text


def draw(records: Records) -> str:
    """The plot; what no run has is left out."""
    groups = [*_quality(records), *_speed(records)]
    shapes: list[str] = []
    y = 12
    for title, bars in groups:
        shapes += _group(title, bars, y)
        y += len(bars) * (_BAR + 4) + _GAP
    size = f'width="{_WIDTH}" height="{y}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
    return "\n".join([head, f'<rect {size} fill="white"/>', *shapes, "</svg>", ""])


def _group(title: str, bars: Sequence[tuple[str, float, str]], y: int) -> Iterator[str]:
    yield f'<text x="8" y="{y + 11}" font-weight="bold">{title}</text>'
    for i, (engine, share, told) in enumerate(bars):
        top = y + i * (_BAR + 4)
        width = max(2, round(_ROOM * share))
        yield f'<rect x="{_LEFT}" y="{top}" width="{width}" height="{_BAR}" fill="{_COLOURS[engine]}"/>'
        yield f'<text x="{_LEFT - 8}" y="{top + 11}" text-anchor="end">{engine}</text>'
        yield f'<text x="{_LEFT + width + 6}" y="{top + 11}">{told}</text>'


def _quality(records: Records) -> Iterator[Group]:
    wanted = (
        ("quality semble", "semble's 14, NDCG@10", "compared 14", "ndcg@10", 1.0),
        ("quality swebench", "SWE-bench Lite, Acc@5", "all", "acc@5", 100.0),
        ("quality bugloc", "bugloc, func@16k", "all", "func@16k", 1.0),
    )
    for measure, title, group, figure, most in wanted:
        if measure in records:
            found = records[measure]["results"]
            values = {name: part[group][figure] for name, part in found.items()}
            yield title, [(name, value / most, f"{value:g}") for name, value in values.items()]


def _speed(records: Records) -> Iterator[Group]:
    if "speed processes" not in records:
        return
    for scenario, found in records["speed processes"]["results"]["scenarios"].items():
        bars = [(name, _log_share(part["wall"]), f"{part['wall']:.3f} s") for name, part in found.items()]
        yield f"{scenario} (log)", bars


def _log_share(seconds: float) -> float:
    """0 at 5 ms, 1 at 20 s."""
    return min(1.0, max(0.0, math.log(seconds / _SHORTEST) / math.log(_LONGEST / _SHORTEST)))
