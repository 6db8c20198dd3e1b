"""Real HTTP with a provider that misbehaves: each of its faults has one outcome, and no secret gets out."""

from __future__ import annotations

import logging
import socket
import traceback
from email.utils import formatdate

import pytest
from patient_clock import PatientClock
from strange_provider import DIMS, serving

from callsite.embedding import OpenAICompatible, Policy, Vertex, embed_all, hashed_vector
from callsite.embedding.http import retry_after
from callsite.errors import EmbedderBusy, EmbedderRefused, EmbedderUnreachable, EmbeddingError, SettingsError

KEY = "sk-very-secret-0123456789"
TEXTS = [f"text {number}" for number in range(4)]
QUOTA = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
TOO_LONG = {"error": {"message": "This model's maximum context length is 8192 tokens, however you requested 9000"}}


def openai(provider, **options):
    return OpenAICompatible("a-model", base_url=provider.url + "/v1", key=KEY, dims=DIMS, timeout=5.0, **options)


def vertex(provider, **options):
    return Vertex("a-project", token=lambda: KEY, base_url=provider.url + "/v1", dims=DIMS, timeout=5.0, **options)


MAKERS = pytest.mark.parametrize("make", [openai, vertex])


def embedded(embedder, texts=TEXTS, clock=None, **policy):
    try:
        return embed_all(
            embedder,
            texts,
            policy=Policy(concurrency=1, **policy),
            clock=clock or PatientClock(),
            chance=lambda: 0.0,
        )
    finally:
        embedder.close()


def check(make, script, waits, **options):
    """All texts get their vectors, after so many seconds of waiting."""
    clock = PatientClock()
    with serving(script) as provider:
        found = embedded(make(provider, clock=clock, **options), clock=clock)
    assert [one.vector for one in found] == [hashed_vector(text, DIMS) for text in TEXTS]
    assert clock.waits == pytest.approx(waits, abs=1)
    return provider


@MAKERS
@pytest.mark.parametrize(
    ("script", "waits"),
    [
        ([], []),
        ([(429, {"Retry-After": "7"})], [7]),
        ([(429, {"Retry-After": formatdate(1_800_000_030, usegmt=True)})], [30]),
        ([429, 429, 429], [1, 2, 4]),
        ([(503, {"Retry-After": "7"})], [7]),
        ([500, 502, 503], [1, 2, 4]),
        (["cut off"], [1]),
        (["no answer"], [1]),
        (["no json"], [1]),
        (["huge"], [1]),
        (["nan"], [1]),
        (["zero"], [1]),
        ([413], []),
        ([(400, {}, TOO_LONG)], []),
    ],
    ids=str,
)
def test_faults_that_pass(make, script, waits):
    """Afterwards every text has its vector."""
    check(make, script, waits)


@pytest.mark.parametrize("make", [openai, vertex])
def test_a_slow_provider_is_given_up_and_asked_again(make):
    """After the time that is set for a request."""
    with serving(["slow"]) as provider:
        embedder = make(provider)
        embedder._http._client.timeout = 0.2
        found = embedded(embedder)
    assert all(one.vector for one in found)
    assert len(provider.requests) == 2


def test_an_answer_that_drips_is_given_up_too():
    """Each part comes in time, all of them together do not."""

    class Hurrying(PatientClock):
        def now(self):
            self.sleep(6.0)
            return super().now()

    with serving() as provider, pytest.raises(EmbedderUnreachable, match="took too long") as caught:
        openai(provider, clock=Hurrying()).embed(["a" * 10_000] * 50)
    assert caught.value.may_be_input


def test_fewer_vectors_that_are_numbered_are_kept():
    """Only the text without one is asked for again; where nothing is numbered, all are."""
    assert check(openai, ["fewer"], [1]).inputs == [TEXTS, TEXTS[-1:]]
    assert check(vertex, ["fewer"], [1]).inputs == [TEXTS, TEXTS]


def test_embeddings_are_placed_by_their_numbers():
    """OpenAI does not promise an order."""
    check(openai, ["shuffled"], [])


def test_base64_gives_the_same_vectors():
    """It is asked for when so configured, and understood in any case."""
    assert check(openai, [], [], encoding="base64").requests[0]["encoding_format"] == "base64"


@MAKERS
def test_other_dimensions_end_the_run(make):
    """With what to do."""
    with serving(["dims"]) as provider, pytest.raises(EmbedderRefused, match="7 dimensions, not 8; set dims to 7"):
        embedded(make(provider))
    assert len(provider.requests) == 1


@MAKERS
@pytest.mark.parametrize(
    "step",
    [403, 404, 302, (429, {}, QUOTA), (400, {}, {"error": {"message": "The model `x` does not exist"}})],
    ids=str,
)
def test_what_does_not_get_better_ends_the_run(make, step):
    """It is asked once only."""
    with serving([step]) as provider, pytest.raises(EmbedderRefused):
        embedded(make(provider))
    assert len(provider.requests) == 1


def test_a_redirect_is_not_followed():
    """The key would go elsewhere."""
    with serving() as other, serving([(302, {"Location": other.url})]) as provider:
        with pytest.raises(EmbedderRefused, match="answered 302"):
            embedded(openai(provider))
        assert other.requests == []


def test_a_request_that_is_too_large_for_the_provider_is_halved():
    """Until it passes."""
    with serving(most_items=2) as provider:
        found = embedded(openai(provider))
    assert all(one.vector for one in found)
    assert [len(one) for one in provider.inputs] == [4, 2, 2]


def test_a_token_that_ran_out_is_asked_for_again():
    """Once for each request; a key that is only a text is not tried again."""
    tokens = iter(["old", "new"])
    with serving([401]) as provider:
        vector = Vertex("p", token=lambda: next(tokens), base_url=provider.url, dims=DIMS)
        assert all(one.vector for one in embedded(vector))
    assert [one["Authorization"] for one in provider.headers] == ["Bearer old", "Bearer new"]
    with serving([401]) as provider, pytest.raises(EmbedderRefused):
        embedded(openai(provider))


def test_a_token_can_come_from_a_file(tmp_path):
    """Which is read for each request, because something else keeps it fresh."""
    file = tmp_path / "token"
    with serving() as provider:
        embedder = Vertex("p", token=file, base_url=provider.url, dims=DIMS)
        file.write_text("one\n")
        embedder.embed(["a"])
        file.write_text("two\n")
        embedder.embed(["b"])
        file.unlink()
        with pytest.raises(EmbedderRefused, match="can't be read from"):
            embedder.embed(["c"])
        embedder.close()
    assert [one["Authorization"] for one in provider.headers] == ["Bearer one", "Bearer two"]


def test_what_is_sent():
    """To OpenAI and those like it: model, texts, dimensions only when they are to be shortened; prefixes by purpose."""
    with serving() as provider:
        plain = openai(provider, document_prefix="doc: ", query_prefix="ask: ")
        plain.embed(["a"])
        plain.embed(["b"], purpose="query")
        openai(provider, ask_dims=True).embed(["c"])
    assert provider.paths == ["/v1/embeddings"] * 3
    assert provider.requests == [
        {"model": "a-model", "input": ["doc: a"]},
        {"model": "a-model", "input": ["ask: b"]},
        {"model": "a-model", "input": ["c"], "dimensions": DIMS},
    ]
    assert plain.limits.model == "a-model after 'doc: '"


def test_what_is_sent_to_vertex():
    """With its task for documents and questions, in requests of at most 250 texts and 20,000 tokens."""
    with serving() as provider:
        embedder = vertex(provider)
        embedder.embed(["a"], purpose="query")
        embedded(embedder, [f"{number}" for number in range(300)])
    assert provider.paths[0] == (
        "/v1/projects/a-project/locations/us-central1/publishers/google/models/text-embedding-005:predict"
    )
    assert provider.requests[0] == {
        "instances": [{"content": "a", "task_type": "CODE_RETRIEVAL_QUERY"}],
        "parameters": {"outputDimensionality": DIMS, "autoTruncate": False},
    }
    assert [len(texts) for texts in provider.inputs[1:]] == [250, 50]
    with serving() as provider:
        embedded(vertex(provider), ["x" * 5_900] * 20)
    assert [len(texts) for texts in provider.inputs] == [10, 10]


def test_openai_models_have_known_dimensions():
    """Others have to be told; fewer than the model has are asked for."""
    assert OpenAICompatible("text-embedding-3-small", key=KEY).limits.dims == 1_536
    with pytest.raises(SettingsError, match="give dims"):
        OpenAICompatible("nomic-embed-text", base_url="http://localhost:11434/v1")
    with serving() as provider:
        OpenAICompatible("text-embedding-3-large", base_url=provider.url, dims=DIMS).embed(["a"])
    assert provider.requests[0]["dimensions"] == DIMS


@pytest.mark.parametrize(
    "url", ["", "localhost:1", "ftp://a", "http://", "http://u:p@a", "http://a/?key=1", "http://a:x"]
)
def test_an_address_that_can_not_be_meant_is_refused(url):
    """Also one that holds a secret, which would be shown with it."""
    with pytest.raises(SettingsError, match="embedding: the address"):
        OpenAICompatible("m", base_url=url, dims=3)


def test_a_provider_that_is_not_there():
    """The message says which."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(EmbedderUnreachable, match=f"http://127.0.0.1:{port} can't be reached"):
        embedded(OpenAICompatible("m", base_url=f"http://127.0.0.1:{port}", dims=3), tries=2)


@pytest.mark.parametrize(
    "step",
    [
        401,
        500,
        429,
        "cut off",
        "no answer",
        (400, {}, {"error": {"message": f"{'x' * 290} {KEY}"}}),
        (403, {}, {"m": KEY}),
    ],
    ids=str,
)
def test_keys_are_in_no_error_repr_or_log(step, caplog):
    """Whatever the provider says, even if it repeats the key."""
    caplog.set_level(logging.DEBUG)
    with serving([step] * 200) as provider:
        embedder = openai(provider)
        with pytest.raises(EmbeddingError) as caught:
            embedded(embedder, [f"{number}" for number in range(8)], tries=2, patience=10.0)
    told = "".join(traceback.format_exception(caught.value)) + repr(embedder) + repr(embedder._http) + caplog.text
    assert KEY not in told
    assert KEY[:20] not in told


def test_what_gives_the_key_may_fail():
    """Its message could hold a secret, so only its kind is told."""

    def token():
        raise KeyError(KEY)

    with serving() as provider, pytest.raises(EmbedderRefused, match="raised KeyError") as caught:
        embedded(Vertex("p", token=token, base_url=provider.url, dims=DIMS))
    assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_key_that_no_header_takes_is_refused():
    """Without showing it."""
    with serving() as provider, pytest.raises(EmbedderRefused, match="foreign letters") as caught:
        embedded(OpenAICompatible("m", base_url=provider.url, key="schlüssel\n", dims=DIMS))
    assert "schl" not in str(caught.value)


def test_the_environment_sends_nothing_elsewhere(monkeypatch):
    """A proxy is one that was configured here."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    check(openai, [], [])
    with serving() as proxy:
        embedder = OpenAICompatible("m", base_url="http://embedder.invalid/v1", dims=DIMS, proxy=proxy.url)
        assert len(embedder.embed(["a"])) == 1
    assert proxy.paths == ["http://embedder.invalid/v1/embeddings"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("3", 3), ("0.5", 0.5), ("-4", 0), (formatdate(1_800_000_009, usegmt=True), 9), (formatdate(0), 0)]
    + [(text, None) for text in ("", "soon", "nan", "inf", "Tue, 99 Foo 2030")],
)
def test_retry_after_is_read(text, seconds):
    """As seconds or as a date; what it can't be is as good as nothing."""
    assert retry_after(text, PatientClock()) == seconds


def test_busy_ends_when_patience_does():
    """With the provider's own words."""
    told = (429, {"Retry-After": "100"}, {"error": {"message": "slow down"}})
    with serving([told] * 9) as provider, pytest.raises(EmbedderBusy, match="answered 429: slow down"):
        embedded(openai(provider), patience=50.0)
