"""How is a provider asked over HTTP, and what does each of its answers mean? Knows httpx; no provider.

Nothing but the configured address is spoken to: no redirect is followed, no proxy or password is taken from the
environment. The key is in no error and no repr.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from callsite.embedding.clock import Clock
from callsite.errors import (
    EmbedderBusy,
    EmbedderRefused,
    EmbedderUnreachable,
    EmbeddingError,
    InputRefused,
    SettingsError,
)

#: A key as it is, what gives one that is valid now, or the file that holds it; asked anew for each request.
KeySource = str | Path | Callable[[], str]

_CONNECT = 10.0  # seconds
_MOST_TOLD = 300  # letters of what a provider says
_MOST_OF_ERROR = 65_536  # bytes that are read of it

_TOO_LARGE = re.compile(
    r"too (?:large|long|many (?:tokens|inputs|instances))|tokens? (?:limit|count)|context length|input length"
    r"|max(?:imum)?[\w ]*(?:tokens|length|batch)|batch size|(?:fewer|less) than \d+|exceed|longer than|supports? up to",
    re.I,
)
_NO_MODEL = re.compile(
    r"model\b.{0,80}(?:not found|does(?: not|n't) exist|not exist|unknown|not supported)", re.I | re.S
)
_NO_QUOTA = re.compile(r"insufficient_quota|billing|exceeded your current quota", re.I)


class Http:
    """Posts JSON to one provider; for several threads."""

    def __init__(
        self,
        base_url: str,
        *,
        key: KeySource = "",
        timeout: float = 60.0,
        proxy: str = "",
        verify: bool | str = True,
        clock: Clock | None = None,
    ) -> None:
        """`timeout`: seconds for a whole request. `verify`: False, or the file of who signs certificates."""
        try:
            import httpx
        except ImportError as error:
            raise EmbeddingError("providers are asked with httpx: pip install 'callsite[embedding]'") from error
        self._address = _checked(base_url)
        self._key = key
        self._timeout = timeout
        self._clock = clock or Clock()
        self._client = httpx.Client(
            timeout=httpx.Timeout(timeout, connect=min(_CONNECT, timeout)),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=32),
            proxy=proxy or None,
            verify=_certificates(verify),
            trust_env=False,
            follow_redirects=False,
        )

    def __repr__(self) -> str:
        return f"Http({self._address!r})"

    def post(self, path: str, body: Mapping[str, object], *, most_bytes: int) -> Any:
        """The JSON of the answer; of an answer that is longer nothing is taken. Errors as those of an embedder."""
        key = self._current_key()
        status, headers, content = self._sent(path, body, key, most_bytes)
        if status == 401 and callable(self._key):  # it may have run out on the way
            key = self._current_key()
            status, headers, content = self._sent(path, body, key, most_bytes)
        if not 200 <= status < 300:
            self._fail(status, headers, content, key)
        try:
            return json.loads(content)
        except ValueError as error:
            raise EmbedderUnreachable(
                f"{self._address} answered with what is no JSON, perhaps cut off", may_be_input=True
            ) from error

    def close(self) -> None:
        self._client.close()

    def _current_key(self) -> str:
        if isinstance(self._key, str):
            return self._key
        if isinstance(self._key, Path):
            try:
                return self._key.read_text("utf-8").strip()
            except (OSError, ValueError) as error:
                raise EmbedderRefused(f"the key for {self._address} can't be read from {self._key}") from error
        try:
            return self._key()
        except Exception as error:  # noqa: BLE001 - foreign code, of which no text may be shown
            kind = type(error).__name__
            raise EmbedderRefused(f"there is no key for {self._address}: what gives it raised {kind}") from None

    def _sent(
        self, path: str, body: Mapping[str, object], key: str, most_bytes: int
    ) -> tuple[int, Mapping[str, str], bytes]:
        import httpx

        headers = {"Authorization": f"Bearer {key}"} if key else {}
        ends = self._clock.now() + self._timeout
        try:
            with self._client.stream("POST", self._address + path, json=body, headers=headers) as answer:
                most = most_bytes if answer.is_success else _MOST_OF_ERROR
                content = bytearray()
                for part in answer.iter_bytes():
                    content += part
                    if self._clock.now() > ends:
                        raise EmbedderUnreachable(self._said("took too long to answer"), may_be_input=True)
                    if len(content) > most:
                        if answer.is_success:
                            raise EmbedderUnreachable(self._said("answers too much"), may_be_input=True)
                        break
                return answer.status_code, answer.headers, bytes(content)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
            raise EmbedderUnreachable(self._said(f"can't be reached: {_reason(error)}")) from None
        except httpx.TimeoutException:
            raise EmbedderUnreachable(self._said("took too long to answer"), may_be_input=True) from None
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise EmbedderUnreachable(self._said(f"broke off: {_reason(error)}"), may_be_input=True) from None
        except (httpx.InvalidURL, ValueError):  # a key with letters that no header takes
            raise EmbedderRefused(self._said("can't be asked: the address or the key holds foreign letters")) from None

    def _fail(self, status: int, headers: Mapping[str, str], content: bytes, key: str) -> NoReturn:
        told = _message(content)
        told = (told.replace(key, "(key)") if key else told)[:_MOST_TOLD]
        said = self._said(f"answered {status}" + (f": {told}" if told else ""))
        wait = retry_after(headers.get("retry-after", ""), self._clock)
        if status == 429 and not _NO_QUOTA.search(told):
            raise EmbedderBusy(said, wait=wait)
        if status == 503 and wait is not None:
            raise EmbedderBusy(said, wait=wait)
        if status == 413 or (status in (400, 422, 500) and _TOO_LARGE.search(told)):
            raise InputRefused(said, is_too_large=True)
        if status in (400, 422) and not _NO_MODEL.search(told):
            raise InputRefused(said)
        if status == 408 or status >= 500:
            raise EmbedderUnreachable(said, may_be_input=True)
        raise EmbedderRefused(f"{said}; check address, key, model and quota")

    def _said(self, what: str) -> str:
        return f"{self._address} {what}"


def retry_after(text: str, clock: Clock) -> float | None:
    """The seconds that a Retry-After asks for, as a number or a date; None when it says nothing."""
    from email.utils import parsedate_to_datetime

    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - clock.wall()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if isfinite(seconds) else None


def _checked(base_url: str) -> str:
    """The address without a slash at its end; SettingsError for one that can't be meant or holds a secret."""
    try:
        parts = urlsplit(base_url)
        hostname, _ = parts.hostname, parts.port
    except ValueError:
        hostname, parts = None, urlsplit("")
    if parts.scheme not in ("http", "https") or not hostname:
        raise SettingsError("embedding: the address of the provider has to begin with http:// or https:// and a host")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SettingsError("embedding: the address holds more than host and path; give a password or key as key")
    return base_url.rstrip("/")


def _certificates(verify: bool | str) -> Any:
    if not isinstance(verify, str):
        return verify
    import ssl

    try:
        return ssl.create_default_context(cafile=verify)
    except OSError as error:
        raise SettingsError(f"embedding: {verify} holds no certificates: {error}") from error


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def _message(content: bytes) -> str:
    """What a provider says went wrong, in one line."""
    text = content.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except ValueError:
        found = text
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and found.get(name):
            kind = found[name].get("code") if isinstance(found[name], dict) else None
            found = found[name]
            if isinstance(kind, str) and isinstance(found, dict):
                found = {**found, "message": f"{found.get('message', '')} ({kind})"}
    told = found if isinstance(found, str) else json.dumps(found)
    return " ".join(told.split())
