"""Which commit does a name mean, and how do commits descend from each other; it must not know of files."""

from __future__ import annotations

import os
from collections.abc import Sequence

from callsite.errors import GitError, SourceError
from callsite.git import process
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from callsite.git.source import Source

#: Names of a default branch where the repository does not say which it is, most usual first.
USUAL_BRANCHES = ("main", "master", "trunk", "develop", "development", "default")

_HEX = frozenset("0123456789abcdef")
_ID_LENGTHS = (40, 64)  # sha1, sha256


def directory(source: Source) -> str:
    """Where git is run for a source, so that it finds the same repository."""
    if source.kind == "worktree" and os.path.lexists(os.path.join(source.root, ".git")):
        return source.root
    return source.git_dir


def resolve(source: Source, revision: str) -> str:
    """The full id of the commit that a revision means; SourceError if there is none."""
    if found := resolve_all(source, [revision])[0]:
        return found
    raise SourceError(
        f"{revision!a} is no commit of {source.root}; name a branch, a tag or a commit (`git log` lists them)"
    )


def resolve_all(source: Source, wanted: Sequence[str]) -> list[str]:
    """The commit that each revision means, "" where there is none; raises GitError if git refuses."""
    sane = [revision if revision and not set(revision) & set("\n\0") else "0" for revision in wanted]
    text = "".join(f"{revision}{'' if revision.startswith(':/') else '^{commit}'}\n" for revision in sane)
    found = process.run_with_input(directory(source), os.fsencode(text), "cat-file", "--batch-check")
    if found.code:
        raise GitError(f"git cannot read {source.root}: {process.complaint(found)}")
    answers = [answer.split(" ") for answer in found.out.decode("utf-8", "replace").splitlines()]
    return [answer[0] if answer[1:2] == ["commit"] and is_id(answer[0]) else "" for answer in answers]


def is_ancestor(source: Source, ancestor: str, descendant: str) -> bool:
    """Whether a commit (full ids) is the other one or comes before it; False if one of them is gone."""
    if not (is_id(ancestor) and is_id(descendant)):
        return False
    return process.run(directory(source), "merge-base", "--is-ancestor", ancestor, descendant).code == 0


def merge_base(source: Source, one: str, other: str) -> str:
    """The best common ancestor of two commits (full ids), "" if they have none or one of them is gone."""
    if not (is_id(one) and is_id(other)):
        return ""
    found = process.run(directory(source), "merge-base", one, other)
    return found.out.decode("ascii").strip() if found.code == 0 else ""


def default_branch_commit(source: Source) -> tuple[str, str]:
    """The default branch's name and commit, ("", "") if none can be told.

    A bare repository's HEAD says it, else the remote's HEAD; else the first usual name, local before remote.
    """
    if source.kind == "folder":
        return "", ""
    remote, local = "refs/remotes/origin/", "refs/heads/"
    patterns = [f"{place}{name}" for name in USUAL_BRANCHES for place in (local, remote)]
    layout = "--format=%(refname) %(objectname) %(symref)"
    names = [_bare_head(source), f"{remote}HEAD", *patterns]
    found = process.run(directory(source), "for-each-ref", layout, *filter(None, names))
    lines = [line.split(" ") for line in os.fsdecode(found.out).splitlines()]
    commit_by_name = {name: (commit, target) for name, commit, target in lines}
    for name in names:
        if name in commit_by_name:
            commit, target = commit_by_name[name]
            return (target or name).removeprefix(remote).removeprefix(local), commit
    return "", ""


def clone_key(source: Source) -> str:
    """The same for all clones of a repository: its remote and first commits; "" when it has no remote or no commit."""
    if source.kind == "folder":
        return ""
    remote = process.run(directory(source), "config", "--get", "remote.origin.url").out.strip()
    roots = process.run(directory(source), "rev-list", "--max-parents=0", source.commit or "HEAD").out.split()
    return f"{os.fsdecode(remote)} {os.fsdecode(min(roots))}" if remote and roots else ""


def _bare_head(source: Source) -> str:
    """The branch that a bare repository's HEAD names, "" for any other source."""
    if source.kind != "bare":
        return ""
    found = process.run(directory(source), "symbolic-ref", "--quiet", "HEAD")
    return os.fsdecode(found.out).strip()


def is_id(text: str) -> bool:
    """Whether it is a full object id and nothing that git could take for an option or another name."""
    return len(text) in _ID_LENGTHS and _HEX.issuperset(text)


def require_id(commit: str) -> str:
    """The id itself; SourceError for anything else."""
    if is_id(commit):
        return commit
    raise SourceError(f"{commit!a} is no full commit id; resolve the name first")
