"""What each test runner prints of failing tests: real-looking output in our own words, of one small shop."""

from __future__ import annotations

PYTEST = """============================= test session starts ==============================
platform linux -- Python 3.11.4, pytest-8.2.0
collected 3 items

tests/test_cart.py ..F                                                   [100%]

=================================== FAILURES ===================================
______________________________ TestCart.test_total[tea-2] ______________________

self = <test_cart.TestCart object at 0x7f00>, price = 'zanzibar'

    def test_total(self, price):
        cart = Cart(["tea"])
>       assert total(cart) == 4

tests/test_cart.py:12:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

items = ['madagascar']

    def total(items):
>       return prices[items[0]]
E       KeyError: 'tea'

shop/cart.py:8: KeyError
=========================== short test summary info ============================
FAILED tests/test_cart.py::TestCart::test_total[tea-2] - KeyError: 'tea'
ERROR tests/test_tax.py - ImportError: cannot import name 'rate'
FAILED tests/test_tax.py::test_rate
========================= 2 failed, 2 passed in 0.15s ==========================
"""
PYTEST_LOCALS = """tests/test_cart.py::test_total[a - b] FAILED                             [ 50%]
tests/test_cart.py::test_fixture ERROR                                   [100%]

==================================== ERRORS ====================================
________________________ ERROR at setup of test_fixture ________________________
file /srv/shop/tests/test_cart.py, line 20
E       fixture 'till' not found
>       available fixtures: cache, capsys, monkeypatch

=================================== FAILURES ===================================
__________________________ TestCart.test_sub (n=1) _____________________________

    def test_sub(self):
        with self.subTest(n=1):
>           self.assertEqual(total([1]), 4)
E           AssertionError: 1 != 4

self       = <test_cart.TestCart testMethod=test_sub>

tests/test_cart.py:6: AssertionError
______________________________ test_total[a - b] _______________________________

    def test_total(text):
>       assert total(text) == 1, "no total"

text       = 'a - b'

tests/test_cart.py:9:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def total(items):
>       return sum(items)
E       TypeError: unsupported operand

items      = 'a - b'
prices     = {}
currency   = 'EUR'

shop/cart.py:3: TypeError
=========================== short test summary info ============================
SUBFAILED(n=1) tests/test_cart.py::TestCart::test_sub - AssertionError: 1 != 4
FAILED tests/test_cart.py::test_total[a - b] - TypeError: unsupp...
ERROR tests/test_cart.py::test_fixture
"""
PYTEST_LINE = """=================================== FAILURES ===================================
/srv/shop/shop/cart.py:3: TypeError: unsupported operand
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - TypeError: unsupported operand
"""
UNITTEST = """F.
======================================================================
FAIL: test_total (tests.test_cart.TestCart.test_total)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/srv/shop/tests/test_cart.py", line 12, in test_total
    self.assertEqual(total([2]), 4)
AssertionError: 2 != 4

======================================================================
ERROR: test_rate (tests.test_tax.TestTax)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/srv/shop/tests/test_tax.py", line 5, in test_rate
    rate("nl")
KeyError: 'nl'

FAILED (failures=1, errors=1)
"""
JEST = """PASS src/tax.test.ts
FAIL src/cart.test.ts
  Cart
    \u2713 is empty at first (2 ms)
    \u2715 adds up prices (5 ms)

  \u25cf Cart \u203a totals \u203a adds up prices

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 2

      10 |   it('adds up prices', () => {
    > 11 |     expect(new Cart(items).total()).toBe(4);
         |                                     ^
      12 |   });

      at Object.<anonymous> (src/cart.test.ts:11:37)

Tests:       1 failed, 2 passed, 3 total
"""
VITEST = """ \u276f src/cart.test.ts (3 tests | 1 failed) 12ms
   \u00d7 Cart > adds up prices 5ms

\u23af\u23af\u23af\u23af Failed Tests 1 \u23af\u23af\u23af\u23af

 FAIL  src/cart.test.ts > Cart > adds up prices
AssertionError: expected 2 to be 4 // Object.is equality
 \u276f src/cart.test.ts:11:37
      9|
     10|   expect(total([2])).toBe(4)
       |                      ^
"""
MOCHA = """  Cart
    \u2713 is empty at first
    1) adds up prices

  1 passing (9ms)
  1 failing

  1) Cart
       totals
         adds up prices:

      AssertionError [ERR_ASSERTION]: 2 == 4
      at Context.<anonymous> (test/cart.js:11:12)
"""
GO = """=== RUN   TestTotal
=== RUN   TestTotal/two_prices
    cart_test.go:12: total is 2, want 4
--- FAIL: TestTotal (0.00s)
    --- FAIL: TestTotal/two_prices (0.00s)
FAIL
FAIL\texample.org/shop/cart\t0.011s
"""
CARGO = """running 2 tests
test cart::tests::is_empty ... ok
test cart::tests::adds_up_prices ... FAILED

failures:

---- cart::tests::adds_up_prices stdout ----
thread 'cart::tests::adds_up_prices' panicked at src/cart.rs:40:9:
assertion `left == right` failed

failures:
    cart::tests::adds_up_prices

test result: FAILED. 1 passed; 1 failed
"""
NEXTEST = "        FAIL [   0.005s] shop cart::tests::adds_up_prices\n"
MAVEN = """[INFO] Running org.shop.CartTest
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! - in org.shop.CartTest
[ERROR] org.shop.CartTest.addsUpPrices  Time elapsed: 0.01 s  <<< FAILURE!
[INFO] Results:
[ERROR] Failures:
[ERROR]   CartTest.addsUpPrices:42 expected: <4> but was: <2>
[ERROR]   TaxTest.rate:7->lookUp:19 \u00bb NullPointer no rate
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0
"""
OLD_MAVEN = """Results :

Failed tests:   addsUpPrices(org.shop.CartTest): expected:<4> but was:<2>

Tests run: 2, Failures: 1, Errors: 0, Skipped: 0
"""
GRADLE = """> Task :test FAILED

CartTest > addsUpPrices() FAILED
    org.opentest4j.AssertionFailedError: expected: <4> but was: <2>
        at app//org.shop.CartTest.addsUpPrices(CartTest.java:42)

2 tests completed, 1 failed
"""
JUNIT_XML = """<testsuite name="shop" tests="2" failures="1">
<testcase classname="org.shop.CartTest" name="isEmpty" time="0.01"/>
<testcase classname="org.shop.CartTest" name="addsUpPrices" time="0.01"><failure
 message="lost">x</failure></testcase>
<testcase classname="org.shop.CartTest" name="addsUpPrices" time="0.01">
<failure message="expected: &lt;4&gt; but was: &lt;2&gt;" type="AssertionFailedError">at CartTest</failure></testcase>
</testsuite>
"""
RSPEC = """Failures:

  1) Cart adds up prices
     Failure/Error: expect(Cart.new(items).total).to eq(4)

       expected: 4
            got: 2
     # ./spec/cart_spec.rb:12:in `block (2 levels) in <top (required)>'

Failed examples:

rspec ./spec/cart_spec.rb:11 # Cart adds up prices
"""
MINITEST = """  1) Failure:
CartTest#test_adds_up_prices [test/cart_test.rb:12]:
Expected: 4
  Actual: 2
"""
PHPUNIT = """There was 1 failure:

1) Shop\\Tests\\CartTest::testAddsUpPrices with data set #0 (4)
Failed asserting that 2 matches expected 4.

/srv/shop/tests/CartTest.php:12

FAILURES!
"""
EXUNIT = """  1) test adds up prices (Shop.CartTest)
     test/shop/cart_test.exs:12
     Assertion with == failed
     code:  assert Cart.total([2]) == 4
"""
XUNIT = """[xUnit.net 00:00:01.23]     Shop.Tests.CartTests.AddsUpPrices(price: 2) [FAIL]
  Failed Shop.Tests.CartTests.AddsUpPrices(price: 2) [12 ms]
  Error Message:
   Assert.Equal() Failure
  Stack Trace:
     at Shop.Tests.CartTests.AddsUpPrices(Int32 price) in /src/tests/CartTests.cs:line 12
"""
NUNIT = "1) Failed : Shop.Tests.CartTests.AddsUpPrices\n  Expected: 4\n  But was:  2\n"
GTEST = """[ RUN      ] CartTest.AddsUpPrices
tests/cart_test.cc:12: Failure
Expected equality of these values:
  Total(items)
[  FAILED  ] CartTest.AddsUpPrices (0 ms)
[  FAILED  ] 1 test, listed below:
[  FAILED  ] CartTest.AddsUpPrices
"""
XCTEST = "/src/Tests/CartTests.swift:12: error: -[ShopTests.CartTests testAddsUpPrices] : XCTAssertEqual failed\n"
TAP = "ok 1 - is empty\nnot ok 2 - adds up prices\n#   at t/cart.t line 12.\n"

NODE_TAP = """TAP version 13
    # Subtest: adds up prices
    not ok 1 - adds up prices
      ---
      duration_ms: 1.8
      location: '/srv/shop/cart.test.mjs:3:26'
      error: |-
        2 !== 4
      ...
    1..1
"""
NODE_SPEC = """\u2716 adds up prices (1.86ms)
\u2139 fail 1
\u2716 failing tests:

test at cart.test.mjs:3:26
\u2716 adds up prices (1.86ms)
  TypeError [Error]: no price
      at TestContext.<anonymous> (file:///srv/shop/cart.test.mjs:3:62)
"""

#: By a name of its runner.
RUNNER_SAMPLES = {name.lower(): text for name, text in globals().items() if name.isupper() and isinstance(text, str)}
