"""Which language does a path name?"""

from __future__ import annotations

import pytest

from callsite.code import analyse, language_of
from callsite.code.grammars import GRAMMAR_LANGUAGES
from callsite.code.languages import LANGUAGES

LANGUAGE_BY_PATH = {
    "a.py": "python",
    "a/b.TS": "typescript",
    "a.tsx": "tsx",
    "a.jsx": "jsx",
    "a.h": "c",
    "a.hpp": "cpp",
    "a.cs": "csharp",
    "a.d.ts": "typescript",
    "Dockerfile": "dockerfile",
    "docker/Dockerfile.dev": "dockerfile",
    "api.dockerfile": "dockerfile",
    "Makefile": "makefile",
    "CMakeLists.txt": "cmake",
    "Gemfile": "ruby",
    ".github/workflows/ci.yml": "yaml",
    "config.yaml.example": "yaml",
    ".gitignore": "gitignore",
    ".editorconfig": "ini",
    ".bashrc": "bash",
    "go.mod": "gomod",
    "README": "text",
    "a.md": "markdown",
    "a.ipynb": "notebook",
    ".c": "",
    "bin/tool": "",
    "folder.py/tool": "",
}
LANGUAGE_BY_LINE = {
    "#!/bin/sh": "bash",
    "#!/usr/bin/env python3": "python",
    "#!/usr/bin/env -S node --no-warnings": "javascript",
    "#!/usr/bin/python2.7 -u": "python",
    "#! /usr/local/bin/ruby": "ruby",
    "# -*- mode: ruby -*-": "ruby",
    "// -*- C++ -*-": "cpp",
    "# vim: set ft=sh :": "bash",
    "<?php": "php",
    "<?xml version='1.0'?>": "xml",
    "<!DOCTYPE html>": "html",
    "hello": "",
}
LANGUAGE_BY_CONTENT = {
    ("a.h", "int f(void);\n"): "c",
    ("a.h", "namespace a { class B; }\n"): "cpp",
    ("a.h", "#include <vector>\nstd::vector<int> f();\n"): "cpp",
    ("a.m", "#import <Foundation/Foundation.h>\n"): "objectivec",
    ("a.m", "function y = f(x)\n"): "matlab",
    ("a.v", "module a(input b);\nendmodule\n"): "verilog",
}


@pytest.mark.parametrize("path", LANGUAGE_BY_PATH)
def test_language_by_path(path: str) -> None:
    """File names and extensions name a language, whatever their case."""
    assert language_of(path) == LANGUAGE_BY_PATH[path]


@pytest.mark.parametrize("line", LANGUAGE_BY_LINE)
def test_language_by_first_line(line: str) -> None:
    """A file without an extension says in its first line what it is."""
    assert language_of("bin/tool", line) == LANGUAGE_BY_LINE[line]


@pytest.mark.parametrize(("path", "text"), LANGUAGE_BY_CONTENT)
def test_language_by_content(path: str, text: str) -> None:
    """Where languages share an extension, the content decides."""
    assert analyse(path, text.encode()).language == LANGUAGE_BY_CONTENT[path, text]


def test_every_grammar_has_a_name_in_the_table() -> None:
    """No record of a grammar is out of reach."""
    assert GRAMMAR_LANGUAGES <= LANGUAGES
