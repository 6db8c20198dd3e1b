"""What does a program get? JSON objects with stable keys; docs/reference/json.md describes them.

JSON can't hold bytes that are no UTF-8: in a path they appear as `\\xHH`, and `path_base64` beside it has them exactly.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from callsite.cli.clean import as_unicode, clean_line
from callsite.types import (
    Answer,
    Chunk,
    Explanation,
    Freshness,
    Hit,
    KnownRecording,
    Landing,
    RecordingUse,
    Understood,
)  # fmt: skip
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

FORMAT = 1  #: grows when a key changes its meaning or goes; keys may be added under the same number


def as_json(record: Mapping[str, Any]) -> str:
    """One line of JSON."""
    import json

    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def answer_record(answer: Answer, *, root: str) -> Record:
    return {
        "format": FORMAT,
        "question": answer.question,
        "terms": list(answer.terms),
        **path_record(root, key="root"),
        "hits": [hit_record(hit) for hit in answer.hits],
        "recordings": [use_record(one) for one in answer.recordings],
        "freshness": freshness_record(answer.freshness),
    }


def use_record(one: RecordingUse) -> Record:
    return {
        **path_record(one.path),
        "name": _text(one.name),
        "score": one.score,
        "out_of_date": one.is_stale,
        "matched": list(one.matched),
        "alike": one.n_alike,
        "reasons": [{"label": r.label, "value": r.value, "detail": _text(r.detail)} for r in one.reasons],
    }


def recordings_record(known: Sequence[KnownRecording], *, root: str) -> Record:
    return {
        "format": FORMAT,
        **path_record(root, key="root"),
        "recordings": [
            {
                **path_record(one.path),
                "name": _text(one.name),
                "state": one.state,
                "functions": one.n_functions,
                "exceptions": one.n_exceptions,
                "requests": one.n_requests,
                "queries": one.n_queries,
                "test_status": _text(one.test_status),
                "problems": [_text(problem) for problem in one.problems],
            }
            for one in known
        ],
    }


def evidence_record(found: Sequence[Understood], *, root: str) -> Record:
    return {
        "format": FORMAT,
        **path_record(root, key="root"),
        "evidence": [
            {
                "kind": one.kind,
                "title": _text(one.title),
                "language": one.language,
                "locations": [_landing_record(landing) for landing in one.landings],
                "problems": [_text(problem) for problem in one.problems],
            }
            for one in found
        ],
    }


def _landing_record(landing: Landing) -> Record:
    return {
        "written": _text(landing.written),
        "function": _text(landing.function),
        **path_record(landing.path),
        "first_line": landing.first_line,
        "last_line": landing.last_line,
        "weight": landing.weight,
        "note": landing.note,
    }


def hit_record(hit: Hit) -> Record:
    return {
        "id": hit.id,
        **path_record(hit.path),
        "first_line": hit.first_line,
        "last_line": hit.last_line,
        "type": hit.type,
        "name": _text(hit.name),
        "language": hit.language,
        "score": hit.score,
        "reasons": [{"label": r.label, "value": r.value, "detail": _text(r.detail)} for r in hit.reasons],
        "source": hit.source,
        "text": _text(hit.text),
    }


def freshness_record(freshness: Freshness) -> Record:
    return {
        "commit": freshness.commit,
        "branch": _text(freshness.branch),
        "n_files": freshness.n_files,
        "n_changed": freshness.n_changed,
        "n_behind": freshness.n_behind,
        "n_skipped": freshness.n_skipped,
        "notes": [_text(note) for note in freshness.notes],
    }


def chunk_record(chunk: Chunk) -> Record:
    return {
        "id": chunk.id,
        **path_record(chunk.path),
        "type": chunk.type,
        "name": _text(chunk.name),
        "language": chunk.language,
        "first_line": chunk.first_line,
        "last_line": chunk.last_line,
        "source": chunk.source,
        "symbols": [_text(symbol) for symbol in chunk.symbols],
        "signature": _text(chunk.signature),
        "text": _text(chunk.text),
    }


def explanation_record(explanation: Explanation, *, root: str) -> Record:
    hit, first = explanation.hit, explanation.first
    return {
        "format": FORMAT,
        **path_record(root, key="root"),
        **path_record(explanation.path),
        "line": explanation.line,
        "verdict": _text(explanation.verdict),
        "rank": explanation.rank,
        "matched": list(explanation.matched),
        "missing": list(explanation.missing),
        "hit": hit_record(hit) if hit else None,
        "first": hit_record(first) if first else None,
    }


def state_record(freshness: Freshness, *, root: str, folder: str) -> Record:
    return {
        "format": FORMAT,
        **path_record(root, key="root"),
        **path_record(folder, key="folder"),
        "freshness": freshness_record(freshness),
    }


def files_record(files: Sequence[tuple[str, str]], *, root: str) -> Record:
    """Paths, each with the reason why it is skipped ("" = it is not)."""
    return {
        "format": FORMAT,
        **path_record(root, key="root"),
        "files": [{**path_record(path), **({"reason": reason} if reason else {})} for path, reason in files],
    }


def path_record(path: str, *, key: str = "path") -> Record:
    """The path as text and, when its bytes are no UTF-8, these bytes."""
    try:
        readable = as_unicode(path)
        readable.encode("utf-8")
    except UnicodeEncodeError:
        import base64

        exact = base64.b64encode(os.fsencode(path)).decode("ascii")
        return {key: clean_line(path), f"{key}_base64": exact}
    return {key: readable}


def _text(text: str) -> str:
    """Without lone surrogates, which no UTF-8 can hold."""
    return text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
