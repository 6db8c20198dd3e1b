"""Where does the index of a repository live? One folder each, in the cache folder of the user."""

from __future__ import annotations

import os
import sys

from callsite.text.digest import digest


def cache_folder(environment: os._Environ[str] | dict[str, str], configured: str = "") -> str:
    """The folder of all indexes: the configured one, else `callsite` in the platform's cache folder."""
    if configured:
        return os.path.expanduser(configured)
    if sys.platform == "win32":
        root = environment.get("LOCALAPPDATA") or os.path.join("~", "AppData", "Local")
    elif sys.platform == "darwin":
        root = "~/Library/Caches"
    else:
        given = environment.get("XDG_CACHE_HOME", "")
        root = given if os.path.isabs(given) else "~/.cache"  # the XDG specification: relative ones are ignored
    return os.path.join(os.path.expanduser(root), "callsite")


def index_folder(cache: str, key: str) -> str:
    """The folder of one repository's index; its name starts with a readable part."""
    parts = [part for part in key.replace("\\", "/").split("/") if part not in ("", ".git")]
    name = (parts[-1] if parts else "root")[:40]
    readable = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in name)
    return os.path.join(cache, f"{readable}-{digest(key)[:16]}")
