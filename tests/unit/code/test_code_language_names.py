"""People call languages by several names; a filter understands them."""

from __future__ import annotations

import pytest

from callsite.code.languages import LANGUAGES, language_named


@pytest.mark.parametrize(
    ("word", "expected"),
    [("python", "python"), ("Py", "python"), (".ts", "typescript"), ("c++", "cpp"), ("C#", "csharp"), ("golang", "go"),
     ("sh", "bash"), ("shell", "bash"), (" rs ", "rust"), ("h", "c"), ("pyhton", ""), ("", ""), ("\ud800", "")],
)  # fmt: skip
def test_a_language_has_several_names(word, expected):
    """Its own, extensions, what editors call it; anything else is none."""
    assert language_named(word) == expected


def test_every_language_is_called_by_its_own_name():
    """Whatever extensions others have."""
    assert [name for name in LANGUAGES if language_named(name) != name] == []
