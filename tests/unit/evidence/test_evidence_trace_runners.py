"""What each test runner prints of failing tests is understood; other text names none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_samples import RUNNER_SAMPLES

from callsite.evidence.traces.failed import MAX_TESTS
from callsite.evidence.traces.forms import compiled
from callsite.evidence.traces.lines import MAX_CHARACTERS, MAX_LINE, MAX_LINES, lines_of
from callsite.evidence.traces.read import without_traces
from callsite.evidence.traces.run import read_run
from callsite.evidence.traces.runners import GIVES, RUNNER_FORMS

#: Sample → owner / name @ path:line | error | message of each test.
EXPECTED = {
    "pytest": [
        "TestCart/test_total@tests/test_cart.py:12|KeyError|'tea'",
        "/test_rate@tests/test_tax.py:0||",
    ],
    "pytest_locals": [
        "/test_fixture@tests/test_cart.py:0||",
        "TestCart/test_sub@tests/test_cart.py:6|AssertionError|1 != 4",
        "/test_total@tests/test_cart.py:9|TypeError|unsupported operand",
    ],
    "pytest_line": ["/test_total@tests/test_cart.py:0|TypeError|unsupported operand"],
    "unittest": [
        "tests.test_cart.TestCart/test_total@/srv/shop/tests/test_cart.py:12|AssertionError|2 != 4",
        "tests.test_tax.TestTax/test_rate@/srv/shop/tests/test_tax.py:5|KeyError|'nl'",
    ],
    "jest": ["Cart totals/adds up prices@src/cart.test.ts:11||"],
    "vitest": ["Cart/adds up prices@src/cart.test.ts:11|AssertionError|expected 2 to be 4 // Object.is equality"],
    "mocha": ["Cart totals/adds up prices@test/cart.js:11|AssertionError|"],
    "go": ["example.org/shop/cart/TestTotal@example.org/shop/cart/cart_test.go:12||total is 2, want 4"],
    "cargo": ["cart.tests/adds_up_prices@:0|panicked|"],
    "nextest": ["cart.tests/adds_up_prices@:0||"],
    "maven": [
        "org.shop.CartTest/addsUpPrices@:42||expected: <4> but was: <2>",
        "TaxTest/rate@:7||NullPointer no rate",
    ],
    "old_maven": ["org.shop.CartTest/addsUpPrices@:0||expected:<4> but was:<2>"],
    "gradle": [
        "CartTest/addsUpPrices@org/shop/CartTest.java:42|org.opentest4j.AssertionFailedError|expected: <4> but was: <2>"
    ],
    "junit_xml": ["org.shop.CartTest/addsUpPrices@:0|AssertionFailedError|expected: <4> but was: <2>"],
    "rspec": ["/Cart adds up prices@./spec/cart_spec.rb:11||"],
    "minitest": ["CartTest/test_adds_up_prices@test/cart_test.rb:12||"],
    "phpunit": ["Shop.Tests.CartTest/testAddsUpPrices@/srv/shop/tests/CartTest.php:12||"],
    "exunit": ["Shop.CartTest/adds up prices@test/shop/cart_test.exs:12||"],
    "xunit": ["Shop.Tests.CartTests/AddsUpPrices@/src/tests/CartTests.cs:12|Failure|"],
    "nunit": ["Shop.Tests.CartTests/AddsUpPrices@:0||"],
    "gtest": ["CartTest/AddsUpPrices@tests/cart_test.cc:12||"],
    "xctest": ["ShopTests.CartTests/testAddsUpPrices@/src/Tests/CartTests.swift:12||XCTAssertEqual failed"],
    "node_tap": ["/adds up prices@/srv/shop/cart.test.mjs:3||"],
    "node_spec": ["/adds up prices@cart.test.mjs:3|TypeError|"],
    "tap": ["/adds up prices@t/cart.t:12||"],
}


def failed(text):
    return read_run(text).failed.tests


def shown(text):
    return [f"{t.owner}/{t.name}@{t.path}:{t.line}|{t.error}|{t.message}" for t in failed(text)]


def test_every_sample_has_its_expectation():
    """And every form says something that the reader knows."""
    assert set(EXPECTED) == set(RUNNER_SAMPLES)
    assert {form.gives for form in RUNNER_FORMS} == set(GIVES)


@pytest.mark.parametrize("runner", EXPECTED)
def test_failing_tests_are_read(runner):
    """Each once, however often the runner names it; tests that passed are not among them."""
    assert shown(RUNNER_SAMPLES[runner]) == EXPECTED[runner]


def test_the_code_that_a_runner_shows_belongs_to_its_test():
    """pytest prints the source up to the failing line, jest some lines with their numbers, RSpec one."""
    (test, _) = failed(RUNNER_SAMPLES["pytest"])
    assert test.code == (
        "def test_total(self, price):",
        '    cart = Cart(["tea"])',
        "    assert total(cart) == 4",
    )
    (test,) = failed(RUNNER_SAMPLES["jest"])
    assert "    expect(new Cart(items).total()).toBe(4);" in test.code
    (test,) = failed(RUNNER_SAMPLES["rspec"])
    assert test.code == ("expect(Cart.new(items).total).to eq(4)",)


def test_tests_of_one_name_in_two_files_are_two():
    """Parameters of one test are not."""
    assert shown("FAILED a/test_x.py::test_y\nFAILED b/test_x.py::test_y\n") == [
        "/test_y@a/test_x.py:0||",
        "/test_y@b/test_x.py:0||",
    ]
    assert shown("FAILED a.py::test_y[1]\nFAILED a.py::test_y[b c - 2]\n") == ["/test_y@a.py:0||"]


@pytest.mark.parametrize("prefix", ["> ", "| ", "\t"])
@pytest.mark.parametrize("runner", ["pytest", "go", "phpunit", "exunit", "gtest", "xunit", "junit_xml"])
def test_what_stands_before_each_line_does_no_harm(runner, prefix):
    """Mails, quotations, indentation: the same names, though not always all that is said of them."""
    quoted = "".join(prefix + line + "\n" for line in RUNNER_SAMPLES[runner].splitlines())
    assert [test.name for test in failed(quoted)] == [test.name for test in failed(RUNNER_SAMPLES[runner])]


@pytest.mark.parametrize(
    "text",
    [
        "", "The test fails.", "1) Open the page\n2) It fails:", "- [x] done\n- [ ] not ok",
        "FAIL", "* FAILED to start",
        "\u25cf first\n\u25cf second", "\u2717 bad\n\u2713 good", "a > b", "3 \u00d7 4", "See FAILED.md",
        "it is ok 3 - really", "[FAIL]", "ERROR: x", "--- a/x.py\n+++ b/x.py", "x FAILED", "### Failed",
        "<testcase name='a'/>",
        "test result: ok. 3 passed; 0 failed", "\u2716 3 problems (2 errors, 1 warning)",
    ],
)  # fmt: skip
def test_prose_names_no_failing_test(text):
    """Nothing is taken for one that only resembles it."""
    assert failed(text) == ()


def test_what_runners_say_besides_is_no_question():
    """Of output that is evidence, traces and tests remain; of a question, all but the lines that name tests."""
    run = read_run("Totals are wrong", [RUNNER_SAMPLES["pytest"]])
    parted = without_traces(run.text, run.traces, run.failed, run.outputs)
    assert parted.text.strip() == "Totals are wrong"
    assert "total(cart)" in parted.shown
    assert "platform" not in parted.shown


def test_an_error_text_stays_a_question():
    """No runner printed it."""
    run = read_run("Totals are wrong", ["no price for tea"])
    parted = without_traces(run.text, run.traces, run.failed, run.outputs)
    assert parted.text == "Totals are wrong\n\nno price for tea"


@pytest.mark.parametrize("evidence", [True, False])
def test_values_of_local_variables_are_no_terms(evidence):
    """Messages and assertions are."""
    output = RUNNER_SAMPLES["pytest"]
    run = read_run("Why?", [output]) if evidence else read_run(f"Why?\n{output}")
    parted = without_traces(run.text, run.traces, run.failed, run.outputs)
    said = f"{parted.text} {parted.shown} {parted.frames}"
    assert "madagascar" not in said
    assert "zanzibar" not in said
    assert "0x7f00" not in said
    assert "KeyError: 'tea'" in said
    assert "assert total(cart) == 4" in said


def test_the_locals_of_rich_are_no_terms():
    """Nor the frame around them; its frames are frames."""
    text = (
        "\u256d\u2500\u2500 Traceback (most recent call last) \u2500\u2500\u256e\n"
        "\u2502 /srv/shop/cart.py:12 in total                  \u2502\n"
        "\u2502 \u276f 12     return prices[item]              \u2502\n"
        "\u2502 \u256d\u2500 locals \u2500\u256e                      \u2502\n"
        "\u2502 \u2502 item = 'madagascar' \u2502                     \u2502\n"
        "\u2502 \u2570\u2500\u2500\u2500\u2500\u2500\u256f                             \u2502\n"
        "\u2502 /srv/shop/tax.py:3 in rate \u2502\n"
        "\u2570\u2500\u2500\u2500\u2500\u256f\nKeyError: 'tea'\n"
    )
    run = read_run(text)
    assert [(frame.path, frame.function) for frame in run.traces[0].frames] == [
        ("/srv/shop/tax.py", "rate"),
        ("/srv/shop/cart.py", "total"),
    ]
    assert "madagascar" not in without_traces(run.text, run.traces).shown


def test_long_texts_are_read_at_both_ends_and_the_cut_is_named():
    """Failures stand at the end of logs."""
    noise = "nothing at all happens here in this line\n" * 100_000
    run = read_run(f"FAILED a.py::test_first\n{noise}FAILED a.py::test_last\n")
    assert [test.name for test in run.failed.tests] == ["test_first", "test_last"]
    assert len(run.problems) == 1
    assert "were not read" in run.problems[0]


def test_long_lines_are_read_so_far_and_that_is_named():
    """A short text has no problems."""
    assert read_run("a" * MAX_LINE).problems == ()
    assert "20,000 characters" in read_run("a" * (MAX_LINE + 1)).problems[0]


def test_more_tests_than_are_read_are_counted():
    """Nothing is left out in silence."""
    run = read_run("".join(f"FAILED a.py::test_{n}\n" for n in range(MAX_TESTS + 7)))
    assert len(run.failed.tests) == MAX_TESTS
    assert run.problems == ("7 more failing tests were not read",)


@given(st.lists(st.integers(0, 3_000) | st.just(0), max_size=60), st.integers(1, 200))
def test_lines_keep_their_numbers(lengths, repeated):
    """Whatever is left out, each line that is read is the beginning of the line of its number."""
    lines = ["x" * length for length in lengths] * repeated
    read = lines_of("\n".join(lines)).lines
    assert len(read) == max(1, len(lines))
    assert all(line.startswith(kept) for line, kept in zip(lines, read, strict=False))
    assert sum(map(len, read)) <= MAX_CHARACTERS
    assert sum(map(bool, read)) <= MAX_LINES


@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from("".join(RUNNER_SAMPLES.values()).split("\n")), max_size=60).map("\n".join)
)
def test_any_text_gives_tests_that_are_named_in_it(text):
    """Lines in bounds, tests with something in them, none twice."""
    run = read_run(text)
    n_lines = text.replace("\r\n", "\n").count("\n") + 1
    for test in run.failed.tests:
        assert 1 <= test.first_line <= n_lines
        assert test.name or test.path or test.owner
    assert all(1 <= line <= n_lines for line in run.failed.spent)
    assert len(set(run.failed.tests)) == len(run.failed.tests)
    without_traces(run.text, run.traces, run.failed, run.outputs)


@pytest.mark.parametrize("form", RUNNER_FORMS, ids=lambda form: f"{form.runner} {form.hint}")
@pytest.mark.parametrize(
    "piece",
    ["a.", "(a(", "a:1:", "/a", " > a", "\u203a a", "a::", "1) a", " - ", "->a", " \\", "<testcase a", "___ ", " "],
)
def test_no_pattern_is_slow_on_hostile_lines(form, piece):
    """Long lines of what almost fits; a pattern that backtracks without bounds would never come to an end."""
    line = form.hint + piece * (MAX_LINE // len(piece))
    list(compiled(form.pattern, form.ending).finditer(line))
