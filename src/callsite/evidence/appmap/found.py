"""Where does a project keep its recordings? Folders in, files with their index directories out; nothing is parsed.

Looked at: what `appmap.yml` of the project and of its direct parts names as `appmap_dir`, `tmp/appmap` and `.appmap`
beside them, or instead what the caller gives. Nothing outside the project is looked at unless it was given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from callsite.values import dataclass

ENDINGS = (".appmap.json", ".appmap.json.gz")  # the second as builds keep them
DEFAULT_FOLDERS = ("tmp/appmap", ".appmap")

_MOST_RECORDINGS = 20_000
_MOST_PARTS = 300  # folders whose appmap.yml is looked for
_MOST_LEVELS = 12
_MOST_BYTES_OF_SETTINGS = 100_000
_NO_PARTS = frozenset("node_modules vendor venv build dist target tmp __pycache__".split())
#: Versions of AppMap's indexer that are understood.
READABLE = re.compile(r"1\.[2-4](?:\.\d+)?")
_MARK = "classMap.json"  # every index directory holds one
_CLOCK = 1.0  # milliseconds by which two notes of the same time may differ

_KEY = re.compile(
    r"""^appmap_dir[ \t]*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#'"][^#\n]*?))[ \t]*(?:\#.*)?$""", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingFile:
    """A recording, or the index directory of one that is gone."""

    path: str  #: of the recording, as found; its folder is the project's or the given one
    size: int = 0
    mtime_ns: int = 0  #: of the index directory when the recording is gone
    index: str = ""  #: its index directory, "" when there is none
    gone: bool = False  #: only the index directory is left


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The recordings of a project, in order of their paths."""

    recordings: tuple[RecordingFile, ...]
    folders: tuple[str, ...]  #: that were looked through
    problems: tuple[str, ...] = ()


def find_recordings(root: str | os.PathLike[str], *, given: Iterable[str | os.PathLike[str]] = ()) -> Found:
    """The recordings of the project at `root`, or of the files, folders and patterns given, relative to `root`."""
    root = os.fspath(root)
    problems: list[str] = []
    wanted = [os.fspath(one) for one in given]
    places = list(_given_places(root, wanted, problems)) if wanted else list(_own_places(root, problems))
    found: dict[str, RecordingFile] = {}
    for place in dict.fromkeys(places):
        for one in _recordings_at(place, problems):
            if len(found) >= _MOST_RECORDINGS:
                problems.append(f"only the first {_MOST_RECORDINGS} recordings are used")
                break
            found.setdefault(one.path, one)
    folders = tuple(place for place in dict.fromkeys(places) if os.path.isdir(place))
    return Found(
        recordings=tuple(found[path] for path in sorted(found)),
        folders=folders,
        problems=tuple(dict.fromkeys(problems)),
    )


def index_problem(recording: RecordingFile) -> str:
    """Why the index directory of a recording cannot stand for it, "" when it can."""
    if not recording.index:
        return "not indexed"
    version, mtime = index_state(recording.index)
    if not version or not mtime:
        return "its index does not say what it was made from"
    if not READABLE.fullmatch(version):
        return f"its index has version {version}, of which nothing is known"
    if recording.gone or mtime >= recording.mtime_ns / 1e6 - _CLOCK:
        return ""
    return "recorded again after it was indexed"


def index_state(directory: str) -> tuple[str, float]:
    """Version of the indexer and time of the recording in milliseconds, ("", 0) where they are not said."""
    version, mtime = _line(os.path.join(directory, "version")), _line(os.path.join(directory, "mtime"))
    known = re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){0,3}", version)
    return version if known else "", float(mtime) if re.fullmatch(r"\d{1,15}(?:\.\d{1,12})?", mtime) else 0.0


def _line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline(100).strip()
    except (OSError, ValueError):
        return ""


def appmap_dir(settings: str) -> str:
    """The value of `appmap_dir` in the text of an appmap.yml, "" without one; other keys don't matter."""
    found = _KEY.search(settings)
    return next((value.strip() for value in found.groups() if value), "") if found else ""


def _own_places(root: str, problems: list[str]) -> Iterator[str]:
    real_root = os.path.realpath(root)
    for part in (root, *_parts(root)):
        named = _named_folder(part)
        for folder in dict.fromkeys([*([named] if named else []), *DEFAULT_FOLDERS]):
            place = os.path.normpath(os.path.join(part, folder))
            if not os.path.isdir(place):
                continue
            if _is_inside(os.path.realpath(place), real_root):
                yield place
            else:
                problems.append(f"{folder} lies outside the project and is left alone")


def _parts(root: str) -> Iterator[str]:
    """Folders below the root, up to two levels down, that have their own appmap.yml."""
    level, n_seen = [root], 0
    for _ in range(2):
        below = []
        for folder in level:
            for child in _folders_in(folder):
                n_seen += 1
                if n_seen > _MOST_PARTS:
                    return
                below.append(child)
                if os.path.isfile(os.path.join(child, "appmap.yml")):
                    yield child
        level = below


def _folders_in(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if not name.startswith(".") and name not in _NO_PARTS]


def _named_folder(part: str) -> str:
    try:
        with open(os.path.join(part, "appmap.yml"), encoding="utf-8", errors="replace") as file:
            return appmap_dir(file.read(_MOST_BYTES_OF_SETTINGS))
    except (OSError, ValueError):
        return ""


def _is_inside(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _given_places(root: str, given: Sequence[str], problems: list[str]) -> Iterator[str]:
    for one in given:
        path = os.path.normpath(os.path.join(root, one))
        if "\0" in path:
            problems.append("a path with a null character is left out")
        elif os.path.exists(path):
            yield path
        else:
            matching = _matching(path)
            if not matching:
                problems.append(f"{one}: no such recording or folder")
            yield from matching


def _matching(pattern: str) -> list[str]:
    from glob import glob

    return sorted(glob(pattern, recursive=True))[:_MOST_RECORDINGS] if any(one in pattern for one in "*?[") else []


def _recordings_at(place: str, problems: list[str]) -> Iterator[RecordingFile]:
    """Those in a folder and below it, or the one that a file or an index directory is."""
    try:
        if not os.path.isdir(place):
            folder, name = os.path.split(place)
            index = os.path.join(folder, _title(name))
            yield _recording(folder, name, os.stat(place), index if index != place and _is_index(index) else "")
        elif _is_index(place):
            yield _one_index(place)
        else:
            yield from _walk(place, problems)
    except OSError as error:
        problems.append(f"{place}: {error.strerror or type(error).__name__}")


def _is_recording(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(ENDINGS) and entry.is_file()


def _is_index(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, _MARK))


def _one_index(folder: str) -> RecordingFile:
    paths = [folder.rstrip(os.sep) + ending for ending in ENDINGS]
    for path in filter(os.path.isfile, paths):
        return _recording(*os.path.split(path), os.stat(path), folder)
    mtime_ns = os.stat(os.path.join(folder, _MARK)).st_mtime_ns
    return RecordingFile(path=paths[0], mtime_ns=mtime_ns, index=folder, gone=True)


def _title(name: str) -> str:
    """The name of a recording without its ending; other names as they are."""
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)


def _recording(folder: str, name: str, status: os.stat_result, index: str) -> RecordingFile:
    path = os.path.join(folder, name)
    return RecordingFile(path=path, size=status.st_size, mtime_ns=status.st_mtime_ns, index=index)


def _walk(top: str, problems: list[str]) -> Iterator[RecordingFile]:
    """Folder by folder, without following links; index directories are looked at by their names only."""
    waiting = [(top, 0)]
    while waiting:
        folder, level = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            problems.append(f"{folder}: {error.strerror or type(error).__name__}")
            continue
        files = {_title(entry.name): entry for entry in reversed(inside) if _is_recording(entry)}  # plain before packed
        folders = {entry.name for entry in inside if entry.is_dir(follow_symlinks=False)}
        for title, entry in files.items():
            index = os.path.join(folder, title) if title in folders else ""
            yield _recording(folder, entry.name, entry.stat(), index if index and _is_index(index) else "")
        for name in sorted(folders - files.keys()):
            below = os.path.join(folder, name)
            if _is_index(below):
                yield _one_index(below)
            elif level < _MOST_LEVELS:
                waiting.append((below, level + 1))
