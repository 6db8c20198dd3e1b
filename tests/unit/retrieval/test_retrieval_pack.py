"""What is shown fits the budget, shows no line twice and joins what belongs together, whatever spans come in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from callsite.index.snapshot import ChunkRow, File
from callsite.retrieval.contents import Contents
from callsite.retrieval.pack import pack, whole_definition
from callsite.retrieval.score import Ranked
from callsite.retrieval.spans import Span


class Texts:
    """Stands in for a snapshot: contents by number, each a list of chunks (name, signature, lines)."""

    def __init__(self, *contents):
        self.contents = contents

    def lines(self, content):
        return [line for _, _, lines in self.contents[content] for line in lines]

    def chunks(self, content):
        rows, line = [], 1
        for ordinal, (name, signature, lines) in enumerate(self.contents[content]):
            rows.append(
                ChunkRow(
                    ordinal=ordinal, type="function", name=name, first_line=line, last_line=line + len(lines) - 1,
                    start=0, length=sum(map(len, lines)), signature=signature,
                )
            )  # fmt: skip
            line += len(lines)
        return rows


def span(file, ordinal):
    there = File(id=file, path=f"{file}.py", content=file, digest="", language="python", n_bytes=1, shelves=())
    return Span(ranked=Ranked(file=there, score=1.0, reasons=()), ordinal=ordinal, score=1.0, worth=None)


def packed(texts, places, *, n=10, budget=None):
    return pack(Contents(texts), [span(*place) for place in places], n=n, budget=budget)


def check(texts, places, expected, *, n=10, budget=None):
    shown = [
        (one.span.ranked.file.id, one.first_line, one.last_line) for one in packed(texts, places, n=n, budget=budget)
    ]
    assert shown == expected


def lines(n, width=20):
    return ["x" * width] * n


def test_hits_come_in_the_order_of_their_spans():
    """At most as many as asked for."""
    texts = Texts([("a", "", lines(3))], [("b", "", lines(2))])
    check(texts, [(1, 0), (0, 0)], [(1, 1, 2), (0, 1, 3)])
    check(texts, [(1, 0), (0, 0)], [(1, 1, 2)], n=1)
    check(texts, [], [])


def test_a_hit_grows_to_its_whole_function():
    """Pieces that continue a definition carry its first line as their signature."""
    texts = Texts([("other", "", lines(2)), ("f", "", lines(3)), ("f", "def f():", lines(3)), ("g", "", lines(1))])
    check(texts, [(0, 2)], [(0, 3, 8)])
    assert whole_definition(texts.chunks(0), texts.chunks(0)[1]) == (3, 8)
    assert whole_definition(texts.chunks(0), texts.chunks(0)[0]) == (1, 2)


def test_a_very_long_function_is_shown_by_the_chunk_that_matched():
    """And with a budget, one that would take most of it."""
    long = Texts([("f", "", lines(50, 60)), ("f", "def f():", lines(10))])
    check(long, [(0, 1)], [(0, 51, 60)])
    texts = Texts([("f", "", lines(10)), ("f", "def f():", lines(10))])
    check(texts, [(0, 1)], [(0, 11, 20)], budget=500)
    check(texts, [(0, 1)], [(0, 1, 20)], budget=2_000)
    medium = Texts([("f", "", lines(20, 40)), ("f", "def f():", lines(20, 40))])
    check(medium, [(0, 1)], [(0, 1, 40)])
    check(medium, [(0, 1)], [(0, 21, 40)], budget=16_000)


def test_neighbours_merge_over_blank_lines():
    """Under the span that came first; also when a third fills the gap between two."""
    texts = Texts(
        [("a", "", [*lines(2), "", ""]), ("b", "", lines(2)), ("c", "", ["", *lines(2)]), ("d", "", lines(1))]
    )
    check(texts, [(0, 1), (0, 0)], [(0, 1, 6)])
    check(texts, [(0, 0), (0, 2), (0, 1)], [(0, 1, 9)])
    check(texts, [(0, 2), (0, 0), (0, 1)], [(0, 1, 9)])
    check(texts, [(0, 0), (0, 3)], [(0, 1, 2), (0, 10, 10)])


def test_neighbours_of_great_length_stay_apart():
    """A late one does not swell an early one."""
    texts = Texts([("a", "", lines(40, 50)), ("b", "", lines(40, 50))])
    check(texts, [(0, 0), (0, 1)], [(0, 1, 40), (0, 41, 80)])


def test_the_same_lines_are_not_shown_twice():
    """Two chunks of one function are one hit."""
    texts = Texts([("f", "", lines(3)), ("f", "def f():", lines(3))])
    check(texts, [(0, 0), (0, 1), (0, 0)], [(0, 1, 6)])


def test_what_does_not_fit_makes_room_for_what_does():
    """The next span is tried."""
    texts = Texts([("a", "", lines(10))], [("b", "", lines(1))])
    check(texts, [(0, 0), (1, 0)], [(1, 1, 1)], budget=50)


def test_when_nothing_fits_the_start_of_the_best_is_shown():
    """By whole lines; not even that when its first line is too long."""
    texts = Texts([("a", "", lines(10))])
    check(texts, [(0, 0)], [(0, 1, 2)], budget=50)
    check(texts, [(0, 0)], [], budget=5)


CHUNKS = st.lists(
    st.tuples(
        st.sampled_from(["f", "g", ""]),
        st.sampled_from(["", "def f():"]),
        st.lists(st.sampled_from(["", " ", "x", "y" * 30, "é" * 400]), min_size=1, max_size=6),
    ),
    min_size=1,
    max_size=8,
)


@given(st.data(), st.lists(CHUNKS, min_size=1, max_size=3), st.integers(1, 12), st.none() | st.integers(1, 3_000))
def test_packing_keeps_its_promises(data, contents, n, budget):
    """Budget and number are kept, no range overlaps another, texts are the lines that they name, neighbours are one."""
    everywhere = [(file, ordinal) for file, chunks in enumerate(contents) for ordinal in range(len(chunks))]
    places = data.draw(st.lists(st.sampled_from(everywhere), max_size=20))
    texts = Texts(*contents)
    shown = packed(texts, places, n=n, budget=budget)
    assert len(shown) <= n
    assert budget is None or sum(len(one.text) for one in shown) <= budget
    seen = set()
    for one in shown:
        file = one.span.ranked.file.id
        own = {(file, line) for line in range(one.first_line, one.last_line + 1)}
        assert own
        assert not own & seen
        seen |= own
        assert one.text == "\n".join(texts.lines(file)[one.first_line - 1 : one.last_line])
    for one in shown:
        for other in shown:
            touches = one.span.ranked.file == other.span.ranked.file and other.first_line == one.last_line + 1
            assert not touches or budget is not None or len(one.text) + len(other.text) + 1 > 2_500
