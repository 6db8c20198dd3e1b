"""Ignore patterns, against git itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_repositories import Repository
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from callsite.git.patterns import Patterns


def check(text: bytes, *, ignored: str = "", kept: str = "", unsaid: str = "") -> None:
    patterns = Patterns(text)
    expected = {
        **dict.fromkeys(ignored.split(), True),
        **dict.fromkeys(kept.split(), False),
        **dict.fromkeys(unsaid.split()),
    }
    assert {path: patterns.decide(path) for path in expected} == expected


def test_names_and_places() -> None:
    """A pattern without slash is about names anywhere, one with a slash about one place."""
    check(b"*.log", ignored="a.log d/e/a.log a.log/", unsaid="a.logs log a.log/b")
    check(b"/a\nd/b", ignored="a d/b", unsaid="d/a x/d/b d/b/c")


def test_directories() -> None:
    """A slash at the end means directories only."""
    check(b"build/", ignored="build/ d/build/", unsaid="build d/build build/a")


def test_any_number_of_directories() -> None:
    """Two stars between slashes span directories, none too; elsewhere they are one star."""
    check(b"a/**/b", ignored="a/b a/c/b a/c/d/b/", unsaid="b x/a/b a/b/c")
    check(b"**/b/c", ignored="b/c a/b/c", unsaid="c b/x/c")
    check(b"a/**", ignored="a/b a/b/c", unsaid="a a/ b/a")
    check(b"x**y/z", ignored="xay/z xy/z", unsaid="x/y/z")


def test_the_last_match_decides() -> None:
    """A later pattern overrules an earlier one, in both directions."""
    check(b"*.py\n!a.py\n/d/a.py", ignored="b.py d/a.py", kept="a.py e/a.py")
    check(b"vendor/\n!vendor/ours/", ignored="vendor/", kept="vendor/ours/", unsaid="vendor/a vendor/ours/a")


def test_comments_spaces_and_escapes() -> None:
    """Comments and trailing spaces do not count unless escaped; carriage returns and a byte order mark never do."""
    check(b"\xef\xbb\xbf# a\n\\#b\n\\!c\nd  \r\n\n!\n/\n", ignored="#b !c d", unsaid="a # b c !")
    assert Patterns(b"a\\ ").decide("a ") is True


def test_brackets() -> None:
    """Sets, ranges, negations and named classes; one that is not closed matches nothing."""
    check(
        b"[ab]1\n[!x-z]2\n[[:digit:]]3\n[]]4\n[z-a]5\n[6\n[[:none:]]7\n8\\",
        ignored="a1 a2 93 ]4",
        unsaid="c1 y2 x3 z5 [6 :7 8 8\\ /2",
    )


def test_hostile_patterns_end() -> None:
    """Patterns whose wildcards multiply, on paths that almost match, take no noticeable time."""
    check(
        b"*a" * 100 + b"b\n" + b"**/a/" * 100 + b"b\n" + b"*a*a/" * 50 + b"b",
        unsaid=f"{'a' * 255} {'a/' * 2000} {'aaaa/' * 800}c",
    )


PIECES = (
    b"a",
    b"b",
    b"*",
    b"**",
    b"?",
    b"/",
    b"/**/",
    b"[ab]",
    b"[!a]",
    b"\\a",
    b"\\*",
    b"!",
    b"#",
    b" ",
    b"]",
    b"-",
    b"[a-c]",
    b"[",
    b"\xc3\xa9",
    b"\\",
)
PATTERN = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map(b"".join)
NAME = st.sampled_from(["a", "b", "ab", "*", "é", "#", "]", "a b", "-", "ba", "[a", "\\"])
PATH = st.lists(NAME, min_size=1, max_size=4).map("/".join)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("patterns")


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(patterns=st.lists(PATTERN, min_size=1, max_size=4), paths=st.lists(PATH, min_size=1, max_size=15))
@example(patterns=[b"a/**", b"!a/b"], paths=["a/b", "a/ab"])
def test_git_says_the_same(place: Path, patterns: list[bytes], paths: list[str]) -> None:
    """What `git check-ignore` says of a path that need not exist, we say too; directories above it decided first."""
    repository = Repository(place)
    text = b"\n".join(patterns)
    (place / ".git/info/exclude").write_bytes(text)
    said = repository.git("check-ignore", "-z", "--no-index", "--stdin", check=False, text="\0".join(paths).encode())
    rules = Patterns(text)
    assert {path for path in paths if ignored(rules, path)} == {*said.split("\0")} - {""}


def ignored(rules: Patterns, path: str) -> bool:
    """As a walk from the top sees it: a directory that is left out is not entered."""
    parts = path.split("/")
    above = ("/".join(parts[: n + 1]) + "/" for n in range(len(parts) - 1))
    return any(rules.decide(directory) for directory in above) or bool(rules.decide(path))


@given(st.binary(max_size=80), st.text(min_size=1, max_size=20).map(os.fsencode).map(os.fsdecode))
def test_any_bytes_are_patterns(text: bytes, path: str) -> None:
    """No ignore file and no path makes the patterns fail."""
    assert Patterns(text).decide(path) in (True, False, None)
