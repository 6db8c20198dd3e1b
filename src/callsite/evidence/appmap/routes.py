"""Which route does a request belong to? One spelling for all frameworks, without the values inside the path."""

from __future__ import annotations

import re

from callsite.evidence.appmap.secrets import is_token

_MOST_READ = 2_000
_MOST_SEGMENTS = 30
_MOST_SEGMENT = 40

_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//([^/?#]*)(.*)", re.DOTALL)
_HOST = re.compile(r"(?:[A-Za-z0-9_-]+\.)*[A-Za-z0-9_-]+")
_DJANGO_GROUP = re.compile(r"\(\?P<(\w+)>(?:[^()\\]|\\.|\([^()]*\))*\)")
_FORMAT = re.compile(r"\(\.:?\w+\)$")
_NAMED = re.compile(r"[:*]([A-Za-z_]\w*)\??(?:\([^)]*\))?$|<(?:\w+(?:\([^)]*\))?:)?(\w+)>$|\{([\w-]+)[^{}]*\}$")
_VALUE = re.compile(r"[+-]?\d+(?:\.\d+)?|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|(?=\w*\d)[0-9a-fA-F]{6,}")
_LONG_NUMBER = re.compile(r"\d{4,}")
_ENDING = re.compile(r"\.(\w{1,8})$")


def normalised_route(path: str) -> str:
    """`/items/{id}`, for `/items/:id`, `/items/<int:id>`, `^items/(?P<id>\\d+)/$` and `/items/9` as well."""
    path = _DJANGO_GROUP.sub(r"{\1}", path[:_MOST_READ])
    path = _FORMAT.sub("", path.lstrip("^").removesuffix("$"))
    path = re.split(r"[?#](?!})", path, maxsplit=1)[0]
    segments = [_segment(one) for one in path.split("/") if one][:_MOST_SEGMENTS]
    return "/" + "/".join(segments)


def normalised_url(url: str) -> str:
    """Host and route; scheme, user, port and query are left out."""
    url = url.strip()[:_MOST_READ]
    found = _AUTHORITY.match(url)
    if found is None:
        return normalised_route(url)
    return _host(found.group(1)) + normalised_route(found.group(2)).removesuffix("/")


def _host(authority: str) -> str:
    name, _, port = authority.rpartition("@")[2].partition(":")
    if not _HOST.fullmatch(name) or (port and not port.isdigit()):
        return "{host}"
    return ".".join("{id}" if _is_value(part) and not part.isdigit() else part for part in name.lower().split("."))


def _segment(segment: str) -> str:
    segment = segment.partition(";")[0]
    named = _NAMED.match(segment)
    if named:
        name = next(filter(None, named.groups()))
        return "{id}" if is_token(name) else f"{{{name[:_MOST_SEGMENT]}}}"
    if "@" in segment or "%" in segment:
        return "{id}"
    ending = _ENDING.search(segment)
    if ending and _is_value(segment[: ending.start()]):
        return "{id}" if is_token(ending.group(1)) or ending.group(1).isdigit() else "{id}" + ending.group()
    return "{id}" if _is_value(segment) or not segment.isprintable() else segment


def _is_value(segment: str) -> bool:
    if len(segment) > _MOST_SEGMENT or _VALUE.fullmatch(segment) or is_token(segment):
        return True
    return _LONG_NUMBER.search(segment) is not None or any(is_token(part) for part in re.split(r"[.~,=+:!]", segment))
