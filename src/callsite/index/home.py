"""Where does the index of a repository live? One folder each, in the cache folder of the user."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from callsite.text.digest import digest


def cache_folder(environment: os._Environ[str] | dict[str, str], configured: str = "") -> Path:
    """The folder of all indexes: the configured one, else `callsite` in the platform's cache folder."""
    if configured:
        return Path(configured).expanduser()
    if sys.platform == "win32":
        root = environment.get("LOCALAPPDATA") or os.path.join("~", "AppData", "Local")
    elif sys.platform == "darwin":
        root = "~/Library/Caches"
    else:
        given = environment.get("XDG_CACHE_HOME", "")
        root = given if os.path.isabs(given) else "~/.cache"  # the XDG specification: relative ones are ignored
    return Path(root).expanduser() / "callsite"


def index_folder(cache: Path, key: str) -> Path:
    """The folder of one repository's index; its name starts with a readable part."""
    parts = [part for part in key.replace("\\", "/").split("/") if part not in ("", ".git")]
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", parts[-1] if parts else "root")[:40]
    return cache / f"{readable}-{digest(key)[:16]}"
