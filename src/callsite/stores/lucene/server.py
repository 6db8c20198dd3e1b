"""How is a server asked? Requests out, answers or our errors back; what was too busy is asked again, a few times."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from random import random
from typing import Any, Protocol

from callsite.errors import StoreUnreachable
from callsite.stores.lucene.failing import BUSY, Unreached, mapped
from callsite.values import dataclass

N_TRIES = 6
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0  # seconds; with six tries some three in all


class Wire(Protocol):
    """The client of one server."""

    def ask(
        self, method: str, path: str, *, params: Mapping[str, str], body: str | None, is_lines: bool
    ) -> tuple[int, Any]:
        """Status and decoded body of whatever the server answers; Unreached when it does not, StoreError for good."""

    def close(self) -> None:
        """Give back connections."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answers."""

    status: int
    body: Any


class Server:
    """One server, or several of one cluster."""

    def __init__(self, wire: Wire, product: str, *, wait: Callable[[float], None] = time.sleep) -> None:
        self._wire = wire
        self._wait = wait
        self.product = product

    def ask(
        self,
        doing: str,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: object = None,
        also: Collection[int] = (),
    ) -> Reply:
        """A success, or one of the statuses in `also`; StoreError for others."""
        text = None if body is None else encoded(body)
        return self._asked(doing, method, path, params or {}, text, also=also, is_lines=False)

    def bulk(self, doing: str, index: str, lines: Iterable[str]) -> list[dict[str, Any]]:
        """The answers to the items, in order; an index is never made by it."""
        text = "\n".join(lines) + "\n"
        path, params = f"/{index}/_bulk", {"require_alias": "true"}
        reply = self._asked(doing, "POST", path, params, text, also=(), is_lines=True)
        return [next(iter(item.values())) for item in reply.body["items"]]

    def pause(self, n: int) -> None:
        """Before trying for the n-th time again: longer each time, and not all at the same moment."""
        self._wait(min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**n) * (0.5 + random() / 2))

    def close(self) -> None:
        self._wire.close()

    def _asked(
        self,
        doing: str,
        method: str,
        path: str,
        params: Mapping[str, str],
        text: str | None,
        *,
        also: Collection[int],
        is_lines: bool,
    ) -> Reply:
        for n in range(N_TRIES):
            is_last = n == N_TRIES - 1
            try:
                status, body = self._wire.ask(method, path, params=params, body=text, is_lines=is_lines)
            except Unreached as error:
                if is_last:
                    raise StoreUnreachable(
                        f"{self.product}, {doing}: no server answers; look at the address, and whether it runs"
                    ) from error
            else:
                if 200 <= status < 300 or status in also:
                    return Reply(status, body)
                if status not in BUSY or is_last:
                    raise mapped(self.product, doing, status, body)
            self.pause(n)
        raise AssertionError("the last try ends above")


def encoded(body: object) -> str:
    """JSON on one line; a number that JSON does not know never gets here."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
