"""Which fields does a chunk of code have in a store? Those of the design, and the overlay that it belongs to."""

from __future__ import annotations

from posixpath import splitext

from callsite.collections.definition import Collection

CHUNKS = "code_chunks"  #: the name of the collection, if nobody chooses another
FIELDS = {
    "project_id": "integer",
    "overlay": "keyword",  #: "" for the base of a repository
    "path": "keyword",
    "type": "keyword",  #: one of callsite.types.CHUNK_TYPES
    "content": "text",
    "name": "keyword",  #: qualified; "" at the top level of a file
    "source": "keyword",  #: blob:offset:length:line
    "language": "keyword",
}


def chunks(*, dims: int | None = None, name: str = CHUNKS) -> Collection:
    """The first version of the collection; with dims, with room for vectors of one model."""
    return Collection.of(
        name,
        routing="project_id",
        fields=FIELDS if dims is None else FIELDS | {"embeddings_v1": f"vector({dims})"},
        lexical={"path": "path", "symbols": "name", "words": "content"},
    )


def extension_of(path: str) -> str:
    """What follows the last point of a file's name, in small letters; "" for none."""
    return splitext(path)[1].removeprefix(".").lower()
