"""A suite that finds nothing is worth something only if it would: stores with known defects are caught by it."""

from __future__ import annotations

import pytest
import test_defects
import test_reading
import test_writing
from comparing import compare
from generated import COLLECTION, Generated
from naive import World

from callsite.query.nodes import Knn, Or, is_settled, legs_of
from callsite.stores.memory import MemoryStore, lexicon, meaning
from callsite.stores.memory.meaning import Meaning
from callsite.stores.order import by_id
from callsite.stores.values import Outcome


class Sabotage:
    """Defects of what queries mean, each put into the oracle."""

    @staticmethod
    def euclidean(patch):
        near = meaning.cosine
        patch.setattr(meaning, "cosine", lambda a, b: near(a, b) - sum((x - y) ** 2 for x, y in zip(a, b, strict=True)))

    @staticmethod
    def approximate(patch):
        """An index that looks at the nearest fifty only, and filters them."""
        nearest = Meaning._nearest

        def found(self, node, among):
            seen = nearest(self, Knn(target=node.target, vector=node.vector, limit=50), self.documents)
            return nearest(self, node, [key for key in among if key in seen])

        patch.setattr(Meaning, "_nearest", found)

    @staticmethod
    def without_vectors(patch):
        nearest = Meaning._nearest

        def found(self, node, among):
            given = nearest(self, node, among)
            others = sorted((key for key in among if node.target not in self.documents[key]), key=by_id)
            return given | dict.fromkeys(others[: node.limit - len(given)], (-2.0,))

        patch.setattr(Meaning, "_nearest", found)

    @staticmethod
    def filtered_afterwards(patch):
        nearest = Meaning._nearest

        def found(self, node, among):
            return {key: one for key, one in nearest(self, node, self.documents).items() if key in among}

        patch.setattr(Meaning, "_nearest", found)

    @staticmethod
    def or_dropped(patch):
        """Beside a knn, an `or` is taken for no filter."""
        by_all = Meaning._by_all

        def found(self, node, among):
            if any(isinstance(part, Knn) for part in node.parts):
                rest = type(node)(parts=tuple(part for part in node.parts if not isinstance(part, Or)))
                return dict.fromkeys(by_all(self, rest, among), (0.0,) * len(legs_of(node)))
            return by_all(self, node, among)

        patch.setattr(Meaning, "_by_all", found)

    @staticmethod
    def or_as_filter(patch):
        """In an `or`, the filters beside a knn narrow it."""
        by_any = Meaning._by_any

        def found(self, node, among):
            if not any(isinstance(part, Knn) for part in node.parts):
                return by_any(self, node, among)
            settled = [part for part in node.parts if is_settled(part)]
            passing = set().union(*(self.given(part, among) for part in settled)) if settled else among
            return by_any(self, node, passing)

        patch.setattr(Meaning, "_by_any", found)

    @staticmethod
    def knn_in_and_lost(patch):
        by_all = Meaning._by_all

        def found(self, node, among):
            given = by_all(self, node, among)
            if not any(isinstance(part, Knn) for part in node.parts):
                return given
            rest = type(node)(parts=tuple(part for part in node.parts if not isinstance(part, Knn)))
            return dict.fromkeys(by_all(self, rest, among), (None,) * len(legs_of(node))) | given

        patch.setattr(Meaning, "_by_all", found)

    @staticmethod
    def limit_without_reach(patch):
        """`limit` cuts before it is looked who may see it."""
        given = Meaning.given

        def found(self, node, among):
            if hasattr(node, "n") and len(among) < len(self.documents):
                return {key: one for key, one in given(self, node, self.documents).items() if key in among}
            return given(self, node, among)

        patch.setattr(Meaning, "given", found)


D = test_defects
SEEN_BY = {
    "euclidean": D.test_near_is_by_cosine_whatever_the_lengths_of_the_vectors,
    "approximate": D.test_a_narrow_filter_still_gives_as_many_as_were_asked_for,
    "without_vectors": D.test_documents_without_a_vector_are_near_to_nothing,
    "filtered_afterwards": D.test_a_filter_narrows_before_the_nearest_are_chosen,
    "or_dropped": D.test_a_base_filter_that_is_an_or_is_kept,
    "or_as_filter": D.test_an_or_with_knn_adds_the_nearest,
    "knn_in_and_lost": D.test_a_knn_inside_an_and_counts,
    "limit_without_reach": D.test_a_permission_that_is_added_to_a_finished_query_leaves_as_many_hits,
}


@pytest.mark.parametrize("defect", SEEN_BY)
def test_each_known_defect_is_seen_by_its_own_test(defect, monkeypatch):
    """The test that passes on the sound store fails on the one with the defect."""
    SEEN_BY[defect](MemoryStore())
    getattr(Sabotage, defect)(monkeypatch)
    with pytest.raises(AssertionError):
        SEEN_BY[defect](MemoryStore())


@pytest.mark.parametrize("defect", SEEN_BY)
def test_each_known_defect_is_seen_by_random_queries(defect, monkeypatch):
    """Nobody has to think of it before."""
    getattr(Sabotage, defect)(monkeypatch)
    generated = Generated(7)
    with pytest.raises(AssertionError):
        compare(MemoryStore(), World(generated.documents).answer, generated, COLLECTION, n=200)


class Reviving(MemoryStore):
    """An update that creates what is not there."""

    def update(self, collection, changes):
        changes = list(changes)
        for one in changes:
            self.upsert(collection, [{"id": one.key.id, "project_id": one.key.routing, **one.fields}])
        return [Outcome(key=one.key, state="updated") for one in changes]


class NotInNothing(MemoryStore):
    """`id NOT IN (NULL)` is never true."""

    def delete_orphans(self, collection, *, of, keep):
        return super().delete_orphans(collection, of=of, keep=keep) if keep else 0


class AllOrNothing(MemoryStore):
    """One bad row fails its batch."""

    def upsert(self, collection, documents):
        documents = list(documents)
        trial = MemoryStore()
        trial.create(self._of(collection).collection)
        if all(one.state != "refused" for one in trial.upsert(collection, documents)):
            return super().upsert(collection, documents)
        return [Outcome(key=None, state="refused", problem="the batch failed") for _ in documents]


class Replacing(MemoryStore):
    """An upsert that writes whole documents and so loses their vectors."""

    def upsert(self, collection, documents):
        kept = self._of(collection).collection
        names = [field.name for field in kept.schema.fields]
        return super().upsert(collection, [dict.fromkeys(names) | dict(one) for one in documents])


class Overlapping(MemoryStore):
    """Pages that begin with the last document of the page before."""

    def scan(self, collection, query, *, after=None, **how):
        page = super().scan(collection, query, after=after, **how)
        return type(page)(
            documents=super().lookup(collection, [after]) + list(page.documents) if after else page.documents,
            after=page.after,
        )


@pytest.mark.parametrize(
    ("store", "test"),
    [
        (Reviving, test_writing.test_a_chunk_that_was_deleted_meanwhile_is_not_revived_by_its_vector),
        (NotInNothing, test_writing.test_with_nothing_to_keep_all_are_orphans),
        (AllOrNothing, test_writing.test_many_bad_documents_among_many_good_ones),
        (
            Replacing,
            test_writing.test_upsert_leaves_fields_alone_that_are_not_given_and_the_vector_first_of_all,
        ),
        (Overlapping, test_reading.test_scan_gives_every_document_once_in_the_order_of_keys),
    ],
    ids=lambda value: value.__name__,
)
def test_a_store_that_writes_wrongly_is_seen(store, test):
    """By the test of just that."""
    test(MemoryStore())
    with pytest.raises(AssertionError):
        test(store())


def test_scores_that_only_rank_alike_pass_where_nothing_else_is_expected(monkeypatch):
    """And nowhere else; what is no score of a match is compared all the same."""
    generated = Generated(7)
    expected_of = World(generated.documents).answer
    monkeypatch.setattr(lexicon, "K1", 0.9)
    compare(MemoryStore(), expected_of, generated, COLLECTION, n=100, has_same_bm25=False)
    with pytest.raises(AssertionError):
        compare(MemoryStore(), expected_of, generated, COLLECTION, n=100)
    Sabotage.euclidean(monkeypatch)
    with pytest.raises(AssertionError):
        compare(MemoryStore(), expected_of, generated, COLLECTION, n=100, has_same_bm25=False)
