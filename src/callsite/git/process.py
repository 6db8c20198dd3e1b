"""How is the git program run: found, cut off from its caller's environment, read to the end, always reaped.

It must not know what any command means.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from callsite.errors import GitError
from callsite.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    import subprocess

#: Older programs lack `status --no-renames` or print porcelain v2 differently.
OLDEST_GIT = (2, 20)

#: No hook, no file monitor, no transport. An empty `core.fsmonitor` means "none" to every version; `false` is the name
#: of a program to old ones.
OVERRIDES = (
    "-c", "protocol.allow=never",
    "-c", "core.fsmonitor=",
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "core.quotepath=off",
)  # fmt: skip

#: `GIT_ALLOW_PROTOCOL` also beats a `protocol.file.allow=always` in a repository's own configuration.
#: Replaced objects would give one id two contents, so they are off.
SETTINGS = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}

#: What stays of the caller's `GIT_*` variables: where the person's own configuration lies, nothing about a repository.
KEPT = ("GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH")
KEPT_PREFIXES = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")

PIPE_PIECE = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A command that came to its end."""

    code: int
    out: bytes
    problems: tuple[str, ...]  #: lines of the error stream, as text


def run(directory: str, *arguments: str) -> Finished:
    """Run git in a directory, without input, and wait for its end; GitError if there is no git."""
    return start(directory, *arguments).finish()


def run_with_input(directory: str, text: bytes, *arguments: str) -> Finished:
    """Run git with a text on its input, where no name can be taken for an option."""
    import subprocess

    done = subprocess.run(command(directory, *arguments), input=text, capture_output=True, env=surroundings(directory))
    return Finished(code=done.returncode, out=done.stdout, problems=_lines(done.stderr))


def start(directory: str, *arguments: str) -> Running:
    """Start git in a directory and return at once, so that the caller can do other things meanwhile."""
    line, environment = command(directory, *arguments), surroundings(directory)
    try:
        return _spawned(line, environment) or PopenRunning(line, environment)
    except OSError as error:
        raise GitError(f"git cannot be started ({error.strerror}): {line[0]}; check the installation of git") from error


def command(directory: str, *arguments: str) -> list[str]:
    """The full command line; GitError if no git program is on PATH."""
    return [program(), "-C", directory, *OVERRIDES, *arguments]


def program() -> str:
    """The git program's absolute path; a relative entry of PATH could name a file of the repository and is left out."""
    name = "git.exe" if sys.platform == "win32" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        candidate = os.path.join(folder, name)
        if os.path.isabs(folder) and os.access(candidate, os.X_OK) and os.path.isfile(candidate):
            return candidate
    raise GitError(f"git was not found on PATH; install git {version_text(OLDEST_GIT)} or newer")


def surroundings(directory: str) -> dict[str, str]:
    """The environment of a git process that may look into this directory but not above it."""
    kept = {name: value for name, value in os.environ.items() if _is_kept(name)}
    return {**kept, **SETTINGS, "GIT_CEILING_DIRECTORIES": os.path.dirname(directory)}


def version() -> tuple[int, ...]:
    """The version of the git program, (0,) if it doesn't say."""
    words = run(os.path.abspath(os.sep), "--version").out.decode("ascii", "replace").split()
    numbers = words[2].split(".") if len(words) > 2 else []
    return tuple(int(number) for number in numbers[:3] if number.isdigit()) or (0,)


def version_text(numbers: tuple[int, ...]) -> str:
    """A version as people write it."""
    return ".".join(map(str, numbers))


def complaint(finished: Finished) -> str:
    """Why a command failed, in one line that names an outdated git if that may be the cause."""
    lines = [line for line in finished.problems if not line.startswith(("warning:", "hint:"))]
    said = lines[0].removeprefix("fatal: ").removeprefix("error: ") if lines else f"exit code {finished.code}"
    found = version()
    if found >= OLDEST_GIT:
        return said
    return f"git {version_text(found)} is too old, {version_text(OLDEST_GIT)} or newer is needed ({said})"


class Running:
    """A git process started with `posix_spawn`: this saves the 3 ms that importing `subprocess` takes."""

    def __init__(self, process: int, streams: tuple[int, int]) -> None:
        self._process = process
        self._streams = streams

    def finish(self) -> Finished:
        """Everything that it wrote, and its exit code; may be called once."""
        try:
            out, problems = _read_all(*self._streams)
        finally:
            code = self.abandon()
        return Finished(code=code, out=out, problems=_lines(problems))

    def abandon(self) -> int:
        """Close the streams and reap the process; a process that still writes is stopped by that."""
        for stream in self._streams:
            os.close(stream)
        self._streams = ()  # type: ignore[assignment]
        try:
            return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])
        except ChildProcessError:  # the host program ignores SIGCHLD: the system reaped it and the code is lost
            return 0


class PopenRunning(Running):
    """The same through `subprocess`: for systems without `posix_spawn` and processes without standard streams."""

    def __init__(self, line: list[str], environment: Mapping[str, str]) -> None:
        import subprocess

        pipe = subprocess.PIPE
        self._popen: subprocess.Popen[bytes] = subprocess.Popen(
            line, env=environment, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe
        )

    def finish(self) -> Finished:
        out, problems = self._popen.communicate()
        return Finished(code=self._popen.returncode, out=out, problems=_lines(problems))

    def abandon(self) -> int:
        with self._popen:
            self._popen.kill()
        return self._popen.returncode


def _is_kept(name: str) -> bool:
    return not name.startswith("GIT_") or name in KEPT or name.startswith(KEPT_PREFIXES)


def _spawned(line: list[str], environment: Mapping[str, str]) -> Running | None:
    """None where `posix_spawn` is missing or a pipe got the number of a standard stream that this process lacks."""
    if not hasattr(os, "posix_spawn"):
        return None
    out, problems = os.pipe(), os.pipe()
    try:
        process = None if min(out + problems) < 3 else _spawn(line, environment, out[1], problems[1])
    except OSError:
        _close(out[0], problems[0])
        raise
    finally:
        _close(out[1], problems[1])
    if process is None:
        _close(out[0], problems[0])
        return None
    return Running(process, (out[0], problems[0]))


def _spawn(line: list[str], environment: Mapping[str, str], out: int, problems: int) -> int:
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, out, 1),
        (os.POSIX_SPAWN_DUP2, problems, 2),
    ]
    return os.posix_spawn(line[0], line, environment, file_actions=actions)


def _close(*streams: int) -> None:
    for stream in streams:
        os.close(stream)


def _read_all(out: int, problems: int) -> tuple[bytes, bytes]:
    """Both streams to their end, alternating, so that neither fills its pipe and stops the process."""
    import select

    pieces: dict[int, list[bytes]] = {out: [], problems: []}
    poll = select.poll()
    for stream in pieces:
        poll.register(stream, select.POLLIN)
    n_open = len(pieces)
    while n_open:
        for stream, _ in poll.poll():
            if piece := os.read(stream, PIPE_PIECE):
                pieces[stream].append(piece)
            else:
                poll.unregister(stream)
                n_open -= 1
    return b"".join(pieces[out]), b"".join(pieces[problems])


def _lines(text: bytes) -> tuple[str, ...]:
    return tuple(line for line in text.decode("utf-8", "surrogateescape").splitlines() if line.strip())
