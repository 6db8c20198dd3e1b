"""Whatever happened to a trace on its way, reading it ends with traces that lie in the text."""

from __future__ import annotations

import pytest
from trace_mutations import campaign, damaged
from trace_samples import SAMPLES

import callsite
from callsite.evidence.traces.read import read_traces


@pytest.fixture
def engine(tmp_path):
    """Of a shop that the traces speak of."""
    for path in ("src/shop/cart.py", "src/cart.js", "org/shop/Stock.java", "src/cart.rs", "lib/cart.rb", "src/cart.c"):
        place = tmp_path / "root" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("total = 1\n" * 50)
    with callsite.open(tmp_path / "root", home=str(tmp_path / "home")) as engine:
        yield engine


def test_five_hundred_damaged_traces_are_read(engine):
    """Most still hold frames or failing tests, of all languages and runners; some go all the way to an answer."""
    seen = campaign(500, seed=1, engine=engine)
    assert len([name for name in seen if name.startswith("tests of ")]) >= 12
    assert len([name for name in seen if not name.startswith("tests of ")]) >= 13
    assert sum(seen.values()) > 500


def test_a_seed_always_does_the_same_damage():
    """So that a failure can be repeated by its number."""
    assert [damaged(3, number) for number in range(50)] == [damaged(3, number) for number in range(50)]
    assert len({damaged(3, number) for number in range(50)}) > 45


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("n", [300, 3_000])
def test_a_trace_without_end_is_read_in_bounds(name, n):
    """Endless recursion prints the same frames until the disk is full."""
    lines = SAMPLES[name].split("\n")
    text = "\n".join([*lines[:-2], *(lines[-2:-1] * n), lines[-1]])
    for trace in read_traces(text):
        assert len(trace.frames) <= 1_000
