"""A failing test leads to its code, and that to the code that it names."""

from __future__ import annotations

import pytest
from runner_samples import RUNNER_SAMPLES

import callsite
from callsite.retrieval.tested import names_in

FILES = {
    "shop/cart.py": "PRICES = {}\n\n\ndef grand_total(items):\n    return sum(PRICES[i] for i in items)\n" + "\n" * 30,
    "shop/tax.py": "def rate(country):\n    return RATES[country]\n",
    "shop/mail.py": "def send(text):\n    return text\n",
    "tests/test_cart.py": (
        "from shop.cart import grand_total\n\n\nclass TestCart:\n    def test_paginate(self):\n"
        "        assert grand_total(['tea']) == 4\n\n    def test_other(self):\n        pass\n"
    ),
    "tests/test_tax.py": "from shop.tax import rate\n\n\ndef test_paginate():\n    assert rate('nl') == 1\n",
    "web/cart.test.ts": (
        "import { sendOrder } from './order'\n\ndescribe('Cart', () => {\n  it('adds up prices', () => {\n"
        "    expect(sendOrder(2)).toBe(4)\n  })\n  it('is empty', () => {})\n})\n"
    ),
    "web/order.ts": "export function sendOrder(n: number) {\n  return n\n}\n",
    "spec/cart_spec.rb": "describe Cart do\n  it 'forgets items' do\n    expect(forget_all(1)).to eq(4)\n  end\nend\n",
    "lib/cart.rb": "def forget_all(items)\n  items\nend\n",
    "src/cart_test.cc": "TEST(CartTest, Halves) {\n  EXPECT_EQ(HalfOf(4), 2);\n}\n",
    "src/cart.cc": "int HalfOf(int n) {\n  return n / 2;\n}\n",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tested")
    for path, text in FILES.items():
        place = folder / "root" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    with callsite.open(folder / "root", home=str(folder / "home")) as engine:
        yield engine


@pytest.mark.parametrize(
    ("output", "place", "named"),
    [
        ("FAILED tests/test_cart.py::TestCart::test_paginate", "tests/test_cart.py:5-6", "grand_total"),
        ("FAILED /ci/build/tests/test_tax.py::test_paginate - KeyError", "tests/test_tax.py:4-5", "rate"),
        ("FAIL: test_paginate (tests.test_cart.TestCart)", "tests/test_cart.py:5-6", "grand_total"),
        (" FAIL  web/cart.test.ts > Cart > adds up prices", "web/cart.test.ts:4-6", "sendOrder"),
        ("1 failing\n\n  1) Cart\n       adds up prices:\n", "web/cart.test.ts:4-6", "sendOrder"),
        ("rspec ./spec/cart_spec.rb:2 # Cart forgets items", "spec/cart_spec.rb:2-4", "forget_all"),
        ("[  FAILED  ] CartTest.Halves (0 ms)", "src/cart_test.cc:1-3", "HalfOf"),
    ],
)
def test_a_failing_test_leads_to_its_code_and_what_that_names(engine, output, place, named):
    """By path and function, by its definition, by the words that describe it."""
    own, *others = engine.evidence(output)[0].landings
    assert f"{own.path}:{own.first_line}-{own.last_line}" == place
    assert named in [landing.written for landing in others]


@pytest.mark.parametrize("output", ["FAILED tests/test_cart.py::test_gone", "FAIL: test_paginate (other.Thing)"])
def test_a_test_that_is_not_here_is_nowhere(engine, output):
    """Never a wrong place: not another test of the file, nor one of two with that name."""
    (understood,) = engine.evidence(output)
    assert [landing.path for landing in understood.landings] == [""]
    assert "no such test" in understood.landings[0].note


def test_s10_the_code_that_a_failing_test_names_is_found_and_says_why(engine):
    """The output holds no word of it: only the test does."""
    output = "FAILED tests/test_cart.py::TestCart::test_paginate\n1 failed in 0.1s\n"
    hits = engine.context("It is wrong", evidence=[output]).hits
    hit = next(hit for hit in hits if hit.path == "shop/cart.py")
    assert "named by the failing test test_paginate" in [reason.detail for reason in hit.reasons]
    assert abs(sum(reason.value for reason in hit.reasons) - hit.score) < 1e-9
    assert "shop/cart.py" not in [hit.path for hit in engine.context("It is wrong").hits]


def test_s10_the_test_itself_comes_after_the_code(engine):
    """Unless the question asks for tests."""
    output = "FAILED tests/test_cart.py::TestCart::test_paginate\n"
    paths = [hit.path for hit in engine.context("The amount is wrong", evidence=[output]).hits]
    assert paths.index("shop/cart.py") < paths.index("tests/test_cart.py")


def test_five_hundred_failures_drown_nothing(engine):
    """All are listed; the first twenty count for the answer."""
    output = "".join(f"FAILED tests/test_zebra_{n}.py::test_giraffe_{n}\n" for n in range(500))
    assert len(engine.evidence(output)) == 500
    assert engine.context("where is the grand total", evidence=[output]).hits[0].path == "shop/cart.py"


def test_what_is_not_read_is_a_problem_of_evidence_and_answer(engine):
    """S-statement: each limit is named where somebody sees it."""
    output = "FAILED a.py::test_b\n" + "nothing happens\n" * 100_000
    assert any("were not read" in problem for one in engine.evidence(output) for problem in one.problems)
    assert any("were not read" in note for note in engine.context("why", evidence=[output]).freshness.notes)
    assert any("were not read" in note for note in engine.search(output).freshness.notes)
    assert engine.context("why", evidence=["FAILED a.py::test_b"]).freshness.notes == ()


@pytest.mark.parametrize("runner", RUNNER_SAMPLES)
def test_every_runner_goes_all_the_way(engine, runner):
    """From output to an answer."""
    assert engine.evidence(RUNNER_SAMPLES[runner])
    engine.context("the total is wrong", evidence=[RUNNER_SAMPLES[runner]])
    engine.context(RUNNER_SAMPLES[runner])


def test_names_in_code():
    """What is called or imported, members and types; no strings, no plain variables."""
    assert names_in(["import shop", "total = Cart.sum(x, 'lost()')", "other = y.items"]) == {
        "import": 1.0,
        "shop": 1.0,
        "Cart": 0.5,
        "sum": 1.0,
        "items": 0.5,
    }
