"""The forms of an answer, letter by letter; `pytest tests/acceptance --update-golden` writes them anew."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "golden" / "cli"

CASES = {
    "text": ["total price", "-n", "1"],
    "text-cut": ["SessionStore", "-n", "1"],
    "text-whole": ["SessionStore", "-n", "1", "--full"],
    "text-colours": ["total price", "-n", "1", "--color", "always"],
    "text-nothing": ["zyxwv"],
    "markdown": ["total price", "-n", "1", "--markdown"],
    "json": ["total price", "-n", "1", "--json"],
    "files-only": ["-l", "-n", "1", "total price"],
    "files": ["files"],
    "files-skipped": ["files", "--skipped"],
    "status": ["status"],
    "status-json": ["status", "--json"],
    "error-option": ["search", "a", "--bad"],
    "error-path": ["search", "a", "--in", "nowhere"],
    "error-type": ["search", "a", "--type", "banana"],
    "completion-bash": ["completion", "bash"],
    "completion-zsh": ["completion", "zsh"],
    "completion-fish": ["completion", "fish"],
}


@pytest.mark.parametrize("name", CASES)
def test_the_form_is_as_agreed(ask, name, request):
    """A change shows as a difference of text; scores are left out, they belong to the ranking."""
    ask("index")
    result = ask(*CASES[name])
    shown = _without_changing_parts(result.out, ask) + "".join(f"! {line}\n" for line in result.err.splitlines())
    shown += f"exit code {result.code}\n"
    file = FOLDER / f"{name}.txt"
    if request.config.getoption("--update-golden"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(shown.encode())
    assert shown == file.read_bytes().decode()


def _without_changing_parts(text, ask):
    if text.startswith("{"):
        text = json.dumps(_without_scores(json.loads(text)), indent=1, ensure_ascii=False) + "\n"
    text = re.sub(re.escape(str(ask.home)) + r"[^\s\"]*", "<cache>", text)
    return text.replace(str(ask.place), "<shop>")


def _without_scores(record):
    for hit in record.get("hits", []):
        hit["score"], hit["reasons"] = 0, []
    return record
