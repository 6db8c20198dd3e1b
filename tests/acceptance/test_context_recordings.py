"""The statements about recordings, S2 to S8, as whoever uses the library meets them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from command_line import write
from context_samples import TWIN, keep, make_post, place, recording, request_recording

import callsite

LEFT, RIGHT = "post/left.py", "post/right.py"
QUESTION = "the parcel is weighed wrongly"
INDEXED = Path(__file__).parents[1] / "data" / "appmap" / "index_example" / "test_endpoint_decorator"


@pytest.fixture
def post(tmp_path):
    return make_post(tmp_path / "post")


@pytest.fixture
def engine(post, tmp_path):
    with callsite.open(post, home=str(tmp_path / "home")) as engine:
        yield engine


def first(answer):
    return answer.hits[0].path, answer.hits[0].name


def below(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (recording(place(RIGHT, "a"), name="brittle glass breaks"), "brittle glass"),
        (recording(place(RIGHT, "a"), name="x", raises="post.BrittleError"), "BrittleError when sending"),
        (recording(place(RIGHT, "a"), name="x", sql="SELECT * FROM customs_forms"), "customs forms"),
        (request_recording("server", "GET", "/customs/forms", place(RIGHT, "a"), name="x"), "customs forms"),
        (recording((RIGHT, 1, "stamp_forms"), name="x"), "stamp forms"),
        (recording(place(RIGHT, "a"), name="x", sql="SELECT 1"), "slow sql query"),
        (
            request_recording("client", "POST", "https://a.example/b", place(RIGHT, "a"), name="x"),
            "http client request",
        ),
    ],
    ids="name exception table route function sql-words client-words".split(),
)
def test_s2_the_recording_that_says_what_is_asked_is_chosen(engine, post, told, asked):
    """By its name, exceptions, statements, routes and functions, or by what kind of thing it holds."""
    keep(post, "wanted", told)
    for number, letter in enumerate("bcdef"):
        keep(post, f"other{number}", recording(place(LEFT, letter), name=f"plain delivery {number}"))
    assert [os.path.basename(one.path) for one in engine.context(asked).recordings][:1] == ["wanted.appmap.json"]


def test_s2_recordings_and_their_indexes_are_no_hits(engine, post):
    """Only the code that they went through is."""
    keep(post, "parcel", recording(place(RIGHT, "a"), name="parcel parcel parcel"))
    shutil.copytree(INDEXED, post / "tmp" / "appmap" / "parcel")
    for answer in (engine.search("parcel endpoint decorator classMap metadata", n=100), engine.context("parcel")):
        assert not [hit.path for hit in answer.hits if hit.path.startswith("tmp/") and hit.path.endswith(".json")]


def test_s3_an_index_stands_for_a_recording_that_is_gone(engine, post):
    """Read as AppMap's indexer wrote it, and named as such."""
    shutil.copytree(INDEXED, post / "tmp" / "appmap" / "test_endpoint_decorator")
    (known,) = engine.recordings()
    assert (known.state, known.n_functions > 5, known.problems) == ("gone", True, ())
    assert [one.name for one in engine.context("endpoint decorator").recordings] == [known.name]


@pytest.mark.parametrize("damage", ["version", "mtime", "classMap.json", ""])
def test_s3_where_an_index_is_missing_or_stale_the_recording_is_read(engine, post, damage):
    """Into a cache of our own; nothing in the project is touched."""
    folder = post / "tmp" / "appmap" / "test_endpoint_decorator"
    shutil.copytree(INDEXED, folder)
    shutil.copy(f"{INDEXED}.appmap.json", f"{folder}.appmap.json")
    if damage:
        (folder / damage).unlink()
    else:
        os.utime(f"{folder}.appmap.json", (2e9, 2e9))
    before = below(post)
    (known,) = engine.recordings()
    assert (known.state, known.n_functions > 5, known.problems) == ("fresh", True, ())
    assert engine.context("endpoint decorator").recordings
    assert below(post) == before


def test_s4_evidence_that_does_not_fit_takes_no_room(engine, post):
    """No share of the answer is kept for it."""
    plain = engine.context(QUESTION, budget=3_000).hits
    kept = keep(post, "weld", recording(("post/far.py", 1, "weld"), name="weld", sql="SELECT iron FROM ore"))
    assert engine.context(QUESTION, budget=3_000, recordings=[str(kept)]).hits == plain


def test_s5_what_does_not_match_is_never_returned(engine, post):
    """However often it ran and however badly it failed."""
    kept = keep(post, "a", recording(("post/far.py", 1, "weld"), name="a", status="failed", raises="post.ScaleError"))
    hits = engine.context(QUESTION, recordings=[str(kept)]).hits
    assert hits
    assert "post/far.py" not in {hit.path for hit in hits}


def test_s5_a_much_stronger_match_still_wins(engine, post):
    """A boost is bounded."""
    write(post, {"post/stamps.py": "def glue_stamps(letter):\n    return letter.glue(stamps)\n"})
    kept = keep(post, "a", recording(place(RIGHT, "a"), name="a", status="failed", raises="post.ScaleError"))
    assert first(engine.context("glue_stamps letter stamps parcel", recordings=[str(kept)]))[0] == "post/stamps.py"


def test_s6_a_word_of_the_body_finds_the_recorded_function(engine, post):
    """Bodies are indexed whole."""
    body = TWIN.replace("return scale(parcel)", "return scale(parcel, vermilion)", 1)
    write(post, {"post/left.py": body, "post/right.py": body})
    for path in (LEFT, RIGHT):
        kept = keep(post, path[5:-3], recording(place(path, "a"), name="a"))
        hit = engine.context("vermilion", recordings=[str(kept)]).hits[0]
        assert (hit.path, "vermilion" in hit.text) == (path, True)


def test_s7_a_statement_is_found_beside_the_code(engine, post):
    """Once for all recordings, without its values, located by recording and event, with the function that issued it."""
    for number in range(3):
        sql = f"SELECT * FROM parcels WHERE id = {number + 77} AND town = 'Nowhere{number}'"
        keep(post, f"{number}", recording(place(RIGHT, "b"), name=f"parcels {number}", sql=sql))
    hits = engine.context("which sql query selects parcels by town").hits
    (statement,) = [hit for hit in hits if hit.type == "data-request"]
    assert "parcels" in statement.text.lower()
    assert "Nowhere" not in statement.text
    assert "77" not in statement.text
    assert f"{RIGHT}:16 weigh_b" in statement.text
    assert statement.path.endswith(".appmap.json")
    assert statement.source == f"{statement.path}:event 500"
    assert {hit.type for hit in hits} > {"data-request"}


@pytest.mark.parametrize(
    ("side", "route", "shown"),
    [("server", "/parcels/4711/label", "/parcels/"),
     ("client", "https://ann:pw@scales.example/parcels?key=s", "scales.example")],
)  # fmt: skip
def test_s7_requests_are_found_beside_the_code(engine, post, side, route, shown):
    """Served and sent ones, without what stands in their paths."""
    keep(post, "a", request_recording(side, "GET", route, place(RIGHT, "b"), name="parcels"))
    hits = engine.context(f"which http {side} request gets parcels", budget=8_000).hits
    (request,) = [hit for hit in hits if hit.type == "data-request"]
    assert shown in request.text
    assert "weigh_b" in request.text
    assert not [secret for secret in ("4711", "pw", "key=s") if secret in request.text]


RUBY = "".join(f"def weigh_{letter}(parcel)\n" + "  fold(parcel)\n" * 20 + "end\n\n" for letter in "abcdef")
JAVA = "class Scale {\n" + "".join(
    f"    int weigh{letter}(Parcel parcel) {{\n" + "        fold(parcel);\n" * 20 + "    }\n\n" for letter in "ABCDEF"
) + "}\n"  # fmt: skip
DECORATED = "".join(
    f"@stamped\n@sealed(by='{letter}')\ndef weigh_{letter}(parcel):\n" + "    fold(parcel)\n" * 20 + "\n\n"
    for letter in "abcdef"
)


@pytest.mark.parametrize(
    ("files", "recorded", "text", "expected"),
    [
        (("post/one.py", "post/two.py"), "{}", DECORATED, ("weigh_c", 1 + 2 * 25)),
        (("lib/one/scale.rb", "lib/two/scale.rb"), "/ci/build/post/{}", RUBY, ("weigh_c", 1 + 2 * 23)),
        (("src/main/java/one/Scale.java", "src/main/java/two/Scale.java"), "{}", JAVA, ("weighC", 2 + 2 * 23)),
        (("post/one.py", "post/two.py"), "{}", DECORATED, ("weigh_c", 0)),
        (("post/one.py", "post/two.py"), "{}", DECORATED, ("weigh_c", 140)),
        (("post/one.py", "post/two.py"), "C:\\ci\\post\\{}", DECORATED, ("weigh_c", 1 + 2 * 25)),
    ],
    ids="first-decorator absolute without-source-root without-line moved-line windows".split(),
)
def test_s8_a_location_means_the_function_around_it(engine, post, files, recorded, text, expected):
    """As recorders write paths and lines; in the file that is meant, of two with the same text."""
    write(post, dict.fromkeys(files, text))
    name, line = expected
    for path in files:
        written = recorded.format(path.removeprefix("src/main/java/"))
        kept = keep(post, path.replace("/", "-"), recording((written, line, name), name="a"))
        hit = engine.context("weigh parcel", recordings=[str(kept)], budget=1_500, exclude=[LEFT, RIGHT]).hits[0]
        assert hit.path == path
        assert name in hit.text


def test_s8_an_ambiguous_location_means_no_file(engine, post):
    """Rather none than a wrong one."""
    names = [f"post/{letter}/scale.py" for letter in "abcdefgh"]
    write(post, dict.fromkeys(names, "def weigh(parcel):\n    return parcel\n"))
    plain = engine.context("weigh parcel").hits
    kept = keep(post, "a", recording(("scale.py", 1, "weigh"), name="zzz"))
    assert engine.context("weigh parcel", recordings=[str(kept)]).hits == plain
