"""Which files a folder without git shows, and what ignore files say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_repositories import Repository, visible
from hypothesis import given
from hypothesis import strategies as st

from callsite.git import IgnoreRules, discover, state


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "folder"
    place.mkdir()
    return place


def fill(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def check(folder: Path, files: dict[str, str], expected: set[str]) -> None:
    fill(folder, files)
    assert {path for path in visible(discover(folder)) if not path.endswith("ignore")} == expected


def rules(text: str) -> IgnoreRules:
    return IgnoreRules.parsed({"": text.encode()})


def test_all_files_below(folder: Path) -> None:
    """Every file is a change, hidden ones and odd names too."""
    odd = os.fsdecode(b"o\xffd\n name")
    check(folder, {"a": "1", "d/e/b": "2", ".github/c": "3", odd: "4"}, {"a", "d/e/b", ".github/c", odd})
    assert list(state(discover(folder)).changed) == sorted(state(discover(folder)).changed)


def test_ignore_files_at_each_level(folder: Path) -> None:
    """An ignore file holds below its directory, the nearest first."""
    shown = {"d/only", "d/b.log", "d/e/b.log"}
    hidden = {"a.log", "only", "build/x", "d/build/x", "d/a.log"}
    rules = {".gitignore": "*.log\n/only\nbuild/\n", "d/.gitignore": "!b.log\n"}
    check(folder, {**dict.fromkeys(shown | hidden, ""), **rules}, shown)


def test_the_order_of_ignore_files(folder: Path) -> None:
    """In one directory `.callsiteignore` has the last word, then `.ignore`, then `.gitignore`."""
    check(
        folder,
        {
            ".gitignore": "a\nb\n",
            ".ignore": "!a\nc\n",
            ".callsiteignore": "!c\nd\n",
            "a": "",
            "b": "",
            "c": "",
            "d": "",
        },
        {"a", "c"},
    )


def test_bad_ignore_files_are_read_as_far_as_they_go(folder: Path) -> None:
    """A line that is no pattern, a byte order mark, other encodings: the other lines hold."""
    (folder / ".gitignore").write_bytes(b"\xef\xbb\xbfa\n!\n/\n\xff\n[\n\\\nb\r\n")
    check(folder, {"a": "", "b": "", os.fsdecode(b"\xff"): "", "c": ""}, {"c"})


def test_version_control_data_is_passed_over(folder: Path) -> None:
    """What version control keeps for itself is never shown, in sub-directories neither."""
    check(folder, {".hg/x": "", "d/.svn/x": "", "a": ""}, {"a"})
    Repository(folder / "inner").commit({"b": "y"})
    check(folder, {}, {"a", "inner/b"})


def test_links_are_listed_not_followed(folder: Path, tmp_path: Path) -> None:
    """Links inside the tree, out of it, in a circle and to nothing: none is followed."""
    fill(folder, {"d/a": "x"})
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/s").write_text("s")
    links = {
        "in": "d/a",
        "out": "../secret/s",
        "outdir": "../secret",
        "d/loop": "..",
        "dangling": "none",
    }
    for name, target in links.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe")
    check(folder, {}, {"d/a"})
    assert {one.path for one in state(discover(folder)).skipped} == {*links, "pipe"}


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_an_unreadable_directory_is_noted(folder: Path) -> None:
    """What cannot be listed is named, the rest is shown."""
    fill(folder, {"closed/a": "", "b": ""})
    (folder / "closed").chmod(0)
    found = state(discover(folder))
    assert list(found.changed) == ["b"]
    assert "closed cannot be read" in found.notes[0]
    (folder / "closed").chmod(0o755)


def test_verdicts() -> None:
    """A pattern ignores, a negated one forces, a path's own rule goes before its directory's, no match says nothing."""
    found = rules("*.min.js\nvendor/\n!vendor/ours/\n!lib.min.js\n")
    expected = {
        "a.min.js": "ignored",
        "d/lib.min.js": "forced",
        "a.js": "",
        "vendor/x.py": "ignored",
        "vendor/ours/x.py": "forced",
    }
    assert {path: found.verdict(path) for path in expected} == expected


def test_no_rules_say_nothing(repository: Repository) -> None:
    """Without a file there are no rules, and no fingerprint."""
    found = IgnoreRules.load(repository.source())
    assert (found.verdict("a"), found.fingerprint) == ("", "")


def test_rules_of_a_work_tree(repository: Repository) -> None:
    """The work tree's own file counts, as it is now; those below where their paths are given."""
    repository.commit({".callsiteignore": "*.py\n", "d/.callsiteignore": "!a.py\n"})
    shallow = IgnoreRules.load(repository.source())
    assert (shallow.verdict("a.py"), shallow.verdict("d/a.py")) == ("ignored", "ignored")
    deep = IgnoreRules.load(repository.source(), ["d/.callsiteignore", "x/.callsiteignore", "a.py"])
    assert (deep.verdict("a.py"), deep.verdict("d/a.py"), deep.verdict("d/b.py")) == ("ignored", "forced", "ignored")
    repository.write(".callsiteignore", "")
    changed = IgnoreRules.load(repository.source())
    assert changed.verdict("a.py") == ""
    assert len({shallow.fingerprint, deep.fingerprint, changed.fingerprint}) == 3


def test_rules_of_a_commit(repository: Repository, tmp_path: Path) -> None:
    """A fixed commit brings its own rules, in a bare repository too."""
    repository.commit({".callsiteignore": "*.py\n", "d/.callsiteignore": "!a.py\n"})
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    repository.write(".callsiteignore", "")
    for source in (discover(repository.root, commit="HEAD"), discover(tmp_path / "bare")):
        found = IgnoreRules.load(source, ["d/.callsiteignore"])
        assert (found.verdict("a.py"), found.verdict("d/a.py")) == ("ignored", "forced")
    assert IgnoreRules.load(discover(Repository(tmp_path / "empty", "--bare").root)).verdict("a") == ""


def test_paths_of_any_shape_have_a_verdict() -> None:
    """Paths that are not as they should be end the search for rules too."""
    assert [rules("*.py").verdict(path) for path in ("/a.py", "/", "", "a//", "//x")] == ["", "", "", "", ""]


@given(st.binary(max_size=60), st.text(min_size=1, max_size=20))
def test_any_text_is_a_set_of_rules(text: bytes, path: str) -> None:
    """No ignore file and no path makes the rules fail."""
    assert IgnoreRules.parsed({"": text}).verdict(path) in ("ignored", "forced", "")
