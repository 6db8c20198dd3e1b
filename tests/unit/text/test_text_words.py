"""Which terms a text consists of: the same for every naming convention and script, within bounds for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.text import words as words_module
from callsite.text.matches import matches
from callsite.text.words import Words, fold, identifiers, split_identifier

ANY_TEXT = st.text(st.characters(codec=None), max_size=200)


def check(text, expected):
    assert Words().terms(text) == expected.split()


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("parseHTTPHeaders", "parse http headers"),
        ("HTTPServer", "http server"),
        ("get_user_name", "get user name"),
        ("__init__", "init"),
        ("MAX_SIZE", "max size"),
        ("utf8Decoder", "utf 8 decoder"),
        ("I18nKey", "i 18 n key"),
        ("$scope", "scope"),
        ("____", ""),
        ("$$$", ""),
    ],
)
def test_an_identifier_falls_into_its_words(identifier, expected):
    """At humps, underscores and digits; a run of capitals is one word."""
    assert split_identifier(identifier) == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPHeaders", "pars http header =parsehttpheaders"),
        ("load_user", "load user =loaduser"),
        ("load-user", "load user"),
        ("os.path.join", "os path join"),
        ("std::sort", "std sort"),
        ("user", "user"),
        ("v2", ""),
        ("port 8080", "port 8080"),
        ("2fast 404page 1234567", "fast 404 page 123456"),
        ("4f9cc6602d3f66b9c108549d475ec49e8ef4d45e", "=4f9cc6602d3f66b9c108549d475ec49e8ef4d45e"),
        ("key oPVuCqlJWmChm1rA2lyTUtelC", "key =opvucqljwmchm1ra2lytutelc"),
        ("VK_FORMAT_R8G8B8A8_X", "vk format =vkformatr8g8b8a8x"),
        ("mtlFormatR8G8B8A8R8G8B8A8", "mtl format =mtlformatr8g8b8a8r8g8b8a8"),
        ("the of and", ""),
        ("", ""),
        ("()[]{}<>!?", ""),
    ],
)
def test_a_text_gives_stems_and_whole_identifiers(text, expected):
    """Stop words and single letters say nothing; several words are a term together, too; a digest is one."""
    check(text, expected)


@pytest.mark.parametrize("other", ["getUserName", "GetUserName", "GET_USER_NAME", "get__user__name", "$getUserName"])
def test_naming_conventions_meet_in_the_folded_whole(other):
    """One spelling for all."""
    assert fold("get_user_name") == fold(other) == "getusername"
    assert "=getusername" in Words().terms(other)


def test_forms_of_a_word_meet_in_its_stem():
    """Questions say "parsing" where names say `parse`."""
    check("parse parses parsed parsing", "pars pars pars pars")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("日本語 テキスト", "日本 本語 テキ キス スト"),
        ("日本", "日本"),
        ("ภาษา", "ภา าษ ษา"),
        ("ПРИВЕТ мир", "привет мир"),
        ("Straße", "strasse"),
        ("café naïve Ångström", "cafe naiv angstrom"),
        ("größeTabelle", "grossetabelle"),
        ("🙂 hello 👩‍💻", "hello"),
        ("ﷺ", "صلى الله عليه وسلم"),
    ],
)
def test_words_of_any_script_are_found(text, expected):
    """Accents fall away; scripts without spaces give their pairs of letters; pictures say nothing."""
    check(text, expected)


def test_identifiers_come_in_order_in_any_script():
    """Plain and other text are read alike."""
    assert identifiers("a = b1 + $c - 12") == ["a", "b1", "$c", "12"]
    assert identifiers("ä = b1 + $c - 12") == ["ä", "b1", "$c", "12"]


def test_matches_are_the_identifiers_that_hold_a_term():
    """Whole identifiers are marked, in order; other conventions too."""
    assert matches("load_user(loads, x)", ["load"], Words()) == [(0, 9), (10, 15)]
    assert matches("the User", ["the"], Words()) == [(0, 3)]
    assert matches("nothing", [], Words()) == []


@given(ANY_TEXT)
def test_any_text_has_terms_without_white_space(text):
    """The index separates terms by spaces, so none holds one; the line and the list say the same."""
    words = Words()
    found = words.terms(text)
    assert found == words.line(text).split()
    assert all(term and not any(letter.isspace() for letter in term) for term in found)


@given(st.text(st.sampled_from("aB1_$ .é漢"), max_size=60))
def test_the_terms_of_a_text_are_those_of_its_identifiers(text):
    """However its identifiers are found."""
    words = Words()
    assert words.terms(text) == [term for word in identifiers(text) for term in words[word].split()]


@given(ANY_TEXT)
def test_terms_do_not_depend_on_what_was_asked_before(text):
    """Remembering changes nothing."""
    words = Words()
    words.terms(text)
    assert words.terms(text) == Words().terms(text)


@pytest.mark.parametrize(
    "text", ["a1" * 50_000, "A" * 100_000, "_" * 100_000, "aB" * 50_000, "é" * 100_000, "漢" * 100_000]
)
def test_a_huge_identifier_gives_few_terms_and_is_not_remembered(text):
    """It is data; the memory of one process is bounded."""
    words = Words()
    assert len(words.terms(text)) <= 200
    assert max(map(len, words), default=0) <= 200


def test_the_memory_of_words_is_bounded(monkeypatch):
    """What is full begins again."""
    monkeypatch.setattr(words_module, "_MAX_CACHED", 10)
    words = Words()
    for n in range(100):
        words.terms(f"name{n:03}x")
    assert len(words) <= 10
