"""Paths look as if they were typed where the user stands."""

from __future__ import annotations

import os

import pytest

from callsite.cli.places import Places, current_directory
from callsite.errors import SourceError


@pytest.fixture
def root(tmp_path):
    """A tree with one file in a folder."""
    top = tmp_path.resolve() / "repo"
    (top / "src").mkdir(parents=True)
    (top / "src" / "a.py").touch()
    (top / "src" / "b:7").touch()
    return top


@pytest.mark.parametrize(("here", "expected"), [(".", "src/a.py"), ("src", "a.py"), ("..", "repo/src/a.py")])
def test_a_shown_path_can_be_opened_from_here(root, monkeypatch, here, expected):
    """Relative while one of both places lies in the other."""
    monkeypatch.chdir(root / here)
    assert Places(str(root), is_bare=False).shown("src/a.py") == expected.replace("/", os.sep)


def test_a_path_far_away_is_absolute(root, monkeypatch, tmp_path):
    """A chain of `..` says nothing to anybody."""
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert Places(str(root), is_bare=False).shown("src/a.py") == str(root / "src" / "a.py")
    assert Places(str(root), is_bare=True).shown("src/a.py") == "src/a.py"


@pytest.mark.parametrize(
    ("here", "typed", "expected"),
    [
        (".", "src/a.py:12", "src/a.py:12"),
        (".", "./src/a.py", "src/a.py"),
        ("src", "a.py:1", "src/a.py:1"),
        ("src", "src/a.py", "src/a.py"),
        ("src", "../src/a.py", "src/a.py"),
        ("src", "gone.py:3", "gone.py:3"),
        (".", "src/b:7", "src/b:7"),
        ("..", "repo/src/a.py:1", "src/a.py:1"),
    ],
)
def test_a_typed_place_is_seen_from_here_or_from_the_root(root, monkeypatch, here, typed, expected):
    """What was copied from an answer works, and what was copied from the repository's pages too."""
    monkeypatch.chdir(root / here)
    assert Places(str(root), is_bare=False).meant(typed) == expected


def test_an_absolute_place_is_understood(root, monkeypatch):
    """Editors copy such."""
    monkeypatch.chdir(root)
    assert Places(str(root), is_bare=False).meant(f"{root}/src/a.py:3") == "src/a.py:3"


@pytest.mark.skipif(os.name == "nt", reason="a directory in use can't be removed there")
def test_a_removed_current_directory_is_named(tmp_path, monkeypatch):
    """Somebody switched to a branch that lacks it."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(SourceError, match="the current directory can't be read"):
        current_directory()
