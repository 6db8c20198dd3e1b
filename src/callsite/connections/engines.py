"""Which engines can be connected to, with which options? Each store is imported only when it is opened."""

from __future__ import annotations

import inspect
from base64 import b64encode
from collections.abc import Callable, Mapping

from callsite.errors import StoreError
from callsite.stores.seam import Store

#: Options that say nothing secret; all others are masked wherever they are shown.
SHOWN = frozenset(
    {"folder", "schema", "prefix", "partitions", "shards", "exact_up_to", "connections", "timeout", "wait"}
)
MASK = "(set)"
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def opened(engine: str, options: Mapping[str, str]) -> Store:
    """A store of the engine; StoreError for options that it does not have or can't mean, or a missing package."""
    checked(engine)
    known = dict(inspect.signature(ENGINES[engine]).parameters)
    values: dict[str, object] = {}
    for name, text in options.items():
        if name not in known:
            raise StoreError(f"{engine} has no option {name}; it has {', '.join(known)}")
        values[name] = _value(f"{engine}: {name}", text, known[name].default)
    for name, one in known.items():
        if one.default is inspect.Parameter.empty and name not in values:
            raise StoreError(f"{engine} needs the option {name}; add the connection with {name}=…")
    try:
        return ENGINES[engine](**values)
    except ImportError as error:
        raise StoreError(f"{engine} needs {error.name}: pip install 'callsite[{engine}]'") from error


def checked(engine: str) -> None:
    """StoreError for an engine that there is not."""
    if engine not in ENGINES:
        raise StoreError(f"there is no engine {engine!r}; use {', '.join(ENGINES)}")


def masked(options: Mapping[str, str]) -> dict[str, str]:
    """The options as they may be shown."""
    return {name: value if name in SHOWN else MASK for name, value in options.items()}


def _embedded(folder: str, *, wait: float = 10.0) -> Store:
    from callsite.stores.embedded import EmbeddedStore

    return EmbeddedStore(folder, wait=wait)


def _postgres(
    options: str,
    *,
    schema: str = "callsite",
    partitions: int = 8,
    exact_up_to: int = 50_000,
    connections: int = 4,
    timeout: float = 60.0,
) -> Store:
    from callsite.stores.postgres import PostgresStore

    return PostgresStore(
        options,
        schema=schema,
        partitions=partitions,
        exact_up_to=exact_up_to,
        connections=connections,
        timeout=timeout,
    )


def _elasticsearch(
    hosts: str,
    *,
    user: str = "",
    password: str = "",
    api_key: str = "",
    ca_certs: str = "",
    verify_certs: bool = True,
    timeout: float = 60.0,
    prefix: str = "callsite-",
    shards: int = 1,
    replicas: int = 1,
    exact_up_to: int = 20_000,
) -> Store:
    from callsite.stores.elasticsearch import ElasticsearchStore
    from callsite.stores.lucene.store import Options

    options = Options(prefix=prefix, shards=shards, replicas=replicas, exact_up_to=exact_up_to)
    client: dict[str, object] = {"request_timeout": timeout, **_certificates(hosts, ca_certs, verify_certs)}
    if user:  # encoded here, since the client takes ASCII only
        client["basic_auth"] = b64encode(f"{user}:{password}".encode()).decode("ascii")
    elif api_key:
        client["api_key"] = api_key
    return ElasticsearchStore(hosts.split(","), options=options, **client)


def _opensearch(
    hosts: str,
    *,
    user: str = "",
    password: str = "",
    ca_certs: str = "",
    verify_certs: bool = True,
    timeout: float = 60.0,
    prefix: str = "callsite-",
    shards: int = 1,
    replicas: int = 1,
    exact_up_to: int = 20_000,
) -> Store:
    from callsite.stores.lucene.store import Options
    from callsite.stores.opensearch import OpenSearchStore

    options = Options(prefix=prefix, shards=shards, replicas=replicas, exact_up_to=exact_up_to)
    client: dict[str, object] = {"timeout": timeout, **_certificates(hosts, ca_certs, verify_certs)}
    client |= {"http_auth": (user, password)} if user else {}
    return OpenSearchStore(hosts.split(","), options=options, **client)


def _certificates(hosts: str, ca_certs: str, verify_certs: bool) -> dict[str, object]:
    """Clients refuse these for hosts without TLS."""
    if "https://" not in hosts:
        return {}
    return {"verify_certs": verify_certs, **({"ca_certs": ca_certs} if ca_certs else {})}


#: Engine → what opens it; its options are those that a connection can have.
ENGINES: Mapping[str, Callable[..., Store]] = {
    "embedded": _embedded,
    "postgres": _postgres,
    "elasticsearch": _elasticsearch,
    "opensearch": _opensearch,
}


def _value(where: str, text: str, default: object) -> object:
    """A text as the type that the option's default has."""
    if isinstance(default, bool):
        if text.lower() in (*_TRUE, *_FALSE):
            return text.lower() in _TRUE
        raise StoreError(f"{where} has to be true or false")
    if isinstance(default, int | float):
        try:
            return type(default)(text)
        except ValueError as error:
            raise StoreError(f"{where} has to be a number") from error
    return text
