"""The facade: filters, the part that is looked at, freshness, errors, and an engine that is closed and used again."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import callsite
from callsite import CallsiteError, IndexUnusable, QueryError, SettingsError, SourceError

ZOO = {
    "zoo/keeper.py": "def feed_zebra(amount):\n    return amount\n",
    "zoo/stable/walrus.py": "def feed_walrus(amount):\n    return amount\n",
    "web/feed.ts": "export function feedFromBrowser(amount: number) {\n  return amount;\n}\n",
    "web/feed.go": "package web\n\nfunc FeedAll(amount int) int {\n\treturn amount\n}\n",
    "docs/feeding.md": "# Feeding\n\nThe amount to feed depends on the animal.\n",
    "picture.png": "\0\1\2\3",
}


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    """A folder of a few files in several languages."""
    for path, text in ZOO.items():
        place = tmp_path / "root" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return tmp_path / "root"


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path / "home")


def check(engine, expected, **filters):
    assert {hit.path for hit in engine.search("feed amount", **filters).hits} == set(expected.split())


ALL = "zoo/keeper.py zoo/stable/walrus.py web/feed.ts web/feed.go docs/feeding.md"


def test_filters_by_path_language_and_type(zoo, home):
    """Each alone, and together; patterns are those of .gitignore."""
    with callsite.open(zoo, home=home) as engine:
        check(engine, ALL)
        check(engine, "zoo/keeper.py zoo/stable/walrus.py", include=["zoo/"])
        check(engine, "zoo/keeper.py zoo/stable/walrus.py", include=["*.py"])
        check(engine, "zoo/keeper.py", include=["/zoo/*.py"])
        check(engine, "zoo/keeper.py web/feed.go web/feed.ts", exclude=["*.md", "stable"])
        check(engine, "web/feed.ts", include=["*.ts", "*.go"], exclude=["feed.go"])
        check(engine, "zoo/keeper.py", include=["*.py", "!walrus.py"])
        check(engine, "web/feed.go web/feed.ts", languages=["go", ".ts"])
        check(engine, "web/feed.ts", languages=["typescript"], include=["web/"])
        check(engine, "docs/feeding.md", types=["file", "section"], include=["docs"])
        check(engine, "zoo/keeper.py zoo/stable/walrus.py web/feed.ts web/feed.go", types=["function"])
        check(engine, "", types=["imports"])
        check(engine, "", include=["nothing/"])
        check(engine, "", languages=["ruby"])
        check(engine, ALL, include=(), exclude=(), languages=(), types=())


def test_filters_never_touch_the_index(zoo, home):
    """The next question sees everything again."""
    with callsite.open(zoo, home=home) as engine:
        check(engine, "", exclude=["*"])
        check(engine, ALL)
        assert engine.files() == sorted(ALL.split())


@pytest.mark.parametrize(
    ("focus", "expected"),
    [
        ("zoo", "zoo/keeper.py zoo/stable/walrus.py"),
        ("zoo/stable", "zoo/stable/walrus.py"),
        ("web/feed.go", "web/feed.go"),
        (".", ALL),
    ],
)
def test_a_part_of_a_work_tree_is_looked_at_alone(zoo, home, focus, expected):
    """A folder or a file below a repository's top; `whole` looks at all of it."""
    (zoo / ".git").mkdir()
    git_files(zoo)
    with callsite.open(zoo / focus, home=home) as engine:
        check(engine, expected)
    with callsite.open(zoo / focus, home=home, whole=True) as engine:
        check(engine, ALL)


def git_files(root: Path) -> None:
    """What makes a folder an empty repository."""
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for folder in ("objects", "refs"):
        (root / ".git" / folder).mkdir()


def test_a_folder_without_git_is_looked_at_from_where_it_was_opened(zoo, home):
    """There is no top to go up to."""
    with callsite.open(zoo / "zoo", home=home) as engine:
        check(engine, "keeper.py stable/walrus.py")
    with callsite.open(zoo / "zoo" / "keeper.py", home=home) as engine:
        check(engine, "keeper.py")


def test_every_answer_is_of_now_unless_it_need_not_be(zoo, home):
    """Without updating the last state answers, and says so."""
    with callsite.open(zoo, home=home) as engine:
        check(engine, ALL)
        (zoo / "zoo" / "otter.py").write_text("def feed_otter(amount):\n    return amount\n")
        check(engine, ALL, update=False)
        assert "not compared with the source" in engine.search("feed", update=False).freshness.notes
        assert engine.status().n_behind == 1
        check(engine, f"{ALL} zoo/otter.py")
        assert engine.status().n_behind == 0


def test_without_an_index_nothing_answers_unless_it_may_be_made(zoo, home):
    """One clear error."""
    with callsite.open(zoo, home=home) as engine:
        with pytest.raises(IndexUnusable, match="not indexed yet"):
            engine.search("feed", update=False)
        with pytest.raises(IndexUnusable, match="not indexed yet"):
            engine.status()
        assert engine.index().n_files == len(ALL.split())
        check(engine, ALL, update=False)


def check_error(engine, message, **wishes):
    with pytest.raises(QueryError, match=message):
        engine.search("feed", **wishes)


def test_what_cannot_be_meant_is_an_error_before_anything_is_done(zoo, home):
    """Numbers out of range, unknown names, texts where lists are meant, patterns that are none."""
    engine = callsite.open(zoo, home=home)
    check_error(engine, "number of hits has to lie between 1 and 1000, not be 0", n=0)
    check_error(engine, "not be 1001", n=1_001)
    check_error(engine, "a budget has to be at least one character, not 0", budget=0)
    check_error(engine, "there is no type 'method'; known are file, class", types=["method"])
    check_error(engine, "there is no language 'pyhton'; near are python", languages=["pyhton"])
    check_error(engine, "a filter is a list of texts", include="*.py")
    check_error(engine, "a filter is a list of texts", languages="py")
    assert not Path(engine.folder).exists()
    check_error(engine, "a path pattern can't be read", include=["!"])
    with pytest.raises(QueryError, match="there is no type"):
        engine.explain("feed", "zoo/keeper.py", types=["method"])


def test_number_and_budget_are_kept(zoo, home):
    """Whatever is found."""
    with callsite.open(zoo, home=home) as engine:
        assert len(engine.search("feed amount", n=2).hits) == 2
        assert 0 < sum(len(hit.text) for hit in engine.search("feed amount", budget=120).hits) <= 120
        assert engine.search("qqqqqq").hits == ()


def test_an_answer_repeats_the_question_and_its_terms(zoo, home):
    """Terms make matches visible."""
    with callsite.open(zoo, home=home) as engine:
        answer = engine.search("who feeds the walrus?")
        assert answer.question == "who feeds the walrus?"
        assert answer.terms == ("feed", "walrus")
        assert engine.matches("def feed_walrus(x)", answer.terms) == [(4, 15)]


def test_a_closed_engine_opens_itself_again(zoo, home):
    """As often as one likes, also before its first use and twice."""
    engine = callsite.open(zoo, home=home)
    engine.close()
    check(engine, ALL)
    engine.close()
    engine.close()
    check(engine, ALL, update=False)
    with engine as same:
        assert same is engine
        check(engine, ALL)
    check(engine, ALL)
    engine.close()


def test_an_engine_is_closed_when_its_block_fails(zoo, home):
    """And the error goes on."""
    with pytest.raises(ValueError, match="own"), callsite.open(zoo, home=home) as engine:
        check(engine, ALL)
        raise ValueError("own")
    check(engine, ALL)


def test_a_cleared_index_is_made_again(zoo, home):
    """Its folder is named and gone, then there again."""
    with callsite.open(zoo, home=home) as engine:
        check(engine, ALL)
        folder = engine.clear()
        assert not folder.exists()
        check(engine, ALL)
        assert folder.is_dir()


def test_skipped_files_are_listed_with_their_reason(zoo, home):
    """And are no files that are searched."""
    with callsite.open(zoo, home=home, max_file_size=68) as engine:
        reasons = {skipped.path: skipped.reason for skipped in engine.skipped()}
        assert reasons.keys() == {"picture.png", "web/feed.ts"}
        assert "web/feed.ts" not in engine.files()


def test_threads_share_an_engine(zoo, home):
    """Each gets the whole answer."""
    with callsite.open(zoo, home=home) as engine:
        found: list[set[str]] = []
        threads = [
            threading.Thread(target=lambda: found.append({hit.path for hit in engine.search("feed amount").hits}))
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [set(ALL.split())] * 6


def test_chunks_come_without_an_index(zoo):
    """Of files and folders, skipped ones with the reason."""
    found = list(callsite.chunks([zoo / "web", zoo / "picture.png"]))
    assert [one.path for one in found if isinstance(one, callsite.Chunk)] == ["feed.go", "feed.ts"]
    assert [one.path for one in found if isinstance(one, callsite.Skipped)] == ["picture.png"]


def test_an_engine_on_nothing_is_an_error(tmp_path, zoo):
    """A path that is not there, a commit without git, a setting that is none: all are CallsiteError."""
    with pytest.raises(SourceError, match="does not exist"):
        callsite.open(tmp_path / "gone")
    with pytest.raises(SourceError, match="no git repository"):
        callsite.open(zoo, commit="HEAD")
    with pytest.raises(SettingsError, match="there is no setting 'speed'"):
        callsite.open(zoo, speed=1)
    assert issubclass(SourceError, CallsiteError)


def test_an_empty_folder_has_no_answer(tmp_path, home):
    """It is no error."""
    (tmp_path / "empty").mkdir()
    with callsite.open(tmp_path / "empty", home=home) as engine:
        assert engine.search("feed").hits == ()
        assert engine.search("feed", budget=100, types=["function"]).hits == ()
        assert engine.files() == engine.skipped() == []
        assert "is not in this view" in engine.explain("feed", "a.py").verdict
