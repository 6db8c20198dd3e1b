"""Which language is a file written in, by its name and its first line? One table, nothing of contents."""

from __future__ import annotations

import re

#: Extensions by language. A name that several languages share goes to the one that is met most often.
_EXTENSIONS = {
    "ada": "adb ads",
    "apex": "apex",
    "applescript": "applescript scpt",
    "asciidoc": "adoc asciidoc asc",
    "assembly": "s asm nasm",
    "astro": "astro",
    "autohotkey": "ahk",
    "awk": "awk gawk",
    "bash": "sh bash bats zsh ksh ebuild eclass command envrc",
    "batch": "bat cmd",
    "bibtex": "bib",
    "bicep": "bicep",
    "bazel": "bzl bazel star",
    "c": "c h",
    "clojure": "clj cljs cljc edn bb",
    "cmake": "cmake",
    "cobol": "cob cbl cpy",
    "coffeescript": "coffee litcoffee",
    "commonlisp": "lisp lsp cl asd",
    "cpp": "cpp cc cxx c++ hpp hh hxx h++ ipp inl tpp txx ino cppm ixx",
    "crystal": "cr",
    "csharp": "cs csx cake",
    "cshtml": "cshtml razor",
    "css": "css pcss",
    "cuda": "cu cuh",
    "cue": "cue",
    "cython": "pyx pxd pxi",
    "d": "d di",
    "dart": "dart",
    "delphi": "pas dpr dpk pp",
    "diff": "diff patch",
    "dotenv": "env",
    "elixir": "ex exs",
    "elm": "elm",
    "emacslisp": "el",
    "erb": "erb rhtml",
    "erlang": "erl hrl escript",
    "fish": "fish",
    "fortran": "f f77 f90 f95 f03 f08 for",
    "fsharp": "fs fsi fsx",
    "gdscript": "gd",
    "gherkin": "feature",
    "gleam": "gleam",
    "glsl": "glsl vert frag geom comp tesc tese wgsl hlsl fx metal",
    "go": "go",
    "gotemplate": "gotmpl tmpl tpl",
    "graphql": "graphql gql graphqls",
    "groovy": "groovy gradle gvy gsh",
    "haml": "haml slim",
    "handlebars": "hbs handlebars mustache",
    "haskell": "hs hsc",
    "haxe": "hx",
    "html": "html htm xhtml",
    "idris": "idr lidr",
    "ini": "ini cfg conf cnf properties editorconfig desktop service socket timer",
    "java": "java jav",
    "javascript": "js mjs cjs es6 jsm",
    "jinja": "j2 jinja jinja2 njk twig liquid",
    "json": "json jsonc json5 geojson webmanifest code-workspace avsc",
    "jsonl": "jsonl ndjson",
    "jsonnet": "jsonnet libsonnet",
    "jsx": "jsx",
    "julia": "jl",
    "just": "just",
    "kotlin": "kt kts",
    "latex": "tex sty cls ltx",
    "lean": "lean",
    "less": "less",
    "lua": "lua luau rockspec",
    "makefile": "mk mak make",
    "markdown": "md markdown mdown mkd mdx qmd rmd",
    "matlab": "m",
    "nim": "nim nims nimble",
    "nix": "nix",
    "notebook": "ipynb",
    "objectivec": "mm",
    "ocaml": "ml mli mll mly",
    "odin": "odin",
    "org": "org",
    "perl": "pl pm t pod psgi",
    "php": "php phtml php3 php4 php5 php7 phps inc",
    "pony": "pony",
    "postscript": "ps eps",
    "powershell": "ps1 psm1 psd1",
    "prisma": "prisma",
    "prolog": "pro prolog",
    "protobuf": "proto",
    "pug": "pug jade",
    "puppet": "epp",
    "purescript": "purs",
    "python": "py pyi pyw wsgi gyp",
    "r": "r",
    "racket": "rkt rktl",
    "rego": "rego",
    "rescript": "res resi",
    "rst": "rst rest",
    "ruby": "rb rake gemspec ru podspec jbuilder builder thor",
    "rust": "rs",
    "sass": "sass",
    "scala": "scala sc sbt mill",
    "scheme": "scm ss sld",
    "scss": "scss",
    "smalltalk": "st",
    "smithy": "smithy",
    "solidity": "sol",
    "sql": "sql ddl dml pgsql psql plsql plpgsql",
    "starlark": "starlark",
    "stylus": "styl",
    "svelte": "svelte",
    "swift": "swift",
    "systemverilog": "sv svh",
    "tcl": "tcl tk",
    "terraform": "tf tfvars hcl tofu nomad",
    "text": "txt text log",
    "thrift": "thrift",
    "toml": "toml",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "typst": "typ",
    "v": "v vsh",
    "vala": "vala vapi",
    "vb": "vb vbs bas",
    "verilog": "vh vlg",
    "vhdl": "vhd vhdl",
    "vim": "vim vimrc",
    "vue": "vue",
    "wat": "wat wast",
    "xml": "xml xsd xsl xslt xaml svg plist csproj fsproj vbproj props targets resx nuspec pom wsdl storyboard xib rss",
    "yaml": "yaml yml clang-format clang-tidy",
    "zig": "zig zon",
}

#: Whole file names, lower case.
_NAMES = {
    "bash": ".bashrc .bash_profile .bash_aliases .bash_logout .profile .zshrc .zshenv .zprofile .kshrc pkgbuild "
    "apkbuild",
    "bazel": "build workspace module.bazel tiltfile buck",
    "cmake": "cmakelists.txt",
    "dockerfile": "dockerfile containerfile",
    "dotenv": ".env .env.example .env.local .env.sample .env.test",
    "gitignore": ".gitignore .dockerignore .npmignore .gitattributes .eslintignore .prettierignore .callsiteignore "
    "codeowners .mailmap",
    "gomod": "go.mod go.work",
    "groovy": "jenkinsfile",
    "ini": ".gitconfig .gitmodules .npmrc .pylintrc .flake8 .coveragerc pipfile setup.cfg tox.ini",
    "json": ".babelrc .eslintrc .prettierrc .swcrc .jshintrc .stylelintrc .bowerrc composer.lock",
    "just": "justfile .justfile",
    "makefile": "makefile gnumakefile bsdmakefile kbuild",
    "meson": "meson.build meson_options.txt",
    "python": "sconstruct sconscript wscript snakefile",
    "requirements": "requirements.txt constraints.txt requirements-dev.txt",
    "ruby": "gemfile rakefile guardfile podfile fastfile capfile vagrantfile brewfile dangerfile appraisals berksfile "
    ".irbrc .pryrc config.ru puppetfile",
    "text": "readme license licence copying notice authors contributors changelog changes todo news install version",
    "vim": ".vimrc .gvimrc _vimrc",
    "yaml": ".clang-format .clang-tidy .yamllint .gemrc",
}

#: The program of a `#!` line, without its version.
_PROGRAMS = {
    "python": "python pypy ipython uv",
    "bash": "sh bash zsh dash ksh ash bats",
    "fish": "fish",
    "javascript": "node nodejs bun qjs",
    "typescript": "deno ts-node tsx",
    "ruby": "ruby jruby rake macruby",
    "perl": "perl",
    "php": "php",
    "lua": "lua luajit",
    "elixir": "elixir iex",
    "erlang": "escript",
    "awk": "awk gawk mawk",
    "tcl": "tclsh wish expect",
    "r": "rscript",
    "haskell": "runhaskell runghc stack",
    "scala": "scala amm",
    "kotlin": "kotlin",
    "groovy": "groovy",
    "julia": "julia",
    "swift": "swift",
    "go": "go",
    "rust": "rust-script",
    "makefile": "make gmake",
    "powershell": "pwsh powershell",
    "clojure": "bb clojure",
    "racket": "racket",
    "scheme": "guile csi",
    "nix": "nix-shell",
    "just": "just",
}


def _inverted(table: dict[str, str]) -> dict[str, str]:
    return {word: language for language, words in table.items() for word in words.split()}


_LANGUAGE_BY_EXTENSION = _inverted(_EXTENSIONS)
_LANGUAGE_BY_NAME = _inverted(_NAMES)
_LANGUAGE_BY_PROGRAM = _inverted(_PROGRAMS)

#: What editors' modelines call a language, where the name is not ours.
_LANGUAGE_BY_MODE = {
    "c++": "cpp",
    "c#": "csharp",
    "golang": "go",
    "sh": "bash",
    "shell": "bash",
    "shell-script": "bash",
    "zsh": "bash",
    "js": "javascript",
    "js2": "javascript",
    "cs": "csharp",
    "make": "makefile",
    "yml": "yaml",
    "emacs-lisp": "emacslisp",
    "lisp": "commonlisp",
}

_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*(?:\S*/)?)?([A-Za-z][\w+-]*)")
_MODELINE = re.compile(r"-\*-\s*(?:mode:\s*)?([\w+#-]+)|\bvim?:.*?\b(?:ft|filetype|syntax)=([\w+#-]+)", re.IGNORECASE)
_SHORT_NAME = 5  #: `.editorconfig` is told by its whole name, `.c` is not
_TEMPLATE_ENDINGS = (".in", ".example", ".sample", ".dist", ".template", ".bak", ".orig")

#: Names that are continued at will: `Dockerfile.dev`, `Makefile-linux`.
_FAMILIES = frozenset(("dockerfile", "containerfile", "makefile", "jenkinsfile", "gemfile"))

LANGUAGES = frozenset((*_EXTENSIONS, *_NAMES, *_PROGRAMS))


def language_of(path: str, first_line: str = "") -> str:
    """The canonical name of the language, "" for text that nothing is known about."""
    name = path.rpartition("/")[2].lower()
    return _by_name(name) or _by_first_line(first_line)


def language_named(word: str) -> str:
    """The language that a person calls so: by its name, an extension or an editor's name; "" for none."""
    word = word.strip().lower()
    if word in LANGUAGES:
        return word
    return _LANGUAGE_BY_MODE.get(word) or _LANGUAGE_BY_EXTENSION.get(word.removeprefix("."), "")


def _by_name(name: str) -> str:
    for ending in _TEMPLATE_ENDINGS:
        name = name.removesuffix(ending) or name
    if name in _LANGUAGE_BY_NAME:
        return _LANGUAGE_BY_NAME[name]
    stem, _, extension = name.rpartition(".")
    if extension in _LANGUAGE_BY_EXTENSION and (stem or len(extension) > _SHORT_NAME):
        return _LANGUAGE_BY_EXTENSION[extension]
    if (family := re.split(r"[.\-_]", name)[0]) in _FAMILIES:
        return _LANGUAGE_BY_NAME[family]
    if extension in ("dockerfile", "containerfile"):
        return "dockerfile"
    return ""


def _by_first_line(line: str) -> str:
    shebang = _SHEBANG.match(line.lstrip("\ufeff"))
    if shebang:
        program = shebang[1].lower()
        return _LANGUAGE_BY_PROGRAM.get(program) or _LANGUAGE_BY_PROGRAM.get(program.rstrip("0123456789.-"), "")
    mode = _MODELINE.search(line)
    if mode:
        word = (mode[1] or mode[2]).lower()
        return _LANGUAGE_BY_MODE.get(word) or (word if word in LANGUAGES else "")
    if line.startswith("<?php"):
        return "php"
    if line.lower().startswith(("<!doctype html", "<html")):
        return "html"
    return "xml" if line.startswith("<?xml") else ""
