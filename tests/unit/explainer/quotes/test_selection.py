"""Which quotes make an answer."""

from typing import Any

import pytest

from scops.common.contract.messages.retrieval import Evidence
from scops.explainer.quotes.selection import (
    QuoteBounds,
    QuoteCandidate,
    preselect,
    question_coverage,
    words_together,
)
from scops.explainer.quotes.spans import Quote, quotes_of
from tests.fakes.worlds.explainer import passage_of, version_of
from tests.fakes.worlds.indexed_pages import page_of

URL = "https://docs.example.org/a"


def _found(*texts: str) -> tuple[list[Quote], list[Evidence]]:
    """Builds a passage a text, the first ranking best."""
    pages = [page_of(f"{URL}/{i}", text) for i, text in enumerate(texts)]
    evidence = [passage_of(page, score=1.0 - i / 10) for i, page in enumerate(pages)]
    quotes = [
        quote
        for i, page in enumerate(pages)
        for quote in quotes_of(i, evidence[i], version_of(page))
    ]
    return quotes, evidence


def _candidates(*texts: str, question: str = "owls", **changed: Any) -> list[QuoteCandidate]:
    quotes, evidence = _found(*texts)
    return preselect(question, quotes, evidence, QuoteBounds(**changed))


def test_preselect_ranks_by_shared_words() -> None:
    """The sentence that names what is asked comes first, whatever its passage's rank."""
    candidates = _candidates(
        "Trains leave at noon.", "Owls hunt mice.", question="what do owls hunt"
    )

    assert "Owls hunt mice." == candidates[0].quote.text
    assert 1.0 == candidates[0].overlap


def test_preselect_bounds_what_is_embedded() -> None:
    """Never more sentences than the setting."""
    texts = [f"Owls hunt {n} mice at night." for n in range(9)]

    assert 4 == len(_candidates(*texts, embedded_max=4))


def test_preselect_keeps_one_of_equal_sentences() -> None:
    """The same words twice are no news; case and stops do not matter."""
    assert 1 == len(_candidates("Owls hunt at night.", "OWLS hunt, at night!"))


def test_preselect_leaves_out_what_exceeds_the_words() -> None:
    """A sentence that can never fit must not take a place."""
    candidates = _candidates("Owls " + "hunt " * 30 + "mice.", "Owls sleep by day.", words_max=20)

    assert ["Owls sleep by day."] == [entry.quote.text for entry in candidates]


def test_covered_counts_titles_headings_and_texts() -> None:
    """A term counts as found wherever a passage names it."""
    _, evidence = _found("The River plan costs 14 euros.")

    assert 1.0 == question_coverage("what does the river plan cost", evidence)
    assert pytest.approx(2 / 3) == question_coverage("what does the ocean plan cost", evidence)


def test_years_asked_for_decide_between_like_sentences() -> None:
    """A sentence inside the interval comes before one of its passage that is outside of it."""
    candidates = _candidates(
        "Smith was mayor until 1950. Jones was mayor from 1960 to 1970.",
        question="Who was mayor in 1965?",
    )

    assert "Jones was mayor from 1960 to 1970." == candidates[0].quote.text


def test_words_that_quotes_share_are_counted_once() -> None:
    """Overlapping quotes are joined, so their bound is that of the joined text."""
    page = page_of(URL, "The harness is inspected. It bears a label.")
    quotes = list(quotes_of(0, passage_of(page), version_of(page)))

    assert [4, 8] == [len(quote.text.split()) for quote in quotes]
    assert 8 == words_together(quotes)


def test_names_and_pairs_of_words_are_told_apart() -> None:
    """A number or a name of the question counts apart; the first word is no name."""
    near, far = _candidates(
        "The River plan costs 14 euros.", "Plans cost euros.", question="Is the River plan 14 euros"
    )

    assert "The River plan costs 14 euros." == near.quote.text
    assert (1.0, 0.0) == (near.names, far.names)
    assert near.pairs > far.pairs
    assert near.aspects > far.aspects


def test_news_is_what_the_question_does_not_say() -> None:
    """A sentence that repeats the question tells none."""
    candidates = _candidates(
        "Owls hunt at night.", "Owls hunt mice.", question="owls hunt at night"
    )
    news = {entry.quote.text: entry.news for entry in candidates}

    assert {"Owls hunt at night.": 0, "Owls hunt mice.": 1} == news
