"""What is a real OpenSearch, and how is it run? It is put together from its jars, with its k-NN plugin.

Modules come as jars alone, so their descriptors and what they ask of the security manager are written here.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from servers.layout import MAVEN_DEPENDENCY, Server, check_digest, maven, write_configuration

VERSION, _KNN = "2.19.1", "2.19.1.0"
_DIGEST = "8e63aeba3022304a61f445f06fc37727aa4358f5c11de58ed49ea24613d66d93"
#: What the server needs and its pom calls optional.
_BESIDE = (
    "org.apache.logging.log4j:log4j-core:2.21.0",
    "org.locationtech.jts:jts-core:1.15.0",
    "org.locationtech.spatial4j:spatial4j:0.7",
    f"org.opensearch:opensearch-plugin-classloader:{VERSION}",
)


@dataclass(frozen=True, kw_only=True)
class _Module:
    artifact: str
    plugin: str  #: its class, below org.opensearch
    extends: str = ""
    permissions: tuple[str, ...] = ()


_LOADER = 'java.lang.RuntimePermission "getClassLoader"'
_MODULES = {
    "transport-netty4": _Module(
        artifact="transport-netty4-client",
        plugin="transport.Netty4Plugin",
        permissions=(
            'java.io.FilePermission "/proc/sys/net/core/somaxconn", "read"',
            'java.net.SocketPermission "*", "accept,connect"',
            'java.lang.RuntimePermission "setContextClassLoader"',
            _LOADER,
            'java.util.PropertyPermission "sun.nio.ch.bugLevel", "write"',
        ),
    ),
    "lang-painless": _Module(
        artifact="lang-painless",
        plugin="painless.PainlessPlugin",
        permissions=('java.lang.RuntimePermission "createClassLoader"', _LOADER),
    ),
    "analysis-common": _Module(
        artifact="analysis-common", plugin="analysis.common.CommonAnalysisPlugin", extends="lang-painless"
    ),
    "reindex": _Module(
        artifact="reindex-client",
        plugin="index.reindex.ReindexPlugin",
        permissions=('java.net.SocketPermission "*", "connect"',),
    ),
    "mapper-extras": _Module(artifact="mapper-extras-client", plugin="index.mapper.MapperExtrasPlugin"),
    "parent-join": _Module(artifact="parent-join-client", plugin="join.ParentJoinPlugin"),
}
_LOGGING = """status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%-25c{1.}] %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
"""


def lay_out(home: Path, work: Path) -> None:
    found = _resolved(work)
    check_digest(_DIGEST, {file.name: file for files in found.values() for file in files}.values())
    _copy(found["lib"], home / "lib")
    # a jar that lies in lib/ and in a module keeps the server from starting, whatever their versions
    in_lib, in_painless = _artifacts(found["lib"]), _artifacts(found["lang-painless"])
    for name, module in _MODULES.items():
        there = in_lib | (in_painless if module.extends else set())
        folder = home / "modules" / name
        _copy([file for file in found[name] if file.parent.parent not in there], folder)
        (folder / "plugin-descriptor.properties").write_text(_descriptor(name, module))
        if module.permissions:
            granted = "".join(f"  permission {one};\n" for one in module.permissions)
            (folder / "plugin-security.policy").write_text(f"grant {{\n{granted}}};\n")
    with zipfile.ZipFile(found["knn"][0]) as opened:
        opened.extractall(home / "plugins" / "opensearch-knn")


def _resolved(work: Path) -> dict[str, list[Path]]:
    """Each part, and the files that belong to it."""
    wanted = {
        "lib": [f"org.opensearch:opensearch:{VERSION}", *_BESIDE],
        "knn": [f"org.opensearch.plugin:opensearch-knn:{_KNN}:zip"],
        **{name: [f"org.opensearch.plugin:{one.artifact}:{VERSION}"] for name, one in _MODULES.items()},
    }
    for part, coordinates in wanted.items():
        (work / part).mkdir()
        (work / part / "pom.xml").write_text(_pom(part, coordinates))
    (work / "pom.xml").write_text(_pom("all", (), modules=wanted, packaging="pom"))
    maven(work, f"{MAVEN_DEPENDENCY}:build-classpath", "-DincludeScope=runtime", "-Dmdep.outputFile=classpath.txt")
    return {
        part: [Path(one) for one in (work / part / "classpath.txt").read_text().split(os.pathsep) if one]
        for part in wanted
    }


def _pom(name: str, coordinates: Iterable[str], *, modules: Iterable[str] = (), packaging: str = "jar") -> str:
    inside = "".join(f"<module>{one}</module>" for one in modules)
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>local</groupId>'
        f"<artifactId>{name}</artifactId><version>1</version><packaging>{packaging}</packaging>"
        f"<modules>{inside}</modules><dependencies>{''.join(map(_dependency, coordinates))}</dependencies></project>"
    )


def _dependency(coordinates: str) -> str:
    """A zip is wanted without what it depends on."""
    group, artifact, version, *kind = coordinates.split(":")
    alone = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
    return (
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>"
        f"{f'<type>{kind[0]}</type>{alone}' if kind else ''}</dependency>"
    )


def _descriptor(name: str, module: _Module) -> str:
    lines: Mapping[str, str] = {
        "description": f"the module {name}",
        "version": VERSION,
        "name": name,
        "classname": f"org.opensearch.{module.plugin}",
        "java.version": "11",
        "opensearch.version": VERSION,
        "custom.foldername": "",
        "extended.plugins": module.extends,
        "has.native.controller": "false",
    }
    return "".join(f"{key}={value}\n" for key, value in lines.items())


def _copy(files: Iterable[Path], to: Path) -> None:
    to.mkdir(parents=True)
    for file in files:
        shutil.copyfile(file, to / file.name)


def _artifacts(files: Iterable[Path]) -> set[Path]:
    """Their folders in the repository, without the version."""
    return {file.parent.parent for file in files}


def configure(folder: Path, port: int) -> None:
    settings = {"indices.query.bool.max_clause_count": 4_096}  # the most terms in the most fields
    write_configuration(folder, "opensearch.yml", port, settings, _LOGGING)


def command(java: Path, home: Path, folder: Path, options: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The server itself."""
    given = [
        *options, "-XX:MaxDirectMemorySize=512m", "-Xss1m", "-Djava.awt.headless=true",
        "-Dfile.encoding=UTF-8", "-Djna.nosys=true", "-Dio.netty.noUnsafe=true",
        "-Dio.netty.noKeySetOptimization=true", "-Dio.netty.recycler.maxCapacityPerThread=0",
        "-Dio.netty.allocator.numDirectArenas=0", "-Dlog4j.shutdownHookEnabled=false", "-Dlog4j2.disable.jmx=true",
        "-XX:-OmitStackTraceInFastThrow", "-XX:+ExitOnOutOfMemoryError", "-Djava.security.manager=allow",
        f"-Djava.io.tmpdir={folder / 'tmp'}", f"-XX:ErrorFile={folder / 'logs' / 'crash.log'}",
        f"-Djava.library.path={home / 'plugins' / 'opensearch-knn' / 'lib'}",
        f"-Dopensearch.path.home={home}", f"-Dopensearch.path.conf={folder / 'config'}",
        "-Dopensearch.distribution.type=tar", "-Dopensearch.bundled_jdk=false",
    ]  # fmt: skip
    left_out = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    return [str(java), *given, "-cp", f"{home / 'lib'}/*", "org.opensearch.bootstrap.OpenSearch"], environment


SERVER = Server(
    name="opensearch",
    version=VERSION,
    java=(12, 23),  # it installs a security manager, which 24 has no more and 11 names otherwise
    megabytes=73,
    room=300,
    lay_out=lay_out,
    configure=configure,
    command=command,
)
