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

from callsite.errors import SettingsError, StoreError, StoreRefused, StoreUnreachable
from callsite.stores.lucene.failing import Unreached

#: Servers 8 and 9 both understand these, whichever client sends them.
_ACCEPT = "application/vnd.elasticsearch+json; compatible-with=8"
_LINES = "application/vnd.elasticsearch+x-ndjson; compatible-with=8"
_DEFAULTS = {"request_timeout": 60, "http_compress": False}


class ElasticsearchWire:
    """A Wire."""

    def __init__(self, hosts: str | list[str], options: Mapping[str, object]) -> None:
        given: dict[str, Any] = _DEFAULTS | dict(options) | {"max_retries": 0, "retry_on_timeout": False}
        try:
            self._client = Elasticsearch(hosts, **given)
        except Exception:  # noqa: BLE001 - options are foreign, anything may be wrong with them, and messages show them
            raise SettingsError(
                "Elasticsearch: the client does not take these options; look at hosts, credentials and certificates"
            ) from None

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
        return StoreUnreachable("Elasticsearch: no answer in time; try again, or give the client a longer timeout")
    if isinstance(error, SSLError):
        return StoreRefused("Elasticsearch: the certificate is not accepted; look at ca_certs and the address")
    if isinstance(error, SerializationError):
        return StoreError("Elasticsearch: the answer can't be read; look at what stands between here and the server")
    return Unreached()
