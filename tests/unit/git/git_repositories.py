"""Real repositories for the tests of the git room, made quickly, and what they should show."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from callsite.git import Source, State, blobs, discover, read_dirty, state, tree

QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A. Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "A. Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z",
}


class Repository:
    """A repository to do things to, as a person does them with the git program."""

    def __init__(self, root: Path, *options: str) -> None:
        self.root = Path(os.path.realpath(root))
        self.root.mkdir(parents=True, exist_ok=True)
        self.git("-c", "init.defaultBranch=main", "init", "-q", *options)

    def git(self, *arguments: str, check: bool = True, text: bytes = b"") -> str:
        """Run git; what it printed."""
        done = subprocess.run(["git", *arguments], cwd=self.root, input=text, capture_output=True, check=False)
        assert not check or done.returncode == 0, done.stderr
        return os.fsdecode(done.stdout).rstrip("\n")

    def write(self, path: str, text: str | bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, files: dict[str, str | bytes] | None = None) -> str:
        """Write files, stage everything, commit; the commit's id."""
        for path, text in (files or {}).items():
            self.write(path, text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def source(self) -> Source:
        return discover(self.root)


def visible(source: Source, found: State | None = None) -> dict[str, bytes]:
    """Path and content of every file that a source shows, put together as the indexer does."""
    shown = found or state(source)
    entries = [entry for entry in tree(source, shown.head) if entry.regular] if shown.head else []
    based = [entry for entry in entries if entry.path not in shown.removed | shown.changed.keys()]
    content = dict(blobs(source, {entry.blob for entry in based}))
    from_commit = {entry.path: content[entry.blob] for entry in based}
    from_disk = {path: read_dirty(source, path) for path in shown.changed}
    return {path: data for path, data in {**from_commit, **from_disk}.items() if isinstance(data, bytes)}
