"""How is OpenSearch reached? By its official client, of which only the transport is used; its errors end here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import (
    ConnectionError,
    ConnectionTimeout,
    SerializationError,
    SSLError,
    TransportError,
)

from callsite.errors import StoreError
from callsite.stores.lucene.failing import Unreached, bad_certificate, no_answer, refused_options, unreadable

_PRODUCT = "OpenSearch"
_DEFAULTS = {"timeout": 60, "pool_maxsize": 10}


class OpenSearchWire:
    """A Wire."""

    def __init__(self, hosts: str | list[str], options: Mapping[str, object]) -> None:
        given: dict[str, Any] = _DEFAULTS | dict(options) | {"max_retries": 0, "retry_on_timeout": False}
        try:
            self._client = OpenSearch(hosts, **given)
        except Exception:  # noqa: BLE001 - options are foreign, anything may be wrong with them, and messages show them
            raise refused_options(_PRODUCT) from None

    def ask(
        self, method: str, path: str, *, params: Mapping[str, str], body: str | None, is_lines: bool
    ) -> tuple[int, Any]:
        headers = {"content-type": "application/x-ndjson" if is_lines else "application/json"}
        try:
            found = self._client.transport.perform_request(
                method, path, params=dict(params), body=body, headers=headers
            )
        except SerializationError as error:
            raise unreadable(_PRODUCT) from error
        except ConnectionError as error:
            raise _meant(error) from error
        except TransportError as error:
            return int(error.status_code), error.info
        return 200, found

    def close(self) -> None:
        self._client.close()


def _meant(error: ConnectionError) -> Unreached | StoreError:
    if isinstance(error, ConnectionTimeout):
        return no_answer(_PRODUCT)
    if isinstance(error, SSLError):
        return bad_certificate(_PRODUCT)
    return Unreached()
