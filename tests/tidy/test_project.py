"""The project file asks for what the code imports, and the notices name it."""

from __future__ import annotations

import re
import tomllib

from house import ROOT, SOURCE, imported_names, modules

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

#: Import name → name of the distribution, where the two differ in more than case and underscores.
DISTRIBUTIONS = {"stemmer": "pystemmer", "opensearchpy": "opensearch-py"}


def _named(lines: list[str]) -> set[str]:
    return {re.split(r"[<>=~!\[; ]", line)[0].lower() for line in lines}


def _required() -> set[str]:
    """With every extra, but not what only tests need."""
    extras = PROJECT["optional-dependencies"]
    return _named(PROJECT["dependencies"]).union(*(_named(extras[name]) for name in extras if name != "dev"))


def _imported() -> set[str]:
    import sys

    names = {name.split(".")[0] for path in modules() for name in imported_names(path)}
    names |= {name for path in modules() for name in re.findall(r'module="(\w+)"', path.read_text("utf-8"))}
    foreign = {name.lower() for name in names - sys.stdlib_module_names - {"callsite"} if name[:1] not in ("", "_")}
    return {DISTRIBUTIONS.get(name, name.replace("_", "-")) for name in foreign}


def test_the_dependencies_are_what_is_imported():
    """Nothing more, nothing less: grammars are named in the records of languages."""
    assert _required() == _imported()


def test_every_dependency_has_a_lower_bound():
    """The oldest version that the tests have passed with."""
    assert [line for line in PROJECT["dependencies"] if ">=" not in line] == []


def test_the_notices_name_every_dependency():
    """With its licence, in a line of its own."""
    notices = {
        line.split()[0].lower() for line in (ROOT / "NOTICE").read_text("utf-8").splitlines() if line[:2] == "  "
    }
    assert _required() - notices == set()


def test_the_licence_is_the_whole_apache_licence():
    """With its appendix."""
    text = (ROOT / "LICENSE").read_text("utf-8")
    assert "Version 2.0, January 2004" in text
    assert "APPENDIX: How to apply the Apache License to your work." in text


def test_the_command_leads_to_a_function():
    """The installed script calls what exists."""
    module, _, function = PROJECT["scripts"]["callsite"].partition(":")
    path = SOURCE.parent / (module.replace(".", "/") + ".py")
    assert f"def {function}(" in path.read_text("utf-8")
