"""An index is measured beside its text, and the worst repository is the one that counts."""

from benchmarks.aims import AIMS
from benchmarks.report import page
from benchmarks.sizes import share, size_of

MACHINE = {
    "processor": "a processor", "cores": 2, "memory_gib": 8, "system": "Linux", "python": "3.11.0", "git": "2.40.0",
    "callsite": "0.1.0", "commit": "0123456789abcdef", "changed": False,
}  # fmt: skip


def _records(**index_bytes):
    sizes = {name: {"files": 3, "text bytes": 2_000_000, "index bytes": n} for name, n in index_bytes.items()}
    return {
        "speed sizes": {
            "begun": "2026-01-01T00:00:00", "seconds": 1, "load": {"before": 0.0, "after": 0.0}, "machine": MACHINE,
            "engines": {"callsite": "0.1.0"}, "settings": {}, "results": {"repositories": sizes},
        }
    }  # fmt: skip


def test_text_and_index_are_counted(tmp_path):
    """The text of what is searched only; of the index everything below its home."""
    checkout, home = tmp_path / "checkout", tmp_path / "home"
    checkout.mkdir()
    (checkout / "a.py").write_bytes(b"def a(): pass\n")
    (checkout / "b.png").write_bytes(b"\x89PNG\0" * 99)
    found = size_of(checkout, home)
    assert (found["files"], found["text bytes"]) == (1, 14)
    assert found["index bytes"] == sum(path.stat().st_size for path in home.rglob("*") if path.is_file()) > 14
    assert share({"text bytes": 4, "index bytes": 3}) == 0.75


def test_the_page_sorts_repositories_and_judges_the_worst():
    """One that is larger than its text is a promise that was missed."""
    text = page(_records(small=1_000_000, large=2_400_000, middling=1_500_000))
    rows = ["| large | 3 | 2.00 MB | 2.40 MB | 1.20 |", "| middling | 3 |", "| small | 3 | 2.00 MB | 1.00 MB | 0.50 |"]
    assert sorted(rows, key=text.index) == rows
    assert "the largest of semble's repositories | 1.00 × | – | 1.20 × | **missed** |" in text


def test_an_index_as_large_as_its_text_holds():
    """The bound is one."""
    (aim,) = (aim for aim in AIMS if aim.asked.startswith("index on disk"))
    assert aim.verdict(_records(a=2_000_000, b=1))[2] == "holds"
