"""Which collections tell what of a repository is in a store? Kept beside its chunks, so that every store can say it."""

from __future__ import annotations

from callsite.collections.definition import Collection

VIEWS, SHADOWS = "code_views", "code_shadows"  #: the names of the collections, if nobody chooses others


def views(*, name: str = VIEWS) -> Collection:
    """What was indexed last: a document for the base of each project, and one for each of its overlays."""
    fields = {
        "project_id": "integer",
        "overlay": "keyword",  #: "" for the base
        "commit": "keyword",  #: what is shown, completely; none until the first run has ended
        "coming": "keyword",  #: what a run that has not ended was about to show
        "base": "keyword",  #: of an overlay: the commit of the base that it was compared with
        "rules": "keyword",  #: two runs with the same rules choose and chunk alike
        "indexed_at": "timestamp",
    }
    return Collection.of(name, routing="project_id", fields=fields)


def shadows(*, name: str = SHADOWS) -> Collection:
    """The files of overlays: each hides the base's file of its path, with its own content or with none."""
    fields = {
        "project_id": "integer",
        "overlay": "keyword",
        "path": "keyword",
        "blob": "keyword",  #: none for a file that was removed or is not searched
    }
    return Collection.of(name, routing="project_id", fields=fields)
