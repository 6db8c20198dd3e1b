"""Pinned questions on a pinned corpus: the wanted file comes first, and every change of the pages shows as a diff.

After a change of the ranking, `pytest tests/golden/ranking --update-golden` writes the pages anew; read the diff.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ranking_corpus import FILES, QUESTIONS

import callsite

PAGES = Path(__file__).with_name("pages.txt")
SHOWN = 5


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[callsite.Engine]:
    """An engine on the corpus, a plain folder."""
    root = tmp_path_factory.mktemp("harbour")
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    with callsite.open(root, home=str(tmp_path_factory.mktemp("indexes"))) as opened:
        yield opened


@pytest.mark.parametrize(("question", "wanted", "among"), QUESTIONS, ids=[q.split("\n")[0] for q, _, _ in QUESTIONS])
def test_the_wanted_file_is_among_the_first(engine, question, wanted, among):
    """First in most cases, within the first three in the others."""
    found = list(dict.fromkeys(hit.path for hit in engine.search(question).hits))
    assert wanted in found[:among], found[:SHOWN]


def page(engine: callsite.Engine, question: str) -> str:
    """A question and its first hits: place and name, no scores, since these change with every weight."""
    hits = engine.search(question, n=SHOWN).hits
    shown = [f"  {hit.path}:{hit.first_line}-{hit.last_line}  {hit.name or '-'}" for hit in hits]
    return "\n".join([question.split("\n")[0], *shown])


def test_the_pages_are_as_they_were(engine, request):
    """Every hit of every question, in order."""
    pages = "\n\n".join(page(engine, question) for question, _, _ in QUESTIONS) + "\n"
    if request.config.getoption("--update-golden"):
        PAGES.write_text(pages, "utf-8")
    assert PAGES.read_text("utf-8").split("\n") == pages.split("\n")


def test_a_report_under_a_budget_holds_the_function_that_it_is_about(engine):
    """What a program reads is code, not places."""
    question = next(text for text, _, _ in QUESTIONS if text.startswith("Second ship"))
    answer = engine.search(question, budget=2_000)
    assert "def assign" in answer.hits[0].text
    assert sum(len(hit.text) for hit in answer.hits) <= 2_000
