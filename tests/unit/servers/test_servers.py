"""How real servers for tests are fetched, run and shared, tried with a server of the standard library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from servers import elasticsearch_server, layout, node, opensearch_server, shared
from servers.__main__ import SERVERS
from servers.layout import Server, Unavailable, check_digest, home_of
from servers.node import begun_at, find_java, running, start, stop

ANSWERS = """import http.server, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
    def log_message(self, *_): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
"""
TESTS = Path(__file__).parents[2]


def configure(folder, port):
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    (folder / "port").write_text(str(port))


def fake(*, lay_out=lambda home, work: (home / "lib").mkdir(), program=ANSWERS, java=(1, 99)):
    """A server that answers everything, or another program."""
    return Server(
        name="fake",
        version="1",
        java=java,
        megabytes=0,
        room=0,
        lay_out=lay_out,
        configure=configure,
        command=lambda java, home, folder, options: (
            [sys.executable, "-c", program, (folder / "port").read_text()], dict(os.environ)
        ),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def apart(monkeypatch, tmp_path):
    """Its own cache, a mvn that does nothing, a java that says its version."""
    programs = tmp_path / "home" / "bin"
    programs.mkdir(parents=True)
    for name, does in (("mvn", "exit 0"), ("java", "echo 'openjdk version \"17.0.1\"' >&2")):
        (programs / name).write_text(f"#!/bin/sh\n{does}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    monkeypatch.setenv("JAVA_HOME", str(programs.parent))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(node, "_not_as_root", lambda home, folder: [])


def test_a_server_is_laid_out_once(tmp_path):
    """What was cut off is begun anew."""
    times = []

    def lay_out(home, work):
        times.append(work)
        if len(times) == 1:
            raise Unavailable("the disk is full")
        (home / "lib").mkdir()

    server = fake(lay_out=lay_out)
    with pytest.raises(Unavailable, match="full"):
        home_of(server)
    assert home_of(server) == home_of(server)
    assert [path.name for path in home_of(server).iterdir()] == ["lib"]
    assert len(times) == 2
    assert not times[1].exists()


def test_what_is_lacking_is_named(monkeypatch, tmp_path):
    """Maven, a Java of the right age: with what to do."""
    with pytest.raises(Unavailable, match="needs a Java from 1000 to 1001; found: 17 in"):
        find_java(fake(java=(1000, 1001)))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="install Maven"):
        home_of(fake())


def test_files_that_are_not_those_that_were_tried_are_refused(tmp_path):
    """One by its digest, several by all of theirs."""
    (tmp_path / "a").write_text("x")
    check_digest("2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", [tmp_path / "a"])
    (tmp_path / "b").write_text("y")
    with pytest.raises(Unavailable, match="SHA-256"):
        check_digest(
            "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", [tmp_path / "a", tmp_path / "b"]
        )


def test_a_node_is_started_once_and_stopped(tmp_path):
    """A second start says where it is; a second stop has nothing to do."""
    server, folder = fake(), tmp_path / "node"
    url = start(server, folder)
    noted = running(folder)
    assert start(server, folder) == url == noted["url"]
    assert stop(folder)
    assert begun_at(noted["pid"]) is None
    assert not stop(folder)


def test_a_node_that_ends_at_once_says_why(tmp_path):
    """With the last lines of what it wrote."""
    with pytest.raises(Unavailable, match="no room for me"):
        start(fake(program="raise SystemExit('no room for me')"), tmp_path / "node")


def test_a_launcher_may_end_between_two_looks(tmp_path, monkeypatch):
    """The server that it has started is the node."""
    launcher = (
        "import subprocess, sys, pathlib\n"
        f"server = subprocess.Popen([sys.executable, '-c', {ANSWERS!r}, sys.argv[1]])\n"
        "pathlib.Path('pid').write_text(str(server.pid))\n"
    )
    folder, polled = tmp_path / "node", []
    poll = subprocess.Popen.poll

    def late(process):
        polled.append(process.pid)
        if len(polled) == 1:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            return None
        return poll(process)

    monkeypatch.setattr(subprocess.Popen, "poll", late)
    server = fake(program=f"import os; os.chdir({str(folder)!r})\n{launcher}")
    start(server, folder)
    assert running(folder)["pid"] == int((folder / "pid").read_text()) not in polled
    assert stop(folder)


def test_a_process_that_was_given_the_number_of_an_ended_one_is_not_stopped(tmp_path):
    """A process is known by its time of start too."""
    (tmp_path / "node.json").write_text(f'{{"pid": {os.getpid()}, "begun": "1", "url": "x"}}')
    assert not stop(tmp_path)


def test_one_node_serves_all_and_ends_after_the_last(tmp_path, monkeypatch):
    """Whoever uses it may be killed: who lives is looked at."""
    monkeypatch.setattr(shared, "_LOOK", 0.01)
    folder = tmp_path / "callsite-fake"
    (folder / "users").mkdir(parents=True)
    user = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    shared._note(folder / "users" / "1", user.pid)
    seen = []

    def look(folder):
        seen.append((folder / "url").read_text())
        assert running(folder)
        user.kill()
        user.wait()
        return is_used(folder)

    is_used = shared._is_used
    monkeypatch.setattr(shared, "_is_used", look)
    shared.guard(fake(), folder)
    assert seen[0].startswith("http://127.0.0.1:")
    assert not folder.exists()


def test_what_keeps_a_shared_server_from_starting_is_told_to_all_who_wait(tmp_path, monkeypatch):
    """It is no reason to skip."""
    monkeypatch.setattr(shared.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="install Maven"):
        shared.url(elasticsearch_server.SERVER)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("lib/elasticsearch-8.jar", True),
        ("lib/tools/server-cli/a.jar", True),
        ("lib/tools/geoip-cli/a.jar", False),
        ("lib/platform/linux-x64/a.so", True),
        ("lib/platform/darwin-x64/a.so", False),
        ("modules/reindex/a.jar", True),
        ("modules/x-pack-ml/a.jar", False),
        ("modules/README", False),
        ("config/jvm.options", True),
        ("LICENSE.txt", True),
        ("data/x", False),
        ("lib/../../x", False),
    ],
)
def test_only_what_is_used_is_laid_out(path, expected):
    """Of Elasticsearch."""
    assert elasticsearch_server.is_wanted(path) is expected


@pytest.mark.parametrize("server", SERVERS.values(), ids=SERVERS)
def test_a_node_listens_on_this_machine_only_and_keeps_to_its_folder(server, tmp_path):
    """Both servers."""
    home = tmp_path / "server"
    (home / "config").mkdir(parents=True)
    (home / "config" / "jvm.options").write_text("# x\n-Xlog:gc*:file=logs/gc.log\n-Dkept=1\n")
    server.configure(tmp_path, 9299)
    settings = (tmp_path / "config" / f"{server.name}.yml").read_text()
    assert 'network.host: "127.0.0.1"' in settings
    assert "http.port: 9299" in settings
    command, environment = server.command(Path("/java/bin/java"), home, tmp_path, ["-Xmx1g"])
    assert command[0] == "/java/bin/java"
    assert str(tmp_path / "config") in " ".join(command)
    assert "-Xmx1g" in [*command, *environment.get("ES_JAVA_OPTS", "").split()]
    assert "JAVA_TOOL_OPTIONS" not in environment


def test_modules_of_opensearch_are_described():
    """Their jars come without."""
    text = opensearch_server._descriptor("reindex", opensearch_server._MODULES["reindex"])
    assert "classname=org.opensearch.index.reindex.ReindexPlugin" in text
    assert "<type>zip</type>" in opensearch_server._pom("x", ["a:b:1:zip"])


def test_the_program_says_what_is_wrong(tmp_path):
    """And ends with 1."""
    program = [sys.executable, str(TESTS / "servers"), "opensearch"]
    done = subprocess.run([*program, "stop", "--data", str(tmp_path)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "nothing runs from there\n")
    lacking = dict(os.environ, PATH=str(tmp_path))
    done = subprocess.run([*program, "fetch"], capture_output=True, text=True, env=lacking)
    assert done.returncode == 1
    assert "install Maven" in done.stderr
    assert layout.cache().name == "callsite-servers"
