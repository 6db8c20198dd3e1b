"""What each runtime prints on an error: real-looking traces in our own words, of one small shop."""

from __future__ import annotations

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

#: By a name of its form.
SAMPLES = {name.lower(): text for name, text in globals().items() if name.isupper() and isinstance(text, str)}
