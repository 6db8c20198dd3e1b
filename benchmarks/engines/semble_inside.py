"""Runs under the Python that semble is installed for: one request as JSON on stdin, one answer on stdout."""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def main() -> None:
    """Do what the request names."""
    request = json.load(sys.stdin)
    answer = {"version": _version, "model": _model, "rank": _rank}[request["do"]](request)
    json.dump(answer, sys.stdout)


def _version(_request: dict[str, Any]) -> dict[str, Any]:
    from importlib.metadata import version

    return {"version": version("semble")}


def _model(request: dict[str, Any]) -> dict[str, Any]:
    """Save a model that gives every word the same vector."""
    import numpy
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "[PAD]": 1}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    StaticModel(numpy.ones((2, 8), dtype=numpy.float32), tokenizer).save_pretrained(request["model"])
    return {}


def _rank(request: dict[str, Any]) -> dict[str, Any]:
    from semble import SembleIndex

    _model(request)
    index = SembleIndex.from_path(request["folder"], model_path=request["model"])
    answers, seconds = [], []
    for question in request["questions"]:
        start = time.perf_counter()
        found = index.search(question, top_k=request["n"], alpha=0.0)
        seconds.append(time.perf_counter() - start)
        answers.append([(hit.chunk.file_path, hit.chunk.start_line, hit.chunk.end_line) for hit in found])
    return {"answers": answers, "seconds": seconds}


if __name__ == "__main__":
    main()
