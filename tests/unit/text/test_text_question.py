"""What a short question asks for: terms, names, places, kinds of file."""

from __future__ import annotations

import pytest

from callsite.text.question import Place, understand
from callsite.text.words import Words


def understood(text):
    return understand(text, Words())


def check_terms(text, expected):
    found = understood(text).terms
    assert set(expected.split()) - set(found) == set()


def test_a_sentence_asks_for_its_words_and_for_names_made_of_them():
    """ "thread pool" meets `ThreadPool`; a lonely long word may be a compound."""
    check_terms("where is the thread pool started", "thread pool start =threadpool")
    check_terms("threadpool size", "threadpool =threadpool")
    assert understood("where is the thread pool started").said == ("thread", "pool", "start")


@pytest.mark.parametrize("text", ["get_user_name", "getUserName", "get-user-name", "get.user.name", "GET_USER_NAME"])
def test_one_name_asks_for_itself_in_every_convention(text):
    """Its words count less than the whole."""
    question = understood(text)
    assert question.is_identifier
    assert question.terms["=getusername"] == 1.0
    assert question.terms["user"] < 1.0


def check_mentions(text, expected):
    assert set(understood(text).mentions) == set(expected.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("why does parseHeader fail", "parseHeader"),
        ("why does parse_header fail", "parse_header"),
        ("who calls parse()", "parse"),
        ("where is `Session` opened", "Session"),
        ("where is 'open session' shown", "open session"),
        ("how does Request differ", "Request"),
        ("Request", "Request"),
        ("call user.load twice", "user.load load"),
        ("call Foo::bar", "Foo::bar bar Foo"),
        ("call Foo#bar", "Foo#bar bar Foo"),
        ("valid? is slow", ""),
        ("valid?", "valid?"),
        ("Where is it opened", ""),
        ("e.g. a thing, i.e. this one", ""),
        ("", ""),
    ],
)
def test_names_are_recognised_by_their_form(text, expected):
    """Humps, underscores, calls, quotes, capitals inside of a sentence, qualified names and their last part."""
    check_mentions(text, expected)


@pytest.mark.parametrize("text", ["get", "use", "each", "x", "with"])
def test_a_name_that_is_a_stop_word_can_be_asked_for(text):
    """Alone it is meant; in a sentence it says nothing."""
    check_mentions(text, text)
    check_mentions(f"how {text} and the other", "")


@pytest.mark.parametrize("text", ["", " \n ", "the of and", "?!", "()"])
def test_a_question_without_content_is_a_question(text):
    """It asks for nothing much."""
    question = understood(text)
    assert not question.is_report
    assert question.places == ()
    assert question.mentions == {}


def check_places(text, *expected):
    assert [(place.path, place.line) for place in understood(text).places] == list(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/app/models.py:12", ("src/app/models.py", 12)),
        ("what is in src/app.ts:3:17", ("src/app.ts", 3)),
        ("look at src/app.py.", ("src/app.py", 0)),
        ("look at (src/app.py), please", ("src/app.py", 0)),
        ('"src/app.py"', ("src/app.py", 0)),
        ("./app.rb:9:in `call'", ("./app.rb", 9)),
        ("C:\\proj\\src\\app.cs:12", ("\\proj\\src\\app.cs", 12)),
        ("/usr/src/app/lib/a.rb:3", ("/usr/src/app/lib/a.rb", 3)),
        ("https://github.com/o/r/blob/main/src/x.py", ("//github.com/o/r/blob/main/src/x.py", 0)),
        ("@scope/lib/index.d.ts", ("@scope/lib/index.d.ts", 0)),
        ("app.py:99999999999999999999", ("app.py", 999999999)),
        ("página/größe.py", ("página/größe.py", 0)),
        ("foo.js/bar.txt", ("foo.js", 0)),
    ],
)
def test_written_paths_are_places(text, expected):
    """With the line where one is given, from any system; the stop of a sentence belongs to none."""
    check_places(text, expected)


@pytest.mark.parametrize("text", ["foo.pyc", "app.py.bak", "version 1.2.3", "e.g. this", ".py", "a/.py", "foo.unknown"])
def test_what_is_no_path_of_code_is_no_place(text):
    """Another ending, or no name before it."""
    check_places(text)


def test_places_count_by_how_exactly_they_are_written():
    """A path more than a bare name; each is noted once."""
    assert understood("compare src/a.py with b.py and b.py").places == (
        Place(path="src/a.py", weight=1.0),
        Place(path="b.py", weight=0.6),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tests of the cart", "tests"),
        ("pytest fixture for users", "tests"),
        ("documentation of sessions", "docs"),
        ("an example of routing", "examples"),
        ("latest attested contest", ""),
        ("test the example in the readme", "tests docs examples"),
    ],
)
def test_a_question_can_ask_for_tests_docs_and_examples(text, expected):
    """By whole words."""
    assert understood(text).asks == frozenset(expected.split())


def test_a_long_or_many_lined_question_is_a_report():
    """Over 200 characters or over three lines."""
    assert not understood("word " * 30).is_report
    assert understood("word " * 60).is_report
    assert understood("a\nb\nc\nd").is_report
    assert not understood("a\nb\nc\n\n\n").is_report
