"""What each runtime prints on an error is understood, wherever it stands; other text holds no traces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_samples import (
    ASAN,
    CHAINED,
    DOTNET,
    ELIXIR,
    FIREFOX,
    GDB,
    GO,
    GROUP,
    HASKELL,
    JAVA,
    LUA,
    NODE,
    PERL,
    PHP,
    PYTEST_LONG,
    PYTEST_SHORT,
    PYTHON,
    RUBY,
    RUST,
    SWIFT,
    VALGRIND,
)

from callsite.evidence.traces.forms import FORMS, compiled
from callsite.evidence.traces.lines import MAX_LINE
from callsite.evidence.traces.read import read_traces, without_traces


def shown(trace):
    return [f"{frame.path}:{frame.line} {frame.owner}/{frame.function}" for frame in trace.frames]


def check(text, language, error, message, *expected):
    (trace, *_) = read_traces(text)
    assert (trace.language, trace.error, trace.message) == (language, error, message)
    assert shown(trace)[: len(expected)] == list(expected)


def test_python_traces_are_turned_innermost_first():
    """The language prints them the other way round; carets and source lines are no frames."""
    check(
        PYTHON,
        "python",
        "KeyError",
        "'tea'",
        "/usr/lib/python3.11/statistics.py:7 /mean",
        "/srv/shop/cart.py:30 Cart/sum",
    )
    assert [frame.origin for frame in read_traces(PYTHON)[0].frames] == ["runtime", "project", "project"]


def test_python_chains_and_groups_are_traces_of_their_own():
    """In the order in which they are printed."""
    assert [trace.error for trace in read_traces(CHAINED)] == ["KeyError", "shop.errors.CartError"]
    assert [(trace.error, shown(trace)[0]) for trace in read_traces(GROUP)] == [
        ("ExceptionGroup", "/srv/shop/main.py:3 /run"),
        ("KeyError", "/srv/shop/tax.py:9 /rate"),
    ]


def test_pytest_output_is_a_trace():
    """In its long and in its short form."""
    check(PYTEST_LONG, "python", "ValueError", "empty", "shop/cart.py:8 /", "tests/test_cart.py:5 /")
    check(PYTEST_SHORT, "python", "ValueError", "empty", "shop/cart.py:8 /total", "tests/test_cart.py:5 /test_total")


def test_notebooks_print_frames_in_two_ways():
    """`path in function(…)`, and `File path:line, in function(…)` in newer versions."""
    check("~/shop/cart.py in total(items)\n     11\n---> 12 return 1/0\n\nZeroDivisionError: by zero\n", "python",
          "ZeroDivisionError", "by zero", "~/shop/cart.py:0 /total")  # fmt: skip
    check("File ~/shop/cart.py:12, in total(items)\n     11\n---> 12 return 1/0\n\nZeroDivisionError: no\n", "python",
          "ZeroDivisionError", "no", "~/shop/cart.py:12 /total")  # fmt: skip


def test_javascript_traces():
    """Of V8, with its aliases, constructors and URLs, and of Firefox and Safari."""
    check(NODE, "javascript", "TypeError", "Cannot read properties of undefined (reading 'price')",
          "/app/src/cart.js:12 Cart/total", "/app/src/checkout.mjs:4 /Checkout", "/app/src/main.js:1 /")  # fmt: skip
    assert [frame.origin for frame in read_traces(NODE)[0].frames][-2:] == ["runtime", "dependency"]
    check(
        FIREFOX, "javascript", "", "", "/assets/cart.js:12 /total", "/assets/page.js:4 /onClick", "/assets/main.js:1 /"
    )


def test_jvm_traces_find_paths_by_packages():
    """Modules and class loaders fall away; the cause is a trace of its own; inner classes lie in their file."""
    check(JAVA, "jvm", "java.lang.IllegalStateException", "no stock",
          "java/util/Objects.java:221 java.util.Objects/requireNonNull",
          "org/shop/Stock.java:31 org.shop.Stock$Shelf/take",
          "org/shop/Stock.java:9 org.shop.Stock/", "org/shop/Main.java:0 org.shop.Main/main")  # fmt: skip
    assert [(trace.error, shown(trace)) for trace in read_traces(JAVA)[1:]] == [
        ("org.shop.StockError", ["org/shop/Shelf.kt:7 org.shop.Shelf/take"])
    ]


def test_go_traces_take_their_functions_from_the_line_above():
    """Pointers, generics and closures fall away."""
    check(GO, "go", "panic", "runtime error: index out of range [3] with length 3",
          "/home/ci/shop/cart/cart.go:41 example.org.shop.cart.Cart/Total",
          "/home/ci/shop/cart/each.go:9 example.org.shop.cart/Each",
          "/home/ci/shop/run.go:3 example.org.shop/Run")  # fmt: skip


def test_rust_traces():
    """The place of the panic, then the backtrace."""
    check(RUST, "rust", "panicked", "", "src/cart.rs:12 /",
          "/rustc/0123abcd/library/std/src/panicking.rs:645 /rust_begin_unwind",
          "./src/cart.rs:12 shop.cart.Cart/total", "./src/main.rs:3 shop/main")  # fmt: skip
    check("thread 'x' panicked at 'no stock', src/cart.rs:12:5", "rust", "panicked", "no stock", "src/cart.rs:12 /")


def test_ruby_traces():
    """With quotes of all versions."""
    check(RUBY, "ruby", "NoMethodError", "undefined method `price' for nil", "/srv/shop/lib/cart.rb:12 /total",
          "/srv/shop/lib/cart.rb:10 Shop.Cart/total", "/usr/lib/ruby/3.2.0/set.rb:501 /each")  # fmt: skip
    assert read_traces(RUBY)[0].frames[2].origin == "runtime"


def test_dotnet_traces():
    """Compiler-made names mean the method around; without files only the names are there."""
    check(DOTNET, "dotnet", "System.InvalidOperationException", "no stock",
          ":0 System.Linq.ThrowHelper/ThrowNoElementsException", "C:\\work\\shop\\src\\Cart.cs:12 Shop.Cart/Total",
          "/src/Checkout.cs:40 Shop.Checkout/RunAsync", ":0 Shop/Cart", ":0 Shop.Cart/Size")  # fmt: skip


def test_php_traces_name_the_function_around_each_line():
    """PHP prints what was called there; the function around it is on the next line."""
    check(PHP, "php", "Shop\\Empty", "no stock", "/srv/shop/src/Cart.php:12 Shop.Cart/total",
          "/srv/shop/src/Checkout.php:40 Shop.Checkout/run")  # fmt: skip


def test_native_traces():
    """Of gdb, of sanitizers and of valgrind."""
    check(GDB, "native", "", "", "src/cart.c:12 /cart_total", "../src/cart.cpp:40 shop.Cart/sum")
    check(ASAN, "native", "AddressSanitizer", "heap-use-after-free on address 0x60 at pc 0x4f",
          "/src/shop/cart.c:12 /cart_total", "/src/shop/main.c:4 /main")  # fmt: skip
    check(VALGRIND, "native", "", "", "cart.c:12 /cart_total", "main.c:4 /main")


def test_other_languages():
    """Swift, Elixir, Lua, Perl, Haskell."""
    check(SWIFT, "swift", "Fatal error", "Index out of range", "shop/Cart.swift:12 /")
    check(ELIXIR, "elixir", "KeyError", "key :price not found", "lib/shop/cart.ex:12 Shop.Cart/total")
    check(LUA, "lua", "", "", "shop/cart.lua:12 /total")
    check(PERL, "perl", "", "", "lib/Shop/Cart.pm:12 /")
    check(HASKELL, "haskell", "", "", "src/Cart.hs:12 /error")


@pytest.mark.parametrize("prefix", ["> ", "    ", "2026-01-02T03:04:05Z app[1]: ", "| ", "\t"])
@pytest.mark.parametrize("text", [NODE, JAVA, RUBY, DOTNET, PYTHON], ids="node java ruby dotnet python".split())
def test_what_stands_before_each_line_does_no_harm(text, prefix):
    """Logs, mails, quotations, indentation."""
    quoted = "".join(prefix + line + "\n" for line in text.splitlines())
    assert [shown(trace) for trace in read_traces(quoted)] == [shown(trace) for trace in read_traces(text)]


@pytest.mark.parametrize(
    "text",
    [
        "", "Where is the cart total computed?", "We met at noon (see shop.py) and at 12:30:15 again.",
        "Call Shop.Cart.Total(items) at once", "See line 12 of cart.py", "The file cart.go is at src/cart.go",
        "#12 fixes #3 at last", "at the end of the day (really)", "a@b.example:12", "1. first\n2. second",
        "it is at System.IO when at rest", "def f():\n    return 1\n",
    ],
)  # fmt: skip
def test_prose_and_code_hold_no_traces(text):
    """Nothing is taken for a frame that only resembles one."""
    assert read_traces(text) == ()


def test_traces_are_cut_out_of_a_text():
    """What is around them stays; of what is inside, paths go."""
    text = f"Totals fail.\n\n{NODE}\nSince last week."
    parted = without_traces(text, read_traces(text))
    assert parted.text == "Totals fail.\n\n\nSince last week."
    assert parted.shown.startswith("TypeError: Cannot read properties of undefined (reading 'price')\n")
    assert "Cart.total" in parted.frames
    assert "/app/" not in parted.frames


def test_a_text_that_is_nothing_but_frames_says_nothing_else():
    """No error is made up for it."""
    assert without_traces("\t/ci/cart.go:41 +0x1d\n", read_traces("\t/ci/cart.go:41 +0x1d\n")).text == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Why?\nshop/cart.(*Cart).Total(0x1)\n\t/ci/cart.go:41 +0x1d", "Why?"),
        ("Why?\n\t/ci/cart.go:41 +0x1d", "Why?"),
        ("Why?\npanic(0x1, 0x2)\n\t/usr/local/go/src/runtime/panic.go:426 +0x4e9", "Why?"),
        ("Why?\n   1: shop::main\n             at ./src/main.rs:3", "Why?"),
    ],
)
def test_the_line_that_names_the_function_belongs_to_the_frame(text, expected):
    """Any other line above does not."""
    parted = without_traces(text, read_traces(text))
    assert parted.text == expected
    assert expected not in parted.frames


@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from((PYTHON + NODE + GO + RUST + PHP + GDB).split("\n"))).map("\n".join)
)
def test_any_text_gives_traces_that_lie_in_it(text):
    """Lines in bounds, frames with something in them."""
    n_lines = text.count("\n") + 1
    for trace in read_traces(text):
        assert 1 <= trace.first_line <= trace.last_line <= n_lines
        assert trace.frames
        assert all(frame.path or frame.function or frame.owner for frame in trace.frames)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.language} {form.hint}")
@pytest.mark.parametrize(
    "piece", ["at a.", "(a(", "#1 a in ", "a:1:", "x@", "/a", "at (", "<[", "a, ", 'File "a', " \\"]
)
def test_no_pattern_is_slow_on_hostile_lines(form, piece):
    """Long lines of what almost fits; a pattern that backtracks without bounds would never come to an end."""
    line = form.hint + piece * (MAX_LINE // len(piece))
    list(compiled(form.pattern, form.ending).finditer(line))
    if form.above:
        compiled(form.above).search(line)


@pytest.mark.parametrize(
    "line",
    [
        "   at Shop.Cart..ctor(Int32" + " 32" * 6_000, "a.rb:1:in `x': no (No" + "Methodo" * 3_000, "(a" * 6_000 + ")",
        "a" * 100_000 + ".rb:1:in `x'", "at a.b(" + "x y, " * 4_000, ("a.rb:1:in 'a' " * 1_400 + "\n") * 30,
    ],
)  # fmt: skip
def test_no_text_is_slow(line):
    """Each of these took from seconds to for ever once."""
    text = f"{PYTHON}{RUBY}{DOTNET}{line}\n{RUBY}"
    assert len(without_traces(text, read_traces(text)).text) < len(text)
