"""A provider on this machine that speaks like OpenAI or Vertex AI, and misbehaves as its script says."""

from __future__ import annotations

import json
import socket
import struct
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

from callsite.embedding import hashed_vector

DIMS = 8


class Provider:
    """`script`: what is done with the first requests, in order; all further ones are answered as they should be.

    Each step is a status, or (status, headers), or (status, headers, body), or a name: slow, cut off, no answer,
    no json, fewer, dims, nan, zero, shuffled, huge.
    """

    def __init__(self, script: list[Any], *, dims: int = DIMS, most_items: int = 0) -> None:
        self._script = iter(script)
        self._lock = Lock()
        self.dims = dims
        self.most_items = most_items
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.ended = Event()
        self.url = ""
        self.on_answer: Callable[[], None] = lambda: None  #: called before each answer, one at a time

    @property
    def inputs(self) -> list[list[str]]:
        """The texts of each request."""
        return [_texts(body) for body in self.requests]

    def answer(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The step of the script, and the good answer."""
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            self.paths.append(path)
            step = next(self._script, None)
            self.on_answer()
        texts = _texts(body)
        if self.most_items and len(texts) > self.most_items:
            step = 413
        return step, _good(body, [list(hashed_vector(text, self.dims)) for text in texts])


def _texts(body: dict[str, Any]) -> list[str]:
    return body["input"] if "input" in body else [one["content"] for one in body["instances"]]


def _good(body: dict[str, Any], vectors: list[Any]) -> dict[str, Any]:
    if "instances" in body:
        return {"predictions": [{"embeddings": {"values": vector}} for vector in vectors]}
    if body.get("encoding_format") == "base64":
        vectors = [b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode() for vector in vectors]
    return {"data": [{"index": number, "embedding": vector} for number, vector in enumerate(vectors)]}


def _spoilt(step: str, good: dict[str, Any]) -> dict[str, Any]:
    (name, rows), *_ = good.items()
    field = "embedding" if name == "data" else "embeddings"

    def changed(row: dict[str, Any], change: Any) -> dict[str, Any]:
        old = row[field]
        new = {"values": change(old["values"])} if isinstance(old, dict) else change(old)
        return {**row, field: new}

    if step == "fewer":
        return {name: rows[:-1]}
    if step == "shuffled":
        return {name: rows[::-1]}
    if step == "dims":
        return {name: [changed(row, lambda vector: vector[1:]) for row in rows]}
    number = float("nan") if step == "nan" else 0.0
    return {name: [changed(rows[0], lambda vector: [number] * len(vector)), *rows[1:]]}


@contextmanager
def serving(script: list[Any] | None = None, **options: Any) -> Iterator[Provider]:
    """A provider at its `url`."""
    provider = Provider(script or [], **options)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            step, good = provider.answer(self.path, dict(self.headers), body)
            if step == "no answer":
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
            elif step == "slow":
                provider.ended.wait(20)
                self.close_connection = True
            elif isinstance(step, int | tuple):
                status, headers, said = (step, {}, b"") if isinstance(step, int) else (*step, b"")[:3]
                self.give(status, headers, said if isinstance(said, bytes) else json.dumps(said).encode())
            else:
                self.give(200, {}, self.spelt(step, good), cut=step == "cut off")

        def spelt(self, step: str | None, good: dict[str, Any]) -> bytes:
            if step == "no json":
                return b"<html>a proxy's page</html>"
            if step == "huge":
                return b" " * 3_000_000
            return json.dumps(good if step in (None, "cut off") else _spoilt(step, good)).encode()

        def give(self, status: int, headers: dict[str, str], said: bytes, *, cut: bool = False) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said[: len(said) // 2] if cut else said)
            self.close_connection = cut

        def log_message(self, *_: object) -> None:
            """Quietly."""

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                """The client is gone."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        provider.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
