"""A repository to do things to, and what an index of it has to show: the disk itself is the model."""

from __future__ import annotations

import fnmatch
import os
import random
import shutil
import subprocess
from pathlib import Path

QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A. Person",
    "GIT_AUTHOR_EMAIL": "person@example.org",
    "GIT_COMMITTER_NAME": "A. Person",
    "GIT_COMMITTER_EMAIL": "person@example.org",
}

#: Few names, so that operations meet; some are folders of others, one is no UTF-8.
PATHS = (
    "a.py", "b/a.py", "b/c/tool.ts", "b", "docs/read me.md", "src/Ünï.go", "deep/er/est/x.rb",
    "data.json", "run", os.fsdecode(b"\xff.c"), "b/c", "new\nline.py",
)  # fmt: skip

TEXTS = (
    "",
    "alpha = 1\n",
    "def beta(gamma):\n    return gamma + 1\n\n\nclass Delta:\n    def epsilon(self):\n        return 'zeta'\n",
    "function beta() { return alpha; }\nexport class Theta { iota() { return 1 } }\n",
    "# Kappa\n\nSome words about beta and alpha.\n\n## Lambda\n\nMore words.\n",
    "no newline at the end: alpha",
    "package mu\r\n\r\nfunc Nu() int {\r\n\treturn 1\r\n}\r\n",
    "\ufeffxi = 'omicron'\n",
    '{"pi": [1, 2, 3], "rho": "alpha"}\n',
    "\n\n\n",
    "".join(f"def sigma_{n}():\n    tau = {n}\n    return tau * {n}\n\n\n" for n in range(40)),
)
BINARY = b"\x00\x01\x02" * 50
BRANCHES = ("main", "one", "two", "three")
RULES = ("", "*.py\n", "docs/\n", "*.json\n*.md\n", "/b/\n")


class Checkout:
    """One repository with its linked work trees; every operation may fail as it may for a person."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(os.path.realpath(folder))
        self.roots = [self.folder / "main"]
        self.roots[0].mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, tree: int = 0) -> bool:
        """Run git in a work tree; whether it did what it was told."""
        environment = {**os.environ, **QUIET}
        root = self.roots[tree % len(self.roots)]
        done = subprocess.run(["git", *arguments], cwd=root, env=environment, capture_output=True, check=False)
        return done.returncode == 0

    def write(self, path: str, text: str | bytes, tree: int = 0) -> None:
        """A file with this text, whatever was in its way."""
        place = self.roots[tree % len(self.roots)] / path
        for above in reversed(place.relative_to(self.folder).parents[:-2]):
            if (self.folder / above).is_symlink() or (self.folder / above).is_file():
                (self.folder / above).unlink()
        self.remove(path, tree)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)

    def remove(self, path: str, tree: int = 0) -> None:
        """No file or folder there."""
        place = self.roots[tree % len(self.roots)] / path
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        elif place.is_file() or place.is_symlink():
            place.unlink()

    def rename(self, old: str, new: str, tree: int = 0) -> None:
        root = self.roots[tree % len(self.roots)]
        if (root / old).is_file():
            text = (root / old).read_bytes()
            self.remove(old, tree)
            self.write(new, text, tree)

    def make_executable(self, path: str, tree: int = 0) -> None:
        place = self.roots[tree % len(self.roots)] / path
        if place.is_file():
            place.chmod(place.stat().st_mode ^ 0o111)

    def commit(self, tree: int = 0) -> None:
        self.git("add", "-A", tree=tree)
        self.git("commit", "-q", "--allow-empty", "-m", "change", tree=tree)

    def switch(self, branch: str, tree: int = 0, *, force: bool = False) -> None:
        """To a branch that may be new; what is not committed comes along or, with force, is lost."""
        options = ("-f",) if force else ()
        if not self.git("checkout", "-q", *options, branch, tree=tree):
            self.git("checkout", "-q", "-b", branch, tree=tree)

    def detach(self, tree: int = 0) -> None:
        self.git("checkout", "-q", "--detach", "HEAD~1", tree=tree)

    def orphan(self, tree: int = 0) -> None:
        """A branch without any commit."""
        self.git("checkout", "-q", "--orphan", "orphan", tree=tree)

    def forget(self, tree: int = 0) -> None:
        """Amend the last commit and let git drop the one before."""
        self.git("commit", "-q", "--amend", "--allow-empty", "-m", "amended", tree=tree)
        self.git("reflog", "expire", "--expire=now", "--all")
        self.git("gc", "-q", "--prune=now")

    def stash(self, tree: int = 0) -> None:
        """Put changes away, or take them back."""
        if not self.git("stash", "-q", "-u", tree=tree):
            self.git("stash", "pop", "-q", tree=tree)

    def link(self, branch: str) -> None:
        """Another work tree of the same repository, at most two."""
        place = self.folder / f"linked-{branch}"
        if len(self.roots) < 3 and self.git("worktree", "add", "-q", "-f", "-B", f"linked-{branch}", str(place)):
            self.roots.append(place)

    def unlink(self) -> None:
        """Remove the last linked work tree."""
        if len(self.roots) > 1:
            self.git("worktree", "remove", "--force", str(self.roots[-1]))
            shutil.rmtree(self.roots.pop(), ignore_errors=True)

    def ignore(self, rules: str, tree: int = 0) -> None:
        """Other rules in `.callsiteignore`, none when empty."""
        if rules:
            self.write(".callsiteignore", rules, tree)
        else:
            self.remove(".callsiteignore", tree)

    def expected(self, tree: int = 0) -> dict[str, str]:
        """Path → text of every file that has to be found, from the disk alone."""
        root = os.fsencode(self.roots[tree % len(self.roots)])
        found = {}
        for folder, names, files in os.walk(root):
            names[:] = [name for name in names if name != b".git"]
            for name in files:
                place = os.path.join(folder, name)
                if name != b".git" and not os.path.islink(place):
                    found[os.fsdecode(os.path.relpath(place, root))] = Path(os.fsdecode(place)).read_bytes()
        rules = found.get(".callsiteignore", b"").decode().split()
        return {
            path: data.decode("utf-8-sig")
            for path, data in found.items()
            if data.strip() and data != BINARY and not any(_ignores(rule, path) for rule in rules)
        }


def _ignores(rule: str, path: str) -> bool:
    """For the few shapes of RULES only."""
    if rule.endswith("/"):
        return path.startswith(rule.strip("/") + "/")
    return fnmatch.fnmatchcase(os.path.basename(path), rule)


def change(checkout: Checkout, chance: random.Random) -> str:
    """Do something at random; what it was."""
    tree = chance.randrange(len(checkout.roots))
    path, text = chance.choice(PATHS), chance.choice(TEXTS)
    branch = chance.choice(BRANCHES)
    operations = {
        "write": (12, lambda: checkout.write(path, text, tree)),
        "write words": (6, lambda: checkout.write(path, f"{text}\nword{chance.randrange(50)}\n", tree)),
        "write binary": (1, lambda: checkout.write(path, BINARY, tree)),
        "remove": (4, lambda: checkout.remove(path, tree)),
        "rename": (4, lambda: checkout.rename(path, chance.choice(PATHS), tree)),
        "chmod": (2, lambda: checkout.make_executable(path, tree)),
        "commit": (6, lambda: checkout.commit(tree)),
        "switch": (5, lambda: checkout.switch(branch, tree)),
        "switch by force": (2, lambda: checkout.switch(branch, tree, force=True)),
        "detach": (1, lambda: checkout.detach(tree)),
        "orphan": (0.5, lambda: checkout.orphan(tree)),
        "forget": (0.5, lambda: checkout.forget(tree)),
        "stash": (2, lambda: checkout.stash(tree)),
        "link": (1, lambda: checkout.link(branch)),
        "unlink": (1, checkout.unlink),
        "ignore": (1, lambda: checkout.ignore(chance.choice(RULES), tree)),
    }
    (name,) = chance.choices(list(operations), [weight for weight, _ in operations.values()])
    operations[name][1]()
    return f"{name} {path!r} in {tree}"
