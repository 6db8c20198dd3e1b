"""Which of several languages that share an extension is a file written in? Told by its beginning."""

from __future__ import annotations

import re

#: What in its beginning gives a file away as written in the other language; `re` compiles it when the first one comes.
_CUES = {
    "c": (
        rb"^\s*(?:template\s*<|namespace\b|using\s+\w|(?:public|private|protected)\s*:|class\s+\w+[^;()]*[{:])"
        rb"|\bstd::|\bconstexpr\b|#\s*include\s+<(?:string|vector|memory|map|utility|cstd\w+|type_traits)>",
        "cpp",
    ),
    "matlab": (
        rb"^\s*(?:#import|#include|@(?:implementation|interface|import|protocol|class))\b",
        "objectivec",
    ),
    "prolog": (rb"^(?:use strict|package\s+\w+|sub\s+\w+)", "perl"),
    "perl": (rb"^:-\s*(?:module|use_module|dynamic)\b", "prolog"),
    "v": (rb"^\s*(?:module\s+\w+\s*[(#;]|endmodule|`timescale)", "verilog"),
}
_CUE_HEAD = 20_000


def refined(language: str, data: bytes) -> str:
    """The language, told by content where several share an extension: `.h`, `.m`, `.pl`, `.v`, `.r`."""
    cue = _CUES.get(language)
    return cue[1] if cue and re.compile(cue[0], re.MULTILINE).search(data, 0, _CUE_HEAD) else language
