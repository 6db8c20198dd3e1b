"""S15: what people hide in recordings never leaves them; what helps to find code does."""

from __future__ import annotations

import copy
import dataclasses
import json

import pytest
from appmap_samples import EVERYTHING, INDEXED, REAL, WORDS
from hypothesis import given
from hypothesis import strategies as st

from callsite.evidence.appmap.choose import choose
from callsite.evidence.appmap.entry import entry_of, keywords_of
from callsite.evidence.appmap.index_directory import read_index_directory
from callsite.evidence.appmap.recording import parse_recording
from callsite.evidence.appmap.routes import normalised_route, normalised_url
from callsite.evidence.appmap.secrets import is_token, masked
from callsite.evidence.appmap.sql import normalised_sql
from callsite.evidence.appmap.storage import entry_to_bytes
from callsite.evidence.appmap.weights import location_weights

SECRET = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
#: Paths of code; they are kept whatever they look like.
NAMES_OF_CODE = {"path", "location", "source_location"}


def leaves(value, way=()):
    """Where the texts of a JSON value stand."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from leaves(one, (*way, key))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from leaves(one, (*way, index))
    elif isinstance(value, str):
        yield way


def planted(value, way, text):
    """The value with the text in place of one leaf."""
    changed = copy.deepcopy(value)
    at = changed
    for step in way[:-1]:
        at = at[step]
    at[way[-1]] = text
    return changed


def everything_told(recording):
    """All that the room returns and stores of a recording, as one text."""
    entry = entry_of(recording, words=WORDS)
    chosen = choose([entry], {"login": 1.0, "item": 1.0}, given=[0])
    told = [repr(recording), repr(entry), repr(dict(keywords_of(entry))), repr(chosen)]
    return "\n".join([*told, repr(location_weights(chosen, [entry])), entry_to_bytes(entry).decode()])


def ways_to_hide(text):
    """A secret alone and as people pass it on."""
    return [text, f"Bearer {text}", f"select 1 where a = '{text}' and b = \"{text}\"", f"/x/{text}/y?key={text}"]


SOURCES = {"everything": EVERYTHING} | {path.name: json.loads(path.read_text()) for path in REAL}


@pytest.mark.parametrize("name", SOURCES)
def test_s15_a_secret_in_any_field_of_a_recording_stays_there(name):
    """Planted in every text, alone and inside other words; of long recordings in one event of each kind."""
    source = SOURCES[name]
    source = {**source, "events": source["events"][:40]}
    seen = set()
    for way in leaves(source):
        shape = tuple("*" if isinstance(step, int) else step for step in way)
        if way[-1] in NAMES_OF_CODE or (shape in seen and name != "everything"):
            continue
        seen.add(shape)
        for hidden in ways_to_hide(SECRET):
            data = json.dumps(planted(source, way, hidden)).encode()
            told = everything_told(parse_recording(data, name="a.appmap.json"))
            assert SECRET not in told, f"{way}: {hidden}"
            assert "4eC39HqLyjWDarjtT1zdp7dc" not in told, f"{way}: {hidden}"


VALUES = ("value", "mime_type", "protocol", "server_version", "comment", "source", "branch", "repository", "url")


@pytest.mark.parametrize("name", SOURCES)
def test_s15_values_and_headers_are_not_told_even_when_they_look_harmless(name):
    """A plain word cannot be told from others; these fields are never read."""
    source = SOURCES[name]
    source = {**source, "events": source["events"][:40]}
    changed = source
    for way in leaves(source):
        is_header = "headers" in way or ("git" in way[:2] and way[-1] != "commit")
        if is_header or (way[-1] in VALUES and "http_client_request" not in way):
            changed = planted(changed, way, "hunter")
    assert changed != source
    assert "hunter" not in everything_told(parse_recording(json.dumps(changed).encode(), name="a.appmap.json"))


def test_s15_a_secret_in_any_file_of_an_index_directory_stays_there(tmp_path):
    """AppMap's own indexer writes statements and messages as they are."""
    for path in INDEXED.iterdir():
        if path.suffix != ".json" or not path.read_text().strip("[] \n"):
            continue
        source = json.loads(path.read_text())
        shapes = {}
        for way in leaves(source):
            if way[-1] not in NAMES_OF_CODE:
                shapes.setdefault(tuple("*" if isinstance(step, int) else step for step in way), way)
        for way in shapes.values():
            folder = tmp_path / "x"
            folder.mkdir(exist_ok=True)
            for other in INDEXED.iterdir():
                (folder / other.name).write_bytes(other.read_bytes())
            (folder / path.name).write_text(json.dumps(planted(source, way, SECRET)))
            found = read_index_directory(folder, file="x.appmap.json", words=WORDS)
            assert SECRET not in repr(found) + entry_to_bytes(found.entry).decode(), (path.name, way)


@pytest.mark.parametrize(
    ("sql", "database", "expected"),
    [
        ("SELECT * FROM t WHERE a = 'it''s' AND b = 17 -- c", "", "SELECT * FROM t WHERE a = ? AND b = ?"),
        ("INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y')", "", "INSERT INTO t (a, b) VALUES (?)"),
        ("SELECT a FROM t WHERE id IN (1, 2,\n 3) AND x = 0xFF AND y = 1.5e-3", "",
         "SELECT a FROM t WHERE id IN (?) AND x = ? AND y = ?"),
        ('SELECT "users".* FROM "users" WHERE "users"."id" = $1 LIMIT $2', "postgres",
         'SELECT "users".* FROM "users" WHERE "users"."id" = ? LIMIT ?'),
        ('INSERT INTO "users" ("name", "mail") VALUES (\'x\', ?)', "sqlite",
         'INSERT INTO "users" ("name", "mail") VALUES (?)'),
        ("SELECT `users`.* FROM `users` WHERE `users`.`id` = 1", "mysql",
         "SELECT `users`.* FROM `users` WHERE `users`.`id` = ?"),
        ('SELECT * FROM t WHERE name = "secret"', "mysql", "SELECT * FROM t WHERE name = ?"),
        ('SELECT * FROM t WHERE name = "secret"', "sqlite", "SELECT * FROM t WHERE name = ?"),
        ("SELECT 'a\\'secret' FROM t", "mysql", "SELECT ? FROM t"),
        ("SELECT 'a\\' FROM t", "postgres", "SELECT ? FROM t"),
        ("SELECT E'a\\'secret' FROM t", "postgres", "SELECT ? FROM t"),
        ("SELECT 'a\\'secret' FROM t", "", "SELECT ?"),
        ("SELECT $tag$ secret $tag$, $$secret$$ FROM t", "postgres", "SELECT ? FROM t"),
        ("SELECT q'[it's secret]' FROM dual", "oracle", "SELECT ? FROM dual"),
        ("SELECT q'[it's secret]' FROM dual", "", "SELECT ?"),
        ("SELECT '''it's secret''' x", "bigquery", "SELECT ?"),
        ("SELECT N'secret', x'ff', _utf8'secret' FROM t", "", "SELECT ? FROM t"),
        ("SELECT /* secret /* nested */ secret */ 1 FROM t", "postgres", "SELECT ? FROM t"),
        ("SELECT # secret\n a FROM t", "mysql", "SELECT a FROM t"),
        ("SELECT a#>>'{secret}' FROM t", "postgres", "SELECT a#>>? FROM t"),
        ("CREATE USER joe IDENTIFIED BY hunter2", "oracle", "CREATE USER joe IDENTIFIED BY ?"),
        ("COPY t FROM STDIN;\n1\tsecret", "postgres", "COPY t FROM STDIN"),
        ("SELECT a::text FROM t WHERE a = :name AND b = %(name)s AND c = @p1", "",
         "SELECT a::text FROM t WHERE a = ? AND b = ? AND c = ?"),
        ("-- 150 times\nINSERT INTO todo (title) VALUES (?) RETURNING id", "sqlite",
         "INSERT INTO todo (title) VALUES (?) RETURNING id"),
    ],
)  # fmt: skip
def test_s15_statements_lose_their_literals_in_every_dialect(sql, database, expected):
    """And keep tables, columns and structure."""
    assert normalised_sql(sql, database) == expected


@pytest.mark.parametrize("database", ["", "mysql", "postgres", "sqlite", "oracle", "mssql", "bigquery"])
@pytest.mark.parametrize("opening", ["'", '"', "/*", "$$", "$a$", "E'", "x = '", "q'[", "--", "'''", "'a\\'"])
def test_s15_what_follows_a_quote_that_never_closes_is_dropped(opening, database):
    """Statements are cut by recorders, in the middle of anything."""
    assert "hunter" not in normalised_sql(f"SELECT a FROM t WHERE b = {opening}hunter", database)


LITERALS = st.text(st.characters(codec="utf-8", exclude_characters="'\\"), max_size=20)


@given(LITERALS, st.sampled_from(["", "mysql", "postgres", "sqlite", "oracle", "mssql"]))
def test_s15_any_literal_in_quotes_is_dropped(text, database):
    """Whatever stands in it."""
    sql = f"SELECT a FROM t WHERE b = '{text}' AND c = 1"
    dropped = normalised_sql(sql, database)
    assert dropped in ("SELECT a FROM t WHERE b = ? AND c = ?", "SELECT a FROM t WHERE b = ?")


@given(
    st.text(st.sampled_from("'\"`\\/*-$#q[]()E,?; \nab1%:.\u00e9"), max_size=60),
    st.sampled_from(["", "mysql", "postgres"]),
)
def test_any_statement_becomes_one_line(text, database):
    """Hostile text ends."""
    plain = normalised_sql(text, database)
    assert "\n" not in plain
    assert len(plain) <= 3 * len(text)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/items/:id", "/items/{id}"),
        ("/items/{id}", "/items/{id}"),
        ("/items/<int:id>", "/items/{id}"),
        (r"^items/(?P<id>\d+)/$", "/items/{id}"),
        ("/users/:id(.:format)", "/users/{id}"),
        ("/items/9", "/items/{id}"),
        ("/items/550e8400-e29b-41d4-a716-446655440000/a.json", "/items/{id}/a.json"),
        ("/v2/items?token=1#x", "/v2/items"),
        ("/password_resets/kx3Jq9ZpW0aR7tYb/edit", "/password_resets/{id}/edit"),
        ("/users/joe@example.org", "/users/{id}"),
        ("/a;jsessionid=1F2E3D/b", "/a/b"),
        ("/", "/"),
        ("", "/"),
        ("/owners/*/pets", "/owners/*/pets"),
    ],
)
def test_routes_have_one_spelling(path, expected):
    """Of all frameworks, and without values."""
    assert normalised_route(path) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://user:pw@api.example.org:8080/v1/charges/12?key=1", "api.example.org/v1/charges/{id}"),
        ("http://localhost:3000/", "localhost"),
        ("//user:p/w@host/x", "{host}/{id}/x"),
        ("http://[::1]:80/x", "{host}/x"),
        ("/relative/12", "/relative/{id}"),
    ],
)
def test_s15_urls_lose_users_ports_and_queries(url, expected):
    """Host and route are left."""
    assert normalised_url(url) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("no such item 99", "no such item 99"),
        ("WrongPassword: no user 'joe'", "WrongPassword: no user 'joe'"),
        ("<str object at 0x7f313e15a188>", "<str object at <address>>"),
        ("login with password=hunter2 failed", "login with password=<secret> failed"),
        ("{'apiKey': 'abc def', 'n': 3}", "{'apiKey': <secret>, 'n': 3}"),
        ("Authorization: Bearer abc.def", "Authorization: <secret>"),
        ("no account for joe@example.org", "no account for <mail>"),
        ("card 4111 1111 1111 1111 refused", "card <number> refused"),
        ("call +49 170 1234567", "call <number>"),
        ("number 12345678", "number <number>"),
        ("on 2026-11-30 at 11:52", "on 2026-11-30 at 11:52"),
        (f"key {SECRET} is wrong", "key <token> is wrong"),
        ("GET https://me:pw@h.org/a/b?token=1 failed", "GET https://h.org/a/b failed"),
        (f"expected '{'lorem ipsum ' * 5}' got 'b'", "expected <text> got 'b'"),
        ("no file '/usr/lib/python3/dist-packages/some/very/long_name.py'",
         "no file '/usr/lib/python3/dist-packages/some/very/long_name.py'"),
        ("-----BEGIN PRIVATE KEY-----\nabc", "<key>"),
        ("id 550e8400-e29b-41d4-a716-446655440000", "id <id>"),
    ],
)  # fmt: skip
def test_s15_messages_keep_their_words_and_lose_what_looks_secret(message, expected):
    """They are evidence: only parts are replaced."""
    assert masked(message) == expected


@pytest.mark.parametrize(
    "name",
    "test_find_pyproject_toml_2 getHTTPResponseCodeFromServer SecureCookieSessionInterface sha256_of_file_contents "
    "handle_url_build_error x86_64_linux_gnu ActionController::Instrumentation flask.sansio.scaffold.Scaffold "
    "test_dateutil_981_parses_two_digits".split(),
)
def test_names_that_people_write_are_no_tokens(name):
    """However long."""
    assert not is_token(name)


@given(st.binary(min_size=16, max_size=48))
def test_hexadecimal_hashes_are_tokens(data):
    """Unless they have no letter or no digit at all."""
    text = data.hex()
    assert is_token(text) or text.isalpha()


@given(st.text(max_size=300))
def test_any_text_can_be_masked(text):
    """It does not grow much, and is cut."""
    assert len(masked(text, at_most=200)) <= 200


def test_s15_facts_hold_no_host_and_no_repository():
    """Of git only the commit is kept."""
    recording = parse_recording(json.dumps(EVERYTHING).encode(), name="a.appmap.json")
    facts = " ".join(map(str, (getattr(recording.facts, one.name) for one in dataclasses.fields(recording.facts))))
    assert "example.org" not in facts


def doubled(text):
    """As the standard quotes."""
    return "'" + text.replace("'", "''") + "'"


def escaped(text, quote="'"):
    """As MySQL and BigQuery quote."""
    return quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote


QUOTING = {
    "postgres": [doubled, lambda text: "E" + escaped(text), lambda text: f"$q${text.replace('$', '')}$q$"],
    "mysql": [escaped, lambda text: escaped(text, '"')],
    "sqlite": [doubled],
    "mssql": [doubled, lambda text: "N" + doubled(text)],
    "oracle": [doubled, lambda text: f"q'[{text.replace(']', '')}]'"],
}
AROUND = st.text(st.sampled_from("ab '\"\\`-/*#$?;,()\n%1"), max_size=8)


HIDDEN = st.lists(st.tuples(AROUND, AROUND, st.integers(0, 9)), min_size=1, max_size=4)


@given(st.sampled_from(sorted(QUOTING)), HIDDEN, st.booleans())
def test_s15_no_dialect_lets_a_literal_through(dialect, hidden, known):
    """Correctly quoted in its dialect; the name of the dialect known or not."""
    ways = QUOTING[dialect]
    literals = [ways[way % len(ways)](f"{before}zqx{after}") for before, after, way in hidden]
    sql = "SELECT a FROM t WHERE b IN (" + ", ".join(literals) + ") AND c = 1"
    assert "zqx" not in normalised_sql(sql, dialect if known else "")
