"""A report is taken apart: title, prose, code, traces, listings of versions, links."""

from __future__ import annotations

from callsite.evidence.traces.read import read_traces, without_traces
from callsite.text.question import understand
from callsite.text.words import Words

FILLER = (
    "\nThis happens each time that somebody opens a page of the shop, whatever the browser and the season are.\n" * 3
)

REPORT = """\
Session expires too early

<!-- Please search before you write: searchwords -->
When I open `CartPage`, the session ends. See src/shop/session.py:12 and
https://github.com/owner/shop/blob/0123abc/src/shop/cart.py#L7-L9.

```python
from shop.cart import Cart, open_cart as opener
import shop.session
cart = Cart(visitor)
```

Traceback:

    Traceback (most recent call last):
      File "/usr/src/app/shop/session.py", line 40, in remove_expired
        drop(visitor)
      File "C:\\shop\\store.py", line 7, in drop
        raise KeyError
    KeyError: 'ann'

### Versions
Python: 3.11.4
numpy       1.26.0
flaskversionword 2.0
"""


def understood(text):
    traces = read_traces(text)
    parted = without_traces(text, traces)
    called = [frame.function for trace in traces for frame in trace.frames]
    question = understand(parted.text, Words(), shown=parted.shown, frames=parted.frames, called=called)
    assert question.is_report
    return question


def test_the_title_counts_most():
    """Then prose, then what a trace shows, then code, then the names on its frames."""
    terms = understood(REPORT).terms
    assert terms["session"] > terms["page"] > terms["ann"] > terms["=opencart"] > terms["remov"] > 0
    assert set(understood(REPORT).title_terms) == {"session", "expir", "earli"}


def test_hidden_comments_and_listings_of_versions_say_nothing():
    """Neither what a template asks for, nor what is installed."""
    terms = understood(REPORT).terms
    assert not {"searchword", "numpi", "flaskversionword"} & terms.keys()


def test_a_comment_that_is_never_closed_hides_nothing():
    """It may be what the report is about."""
    assert "zebra" in understood("Template\n<!-- broken" + FILLER + "the zebra").terms


def test_quoted_paths_and_links_to_files_are_places():
    """A link is one to the file, not words; with the first line."""
    places = {(place.path, place.line) for place in understood(REPORT).places}
    assert places == {("src/shop/session.py", 12), ("src/shop/cart.py", 7)}
    assert "github" not in understood(REPORT).terms


def test_functions_of_a_trace_are_mentioned():
    """Its paths are no quoted paths: evidence says better what they mean."""
    assert {"remove_expired", "drop"} <= understood(REPORT).mentions.keys()


def test_a_trace_alone_is_a_report():
    """What it says of the error is its title."""
    question = understood('Traceback (most recent call last):\n  File "a.py", line 1, in f\nCartError: no price\n')
    assert {"price", "cart"} <= question.title_terms.keys()


def test_names_in_ticks_and_code_are_mentioned():
    """Ticks in prose count more than a name in code."""
    mentions = understood(REPORT).mentions
    assert mentions["CartPage"] > mentions["open_cart"] > 0


def test_imports_of_pasted_code_are_noted():
    """Also behind a prompt and after blank lines."""
    assert set(understood(REPORT).imports) == {("shop.cart", "Cart"), ("shop.cart", "open_cart"), ("shop.session", "")}
    text = "Title" + FILLER + "\n\n>>> from a.b import c\nIn [1]: import d.e\nfrom f import *\n"
    text += "from g.h import (\n    i,\n    j as k,\n)\nfrom l import (m, n)\n"
    expected = {("a.b", "c"), ("d.e", ""), ("f", ""), ("g.h", "i"), ("g.h", "j"), ("l", "m"), ("l", "n")}
    assert set(understood(text).imports) == expected


def test_lines_of_an_error_and_of_a_log_are_read():
    """The words of a message stay in the question."""
    text = "Crash\n" + "2024-01-01 12:00:00 ERROR worker: the walrus is not connected\n" * 8
    terms = understood(text).terms
    assert {"walrus", "connect", "worker"} <= terms.keys()
    assert terms["walrus"] < 8


def check_fence(body, *, prose, code):
    terms = understood("Title" + FILLER + body).terms
    assert [terms.get(word) for word in prose.split()] == [1.0] * len(prose.split())
    assert [terms.get(word) for word in code.split()] == [0.5] * len(code.split())


def test_fences_tell_code_from_prose():
    """Ticks or tildes, closed or not, quoted, opened at the end of a line of prose."""
    check_fence("zebra\n```\nwalrus\n```\nlemur\n", prose="zebra lemur", code="walrus")
    check_fence("zebra\n~~~py\nwalrus\n```\nlemur\n~~~\n", prose="zebra", code="walrus lemur")
    check_fence("zebra\n```\nwalrus\n", prose="zebra", code="walrus")
    check_fence("> zebra\n> ```\n> walrus\n> ```\n", prose="zebra", code="walrus")
    check_fence("zebra `lemur`: ```py\nwalrus\n```\n", prose="zebra lemur", code="walrus")
    check_fence("zebra\n```\nwalrus\n~~~~~~\nlemur\n```\ngecko", prose="zebra gecko", code="walrus lemur")


def test_code_between_ticks_in_a_line_opens_no_fence():
    """What stands behind it stays prose."""
    check_fence("use ```walrus``` here\nzebra\nlemur\n", prose="walrus zebra lemur", code="")


def test_only_report_words_still_ask_for_something():
    """Nothing else being there, they are what is meant."""
    assert understood("error\nerror\nbug\nbug\n\nissue").terms


def test_an_enormous_line_number_is_a_number():
    """Nobody has such a file, and nothing breaks."""
    nines = "9" * 5_000
    text = f"Title{FILLER}https://a.b/c/d/blob/e/f.py#L{nines}\nk.py:{nines}\n"
    assert {place.line for place in understood(text).places} == {999_999_999}
