"""How is Elasticsearch reached? By its official client, of which only the transport is used; its errors end here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elasticsearch import (
    ApiError,
    ConnectionTimeout,
    Elasticsearch,
    SerializationError,
    SSLError,
    TransportError,
    UnsupportedProductError,
)

from callsite.errors import StoreError, StoreRefused
from callsite.stores.lucene.failing import Unreached, bad_certificate, no_answer, refused_options, unreadable

#: Servers 8 and 9 both understand these, whichever client sends them.
_ACCEPT = "application/vnd.elasticsearch+json; compatible-with=8"
_LINES = "application/vnd.elasticsearch+x-ndjson; compatible-with=8"
_PRODUCT = "Elasticsearch"
_DEFAULTS = {"request_timeout": 60, "http_compress": False}


class ElasticsearchWire:
    """A Wire."""

    def __init__(self, hosts: str | list[str], options: Mapping[str, object]) -> None:
        given: dict[str, Any] = _DEFAULTS | dict(options) | {"max_retries": 0, "retry_on_timeout": False}
        try:
            self._client = Elasticsearch(hosts, **given)
        except Exception:  # noqa: BLE001 - options are foreign, anything may be wrong with them, and messages show them
            raise refused_options(_PRODUCT) from None

    def ask(
        self, method: str, path: str, *, params: Mapping[str, str], body: str | None, is_lines: bool
    ) -> tuple[int, Any]:
        headers = {"accept": _ACCEPT}
        if body is not None:
            headers["content-type"] = _LINES if is_lines else _ACCEPT
        try:
            reply = self._client.perform_request(method, path, params=params, headers=headers, body=body)
        except UnsupportedProductError as error:
            raise StoreRefused("Elasticsearch: what answers at that address is no Elasticsearch") from error
        except ApiError as error:
            return error.meta.status, error.body
        except TransportError as error:
            raise _meant(error) from error
        return reply.meta.status, reply.body

    def close(self) -> None:
        self._client.close()


def _meant(error: TransportError) -> Unreached | StoreError:
    if isinstance(error, ConnectionTimeout):
        return no_answer(_PRODUCT)
    if isinstance(error, SSLError):
        return bad_certificate(_PRODUCT)
    if isinstance(error, SerializationError):
        return unreadable(_PRODUCT)
    return Unreached()
