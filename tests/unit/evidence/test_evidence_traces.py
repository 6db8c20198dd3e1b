"""What each runtime prints on an error is understood, wherever it stands; other text holds no traces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.evidence.traces.forms import FORMS, compiled
from callsite.evidence.traces.read import MAX_LINE, read_traces, without_traces

PYTHON = """Traceback (most recent call last):
  File "/srv/shop/cart.py", line 12, in checkout
    total = self.sum(items)
            ^^^^^^^^^^^^^^^
  File "/srv/shop/cart.py", line 30, in Cart.sum
    return sum(prices[i] for i in items)
  File "/usr/lib/python3.11/statistics.py", line 7, in mean
KeyError: 'tea'
"""
CHAINED = (
    PYTHON
    + "\nThe above exception was the direct cause of the following exception:\n\n"
    + PYTHON.replace("30", "44").replace("KeyError: 'tea'", "shop.errors.CartError: no price")
)
GROUP = """  + Exception Group Traceback (most recent call last):
  |   File "/srv/shop/main.py", line 3, in run
  |     raise ExceptionGroup("two", errors)
  | ExceptionGroup: two (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/shop/tax.py", line 9, in rate
    |     return RATES[country]
    | KeyError: 'nl'
    +------------------------------------
"""
PYTEST_LONG = """____________________________ test_total ____________________________

    def test_total():
>       assert total([1, 2]) == 4

tests/test_cart.py:5:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def total(items):
>       raise ValueError("empty")
E       ValueError: empty

shop/cart.py:8: ValueError
"""
PYTEST_SHORT = """tests/test_cart.py:5: in test_total
    assert total([1, 2]) == 4
shop/cart.py:8: in total
    raise ValueError("empty")
E   ValueError: empty
"""
NODE = """TypeError: Cannot read properties of undefined (reading 'price')
    at Cart.total [as sum] (/app/src/cart.js:12:9)
    at async Promise.all (index 0)
    at new Checkout (file:///app/src/checkout.mjs:4:1)
    at /app/src/main.js:1:1
    at node:internal/process/task_queues:95:5
    at Object.<anonymous> (/app/node_modules/express/lib/router.js:3:7)
"""
FIREFOX = """total@https://shop.example/assets/cart.js:12:9
onClick/<@https://shop.example/assets/page.js:4:1
@https://shop.example/assets/main.js:1:1
"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: no stock
\tat java.base/java.util.Objects.requireNonNull(Objects.java:221)
\tat app//org.shop.Stock$Shelf.lambda$take$0(Stock.java:31)
\tat org.shop.Stock.<init>(Stock.java:9)
\tat org.shop.Main.main(Main.java)
Caused by: org.shop.StockError: empty shelf
\tat org.shop.Shelf.take(Shelf.kt:7)
\t... 3 more
"""
GO = """panic: runtime error: index out of range [3] with length 3

goroutine 1 [running]:
example.org/shop/cart.(*Cart).Total(0xc000012345, {0x1, 0x2})
\t/home/ci/shop/cart/cart.go:41 +0x1d
example.org/shop/cart.Each[...].func1.2()
\t/home/ci/shop/cart/each.go:9
created by example.org/shop.Run in goroutine 7
\t/home/ci/shop/run.go:3 +0x5
"""
RUST = """thread 'main' panicked at src/cart.rs:12:5:
index out of bounds
stack backtrace:
   0: rust_begin_unwind
             at /rustc/0123abcd/library/std/src/panicking.rs:645:5
   1: shop::cart::Cart<T>::total::{{closure}}
             at ./src/cart.rs:12:5
   2: shop::main::h0123456789abcdef
             at ./src/main.rs:3
"""
RUBY = """/srv/shop/lib/cart.rb:12:in `block (2 levels) in total': undefined method `price' for nil (NoMethodError)
\tfrom /srv/shop/lib/cart.rb:10:in 'Shop::Cart#total'
\tfrom /usr/lib/ruby/3.2.0/set.rb:501:in `each'
\tfrom bin/shop:3:in `<main>'
"""
DOTNET = """Unhandled exception. System.InvalidOperationException: no stock
   at System.Linq.ThrowHelper.ThrowNoElementsException()
   at Shop.Cart.<Total>b__3_0(Item item) in C:\\work\\shop\\src\\Cart.cs:line 12
   at Shop.Checkout.<RunAsync>d__5.MoveNext() in /src/Checkout.cs:line 40
   at Shop.Cart..ctor(Int32 size)
   at Shop.Cart.get_Size()
"""
PHP = """PHP Fatal error:  Uncaught Shop\\Empty: no stock in /srv/shop/src/Cart.php:12
Stack trace:
#0 /srv/shop/src/Checkout.php(40): Shop\\Cart->total(Array)
#1 [internal function]: Shop\\{closure}()
#2 /srv/shop/public/index.php(3): Shop\\Checkout::run()
#3 {main}
  thrown in /srv/shop/src/Cart.php on line 12
"""
GDB = """#0  0x00007f in raise () from /lib/libc.so.6
#1  0x0000aa in cart_total (items=0x0, n=3) at src/cart.c:12
#2  shop::Cart::sum (this=0x1) at ../src/cart.cpp:40
"""
ASAN = """==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x4f
    #0 0x4f1c2d in cart_total(int*, int) /src/shop/cart.c:12:3
    #1 0x4f1c2e in main /src/shop/main.c:4
"""
VALGRIND = """==9== Invalid read of size 4
==9==    at 0x1091B3: cart_total (cart.c:12)
==9==    by 0x1091C4: main (main.c:4)
"""
SWIFT = "shop/Cart.swift:12: Fatal error: Index out of range\n"
ELIXIR = """** (KeyError) key :price not found
    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.total/1
    (elixir 1.15.0) lib/enum.ex:2528: Enum."-sum/1-"/2
"""
LUA = "lua: shop/cart.lua:12: attempt to index a nil value\nstack traceback:\n\tshop/cart.lua:12: in method 'total'\n"
PERL = "no stock at lib/Shop/Cart.pm line 12.\n"
HASKELL = "shop: no stock\nCallStack (from HasCallStack):\n  error, called at src/Cart.hs:12:5 in shop-0.1:Cart\n"


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
