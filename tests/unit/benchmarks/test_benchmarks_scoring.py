"""The scores agree with examples worked out by hand."""

import math

import pytest

from benchmarks.engines.contract import Place
from benchmarks.scoring import NOWHERE, discounted_gain, is_same_path, last_file_rank, semble_score


def _places(*spans):
    return [Place(path=path, first_line=first, last_line=last) for path, first, last in spans]


@pytest.mark.parametrize(
    ("ranks", "n_targets", "expected"),
    [
        ([1], 1, 1.0),
        ([2], 1, 1 / math.log2(3)),
        ([1, 2], 2, 1.0),
        ([1, 3], 2, (1 + 1 / 2) / (1 + 1 / math.log2(3))),
        ([11], 1, 0.0),
        ([], 0, 0.0),
        ([1, 1], 2, 1 / (1 + 1 / math.log2(3))),
    ],
)
def test_gain_falls_with_the_logarithm_of_the_rank(ranks, n_targets, expected):
    """Rank 1 counts 1, rank 3 a half; two targets in one place count once; the ideal order is 1."""
    assert discounted_gain(ranks, n_targets=n_targets) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a/b.py", "a/b.py", True),
        ("src/a/b.py", "a/b.py", True),
        ("a/b.py", "src/a/b.py", True),
        ("xa/b.py", "a/b.py", False),
        ("a\\b.py", "a/b.py", True),
        ("b.py", "c.py", False),
    ],
)
def test_paths_are_the_same_when_one_ends_with_the_other(one, other, expected):
    """At a border between folders only."""
    assert is_same_path(one, other) is expected


def test_a_target_with_lines_is_found_by_an_overlap():
    """The first place of the path is not enough when its lines lie elsewhere."""
    places = _places(("a.py", 1, 10), ("a.py", 20, 30))
    target = {"path": "a.py", "start_line": 30, "end_line": 40}
    assert semble_score(places, ["a.py"]) == 1.0
    assert semble_score(places, [target]) == pytest.approx(1 / math.log2(3))


def test_only_ten_places_count():
    """The eleventh is too late."""
    places = _places(*((f"{i}.py", 1, 1) for i in range(11)))
    assert semble_score(places, ["9.py"]) > 0
    assert semble_score(places, ["10.py"]) == 0


@pytest.mark.parametrize(
    ("files", "wanted", "expected"),
    [
        (["a", "b", "c"], ["a"], 1),
        (["a", "a", "b"], ["b"], 2),
        (["a", "b", "c"], ["c", "a"], 3),
        (["a"], ["a", "x"], NOWHERE),
    ],
)
def test_a_fix_is_found_with_its_last_file(files, wanted, expected):
    """Files count once, at their first rank."""
    assert last_file_rank(files, wanted) == expected
