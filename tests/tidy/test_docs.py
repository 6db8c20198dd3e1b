"""The documentation names everything there is, its links lead somewhere, and its generated part is up to date."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from house import ROOT, SOURCE, modules, pages, shown

import callsite
from callsite import settings
from callsite.cli.help import make_parser
from callsite.cli.options import COMMANDS

#: Settings that are asked for by another name than their own.
READ_AS = {"workers": r"settings\.n_workers\b", "debug": r"\bis_debugging\("}


def _text(*names: str) -> str:
    return "\n".join((ROOT / name).read_text("utf-8") for name in names)


def test_the_generated_reference_is_up_to_date():
    """`scripts/reference` writes it; what is committed is what it writes."""
    command = [sys.executable, str(ROOT / "scripts" / "reference"), "--check"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, ""), run.stdout + run.stderr


def test_every_setting_is_in_the_reference_and_is_read_by_somebody():
    """A setting that nobody reads is a promise that nobody keeps."""
    page = _text("docs/reference/settings.md")
    elsewhere = "".join(path.read_text("utf-8") for path in modules() if path != SOURCE / "settings.py")
    for setting in settings.TABLE:
        assert f"`{setting.name}`" in page
        pattern = READ_AS.get(setting.name, rf"(?:settings|\))\.{setting.name}\b")
        assert re.search(pattern, elsewhere), f"nobody reads the setting {setting.name}"


def test_every_command_and_option_is_in_the_reference():
    """The page comes from the parser, so this fails only if the generator loses something."""
    page = _text("docs/reference/commands.md")
    assert [name for name in COMMANDS if f"## callsite {name}\n" not in page] == []
    options = {o for action in make_parser()._actions for o in action.option_strings}
    assert [option for option in options if f"`{option}`" not in page] == []


def test_every_command_is_explained_outside_of_the_reference():
    """A table of options teaches nobody what a command is good for."""
    prose = "\n".join(path.read_text("utf-8") for path in pages() if "reference" not in path.parts)
    assert [name for name in COMMANDS if f"callsite {name}" not in prose] == []


def test_every_public_name_is_in_the_reference():
    """Errors on their page, all else on that of the API."""
    page = _text("docs/reference/api.md", "docs/reference/errors.md")
    assert [name for name in callsite.__all__ if f"## {name}\n" not in page and f"`{name}`" not in page] == []


def test_the_changelog_tells_of_the_version():
    """The version that the package says has its part."""
    assert f"## {callsite.__version__}" in _text("CHANGELOG.md")


def _links(page: Path) -> list[str]:
    text = re.sub(r"(?s)```.*?```|`[^`\n]*`", "", page.read_text("utf-8"))
    return [target for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", text) if "://" not in target]


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the usual hosts of Markdown make them."""
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?s)```.*?```", "", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", pages(), ids=shown)
def test_links_lead_somewhere(page):
    """To a file that exists, and to a heading that it has."""
    for target in _links(page):
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), f"{shown(page)}: {target}"
        if anchor:
            assert anchor in _anchors(file), f"{shown(page)}: {target}"


def test_every_page_can_be_reached():
    """From the README, link by link."""
    seen: set[Path] = set()
    todo = [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        todo += [(page.parent / target.partition("#")[0]).resolve() for target in _links(page) if target[0] != "#"]
    assert [shown(page) for page in pages() if page not in seen] == []


@pytest.mark.parametrize("page", [page for page in pages() if page.name in ("ARCHITECTURE.md",) or "why" in page.parts])
def test_modules_that_a_page_names_exist(page):
    """Named in back-ticks by the end of their path: `run.py`, `index/update.py`."""
    there = [path.as_posix() for path in (*modules(), *SOURCE.rglob("*.sql"))]
    named = re.findall(r"`([\w/]+\.(?:py|sql))`", page.read_text("utf-8"))
    lost = [name for name in named if "/" not in name or not name.startswith(("tests/", "docs/"))]
    assert [name for name in lost if not any(path.endswith("/" + name) for path in there)] == []


@pytest.mark.parametrize("page", [page for page in pages() if page.name != "tutorial.md"], ids=shown)
def test_files_that_a_page_names_exist(page):
    """Names in back-ticks that start like a path of this repository."""
    text = page.read_text("utf-8")
    named = re.findall(r"`((?:src|tests|docs|scripts|\.ci|benchmarks)/[\w./-]+)`", text)
    assert [name for name in named if not (ROOT / name).exists()] == []
