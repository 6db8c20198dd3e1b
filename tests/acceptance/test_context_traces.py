"""S10: a report with a trace is recognised without being told, in every language; frames choose among equal files."""

from __future__ import annotations

import pytest
from command_line import write

import callsite

PROSE = "Wrong sum at the till\n\nSince last week the till shows nonsense. This is what we got:\n\n"

#: Form → two files of equal text, the text, and what a runtime prints for a place in one of them.
CASES = {
    "python": (
        ("shop/till/cart.py", "shop/attic/cart.py"),
        "RATE = 2\n\n\ndef total(items):\n    return sum(items) * RATE\n",
        'Traceback (most recent call last):\n  File "/home/ci/{path}", line 5, in total\n    return sum(items) * RATE\n'
        "TypeError: unsupported operand\n",
    ),
    "python in site-packages": (
        ("src/till/cart.py", "src/attic/cart.py"),
        "RATE = 2\n\n\ndef total(items):\n    return sum(items) * RATE\n",
        'Traceback (most recent call last):\n  File "/venv/lib/python3.11/site-packages/{below}", line 5, in total\n'
        '  File "/opt/venv/lib/python3.11/site-packages/requests/models.py", line 9, in total\nKeyError: 1\n',
    ),
    "python on windows": (
        ("shop/till/cart.py", "shop/attic/cart.py"),
        "RATE = 2\n\n\ndef total(items):\n    return sum(items) * RATE\n",
        'Traceback (most recent call last):\n  File "C:\\Users\\ann\\{windows}", line 5, in total\nKeyError: 1\n',
    ),
    "pytest": (
        ("shop/till/cart.py", "shop/attic/cart.py"),
        "RATE = 2\n\n\ndef total(items):\n    return sum(items) * RATE\n",
        "____ test_sum ____\n\n    def test_sum():\n>       assert total([1]) == 2\n\ntests/test_till.py:4:\n_ _ _\n\n"
        "    def total(items):\n>       return sum(items) * RATE\nE       TypeError: unsupported operand\n\n"
        "{path}:5: TypeError\n",
    ),
    "javascript": (
        ("src/till/cart.js", "src/attic/cart.js"),
        "const RATE = 2;\n\nfunction total(items) {\n  return items.length * RATE;\n}\nmodule.exports = { total };\n",
        "TypeError: Cannot read properties of undefined\n    at total (/app/{path}:4:16)\n"
        "    at Layer.handle (/app/node_modules/express/lib/router/layer.js:95:5)\n"
        "    at node:internal/main/run_main_module:23:47\n",
    ),
    "javascript of an installed package": (
        ("lib/till/cart.js", "lib/attic/cart.js"),
        "const RATE = 2;\n\nfunction total(items) {\n  return items.length * RATE;\n}\nmodule.exports = { total };\n",
        "TypeError: Cannot read properties of undefined\n    at total (/app/node_modules/tillkit/{path}:4:16)\n"
        "    at run (/app/node_modules/tillkit/{path}:3:1)\n    at /app/server.js:1:1\n",
    ),
    "typescript that was built": (
        ("src/till/cart.ts", "src/attic/cart.ts"),
        "const RATE = 2;\n\nexport function total(items: number[]): number {\n  return items.length * RATE;\n}\n",
        "TypeError: x is not a function\n    at total (webpack-internal:///./{path}:4:16)\n    at /app/main.js:1:1\n",
    ),
    "firefox": (
        ("src/till/cart.js", "src/attic/cart.js"),
        "const RATE = 2;\n\nfunction total(items) {\n  return items.length * RATE;\n}\n",
        "total@https://till.example/{path}:4:16\nonClick/<@https://till.example/page.js:1:1\n",
    ),
    "java": (
        ("src/main/java/org/till/Cart.java", "src/main/java/org/attic/Cart.java"),
        "package org.x;\n\nclass Cart {\n    int total(int[] items) {\n        return items.length * 2;\n    }\n}\n",
        'Exception in thread "main" java.lang.IllegalStateException: broken\n'
        "\tat java.base/java.util.Objects.requireNonNull(Objects.java:221)\n\tat {package}.Cart.total(Cart.java:5)\n"
        "\t... 3 more\n",
    ),
    "kotlin": (
        ("src/main/kotlin/org/till/Cart.kt", "src/main/kotlin/org/attic/Cart.kt"),
        "package org.x\n\nclass Cart {\n    fun total(items: List<Int>): Int {\n        return items.size\n    }\n}\n",
        "java.lang.IllegalStateException: broken\n\tat {package}.Cart.total(Cart.kt:5)\n\tat kotlin.Foo.go(Foo.kt:2)\n",
    ),
    "scala": (
        ("src/main/scala/org/till/Cart.scala", "src/main/scala/org/attic/Cart.scala"),
        "package org.x\n\nclass Cart {\n  def total(items: List[Int]): Int = {\n    items.size * 2\n  }\n}\n",
        "java.lang.IllegalStateException: broken\n\tat {package}.Cart.total(Cart.scala:5)\n",
    ),
    "ruby": (
        ("lib/till/cart.rb", "lib/attic/cart.rb"),
        "class Cart\n  RATE = 2\n\n  def total(items)\n    items.sum * RATE\n  end\nend\n",
        "/srv/app/{path}:5:in `total': undefined method `sum' for nil (NoMethodError)\n\tfrom bin/till:3:in `<main>'\n",
    ),
    "ruby gem": (
        ("lib/till/cart.rb", "lib/attic/cart.rb"),
        "class Cart\n  RATE = 2\n\n  def total(items)\n    items.sum * RATE\n  end\nend\n",
        "/usr/lib/ruby/gems/3.2.0/gems/tillkit-1.2.3/{path}:5:in `total': undefined method `sum' (NoMethodError)\n"
        "\tfrom /usr/lib/ruby/gems/3.2.0/gems/rack-3.0.8/lib/rack/builder.rb:3:in `call'\n",
    ),
    "go": (
        ("till/cart.go", "attic/cart.go"),
        "package x\n\nconst rate = 2\n\nfunc Total(items []int) int {\n\treturn items[3] * rate\n}\n",
        "panic: runtime error: index out of range [3] with length 1\n\ngoroutine 1 [running]:\n"
        "example.org/shop/x.Total(...)\n\t/home/ci/shop/{path}:6\nmain.main()\n\t/home/ci/shop/main.go:3 +0x1d\n",
    ),
    "go module": (
        ("till/cart.go", "attic/cart.go"),
        "package x\n\nconst rate = 2\n\nfunc Total(items []int) int {\n\treturn items[3] * rate\n}\n",
        "panic: runtime error: index out of range [3]\n\ngoroutine 1 [running]:\n"
        "example.org/shop/x.Total(...)\n\t/home/ci/go/pkg/mod/example.org/shop@v1.2.3/{path}:6 +0x1d\n"
        "example.org/web.Serve()\n\t/home/ci/go/pkg/mod/example.org/web@v0.1.0/serve.go:3 +0x1d\n",
    ),
    "c# on windows": (
        ("src/Till/Cart.cs", "src/Attic/Cart.cs"),
        "namespace X;\n\nclass Cart\n{\n    int Total(int[] items)\n    {\n        return items.Length;\n    }\n}\n",
        "Unhandled exception. System.InvalidOperationException: broken\n   at System.Linq.ThrowHelper.Throw()\n"
        "   at X.Cart.Total(Int32[] items) in D:\\a\\shop\\{windows}:line 7\n",
    ),
    "php": (
        ("src/Till/Cart.php", "src/Attic/Cart.php"),
        "<?php\n\nclass Cart\n{\n    function total($items)\n    {\n        return count($items) * 2;\n    }\n}\n",
        "PHP Fatal error:  Uncaught TypeError: broken in /var/www/{path}:7\nStack trace:\n"
        "#0 /var/www/public/index.php(3): X\\Cart->total(Array)\n#1 {{main}}\n  thrown in /var/www/{path} on line 7\n",
    ),
    "rust": (
        ("src/till/cart.rs", "src/attic/cart.rs"),
        "const RATE: usize = 2;\n\npub fn total(items: &[usize]) -> usize {\n    items[3] * RATE\n}\n",
        "thread 'main' panicked at {path}:4:5:\nindex out of bounds\nstack backtrace:\n   0: rust_begin_unwind\n"
        "             at /rustc/0123abcd/library/std/src/panicking.rs:645:5\n   1: shop::total\n"
        "             at ./{path}:4:5\n",
    ),
    "rust crate": (
        ("src/till/cart.rs", "src/attic/cart.rs"),
        "const RATE: usize = 2;\n\npub fn total(items: &[usize]) -> usize {\n    items[3] * RATE\n}\n",
        "thread 'main' panicked at /home/ci/.cargo/registry/src/index.crates.io-6f17d22b/tillkit-1.2.3/{path}:4:5:\n"
        "index out of bounds\n",
    ),
    "gdb": (
        ("src/till/cart.c", "src/attic/cart.c"),
        "static int rate = 2;\n\nint total(int *items)\n{\n    return items[3] * rate;\n}\n",
        "#0  0x00007f in raise () from /lib/libc.so.6\n#1  0x0000aa in total (items=0x0) at ../{path}:5\n"
        "#2  main () at main.c:3\n",
    ),
    "sanitizer": (
        ("src/till/cart.cpp", "src/attic/cart.cpp"),
        "static int rate = 2;\n\nint total(int *items)\n{\n    return items[3] * rate;\n}\n",
        "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60\n"
        "    #0 0x4f1c2d in total(int*) /build/{path}:5:12\n    #1 0x4f1c2e in __libc_start_main /glibc/csu/libc.c:4\n",
    ),
    "swift": (
        ("Sources/till/Cart.swift", "Sources/attic/Cart.swift"),
        "let rate = 2\n\nfunc total(items: [Int]) -> Int {\n    return items[3] * rate\n}\n",
        "{path}:4: Fatal error: Index out of range\n",
    ),
    "elixir": (
        ("lib/till/cart.ex", "lib/attic/cart.ex"),
        "defmodule X.Cart do\n  @rate 2\n\n  def total(items) do\n    length(items) * @rate\n  end\nend\n",
        "** (ArgumentError) argument error\n    (shop 0.1.0) {path}:5: X.Cart.total/1\n"
        '    (elixir 1.15.0) lib/enum.ex:2528: Enum."-sum/1-"/2\n',
    ),
    "lua": (
        ("src/till/cart.lua", "src/attic/cart.lua"),
        "local rate = 2\n\nfunction total(items)\n  return #items * rate\nend\n",
        "lua: {path}:4: attempt to get length of a nil value\nstack traceback:\n\t{path}:4: in function 'total'\n",
    ),
    "perl": (
        ("lib/Till/Cart.pm", "lib/Attic/Cart.pm"),
        "package X::Cart;\n\nsub total {\n    my (@items) = @_;\n    return 2 * @items;\n}\n1;\n",
        "Can't use an undefined value at {path} line 5.\n",
    ),
    "haskell": (
        ("src/Till/Cart.hs", "src/Attic/Cart.hs"),
        "module Cart where\n\ntotal :: [Int] -> Int\ntotal items =\n  error (show items)\n",
        "shop: [1]\nCallStack (from HasCallStack):\n  error, called at {path}:5:3 in shop-0.1:Cart\n",
    ),
}  # fmt: skip


def printed(template: str, path: str) -> str:
    """What is printed for a place in the file."""
    folders = path.rpartition("/")[0]
    package = folders.partition("main/")[2].partition("/")[2].replace("/", ".")
    return template.format(
        path=path, below=path.partition("/")[2], windows=path.replace("/", "\\"), package=package
    )  # fmt: skip


@pytest.fixture
def opened(tmp_path):
    """Opens a tree of these files."""

    def open_tree(files):
        write(tmp_path / "tree", {"README.md": "# A shop with a till\n", **files})
        return callsite.open(tmp_path / "tree", home=str(tmp_path / "home"))

    return open_tree


@pytest.mark.parametrize("form", CASES)
def test_s10_the_frame_chooses_among_equal_files(form, opened):
    """Each of the two in turn; the function that it names comes first."""
    paths, text, template = CASES[form]
    with opened(dict.fromkeys(paths, text)) as engine:
        for path in paths:
            hits = engine.context(PROSE + printed(template, path)).hits
            assert hits[0].path == path
            assert "total" in hits[0].text.lower()


@pytest.mark.parametrize(
    "wrap",
    [
        lambda trace: f"```\n{trace}```\nAny idea?\n",
        lambda trace: "".join(f"> {line}\n" for line in trace.splitlines()),
        lambda trace: "".join(f"    {line}\n" for line in trace.splitlines()),
        lambda trace: "".join(f"2026-01-02T03:04:05.678Z till[12]: {line}\n" for line in trace.splitlines()),
        lambda trace: trace.replace("\n", "\r\n"),
        lambda trace: f"<details><summary>trace</summary>\n\n```text\n{trace}```\n</details>\n",
    ],
    ids="fenced mailed indented logged carriage-returns details".split(),
)
@pytest.mark.parametrize("form", ["python", "javascript", "java", "ruby", "c# on windows", "php"])
def test_s10_a_trace_is_recognised_however_it_is_wrapped(form, wrap, opened):
    """Markdown, mails, logs."""
    paths, text, template = CASES[form]
    with opened(dict.fromkeys(paths, text)) as engine:
        for path in paths:
            assert engine.context(PROSE + wrap(printed(template, path))).hits[0].path == path


def test_s10_net_traces_without_paths_are_found_by_their_types(opened):
    """A release build prints neither files nor lines."""
    text = "namespace Shop;\n\nclass {}\n{{\n    int Total(int[] x)\n    {{\n        return x.Length;\n    }}\n}}\n"
    with opened({f"src/{name}.cs": text.format(name) for name in ("Basket", "Crate")}) as engine:
        for name in ("Basket", "Crate"):
            trace = (
                "System.InvalidOperationException: broken\n   at System.Linq.ThrowHelper.ThrowNoElements()\n"
                f"   at Shop.{name}.Total(Int32[] items)\n   at Microsoft.AspNetCore.Mvc.Run(Object o)\n"
            )
            hit = engine.context(PROSE + trace).hits[0]
            assert (hit.path, "Total" in hit.text) == (f"src/{name}.cs", True)


def landed(engine, text):
    """Where each frame lies, "" for nowhere."""
    return [[one.path for one in understood.landings] for understood in engine.evidence(text)]


@pytest.mark.parametrize(
    ("path", "frame"),
    [
        ("lib/utils.js", "    at merge (/app/node_modules/express/lib/utils.js:2:3)\n"),
        ("utils.py", '  File "/opt/venv/lib/python3.11/site-packages/requests/utils.py", line 2, in merge\n'),
        ("lib/builder.rb", "/usr/lib/ruby/gems/3.2.0/gems/rack-3.0.8/lib/rack/builder.rb:2:in `merge'\n"),
        ("router/serve.go", "web.Merge()\n\t/home/ci/go/pkg/mod/example.org/web@v0.1.0/serve.go:3 +0x1d\n"),
        ("src/Collection.php", "#0 /var/www/vendor/acme/support/Helpers/Collection.php(2): merge()\n"),
        ("src/Objects.java", "\tat java.base/java.util.Objects.merge(Objects.java:2)\n"),
    ],
    ids="node python ruby go php java".split(),
)
def test_s10_a_file_of_a_dependency_is_never_ours(path, frame, opened):
    """Although it has the same name, when frames of the project stand beside."""
    ours, text, template = CASES["python"]
    with opened({path: "merge = 1\nmerge = 2\nmerge = 3\n", ours[0]: text}) as engine:
        found = str(landed(engine, f"{frame}\n\n\n{printed(template, ours[0])}"))
        assert path not in found
        assert ours[0] in found


def test_s10_an_ambiguous_frame_lands_nowhere_or_everywhere(opened):
    """Never in one of many that are equally likely."""
    names = [f"shop/{letter}/settings.py" for letter in "abcdefgh"]
    with opened(dict.fromkeys(names, "def load():\n    return 1\n")) as engine:
        frame = 'Traceback (most recent call last):\n  File "settings.py", line 2, in load\nKeyError: 1\n'
        assert landed(engine, frame) == [[""]]


def test_s10_the_innermost_frame_of_the_project_counts_most(opened):
    """Frames of libraries on top take nothing away."""
    text = "def {0}(x):\n    return {1}(x)\n"
    files = {f"shop/{name}.py": text.format(name, f"call_{name}") for name in ("outer", "middle", "inner")}
    frames = "".join(f'  File "/ci/shop/{name}.py", line 2, in {name}\n' for name in ("outer", "middle", "inner"))
    library = '  File "/ci/venv/lib/python3.11/site-packages/requests/api.py", line 2, in get\n' * 5
    with opened(files) as engine:
        trace = f"Traceback (most recent call last):\n{frames}{library}KeyError: 1\n"
        assert [hit.path for hit in engine.context(trace).hits][:3] == [
            "shop/inner.py", "shop/middle.py", "shop/outer.py",
        ]  # fmt: skip
