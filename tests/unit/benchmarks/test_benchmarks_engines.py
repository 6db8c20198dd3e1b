"""The peers answer as they are described."""

import subprocess

import pytest

from benchmarks import growing
from benchmarks.data import export
from benchmarks.engines.contract import Checkout, Place
from benchmarks.engines.keywords import MOST_KEYWORDS, keywords
from benchmarks.engines.ripgrep import RipgrepRanker, find_ripgrep
from benchmarks.engines.tantivy_plain import N_LINES, TantivyRanker


@pytest.fixture
def folder(tmp_path):
    """Three files about sessions and colours."""
    (tmp_path / "session.py").write_text("def expire(session):\n    session.close()\n")
    (tmp_path / "store.py").write_text("session = {}\nsession.clear()\nsession = None\n")
    (tmp_path / "long.py").write_text("filler\n" * N_LINES + "colour = 'red'\n")
    return tmp_path


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How does the session expire?", ["session", "expire"]),
        ("Session session SESSION", ["session"]),
        ("what is it", []),
        ("parse_date 2024", ["parse_date"]),
    ],
)
def test_keywords_are_what_a_person_would_grep_for(question, expected):
    """Distinct, in lower case, without words that every sentence has."""
    assert keywords(question) == expected


def test_a_long_report_has_a_bounded_number_of_keywords():
    """Nobody greps for hundreds of words."""
    assert len(keywords(" ".join(f"word{i}x" for i in range(500)))) == MOST_KEYWORDS


@pytest.mark.skipif(not find_ripgrep(), reason="ripgrep is not installed")
def test_ripgrep_puts_the_file_with_most_distinct_keywords_first(folder):
    """Then the one with most matches; each is one place that holds the whole file."""
    (places,) = RipgrepRanker(find_ripgrep()).rank(Checkout(folder=folder), ["expire the session"], n=10)
    assert [place.path for place in places] == ["session.py", "store.py"]
    assert places[0] == Place(path="session.py", first_line=1, last_line=3)


def test_plain_tantivy_finds_blocks_of_lines(folder):
    """Stems match, and the place says which lines."""
    found = TantivyRanker().rank(Checkout(folder=folder), ["colours", "expiring sessions", "?!"], n=10)
    assert found[0] == [Place(path="long.py", first_line=N_LINES + 1, last_line=N_LINES + 2)]
    assert found[1][0].path == "session.py"
    assert found[2] == []


def test_words_that_are_operators_elsewhere_are_only_words(folder):
    """AND, brackets, colons and quotes of a report raise nothing."""
    TantivyRanker().rank(Checkout(folder=folder), ['a AND (b: "c OR NOT d^2) session_store [1 TO 2]'], n=3)


def test_export_writes_the_files_of_a_commit(tmp_path):
    """Not those of later commits, and not the repository."""
    repository = tmp_path / "repository"
    repository.mkdir()

    def git(*arguments):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        command = ["git", "-C", str(repository), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    (repository / "a.py").write_text("old\n")
    git("add", "a.py")
    git("commit", "-q", "-m", "one")
    first = git("rev-parse", "HEAD")
    (repository / "a.py").write_text("new\n")
    git("commit", "-q", "-a", "-m", "two")
    exported = export(Checkout(folder=repository, commit=first), tmp_path / "out")
    assert [path.name for path in exported.folder.iterdir()] == ["a.py"]
    assert (exported.folder / "a.py").read_text() == "old\n"


def _checkouts(folder, n):
    for i in range(n):
        checkout = folder / "kind" / f"checkout-{i}"
        (checkout / ".git").mkdir(parents=True)
        (checkout / ".git" / "config").write_text("x")
        (checkout / "same.py").write_text("same = 1\n" * 10)
        (checkout / "own.py").write_text(f"own_{i} = 1\n" * 10)
        yield checkout


@pytest.mark.parametrize("counted", [growing.COUNTED, 1], ids=["counted", "estimated"])
def test_a_folder_grows_until_it_has_enough_chunks(tmp_path, monkeypatch, counted):
    """Equal content counts once; the repositories stay behind; the supply may end too early."""
    monkeypatch.setattr(growing, "COUNTED", counted)
    grown = growing.GrowingFolder(tmp_path / "grown", _checkouts(tmp_path, 4))
    assert grown.grow(3)
    assert grown.n_chunks == 3
    assert sorted(path.name for path in (tmp_path / "grown" / "kind").iterdir()) == ["checkout-0", "checkout-1"]
    assert not list((tmp_path / "grown").rglob(".git"))
    assert not grown.grow(6)
    assert grown.n_chunks == 5


def test_a_checkout_that_is_too_large_waits_for_the_next_size(tmp_path):
    """The first of two would lead far beyond the wanted number, so the second comes first."""
    large, small = tmp_path / "kind" / "large", tmp_path / "kind" / "small"
    for checkout, n in ((large, 20), (small, 4)):
        checkout.mkdir(parents=True)
        for i in range(n):
            (checkout / f"{i}.py").write_text(f"{checkout.name}_{i} = 1\n")
    grown = growing.GrowingFolder(tmp_path / "grown", [large, small])
    assert grown.grow(4)
    assert grown.n_chunks == 4
    assert grown.grow(20)
    assert grown.n_chunks == 24
