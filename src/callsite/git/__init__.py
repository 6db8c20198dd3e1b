"""What lies at a path (work tree, bare repository, folder), which files does it show, and what do they hold.

Reads only, through the git program; it must not know of languages, chunks or indexes.
"""

from __future__ import annotations

from callsite.git.files import Dirty, Problem
from callsite.git.ignore import IgnoreRules
from callsite.git.objects import TreeEntry, blob_id, blobs, diff, hidden_by_sparse, tree
from callsite.git.revisions import clone_key, default_branch_commit, is_ancestor, merge_base, resolve
from callsite.git.source import Source, discover
from callsite.git.state import PendingState, State, begin_state, read_dirty, state

__all__ = [
    "Dirty",
    "IgnoreRules",
    "PendingState",
    "Problem",
    "Source",
    "State",
    "TreeEntry",
    "begin_state",
    "blob_id",
    "blobs",
    "clone_key",
    "default_branch_commit",
    "diff",
    "discover",
    "hidden_by_sparse",
    "is_ancestor",
    "merge_base",
    "read_dirty",
    "resolve",
    "state",
    "tree",
]
