"""Terms and shelves are stored: a change of what they are makes every index that is out there wrong."""

from __future__ import annotations

import hashlib

from callsite.index.format import FORMAT
from callsite.index.outline import ChunkRow, packed
from callsite.index.prepared import name_form, name_key
from callsite.text.paths import name_and_folder_terms, shelves
from callsite.text.words import Words, fold

STORED = {7: "6b5dfbe637c4448a"}  #: format → digest of what its words, paths and names are made of

TEXTS = (
    "parseHTTPHeaders get_user_name MAX_SIZE utf8Decoder $scope __init__ I18nKey running flies the of a",
    "naïve Straße 東京タワー กรุงเทพ Ελλάδα résumé 12 1234567 x9 x" + "y" * 300,
    "2fast 404page 4f9cc6602d3f66b9c108549d475ec49e8ef4d45e",
    "def lend(book, reader):\n    # Notes that a reader's taking books home\n    return Loan(book=book)['a-b']\n",
)
ROW = ChunkRow(
    ordinal=0, type="class", name="Store", first_line=1, last_line=9, start=0, length=99, signature="class Store:"
)
PATHS = (
    "src/user_store/loadUser.test.ts", "docs/guide/index.md", "examples/a.go", "dist/app.min.js", "pkg/__init__.py",
    "src/test/java/LoanTest.java", "tests/conftest.py", "api/user_pb2.py", "one/two/three/four/five/name.py", "main.go",
)  # fmt: skip


def test_stored_terms_are_those_of_the_format():
    """If this fails: raise FORMAT with a line in its history, then note the new digest here."""
    words = Words()
    made = [words.line(text) for text in TEXTS]
    made += [f"{name_and_folder_terms(path, words)} {shelves(path)}" for path in PATHS]
    made += [str(name_key(fold(word))) for word in ("get_user", "getUser", "größe")]
    made += [str(name_form(name, is_nested=True)) for name in ("Store.getUser", "a::b::größe", "alone")]
    made.append(packed([ROW], [(0, 3, "Store.getUser", "function")]))
    assert hashlib.sha256("\n".join(made).encode()).hexdigest()[:16] == STORED[FORMAT]
