"""Which quotes make an answer."""

from typing import Any

import numpy as np
import pytest

from scops.common.contract.messages.retrieval import Evidence
from scops.common.text.terms import words
from scops.explainer.quotes.selection import (
    QuoteBounds,
    QuoteCandidate,
    choose_quotes,
    preselect,
    question_coverage,
    support,
    words_together,
)
from scops.explainer.quotes.spans import Quote, quotes_of
from scops.explainer.settings import ExplainerSettings
from scops.libraries.embedder.calibration import calibration_of
from scops.libraries.embedder.models import MINILM
from tests.fakes.worlds.explainer import passage_of, version_of
from tests.fakes.worlds.indexed_pages import page_of

CALIBRATION = calibration_of(MINILM.name)
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


def _picked(candidates: list[QuoteCandidate], cosines: list[float], **changed: Any) -> list[str]:
    """Chooses with given cosines to the question, the quotes themselves being unlike."""
    count = len(candidates)
    rows = np.zeros((count, count + 1), dtype=np.float32)
    for i, cosine in enumerate(cosines):
        rows[i, 0], rows[i, i + 1] = cosine, np.sqrt(1 - cosine**2)
    asked = np.eye(1, count + 1, dtype=np.float32)[0]
    return [
        quote.text
        for quote in choose_quotes(candidates, asked, rows, CALIBRATION, QuoteBounds(**changed))
    ]


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


def test_support_falls_with_what_nothing_found_names() -> None:
    """The same sentence supports less when the question names a stranger."""
    candidates = _candidates("Owls hunt mice.")
    row = np.array([[1.0, 0.0]], dtype=np.float32)

    known = support(candidates, row[0], row, CALIBRATION, covered=1.0)

    assert 1.0 > known > support(candidates, row[0], row, CALIBRATION, covered=0.5) > 0.0


def test_nothing_supports_an_empty_choice() -> None:
    """Without sentences there is no support and no answer."""
    none = np.zeros((0, 2), dtype=np.float32)

    assert ExplainerSettings().support_min > support(
        [], none.sum(axis=0), none, CALIBRATION, covered=1.0
    )
    assert [] == choose_quotes([], none.sum(axis=0), none, CALIBRATION)


def test_closest_sentence_is_chosen_first() -> None:
    """With equal words the vectors decide."""
    candidates = _candidates("Owls hunt mice.", "Owls hunt voles.", question="owls hunt")

    assert "Owls hunt voles." == _picked(candidates, [0.2, 0.9])[0]


def test_words_of_an_answer_are_bounded() -> None:
    """Quotes are added only while they fit together."""
    texts = [f"Owls hunt {name} in the old forest every single night." for name in "abcdef"]
    chosen = _picked(_candidates(*texts), [0.9] * 6, words_max=25)

    assert 2 == len(chosen)
    assert sum(len(words(text)) for text in chosen) <= 25


def test_number_of_quotes_is_bounded() -> None:
    """Never more quotes than the setting."""
    texts = [f"Owls hunt {name} at night." for name in "abcdef"]

    assert 3 == len(_picked(_candidates(*texts), [0.9] * 6, quotes_max=3))


def test_weak_third_sentence_is_left_out() -> None:
    """A second sentence always helps to understand; a third must be worth it."""
    texts = ["Owls hunt mice.", "Owls sleep by day.", "Trains leave at noon."]
    chosen = _picked(_candidates(*texts, question="owls hunt"), [0.9, 0.8, 0.0])

    assert ["Owls hunt mice.", "Owls sleep by day."] == chosen


def test_sentence_like_a_chosen_one_yields_to_another() -> None:
    """Maximal marginal relevance: the second sentence says something else."""
    candidates = _candidates("Owls hunt mice.", "Owls hunt a mouse.", "Owls sleep by day.")
    place = {entry.quote.text: i for i, entry in enumerate(candidates)}
    rows = np.zeros((3, 3), dtype=np.float32)
    rows[place["Owls hunt mice."]] = (1, 0, 0)
    rows[place["Owls hunt a mouse."]] = (1, 0, 0)
    rows[place["Owls sleep by day."]] = (0.9, np.sqrt(1 - 0.81), 0)
    chosen = choose_quotes(
        candidates,
        rows[place["Owls hunt mice."]],
        rows,
        CALIBRATION,
        QuoteBounds(quotes_max=2, diversity=0.5),
    )

    assert "Owls sleep by day." in {quote.text for quote in chosen}


def test_part_of_a_chosen_quote_is_not_chosen_again() -> None:
    """A sentence that another quote already holds adds no words."""
    candidates = _candidates("The owl is inspected. It bears a ring.", question="owl ring")
    whole = next(i for i, c in enumerate(candidates) if "It bears" in c.quote.text)
    cosines = [0.9 if i == whole else 0.5 for i in range(len(candidates))]

    assert ["The owl is inspected. It bears a ring."] == _picked(candidates, cosines)


def test_years_asked_for_decide_between_like_sentences() -> None:
    """A sentence inside the interval comes before one outside of it."""
    candidates = _candidates(
        "Smith was mayor until 1950.",
        "Jones was mayor from 1960 to 1970.",
        question="Who was mayor in 1965?",
    )

    assert "Jones was mayor from 1960 to 1970." == candidates[0].quote.text


def test_row_is_no_third_wheel() -> None:
    """A row of a table is quoted where it answers best, never to fill up sentences."""
    page = page_of(URL, "Owls hunt at night and sleep by day.", "| Owl | 120 | 60,000 owls")
    evidence = [passage_of(page, place, score=1.0 - place / 10) for place in range(2)]
    quotes = [
        quote for place in range(2) for quote in quotes_of(place, evidence[place], version_of(page))
    ]
    candidates = preselect("owls", quotes, evidence)
    sentence_first = [0.9 if not entry.quote.is_row else 0.8 for entry in candidates]
    row_first = [0.9 if entry.quote.is_row else 0.1 for entry in candidates]

    assert ["Owls hunt at night and sleep by day."] == _picked(candidates, sentence_first)
    assert "Owl | 120 | 60,000 owls" == _picked(candidates, row_first)[0]


def test_words_that_quotes_share_are_counted_once() -> None:
    """Overlapping quotes are joined, so their bound is that of the joined text."""
    page = page_of(URL, "The harness is inspected. It bears a label.")
    quotes = list(quotes_of(0, passage_of(page), version_of(page)))

    assert [4, 8] == [len(quote.text.split()) for quote in quotes]
    assert 8 == words_together(quotes)
