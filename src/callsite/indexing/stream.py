"""The chunks of a source as a stream, without any index (alternatives N2 and N3: its reader embeds or stores)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from callsite import code, git
from callsite.index.prepared import chunk_id
from callsite.indexing.choose import FORCED, Chooser, Want
from callsite.indexing.plan import wants_of_entries
from callsite.types import Chunk, Skipped


def stream_chunks(source: git.Source, *, max_file_bytes: int) -> Iterator[Chunk | Skipped]:
    """All chunks below the source's focus as it is now, file by file in path order; skipped files with their reason."""
    chooser = Chooser(git.IgnoreRules.load(source), max_file_bytes=max_file_bytes)
    wants = sorted(_wants(source, chooser), key=lambda want: want.path)
    focus = source.focus
    for want in wants:
        if focus and want.path != focus and not want.path.startswith(focus + "/"):
            continue
        if want.skip:
            yield Skipped(path=want.path, reason=want.skip)
        else:
            yield from _chunks_of(source, want, max_file_bytes)


def _wants(source: git.Source, chooser: Chooser) -> list[Want]:
    state = git.state(source)
    shown: dict[str, Want] = {}
    if state.head:
        shown = {want.path: want for want in wants_of_entries(git.tree(source, state.head), chooser)}
        for path in state.removed | git.hidden_by_sparse(source):
            shown.pop(path, None)
    shown |= {skipped.path: Want(path=skipped.path, skip=skipped.reason) for skipped in state.skipped}
    shown |= {path: chooser.want(path, size=dirty.size) for path, dirty in state.changed.items()}
    return list(shown.values())


def _chunks_of(source: git.Source, want: Want, max_file_bytes: int) -> Iterator[Chunk | Skipped]:
    data = _content(source, want, max_file_bytes)
    if isinstance(data, str):
        yield Skipped(path=want.path, reason=data)
        return
    skip = "" if want.hint.endswith(FORCED) else code.skip_by_content(want.path, data)
    if skip:
        yield Skipped(path=want.path, reason=skip)
        return
    yield from chunks_of_content(want.path, data, blob=want.blob or git.blob_id(data))


def _content(source: git.Source, want: Want, max_file_bytes: int) -> bytes | str:
    """The bytes, or why there are none."""
    if not want.blob:
        data = git.read_dirty(source, want.path, max_file_bytes)
        return data if isinstance(data, bytes) else data.reason
    (found,) = [data for _, data in git.blobs(source, [want.blob], max_size=max_file_bytes)]
    return "too large, or its content is not in this clone" if found is None else found


def chunks_of_content(path: str, data: bytes, *, blob: str) -> Iterator[Chunk]:
    """The chunks of one file's bytes."""
    analysis = code.analyse(path, data)
    lines = analysis.text.split("\n")
    seen: Counter[str] = Counter()
    for piece in analysis.pieces:
        text = "\n".join(lines[piece.first_line - 1 : piece.last_line])
        seen[text] += 1
        yield Chunk(
            id=chunk_id(path, text, occurrence=seen[text]),
            path=path,
            type=piece.type,
            name=piece.name,
            language=analysis.language,
            first_line=piece.first_line,
            last_line=piece.last_line,
            source=f"{blob}:{piece.start}:{piece.length}:{piece.first_line}",
            symbols=tuple(symbol.name for symbol in piece.symbols),
            signature=piece.signature,
            text=text,
        )
