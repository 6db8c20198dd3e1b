"""Shells complete what the parser knows."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from callsite.cli.arguments import UsageError
from callsite.cli.completion import script
from callsite.cli.options import COMMANDS, SHELLS


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_knows_every_command_and_is_read_by_its_shell(shell):
    """Where that shell is installed."""
    text = script(shell)
    assert [name for name in COMMANDS if name not in text] == []
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=text, text=True, capture_output=True, check=False).stderr == ""


def _completed(*words):
    line = (
        f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _callsite; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(["bash", "-c", script("bash") + line], text=True, capture_output=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("callsite", "s"), ["search", "status", "stores"]),
        (("callsite", "search", "--ma"), ["--markdown"]),
        (("callsite", "search", "--color", "a"), ["auto", "always"]),
        (("callsite", "completion", "f"), ["fish"]),
        (("callsite", "words", "--js"), ["--json"]),
        (("callsite", "files", "--sk"), ["--skipped"]),
        (("callsite", "search", "wor"), []),
    ],
)
def test_bash_completes(words, expected):
    """Commands, options of the command, values; anything else is left to file names."""
    assert _completed(*words) == expected


def test_another_shell_is_refused():
    """With those that there are."""
    with pytest.raises(UsageError, match="bash, zsh, fish"):
        script("tcsh")
