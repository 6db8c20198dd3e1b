"""How are the options of connections kept from others? Encrypted, with a key from the environment or a file.

Fernet (AES-128-CBC and HMAC-SHA256) of the package `cryptography`.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from callsite.errors import SettingsError, StoreError
from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

KEY_FILE = "connections.key"
VARIABLE = "CALLSITE_KEY"


class Seal:
    """Encrypts and decrypts; the key is only looked for when it is needed."""

    def __init__(self, folder: Path, key: str) -> None:
        self._file = folder / KEY_FILE
        self._key = key

    def seal(self, options: Mapping[str, str]) -> str:
        """The options as they are kept; a key file is made where there is no key yet."""
        return (
            _fernet(self._key or self._from_file(make=True), self._where())
            .encrypt(json.dumps(options).encode())
            .decode()
        )

    def unseal(self, kept: str, name: str) -> dict[str, str]:
        """The options as they were given; StoreError when they were sealed with another key or changed."""
        from cryptography.fernet import InvalidToken

        fernet = _fernet(self._key or self._from_file(make=False), self._where())
        try:
            return dict(json.loads(fernet.decrypt(kept.encode())))
        except (InvalidToken, ValueError) as error:
            raise StoreError(
                f"the options of the connection {name} can't be read with the key in {self._where()}: it is another"
                " one, or they were changed; use the key they were kept with, or add the connection again"
            ) from error

    def _where(self) -> str:
        return VARIABLE if self._key else str(self._file)

    def _from_file(self, *, make: bool) -> str:
        try:
            mode = stat.S_IMODE(os.stat(self._file).st_mode)
            if os.name == "posix" and mode & 0o077:
                raise SettingsError(
                    f"{self._file} can be read by others (mode {mode:o}); chmod 600 it, or set {VARIABLE}"
                )
            return self._file.read_text("ascii").strip()
        except FileNotFoundError:
            return self._made() if make else ""
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{self._file}: {error}; mend it, or set {VARIABLE}") from error

    def _made(self) -> str:
        """Somebody else may make it at the same moment: then his holds."""
        key = _library().generate_key().decode()
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with open(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
                file.write(key)
        except FileExistsError:
            return self._from_file(make=False)
        except OSError as error:
            raise SettingsError(f"no key can be kept in {self._file}: {error}; set {VARIABLE}") from error
        return key


def _fernet(key: str, where: str) -> Fernet:
    try:
        return _library()(key)
    except ValueError as error:
        problem = "holds no key" if key else "is not there"
        raise SettingsError(
            f"{where} {problem}; 32 bytes in URL-safe base64 are wanted, as Fernet.generate_key() makes"
        ) from error


def _library() -> type[Fernet]:
    try:
        from cryptography.fernet import Fernet
    except ImportError as error:
        raise StoreError("options of connections are kept encrypted: pip install 'callsite[connections]'") from error
    return Fernet
