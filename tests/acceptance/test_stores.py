"""`callsite stores`, `callsite query` and `callsite index --store`: what people see of stores."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import pytest
from command_line import git, write

from callsite.embedding import hashed_vector

PROJECT = "7"


def check(result, *, code=0, out="", err=""):
    assert (result.code, result.err) == (code, err), result
    assert out in result.out, result


def found(result):
    return [json.loads(line)["fields"]["path"] for line in result.lines]


def test_a_checkout_is_indexed_and_asked_without_any_connection(ask_alone):
    """The local store is there for everybody."""
    check(ask_alone("index", "--store", "local", "--project", PROJECT), out="everything was read: nothing was indexed")
    check(ask_alone("query", 'match("remove expired")'), out="shop/session.py:")
    asked = ask_alone("query", 'filter(language="python") and match("price")', "--json")
    assert "shop/cart.py" in found(asked)
    assert json.loads(asked.lines[0])["routing"] == 7


def test_a_run_reads_what_changed_and_streams_what_is_new(ask_alone):
    """One line for each new chunk, and at the end what was done."""
    ask_alone("index", "--store", "local", "--project", PROJECT)
    write(ask_alone.place, {"shop/new.py": "def refund(order):\n    return order\n"})
    git(ask_alone.place, "add", "-A")
    git(ask_alone.place, "commit", "-qm", "Refund")
    ran = ask_alone("index", "--store", "local", "--project", PROJECT, "--from", "HEAD~1", "--json")
    created, done = map(json.loads, ran.lines)
    assert created["path"] == "shop/new.py"
    assert (done["n_read"], done["n_created"], done["full"]) == (1, 1, "")
    check(ask_alone("index", "--store", "local", "--project", PROJECT, "--force"), out="it was asked for")


def test_an_overlay_shows_a_work_tree_beside_the_base(ask_alone):
    """The project alone shows the base, with the overlay what is on disk."""
    ask_alone("index", "--store", "local", "--project", PROJECT)
    write(ask_alone.place, {"shop/cart.py": "def total_price_now(prices):\n    return 1\n"})
    line = ("index", "--store", "local", "--project", PROJECT, "--overlay", "desk", "--work-tree")
    check(ask_alone(*line), out="overlay desk shows the work tree")
    words = ("query", 'match("total price", symbols=1)', "--project", PROJECT)
    assert "total_price_now" in ask_alone(*words, "--overlay", "desk").out
    assert "total_price_now" not in ask_alone(*words).out


def test_migrations_are_shown_and_run(ask_alone):
    """A new store is made ready by the first run into it; one that lacks something says so."""
    told = ask_alone("migrations")
    assert (told.code, [line.split("\t")[1] for line in told.lines]) == (1, ["pending", "pending"])
    check(ask_alone("migrations", "run"), out="2\tdone\twho may see a chunk")
    check(ask_alone("index", "--store", "local"), out="nothing was indexed before")
    listed = json.loads(ask_alone("migrations", "status", "--json").out)["migrations"]
    assert [(one["version"], one["state"], one["tries"]) for one in listed] == [(1, "done", 1), (2, "done", 1)]
    assert len(found(ask_alone("query", 'filter(extension="py")', "--json"))) > 2


def test_connections_are_added_used_copied_and_forgotten(ask_alone, tmp_path):
    """A copy has to give the same answers; nothing is removed."""
    for name in ("one", "two"):
        check(ask_alone("stores", "add", name, "embedded", f"folder={tmp_path / name}"), out=f"added {name}")
    check(ask_alone("index", "--store", "one"), out="nothing was indexed before")
    check(ask_alone("stores", "check", "one"), out="documents")
    check(ask_alone("stores", "copy", "one", "two"), out="both give the same answers")
    check(ask_alone("stores", "use", "two"), out="two is used")
    check(ask_alone("stores"), out="* two\tembedded")
    check(ask_alone("query", 'match("expired")'), out="shop/session.py:")
    check(ask_alone("stores", "forget", "one"), out="still there")
    listed = json.loads(ask_alone("stores", "list", "--json").out)["connections"]
    assert [(one["name"], one["active"]) for one in listed] == [("two", True)]
    assert (tmp_path / "one").is_dir()


def test_secrets_come_from_files_and_are_not_shown(ask_alone, tmp_path):
    """Nor do they stand in an error."""
    (tmp_path / "dsn").write_text("postgresql://me:hunter2@127.0.0.1:1/none\n")
    check(ask_alone("stores", "add", "pg", "postgres", f"options=@{tmp_path / 'dsn'}", "timeout=2"), out="added")
    check(ask_alone("stores", "add", "in", "postgres", "options=-", text=b"postgresql://me:hunter2@127.0.0.1:1/x"))
    for line in (["stores"], ["stores", "list", "--json"], ["query", "all"]):
        told = ask_alone(*line)
        assert "hunter2" not in told.out + told.err
    assert ask_alone("query", "all").code == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["stores", "frob"], "use list, add, use, check, copy, forget"),
        (["stores", "add", "x"], "it takes 2 names"),
        (["stores", "add", "x", "embedded", "folder"], "write folder=VALUE"),
        (["stores", "use", "nobody"], "there is no connection 'nobody'"),
        (["query"], "there is no query"),
        (["embed", "undo"], "use plan or run"),
        (["embed", "run"], "--model and --url are missing"),
        (["embed", "run", "--model", "m", "--url", "http://127.0.0.1:1", "--key", "abc"], "--key takes @FILE or -"),
        (["migrations", "undo"], "use status, run or retry"),
        (["query", 'match("x'], "line 1, column 7: this text has no end"),
        (["query", "all"], "there is no collection 'code_chunks'"),
        (["index", "--store", "nobody"], "there is no connection 'nobody'"),
        (["index", "--store", "local", "--to", "nothing"], "'nothing' is no commit"),
        (["index", "--store", "local", "--overlay", "x"], "index its default branch first"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(ask_alone, line, said):
    told = ask_alone(*line)
    assert (told.code, told.out) == (2, "")
    assert said in told.err and told.err.count("\n") == 1


class Model(BaseHTTPRequestHandler):
    """A server that speaks like OpenAI, whose vectors follow from the texts."""

    asked: ClassVar[list[str]] = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).asked += body["input"]
        data = [{"index": n, "embedding": list(hashed_vector(text, 8))} for n, text in enumerate(body["input"])]
        answer = json.dumps({"data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        """Nothing is said."""


@pytest.fixture
def model():
    Model.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_chunks_get_vectors_of_a_model_and_then_of_another(ask_alone, model):
    """What was paid for is not paid again, in no other store either; what is new is all that the next run asks for."""
    ask_alone("index", "--store", "local", "--project", PROJECT)
    line = ("--model", "small", "--url", model, "--dims", "8")
    planned = json.loads(ask_alone("embed", "plan", *line, "--json").out)
    assert planned["n_chunks"] > 3 and planned["n_cached"] == 0 and Model.asked == []
    done = json.loads(ask_alone("embed", "run", *line, "--json").out)
    assert (done["n_written"], done["n_failed"]) == (planned["n_chunks"], 0)
    assert len(Model.asked) == planned["n_texts"]
    check(ask_alone("embed", "run", *line), out="0 chunks have a vector now")
    write(ask_alone.place, {"shop/new.py": "def refund(order):\n    return order\n"})
    git(ask_alone.place, "add", "-A")
    git(ask_alone.place, "commit", "-qm", "Refund")
    ask_alone("index", "--store", "local", "--project", PROJECT)
    check(ask_alone("embed", "run", *line), out="1 chunks have a vector now")
    n_before = len(Model.asked)
    ask_alone("stores", "add", "other", "embedded", f"folder={ask_alone.home / 'other'}")
    ask_alone("index", "--store", "other", "--project", "8")
    check(ask_alone("embed", "run", "--store", "other", *line), out="known before")
    assert len(Model.asked) == n_before
    check(ask_alone("embed", "run", "--store", "local", "--model", "large", "--url", model, "--dims", "8"))
    fields = json.loads(ask_alone("query", "exists(embeddings_v2)", "--store", "local", "--json", "-n", "1").out)
    assert fields["id"]
    assert ask_alone("query", "exists(embeddings_v1)", "--store", "local").code == 1
