"""Which of several languages that share an extension is a file written in? Told by its beginning."""

from __future__ import annotations

import re

#: What in its beginning gives a file away as written in the other language.
_CUES = {
    "c": (
        re.compile(
            rb"^\s*(?:template\s*<|namespace\b|using\s+\w|(?:public|private|protected)\s*:|class\s+\w+[^;()]*[{:])"
            rb"|\bstd::|\bconstexpr\b|#\s*include\s+<(?:string|vector|memory|map|utility|cstd\w+|type_traits)>",
            re.MULTILINE,
        ),
        "cpp",
    ),
    "matlab": (
        re.compile(rb"^\s*(?:#import|#include|@(?:implementation|interface|import|protocol|class))\b", re.M),
        "objectivec",
    ),
    "prolog": (re.compile(rb"^(?:use strict|package\s+\w+|sub\s+\w+)", re.M), "perl"),
    "perl": (re.compile(rb"^:-\s*(?:module|use_module|dynamic)\b", re.M), "prolog"),
    "v": (re.compile(rb"^\s*(?:module\s+\w+\s*[(#;]|endmodule|`timescale)", re.M), "verilog"),
}
_CUE_HEAD = 20_000


def refined(language: str, data: bytes) -> str:
    """The language, told by content where several share an extension: `.h`, `.m`, `.pl`, `.v`, `.r`."""
    cue = _CUES.get(language)
    return cue[1] if cue and cue[0].search(data, 0, _CUE_HEAD) else language
