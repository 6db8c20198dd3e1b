"""What identifies a text? Its sha256, from Python's own code: `hashlib` loads all of OpenSSL, 3 ms of every search."""

from __future__ import annotations

try:
    from _sha2 import sha256  # type: ignore[import-not-found]  # Python 3.12 and later
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]  # Python 3.11
    except ImportError:
        from hashlib import sha256


def digest(text: str) -> str:
    """The sha256 in hexadecimal digits; lone surrogates count as what UTF-8 would make of them."""
    return str(sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
