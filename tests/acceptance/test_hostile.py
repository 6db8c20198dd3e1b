"""Whatever is typed and whatever files are called: an answer or one line, never a traceback."""

from __future__ import annotations

import json
import os
import sys

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

#: 10,000 in all; the two profiles of tests/conftest.py leave a number that is given here alone.
MANY = hypothesis.settings(
    max_examples=1_000, deadline=None, database=None, derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture, hypothesis.HealthCheck.too_slow],
)  # fmt: skip

WORDS = st.sampled_from(
    """-- - --json -n -l 0 -1 --path ! !* ** [ ] \\ ( ) * ? + ^ $ | { } ~ " ' ` `x `` :: . .. / // ../.. C:\\x\\y.py:3
    \\\\server\\share a.py:99999999999999999999 Class#method foo() <T> &&amp; %s {0}
    \0 \x1b[31m \u202e 👩‍👩‍👧 漢字 ﷽ İ ß é e\u0301
    =total_price field:value AND OR NOT "unclosed *: _ __ ___ $x @ @x #1 0x1F 1e999 NaN null""".split()
)
TEXT = st.text(st.characters(codec=None), max_size=30)
QUESTION = st.lists(WORDS | TEXT, max_size=8).map(" ".join)


def sound(result):
    assert result.code in (0, 1, 2), result
    assert "Traceback" not in result.err
    assert "bug" not in result.err, result.err
    return result


@MANY
@given(question=QUESTION)
def test_any_question_is_answered(ask, question):
    """Words, punctuation, any script, lone surrogates, query languages of other programs."""
    result = sound(ask("search", "--json", "--in", ".", "--", question))
    assert result.code == (2 if not question.strip() else result.code)
    if result.out:
        json.loads(result.out)


@MANY
@given(
    line=st.lists(
        WORDS | TEXT | st.sampled_from("search index status files explain --at --lang go --type".split()), max_size=6
    )
)
def test_any_line_is_answered(ask, line):
    """Options in odd places, values that are none. Commands that read other folders or write are left out."""
    if not {"/", "//", "..", "../.."} & set(line):
        sound(ask(*line, text=b"from input"))


@MANY
@given(data=st.binary(max_size=200))
def test_any_input_is_answered(ask, data):
    """Bytes that are no text in any encoding."""
    sound(ask("search", "-l", "-", text=data))


@MANY
@given(
    globs=st.lists(TEXT | WORDS, min_size=1, max_size=3), kind=st.sampled_from(["--path", "--lang", "--type", "--at"])
)
def test_any_filter_is_answered(ask, globs, kind):
    """Patterns that are none, languages that nobody speaks."""
    command = ["explain"] if kind == "--at" else ["search", "-l"]
    sound(ask(*command, *(f"{kind}={glob}" for glob in globs), "total price"))


@pytest.mark.skipif(sys.platform != "linux", reason="file names are any bytes on Linux only")
def test_any_name_is_shown(ask_alone):
    """Six thousand files with names of any bytes, in all forms."""
    names = _names()
    for name in names:
        with open(os.path.join(os.fsencode(ask_alone.place), name), "wb") as file:
            file.write(b"def espresso():\n    pass\n")
    for form in ([], ["--json"], ["--markdown"], ["-l"], ["--color", "always"]):
        assert sound(ask_alone("espresso", "-n", "1000", *form)).code == 0
    listed = {
        os.fsencode(name["path"])
        for name in json.loads(ask_alone("files", "--json").out)["files"]
        if "path_base64" not in name
    }
    assert listed
    for command in (["files"], ["files", "--skipped"], ["status"]):
        sound(ask_alone(*command))


def _names():
    found = set()

    @hypothesis.settings(MANY, max_examples=1_500)
    @given(st.lists(st.binary(min_size=1, max_size=40), min_size=4, max_size=4))
    def collect(names):
        found.update(name.replace(b"/", b"_").replace(b"\0", b"_") + b".py" for name in names)

    collect()
    return sorted(found)
