"""Which blocks does a text consist of that no grammar reads? Headings, sections, cells, definitions by pattern."""

from __future__ import annotations

from .blocks import Block
from .marks import Mark, blocks_between
from .markup import heading_marks
from .notebook import notebook_blocks
from .patterns import definition_marks, is_code
from .sections import section_marks
from .source import Source

#: A section below this may share a piece with its neighbours.
_SHORT_SECTION = 400


def text_outline(language: str, source: Source) -> list[Block]:
    """The blocks of a text; none when nothing tells its parts apart."""
    if language == "notebook":
        return notebook_blocks(source)
    marks = heading_marks(language, source) or section_marks(language, source)
    if marks:
        return blocks_between(marks, source, short=_SHORT_SECTION, opening="section")
    found: list[Mark] = definition_marks(language, source) if is_code(language) else []
    return blocks_between(found, source, short=0, opening="constant") if found else []
