"""What are the bytes of a file, gzipped or plain? Never more than a limit, however small the file on the disk is."""

from __future__ import annotations

import os
from typing import BinaryIO

_MARK_OF_GZIP = b"\x1f\x8b"
_PIECE = 2**20


class Unreadable(Exception):
    """Why a file was not read, in words for people."""


def contents_of(path: str, *, max_bytes: int) -> bytes:
    """The content of a file, unpacked when it is gzipped whatever its name is; raises Unreadable."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > max_bytes:
                raise Unreadable(f"too large: {size} bytes, of at most {max_bytes}")
            is_packed = file.read(2) == _MARK_OF_GZIP
            file.seek(0)
            data = _unpacked(file, max_bytes) if is_packed else file.read(max_bytes + 1)
    except OSError as error:
        raise Unreadable(f"cannot be opened: {error.strerror or type(error).__name__}") from error
    except ValueError as error:
        raise Unreadable("cannot be opened: no path") from error
    if len(data) > max_bytes:
        raise Unreadable(f"too large: more than {max_bytes} bytes{' when unpacked' if is_packed else ''}")
    return data


def _unpacked(file: BinaryIO, max_bytes: int) -> bytes:
    """At most one piece more than the limit."""
    import zlib
    from gzip import BadGzipFile, GzipFile
    from io import BytesIO

    unpacked = BytesIO()  # gives its bytes away without copying them
    try:
        with GzipFile(fileobj=file) as packed:
            while unpacked.tell() <= max_bytes and (piece := packed.read(_PIECE)):
                unpacked.write(piece)
    except (BadGzipFile, EOFError, zlib.error) as error:
        raise Unreadable("damaged: it cannot be unpacked") from error
    return unpacked.getvalue()
