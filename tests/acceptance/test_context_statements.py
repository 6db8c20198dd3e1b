"""The statements about evidence, S9 to S14, as whoever uses the library meets them."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest
from context_samples import keep, make_post, place, python_trace, recording

import callsite

LEFT, RIGHT = "post/left.py", "post/right.py"
QUESTION = "the parcel is weighed wrongly"


@pytest.fixture
def post(tmp_path):
    return make_post(tmp_path / "post")


@pytest.fixture
def engine(post, tmp_path):
    with callsite.open(post, home=str(tmp_path / "home")) as engine:
        engine.index()
        yield engine


def first(answer):
    return answer.hits[0].path, answer.hits[0].name


@pytest.mark.parametrize(("common", "special"), [(LEFT, RIGHT), (RIGHT, LEFT)])
def test_s9_a_function_in_most_recordings_says_little(engine, post, common, special):
    """Of two equal ones that which few recordings went through comes first."""
    made = []
    for number, letter in enumerate("abcdef"):
        own = place(special, "d") if letter == "d" else ("post/far.py", 1, "weld")
        made.append(keep(post, f"{letter}", recording(place(common, "d"), own, name=f"case {letter * 3} {number}")))
    assert first(engine.context(QUESTION, recordings=[str(path) for path in made])) == (special, "weigh_d")


def test_s9_recordings_that_went_the_same_ways_count_once(engine, post):
    """They take one place, and however many there are they change no score."""
    keep(post, "one", recording(place(RIGHT, "c"), name="parcel weighed [one]"))
    keep(post, "other", recording(("post/far.py", 1, "weld"), name="iron welded"))
    alone = engine.context(QUESTION)
    for number in range(5):
        keep(post, f"more{number}", recording(place(RIGHT, "c"), name=f"parcel weighed [{number}]"))
    together = engine.context(QUESTION)
    assert [(one.n_alike, one.name[:14]) for one in together.recordings] == [(5, "parcel weighed")]
    assert [(hit.path, hit.first_line) for hit in together.hits] == [(hit.path, hit.first_line) for hit in alone.hits]
    assert first(together) == (RIGHT, "weigh_c")


@pytest.mark.parametrize(("well", "badly"), [(LEFT, RIGHT), (RIGHT, LEFT)])
@pytest.mark.parametrize("failure", [{"status": "failed"}, {"raises": "post.ScaleError"}])
def test_s9_failures_say_more_than_plain_calls(engine, post, well, badly, failure):
    """A failed test, or an exception."""
    made = [
        keep(post, "well", recording(place(well, "b"), name="case one")),
        keep(post, "badly", recording(place(badly, "b"), name="case two", **failure)),
    ]
    assert first(engine.context(QUESTION, recordings=[str(path) for path in made])) == (badly, "weigh_b")


def test_s11_two_sessions_at_once_never_touch_each_other(engine, post):
    """Threads with recordings and traces of their own, on one engine: each gets what it gets alone."""
    sessions = []
    for path, letter in itertools.product((LEFT, RIGHT), "abcdef"):
        kept = keep(post, f"{path[5:-3]}-{letter}", recording(place(path, letter), name=f"{path} {letter}"))
        sessions.append({"recordings": [str(kept)]})
        sessions.append({"recordings": [], "evidence": [python_trace([place(path, letter)])]})
    keep(post, "other", recording(("post/far.py", 1, "weld"), name="iron welded"))
    alone = [engine.context(QUESTION, **session) for session in sessions]
    assert len({first(answer) for answer in alone}) == 12
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(lambda session: engine.context(QUESTION, **session), sessions)) == alone


def test_s11_what_a_session_boosted_is_gone_with_it(engine, post):
    """Nothing of it is left in the index or in the engine."""
    before = engine.search(QUESTION).hits
    kept = keep(post, "right", recording(place(RIGHT, "e"), name="parcel"))
    assert first(engine.context(QUESTION)) == (RIGHT, "weigh_e")
    kept.unlink()
    assert engine.search(QUESTION).hits == before
    assert all(reason.label != "recorded" for hit in engine.context(QUESTION).hits for reason in hit.reasons)


@pytest.mark.parametrize("budget", [1, 40, 300, 1_000, 4_000, 16_000])
@pytest.mark.parametrize("question", [QUESTION, "weigh_a", "which sql selects parcels", "?"])
def test_s12_the_answer_fits_its_budget_and_repeats_nothing(engine, post, budget, question):
    """With evidence of every kind; statements count as well."""
    keep(post, "a", recording(place(LEFT, "a"), name="parcels", sql="SELECT * FROM parcels WHERE id = 7"))
    hits = engine.context(question, evidence=[python_trace([place(RIGHT, "c")])], budget=budget).hits
    assert sum(len(hit.text) for hit in hits) <= budget
    seen = set()
    for hit in hits:
        lines = {
            (hit.path, hit.source if not hit.first_line else line) for line in range(hit.first_line, hit.last_line + 1)
        }
        assert not lines & seen
        seen |= lines


def test_s13_each_snippet_says_why_it_is_there(engine, post):
    """Parts that add up, with the recording and the error that they come from."""
    keep(post, "a", recording(place(LEFT, "a"), name="parcel is weighed", raises="post.ScaleError"))
    hits = engine.context(QUESTION, evidence=[python_trace([place(RIGHT, "c")])], budget=4_000).hits
    for hit in hits:
        assert sum(reason.value for reason in hit.reasons) == pytest.approx(hit.score)
    said = {(hit.path, hit.name): " ".join(reason.detail for reason in hit.reasons) for hit in hits}
    assert "called in parcel is weighed (recording), raised ScaleError" in said[LEFT, "weigh_a"]
    assert "ScaleError" in said[RIGHT, "weigh_c"]


FILTERS = [
    ({"include": ["post/left.py"]}, {LEFT}),
    ({"exclude": ["right.py", "far.py", "*.go"]}, {LEFT}),
    ({"exclude": ["/post/"]}, {"web/counter.go"}),
    ({"languages": ["go"]}, {"web/counter.go"}),
    ({"include": ["nothing"]}, set()),
]  # fmt: skip


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
def test_s14_filters_hold_for_evidence_too(engine, post, filters, expected):
    """What recordings and traces point at outside of them never appears; the index stays as it is."""
    plain = engine.search("weigh parcel").hits
    keep(post, "a", recording(place(RIGHT, "a"), ("post/far.py", 1, "weld"), name="parcel", status="failed"))
    trace = python_trace([place(RIGHT, "c"), ("post/far.py", 1, "weld")])
    answer = engine.context("weigh parcel weld iron", evidence=[trace], **filters)
    assert {hit.path for hit in answer.hits} == expected
    assert engine.search("weigh parcel").hits == plain


def test_s14_types_hold_for_evidence_too(engine, post):
    """Nothing comes in that the same filter keeps out of a search; statements have a type of their own."""
    keep(post, "a", recording(place(RIGHT, "a"), name="parcels", sql="SELECT * FROM parcels"))
    trace, question = python_trace([place(RIGHT, "c")]), "which sql selects parcels weigh"
    for kind in ("function", "section", "class", "file"):
        hits = engine.context(question, evidence=[trace], types=[kind]).hits
        assert {hit.type for hit in hits} == {hit.type for hit in engine.search(question, types=[kind], n=1_000).hits}
    assert {hit.type for hit in engine.context(question, types=["data-request"]).hits} == {"data-request"}


def test_s14_filters_hold_for_statements(engine, post):
    """When the code behind them is filtered out, they are."""
    keep(post, "a", recording(place(RIGHT, "a"), name="parcels", sql="SELECT * FROM parcels"))
    question = "which sql selects parcels"
    assert "data-request" in {hit.type for hit in engine.context(question).hits}
    for filters in ({"languages": ["go"]}, {"include": ["web/"]}, {"exclude": ["post/", "tmp/"]}):
        assert "data-request" not in {hit.type for hit in engine.context(question, **filters).hits}
