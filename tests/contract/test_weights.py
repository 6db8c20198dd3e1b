"""S1: path, symbols and words are searched with weights that take effect, on every store."""

from __future__ import annotations

import pytest
from samples import check, document, filled, scores

from callsite.query import Query

#: Each holds the term once, in another place, and is equally long in all of them.
EQUAL = [
    document("word", path="src/delta_one.py", name="alpha_two", content="wanted gamma"),
    document("symbol", path="src/delta_one.py", name="wanted_two", content="beta gamma"),
    document("path", path="src/wanted_one.py", name="alpha_two", content="beta gamma"),
]


def test_path_beats_symbol_beats_word_on_otherwise_equal_chunks(store):
    """S1: by the weights of a match that names none."""
    check(filled(store, EQUAL), Query.match("wanted"), "path symbol word")


@pytest.mark.parametrize("raised", ["path", "symbols", "words"])
def test_each_weight_takes_effect(store, raised):
    """S1: the field that is weighed most decides, and one that is not named is not asked."""
    weights = {"path": 1.0, "symbols": 1.0, "words": 1.0} | {raised: 10.0}
    found = scores(filled(store, EQUAL), Query.match("wanted", **weights))
    best = max(found, key=lambda id: found[id][0])
    assert best == {"path": "path", "symbols": "symbol", "words": "word"}[raised]
    check(store, Query.match("wanted", **{raised: 1.0}), best)
