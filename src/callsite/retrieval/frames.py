"""Which files and functions of this tree do the frames of traces mean? Never a wrong file: rather none.

Frames come from other machines, other versions and from installed packages. One tree is one project: when the frames of
several packages could lie in it, the package that most of them agree with is the one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain

from callsite.evidence.traces.values import Frame, Trace
from callsite.retrieval.paths import PathIndex
from callsite.values import dataclass

DECAY = 0.75  # outwards from the innermost frame that lies in the tree
_OUTER_ERROR = 0.9  # of an error that another one caused
#: Where package managers put packages: the package, and the path inside of it.
_INSTALLED = (
    r"(?:node_modules|bower_components)/(?P<package>(?:@[^/]+/)?[^/]+)/(?P<inside>.+)",
    r"gems/(?P<package>[\w.-]+?)-[0-9a-f][\w.]*/(?P<inside>.+)",
    r"registry/src/[^/]+/(?P<package>[\w-]+?)-\d[\w.+-]*/(?P<inside>.+)",
    r"(?P<package>[^/@]+)@v[\w.+-]+/(?P<inside>.+)",
    r"(?:site|dist)-packages/(?P<inside>(?P<package>[^/]+).*)",
    r"vendor/(?P<package>[\w.-]+/[\w.-]+)/(?P<inside>.+)",
)

#: The files that define a type, or a function of a type: last parts of their names.
Definers = Callable[[str, str], list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A frame and the file that it means."""

    file: int
    frame: Frame
    weight: float  #: between 0 and 1, the innermost frame of the tree being worth most
    error: str  #: of its trace, "" when nothing is said of it


def locate(traces: Sequence[Trace], index: PathIndex, definers: Definers) -> list[Located]:
    """The frames that lie in the tree, heaviest first."""
    found = [[(frame, *_meant(frame, index, definers)) for frame in trace.frames] for trace in traces]
    ours = _own_package(found)
    located: list[Located] = []
    for n, frames in enumerate(found):
        rank = 0
        for frame, package, files in frames:
            if not files or package != ours:
                continue
            weight = DECAY**rank * (_OUTER_ERROR if _is_outer(traces, n) else 1.0)
            error = traces[n].error
            located += [Located(file=file, frame=frame, weight=weight / len(files), error=error) for file in files]
            rank += 1
    return sorted(located, key=lambda one: -one.weight)


def _is_outer(traces: Sequence[Trace], n: int) -> bool:
    """The JVM prints the cause last, all others first."""
    same = [i for i, trace in enumerate(traces) if trace.language == traces[n].language]
    return n != (same[-1] if traces[n].language == "jvm" else same[0])


def _meant(frame: Frame, index: PathIndex, definers: Definers) -> tuple[str, list[int]]:
    """The package that a frame is of, "" for one that is run in place, and the files that it means."""
    path = frame.path.replace("\\", "/")
    for pattern in _INSTALLED:
        if match := re.fullmatch(rf"(?:.*/)?{pattern}", path):  # of packages inside packages the innermost
            return match["package"], index.installed(match["inside"])
    if path:
        return "", index.written(path)
    if frame.owner and frame.origin == "project":
        return "", definers(frame.owner, frame.function)
    return "", []


def _own_package(found: list[list[tuple[Frame, str, list[int]]]]) -> str:
    """The package whose frames lie in the tree: the one with most different places there."""
    places: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for frame, package, files in chain.from_iterable(found):
        if len(files) == 1 and (package or "/" in frame.path.lstrip("./") or frame.owner):
            places[package].add((files[0], frame.line))
    return max(sorted(places), key=lambda package: len(places[package]), default="")
