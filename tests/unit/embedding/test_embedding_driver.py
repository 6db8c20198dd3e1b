"""Many texts become vectors, whatever an embedder does; each of its faults has one outcome."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patient_clock import PatientClock

from callsite.embedding import Driver, FakeEmbedder, Limits, Policy, embed_all, estimate, hashed_vector
from callsite.errors import (
    EmbedderBusy,
    EmbedderRefused,
    EmbedderUnreachable,
    EmbeddingError,
    InputRefused,
    SettingsError,
)

DIMS = 8
BROKEN = EmbedderUnreachable("it answered 500", may_be_input=True)
DOWN = EmbedderUnreachable("it can't be reached")
ONE = Policy(concurrency=1)


def fake(*faults, **limits):
    return FakeEmbedder(dims=DIMS, faults=faults, **{"items": 4, **limits})


def embedded(embedder, texts, *, policy=ONE, clock=None, keep=None):
    return embed_all(embedder, texts, policy=policy, clock=clock or PatientClock(), chance=lambda: 0.0, keep=keep)


def texts(n):
    return [f"text {number}" for number in range(n)]


class Picky(FakeEmbedder):
    """Refuses requests that are too large, and single texts that it does not like."""

    def __init__(self, *, most_tokens=10**9, dislikes="", error=None, **limits):
        super().__init__(dims=DIMS, **limits)
        self.most_tokens = most_tokens
        self.dislikes = dislikes
        self.error = error or InputRefused("400: bad input")
        self.accepted = []

    def embed(self, texts, *, purpose="document"):
        vectors = super().embed(texts, purpose=purpose)
        if sum(map(estimate, texts)) > self.most_tokens:
            raise InputRefused("413", is_too_large=True)
        if self.dislikes and any(self.dislikes in text for text in texts):
            raise self.error
        self.accepted.append(tuple(texts))
        return vectors


def check(faults, n_requests, waits=(), problems=()):
    """Of four texts in one request: how often is asked, how long is waited, who gets no vector."""
    clock, embedder = PatientClock(), fake(*faults)
    found = embedded(embedder, texts(4), clock=clock)
    assert len(embedder.requests) == n_requests
    assert clock.waits == list(waits)
    assert [one.problem for one in found if one.problem] == list(problems)
    good = [one.vector == hashed_vector(text, DIMS) for one, text in zip(found, texts(4), strict=True) if one.vector]
    assert good == [True] * (4 - len(problems))


def test_a_good_answer_needs_one_request():
    """Nothing is waited for."""
    check([], 1)


def test_busy_with_a_time_is_waited_for_so_long():
    """A Retry-After is honoured to the second."""
    check([EmbedderBusy("429", wait=17.0)], 2, [17.0])


def test_busy_without_a_time_is_waited_for_longer_each_time():
    """And never counts as a try."""
    check([EmbedderBusy("429")] * 9, 10, [1, 2, 4, 8, 16, 32, 60, 60, 60])
    check([EmbedderBusy("429", wait=5.0)] * 9 + [BROKEN] * 5, 15, [5] * 9 + [1, 2, 4, 8, 16])


def test_a_failure_is_tried_again_with_growing_delays():
    """Whether it was reached or not."""
    check([BROKEN, DOWN, BROKEN], 4, [1, 2, 4])


def test_an_answer_with_fewer_vectors_is_not_believed():
    """Nobody knows which of them belong to which text."""
    check(["fewer"], 2, [1])


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ("nan", "the vector is zero or holds numbers that are none"),
        ("zero", "the vector is zero or holds numbers that are none"),
        ("none", "the answer held no vector for it"),
    ],
)
def test_one_bad_vector_is_asked_for_alone(damage, problem):
    """Its neighbours were paid for and are kept; after six tries it fails alone."""
    embedder = fake(*[damage] * 6)
    found = embedded(embedder, texts(4))
    assert [len(request) for request in embedder.requests] == [4, 1, 1, 1, 1, 1]
    assert [one.problem for one in found] == [problem, "", "", ""]
    check([damage], 2, [1])


def test_other_dimensions_end_everything_at_once():
    """Asking again would cost, and change nothing."""
    embedder = fake("dims", items=2)
    with Driver(embedder, policy=ONE, clock=PatientClock()) as driver:
        with pytest.raises(EmbedderRefused, match="7 dimensions, not 8; set dims to 7"):
            driver.embed(texts(20))
        with pytest.raises(EmbedderRefused, match="7 dimensions"):
            driver.embed(["another"])
    assert len(embedder.requests) == 1


def test_a_refusal_ends_everything_at_once():
    """A wrong key is wrong for all."""
    embedder = fake(EmbedderRefused("401"), items=1)
    with pytest.raises(EmbedderRefused, match="401"):
        embedded(embedder, texts(20))
    assert len(embedder.requests) == 1


def test_what_can_not_be_reached_ends_everything_after_its_tries():
    """The texts are not to blame, so nothing is halved."""
    embedder = fake(*[DOWN] * 50)
    with pytest.raises(EmbedderUnreachable, match="can't be reached"):
        embedded(embedder, texts(4))
    assert len(embedder.requests) == 6


def test_what_always_fails_is_found_out():
    """Reached, but 500 for every text: after some have failed alone, the embedder is to blame."""
    embedder = fake(*[BROKEN] * 500, items=256)
    with pytest.raises(EmbedderUnreachable, match="500"):
        embedded(embedder, texts(256))
    assert len(embedder.requests) < 40


def test_what_refuses_every_text_is_found_out():
    """A model that knows no embeddings refuses requests as if the texts were to blame."""
    embedder = Picky(dislikes="text", items=256)
    with pytest.raises(EmbedderRefused, match="every text is refused; the last time: 400: bad input"):
        embedded(embedder, texts(256))
    assert len(embedder.requests) < 40


def test_waiting_has_an_end():
    """An hour without any answer is enough, and a wait that is longer is not begun."""
    with pytest.raises(EmbedderBusy):
        embedded(fake(*[EmbedderBusy("429")] * 500), texts(4))
    clock = PatientClock()
    with pytest.raises(EmbedderBusy):
        embedded(fake(EmbedderBusy("429", wait=86_400.0)), texts(4), clock=clock)
    assert clock.waits == []


def test_time_in_which_nothing_was_asked_is_no_waiting():
    """A driver may be idle for hours, and then be told to wait."""
    clock = PatientClock()
    with Driver(fake(None, EmbedderBusy("429", wait=5.0)), policy=ONE, clock=clock, chance=lambda: 0.0) as driver:
        driver.embed(["a"])
        clock.sleep(10_000)
        assert driver.embed(["b"])[0].vector


@pytest.mark.parametrize("error", [InputRefused("400: bad input"), BROKEN])
def test_a_text_that_is_refused_fails_alone(error):
    """It is found by halving; all others get their vectors, and none of them twice."""
    embedder = Picky(dislikes="text 77", items=256, error=error)
    found = embedded(embedder, texts(200))
    assert [number for number, one in enumerate(found) if one.problem] == [77]
    assert found[77].problem == str(error)
    assert Counter(text for request in embedder.accepted for text in request) == Counter(
        text for text in texts(200) if text != "text 77"
    )


def test_a_request_that_is_too_large_is_halved_and_the_size_is_learned():
    """What comes later is packed so that it passes."""
    embedder = Picky(most_tokens=20, items=64)
    with Driver(embedder, policy=ONE, clock=PatientClock()) as driver:
        first = driver.embed(texts(64))
        n_asked, n_accepted = len(embedder.requests), len(embedder.accepted)
        second = driver.embed([f"more {number}" for number in range(64)])
    assert all(one.vector for one in first + second)
    assert n_asked > n_accepted
    assert len(embedder.requests) - n_asked == len(embedder.accepted) - n_accepted


def test_an_oversize_text_is_cut_before_the_call():
    """Its vector is that of its beginning, and is said to be."""
    embedder = fake(tokens_of_item=20)
    short, long = embedded(embedder, ["short", "abcdefghi " * 50])
    assert (short.is_truncated, long.is_truncated) == (False, True)
    sent = embedder.requests[0][1]
    assert sent != "abcdefghi " * 50
    assert ("abcdefghi " * 50).startswith(sent)
    assert 10 <= estimate(sent) <= 20


def test_an_oversize_text_fails_alone_when_so_wished():
    """It is never sent."""
    embedder = fake(tokens_of_item=20)
    found = embedded(embedder, ["one", "abcdefghi " * 50, "two"], policy=Policy(oversize="fail"))
    assert [one.problem for one in found] == ["", "the text has about 168 tokens, the model takes 20", ""]
    assert embedder.requests == [("one", "two")]


def test_a_text_that_the_provider_finds_too_long_is_cut_further():
    """Estimates can be wrong; with "fail" it fails alone."""
    long = "abcdefghi " * 50
    short, cut = embedded(Picky(most_tokens=60), ["short", long])
    assert (short.problem, cut.problem, cut.is_truncated) == ("", "", True)
    assert cut.vector != hashed_vector(long, DIMS)
    _, failed = embedded(Picky(most_tokens=60), ["short", long], policy=Policy(oversize="fail", concurrency=1))
    assert failed.problem == "413"


def test_blank_texts_are_not_sent():
    """Their vectors would mean nothing."""
    embedder = fake()
    assert [one.problem for one in embedded(embedder, ["", "a", " \n"])] == [
        "the text is blank",
        "",
        "the text is blank",
    ]
    assert embedder.requests == [("a",)]


@given(sizes=st.lists(st.integers(1, 200), max_size=40), items=st.integers(0, 7), tokens=st.sampled_from([0, 30, 100]))
def test_requests_keep_to_the_limits(sizes, items, tokens):
    """By texts and by tokens; a text that is larger alone goes alone, and the order stays."""
    embedder = FakeEmbedder(dims=DIMS, items=items, tokens=tokens)
    given = [f"{number:03}" + "x" * size for number, size in enumerate(sizes)]
    found = embedded(embedder, given)
    assert [one.vector for one in found] == [hashed_vector(text, DIMS) for text in given]
    for request in embedder.requests:
        assert not items or len(request) <= items
        assert not tokens or len(request) == 1 or sum(map(estimate, request)) <= tokens
    assert [text for request in embedder.requests for text in request] == given


FAULTS = st.sampled_from(
    [None, None, EmbedderBusy("429"), EmbedderBusy("429", wait=3.0), BROKEN, DOWN, "fewer", "nan", "zero", "none"]
)


@given(script=st.lists(FAULTS, max_size=25), n=st.integers(0, 30), concurrency=st.integers(1, 4))
def test_nothing_is_lost_and_nothing_paid_twice(script, n, concurrency):
    """After any faults, also after those that end a call: a text whose vector came is never sent again."""
    embedder, kept, twice = fake(*script), {}, []

    def keep(got):
        twice.extend(place for place, _ in got if left[place] in kept)
        kept.update((left[place], vector) for place, vector in got)

    for _ in range(30):
        left = [text for text in texts(n) if text not in kept]
        try:
            embedded(embedder, left, policy=Policy(concurrency=concurrency), keep=keep)
        except EmbedderUnreachable:
            continue
    assert twice == []
    assert kept == {text: hashed_vector(text, DIMS) for text in texts(n)}


def test_what_was_paid_for_is_handed_over_before_the_end():
    """Those that came before the embedder refused."""
    kept = []
    with pytest.raises(EmbedderRefused):
        embedded(fake(None, None, EmbedderRefused("402")), texts(20), keep=kept.extend)
    assert [place for place, _ in kept] == list(range(8))


def test_requests_and_tokens_per_minute_are_limited():
    """In any 60 seconds, for all threads together."""
    check_pace(Policy(concurrency=3, requests_per_minute=2), n=40, seconds=240)
    check_pace(Policy(concurrency=3, tokens_per_minute=32), n=40, seconds=240)


def check_pace(policy, *, n, seconds):
    """Ten requests of four texts with 16 tokens: two of them each minute."""
    clock, embedder = PatientClock(), fake()
    found = embedded(embedder, texts(n), policy=policy, clock=clock)
    assert all(one.vector for one in found)
    assert clock.now() >= seconds


def test_a_request_that_is_larger_than_a_minute_goes_alone():
    """Otherwise it would never go."""
    clock = PatientClock()
    found = embedded(fake(), texts(12), policy=Policy(concurrency=1, tokens_per_minute=3), clock=clock)
    assert all(one.vector for one in found)
    assert clock.now() == 120


def test_a_closed_driver_asks_no_more():
    """And says so."""
    embedder = fake()
    driver = Driver(embedder, clock=PatientClock())
    driver.close()
    driver.close()
    with pytest.raises(EmbeddingError, match="was ended"):
        driver.embed(["a"])
    assert embedder.requests == []


def test_closing_ends_calls_of_other_threads():
    """Those that wait for requests which will never be made, too."""
    begun, go_on = threading.Event(), threading.Event()

    class Slow(FakeEmbedder):
        def embed(self, texts, *, purpose="document"):
            begun.set()
            go_on.wait(10)
            return super().embed(texts, purpose=purpose)

    embedder, kept, ended = Slow(dims=DIMS, items=1), [], []
    driver = Driver(embedder, policy=ONE)

    def work():
        with pytest.raises(EmbeddingError, match="was ended"):
            driver.embed(texts(20), keep=kept.extend)
        ended.append(True)

    caller = threading.Thread(target=work)
    caller.start()
    begun.wait(10)
    closer = threading.Thread(target=driver.close)
    closer.start()
    driver._stop.wait(10)
    go_on.set()
    caller.join(10)
    closer.join(10)
    assert (ended, len(embedder.requests)) == ([True], 1)
    assert [place for place, _ in kept] == [0]


@pytest.mark.parametrize(
    "wrong", [{"concurrency": 0}, {"tries": 0}, {"oversize": "drop"}, {"patience": -1.0}, {"tokens_per_minute": -1}]
)
def test_a_policy_that_can_not_be_meant_is_refused(wrong):
    """When the driver is made, not somewhere on the way."""
    with pytest.raises(SettingsError, match="embedding: "):
        embedded(fake(), ["a"], policy=Policy(**wrong))


def test_a_purpose_that_there_is_not_is_refused():
    """Before anything is asked."""
    embedder = fake()
    with pytest.raises(SettingsError, match="document or query"):
        embed_all(embedder, ["a"], purpose="answer")
    assert embedder.requests == []


def test_the_fake_gives_the_same_vectors_everywhere():
    """Of length 1, of the text alone; limits are as given."""
    embedder = FakeEmbedder(dims=16)
    (vector,) = embedder.embed(["héllo"])
    assert vector == FakeEmbedder(dims=16, model="other").embed(["x", "héllo"])[1]
    assert sum(number * number for number in vector) == pytest.approx(1)
    assert embedder.limits == Limits(model="fake", dims=16, items=256)
    embedder.close()
    with pytest.raises(ValueError, match="no damage"):
        FakeEmbedder(faults=["worse"]).embed(["a"])
