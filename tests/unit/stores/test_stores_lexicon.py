"""The BM25 of the oracle is the BM25 of tantivy, number for number."""

from __future__ import annotations

from random import Random

import pytest
import tantivy

from callsite.stores import Key
from callsite.stores.memory.lexicon import Lexicon, kept_length


def both(documents):
    """A lexicon and a tantivy index of one segment with the same terms."""
    lexicon, builder = Lexicon(), tantivy.SchemaBuilder()
    builder.add_unsigned_field("n", stored=True)
    builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer(15_000_000, 1)
    for n, terms in enumerate(documents):
        lexicon.put(Key(1, f"{n}"), terms)
        writer.add_document(tantivy.Document(n=n, terms=terms))
    writer.commit()
    index.reload()
    return lexicon, schema, index.searcher()


def check(documents, terms):
    """Each term alone, then all with weights."""
    lexicon, schema, searcher = both(documents)
    weights = {term: 0.5 + n for n, term in enumerate(terms)}
    for asked in [*({term: 1.0} for term in terms), weights]:
        parts = [
            (
                tantivy.Occur.Should,
                tantivy.Query.boost_query(tantivy.Query.term_query(schema, "terms", term, "freq"), weight),
            )
            for term, weight in asked.items()
        ]
        hits = searcher.search(tantivy.Query.boolean_query(parts), 10_000).hits
        expected = {Key(1, f"{searcher.doc(address)['n'][0]}"): score for score, address in hits}
        found = lexicon.scores(asked, n_documents=len(documents))
        assert found == pytest.approx(expected, rel=1e-5)


def test_scores_are_those_of_tantivy():
    """Short and very long documents, frequent and rare terms, documents without any term."""
    random = Random(3)
    lengths = [0, 1, 2, 5, 23, 24, 39, 40, 41, 42, 43, 55, 56, 57, 100, 129, 1_000, 5_000]
    documents = [" ".join(random.choices("abcdefgh", [40, 20, 9, 5, 3, 1, 1, 1], k=n)) for n in lengths * 3]
    check(documents, ["a", "b", "f", "h", "none"])


def test_the_only_document_and_the_only_term_have_a_score():
    """Small collections are no special case."""
    check(["a"], ["a"])
    check(["a a a", ""], ["a"])


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (0, 0),
        (23, 23),
        (24, 24),
        (39, 39),
        (40, 40),
        (41, 40),
        (42, 42),
        (55, 54),
        (56, 56),
        (59, 56),
        (60, 60),
        (1_000, 984),
    ],
)
def test_lengths_are_kept_in_one_byte(length, expected):
    """Those below 40 as they are; 256 different ones up to two thousand millions."""
    assert kept_length(length) == expected


def test_there_are_as_many_kept_lengths_as_a_byte_has_values():
    """Each is kept as itself, and none is above what it stands for."""
    kept = {kept_length((1 << bits) + step * (1 << bits) // 64) for bits in range(31) for step in range(64)}
    assert len({kept_length(n) for n in range(100_000)} | kept | {0}) <= 256
    assert all(kept_length(n) == n for n in kept)


def test_a_term_that_is_taken_out_is_no_longer_counted():
    """Put twice, a document has its last terms only; removed, none, and the others are worth what they are alone."""
    lexicon, alone = Lexicon(), Lexicon()
    for lex in (lexicon, alone):
        lex.put(Key(1, "a"), "x y")
    lexicon.put(Key(1, "b"), "x x x")
    lexicon.put(Key(1, "b"), "z")
    assert lexicon.scores({"x": 1.0}, n_documents=2).keys() == {Key(1, "a")}
    lexicon.remove(Key(1, "b"))
    lexicon.remove(Key(1, "never"))
    assert lexicon.scores({"x": 1.0, "z": 1.0}, n_documents=1) == alone.scores({"x": 1.0}, n_documents=1)
