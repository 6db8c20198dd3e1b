"""Files of a lending library, written for these tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

LONG_FUNCTION = "def reckon_yearly_balance(entries):\n" + "".join(
    f"    step_{n} = sum(entry.amount for entry in entries if entry.month == {n} and entry.is_settled)\n"
    for n in range(24)
)

LIBRARY = {
    "README.md": "# Library\n\nLends books to readers. A fine is due when a loan is late.\n",
    "docs/loans.md": "# Loans\n\nA loan lasts four weeks; then a fine grows each day.\n",
    "library/__init__.py": "from library.loans import lend\n",
    "library/loans.py": '''"""Books that readers have taken home."""

WEEKS = 4


class Loan:
    """One book in the hands of one reader."""

    def __init__(self, book, reader):
        self.book = book
        self.reader = reader

    def extend(self, weeks):
        """Give the reader more time."""
        self.weeks = WEEKS + weeks

    def get(self):
        return self.book


def lend(book, reader):
    """Note that a reader takes a book home."""
    if reader.is_barred:
        raise PermissionError("the reader is barred")
    return Loan(book, reader)
''',
    "library/fines.py": '''"""What a late reader pays."""


def daily_fine(days_late):
    """The fine grows by each day that a loan is late."""
    return max(0, days_late) * 20


def waive_fine(reader):
    reader.fine = 0
'''
    + "".join(
        f"\n\ndef print_bill_{n}(reader):\n    # the bill of group {n} goes out by mail\n    mail(reader, form={n})\n"
        for n in range(20)
    ),
    "library/balance.py": LONG_FUNCTION,
    "shelf/index.ts": "export { ShelfMap } from './shelfMap';\n",
    "shelf/shelfMap.ts": """export class ShelfMap {
  private places = new Map<string, number>();

  /** Puts a book at a free place. */
  placeBook(signature: string): number {
    const place = this.places.size;
    this.places.set(signature, place);
    return place;
  }
}
""",
    "shelf/src/catalog/Reader.java": """package catalog;

public class Reader {
    private boolean barred;

    public void extend(int weeks) {
        this.barred = weeks > 52;
    }
}
""",
    "tests/test_loans.py": '''from library.loans import lend


def test_lend_refuses_barred_readers():
    """A barred reader gets no loan."""
    assert lend


def lend_nothing():
    return None
''',
    "examples/lend_a_book.py": "from library.loans import lend\n\nlend('book', 'reader')\n",
    "data.bin": "\0\1\2",
}


def write(root: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder; the folder."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return root
