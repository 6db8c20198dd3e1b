"""Long hits are cut to the lines that matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.cli.excerpt import MOST_LINES, excerpt


def check(n_lines, matching, head, expected):
    words = [frozenset(matching.get(n, "").split()) for n in range(n_lines)]
    assert excerpt(words, head=head) == expected


@pytest.mark.parametrize(
    ("n_lines", "matching", "head", "expected"),
    [
        (1, {}, 0, [0]),
        (13, {12: "a"}, 0, list(range(13))),
        (30, {}, 0, list(range(12))),
        (30, {2: "a"}, 0, list(range(12))),
        (30, {20: "a b", 5: "a"}, 0, [0, *range(10, 21)]),
        (30, {20: "a b"}, 2, [2, *range(10, 21)]),
        (30, {13: "a"}, 2, list(range(2, 14))),
        (30, {29: "a"}, 0, [0, *range(19, 30)]),
        (30, {8: "a"}, 7, list(range(7, 19))),
        (30, {5: "b", 8: "a"}, 7, list(range(5, 17))),
        (30, {5: "a", 12: "b", 28: "a b c"}, 18, list(range(18, 30))),
    ],
)
def test_the_definition_and_the_best_lines_are_shown(n_lines, matching, head, expected):
    """The head, and the window with the most different words."""
    check(n_lines, matching, head, expected)


@given(st.lists(st.frozensets(st.sampled_from("abcd")), min_size=1, max_size=60), st.data())
def test_an_excerpt_is_short_ordered_and_holds_the_head(words, data):
    """It never has two lines of the same number, and never a gap where all fits."""
    head = data.draw(st.integers(0, len(words) - 1))
    shown = excerpt(words, head=head)
    assert shown == sorted(set(shown))
    assert head in shown
    assert set(shown) <= set(range(len(words)))
    assert len(shown) <= MOST_LINES + 1
    assert len(shown) == len(words) or len(shown) >= MOST_LINES - 1
