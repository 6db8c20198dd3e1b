"""What the official clients make of answers and of none: on a server of the standard library, and on a closed port."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from callsite.errors import StoreError, StoreRefused, StoreUnreachable
from callsite.stores.elasticsearch.client import ElasticsearchWire
from callsite.stores.lucene.failing import Unreached
from callsite.stores.opensearch.client import OpenSearchWire

WIRES = [ElasticsearchWire, OpenSearchWire]


class Answer(BaseHTTPRequestHandler):
    """Says what the path asks for, `/400/text`, and what it was asked."""

    def do_POST(self):
        status, said = self.path.split("?")[0].strip("/").split("/")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        told = {"said": said, "path": self.path, "body": body, "type": self.headers.get("Content-Type")}
        answer = b"{nonsense" if said == "broken" else json.dumps(told).encode()
        self.send_response(int(status))
        self.send_header("Content-Type", "application/json")
        if said != "other":
            self.send_header("X-Elastic-Product", "Elasticsearch")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_DELETE = do_POST  # noqa: N815 - named by the standard library

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def ask(wire, path, *, body=None, is_lines=False, method="POST"):
    return wire.ask(method, path, params={"a": "b"}, body=body, is_lines=is_lines)


@pytest.mark.parametrize("kind", WIRES)
def test_every_status_is_an_answer_and_is_asked_for_once(kind, address):
    """With its body; what was sent arrives as it is."""
    wire = kind(address, {})
    for status in (200, 201, 400, 404, 429, 503):
        found, body = ask(wire, f"/{status}/x", body='{"é":1}')
        assert (found in (status, 200), body["said"], body["body"]) == (True, "x", '{"é":1}')
        assert body["path"].endswith("?a=b")
    assert "ndjson" in ask(wire, "/200/x", body="{}\n{}\n", is_lines=True)[1]["type"]
    assert ask(wire, "/200/x", body="{}\n{}\n", is_lines=True)[1]["body"] == "{}\n{}\n"
    assert ask(wire, "/200/x", method="DELETE", body="{}")[1]["body"] == "{}"
    wire.close()


@pytest.mark.parametrize("kind", WIRES)
def test_an_answer_that_is_not_readable_is_an_error(kind, address):
    """Something else answers, a proxy's page."""
    with pytest.raises(StoreError, match="can't be read"):
        ask(kind(address, {}), "/200/broken")


def test_another_product_is_refused(address):
    """Elasticsearch's client looks for it."""
    with pytest.raises(StoreRefused, match="no Elasticsearch"):
        ask(ElasticsearchWire(address, {}), "/200/other")


@pytest.mark.parametrize("kind", WIRES)
def test_where_nobody_listens_nothing_is_reached(kind):
    """Which may be asked again."""
    with pytest.raises(Unreached):
        ask(kind("http://127.0.0.1:1", {}), "/")


@pytest.mark.parametrize("kind", WIRES)
def test_without_tls_where_tls_is_wanted_nothing_is_reached(kind, address):
    """And nothing is told of the password."""
    options = {"basic_auth": ("me", "secret")} if kind is ElasticsearchWire else {"http_auth": ("me", "secret")}
    with pytest.raises((Unreached, StoreRefused, StoreUnreachable)) as caught:
        ask(kind(address.replace("http:", "https:"), options), "/200/x")
    assert "secret" not in str(caught.value)
