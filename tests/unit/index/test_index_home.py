"""Where indexes live: the configured folder, else the habit of each platform; a readable folder for each repository."""

from __future__ import annotations

import os
import sys

import pytest

from callsite.index.home import cache_folder, index_folder


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "~/.cache/callsite"),
        ("linux", {"XDG_CACHE_HOME": "/var/cache"}, "/var/cache/callsite"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "~/.cache/callsite"),
        ("linux", {"LOCALAPPDATA": "/elsewhere"}, "~/.cache/callsite"),
        ("freebsd14", {}, "~/.cache/callsite"),
        ("darwin", {"XDG_CACHE_HOME": "/var/cache"}, "~/Library/Caches/callsite"),
        ("win32", {"LOCALAPPDATA": "/users/me/local"}, "/users/me/local/callsite"),
        ("win32", {}, "~/AppData/Local/callsite"),
    ],
)
def test_each_platform_has_its_habit(monkeypatch, platform, environment, expected):
    """And the XDG variable counts only where it is known, and only when absolute."""
    monkeypatch.setattr(sys, "platform", platform)
    assert str(cache_folder(environment)) == os.path.expanduser(expected)


def test_a_configured_folder_wins():
    """With the home folder expanded."""
    assert str(cache_folder({"XDG_CACHE_HOME": "/var/cache"}, "~/indexes")) == os.path.expanduser("~/indexes")


@pytest.mark.parametrize(
    ("key", "readable"),
    [
        ("/home/me/project/.git", "project-"),
        ("C:\\work\\project\\.git", "project-"),
        ("/", "root-"),
        ("", "root-"),
        ("/a/b c\n*?", "b-c"),
        (os.fsdecode(b"/a/\xff\xfe"), "-"),
        ("/a/" + "x" * 300, "x" * 40 + "-"),
        ("/a/..", ".."),
    ],
)
def test_a_folder_has_a_readable_name(tmp_path, key, readable):
    """Fit for any file system, inside the cache, and another for every other key."""
    folder = index_folder(str(tmp_path), key)
    name = os.path.basename(folder)
    assert os.path.dirname(folder) == str(tmp_path)
    assert name.startswith(readable)
    assert name.isascii() and len(name) <= 57
    os.mkdir(folder)


def test_two_keys_never_share_a_folder():
    """Not even when their readable parts are the same."""
    assert index_folder("/c", "/a/project/.git") != index_folder("/c", "/b/project/.git")
