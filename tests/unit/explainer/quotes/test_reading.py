"""Which quotes answer a question, and how probable it is that any does."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scops.common.contract.messages.retrieval import Evidence
from scops.common.text.terms import words
from scops.explainer.quotes.reading import (
    ANSWER_SIGNALS,
    COLUMN,
    COLUMNS,
    SENTENCE_SIGNALS,
    QuoteReading,
    read_quotes,
    read_rows,
)
from scops.explainer.quotes.selection import QuoteBounds, QuoteCandidate, preselect
from scops.explainer.quotes.spans import Quote, quotes_of
from scops.explainer.quotes.years import UNDATED
from scops.libraries.embedder.calibration import ReaderWeights
from scops.libraries.embedder.port import TokenVectors
from tests.fakes.worlds.explainer import passage_of, version_of
from tests.fakes.worlds.indexed_pages import page_of

WEIGHTS = ReaderWeights(
    sentence=dict.fromkeys(SENTENCE_SIGNALS, 1.0) | {"cosine": 8.0, "overlap": 2.0},
    answer=dict.fromkeys(ANSWER_SIGNALS, 1.0),
    answer_offset=-4.0,
    enough=0.6,
    enough_dated=0.6,
)
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


def _text(vector: NDArray[np.float32], *tokens: NDArray[np.float32]) -> TokenVectors:
    """Builds a text by its vector and those of its tokens, which stand one after another."""
    count = len(tokens)
    return TokenVectors(
        vector,
        np.arange(count, dtype=np.int32),
        np.array(tokens, dtype=np.float32).reshape(count, len(vector)),
        np.array([(i, i + 1) for i in range(count)], dtype=np.int32).reshape(count, 2),
    )


def _read(
    candidates: list[QuoteCandidate],
    cosines: list[float],
    *,
    covered: float = 1.0,
    **changed: Any,
) -> QuoteReading:
    """Reads with given cosines to the question; no text has tokens."""
    asked = np.array([1, 0], dtype=np.float32)
    texts = [_text(np.array([one, np.sqrt(1 - one**2)], dtype=np.float32)) for one in cosines]
    bounds = QuoteBounds(**changed)
    return read_quotes(candidates, _text(asked), texts, WEIGHTS, covered=covered, bounds=bounds)


def _picked(candidates: list[QuoteCandidate], cosines: list[float], **changed: Any) -> list[str]:
    return [quote.text for quote in _read(candidates, cosines, **changed).quotes]


def test_closest_sentence_is_chosen_first() -> None:
    """With equal words the vectors decide."""
    candidates = _candidates("Owls hunt mice.", "Owls hunt voles.", question="owls hunt")

    assert "Owls hunt voles." == _picked(candidates, [0.2, 0.9])[0]


def test_one_sentence_that_answers_is_enough() -> None:
    """What stands far behind the best is no part of the answer."""
    candidates = _candidates(
        "Owls hunt mice.",
        "Owls sleep by day.",
        "Trains leave at noon.",
        question="what do owls hunt",
    )

    assert ["Owls hunt mice."] == _picked(candidates, [0.9, 0.5, 0.1])


def test_doubt_is_quoted() -> None:
    """Where several are as good as each other, the answer holds more than one."""
    candidates = _candidates(
        *(f"Owls hunt {name} in old forests." for name in "abcd"), question="owls hunt"
    )

    assert 1 < len(_picked(candidates, [0.9] * 4))


def test_sentence_that_repeats_the_question_is_quoted_with_the_next() -> None:
    """What announces a value is no answer without it, however it is shared out."""
    question = "Which port does the server listen on?"
    text = "The TCP port the server listens on. The default value is 5432. Owls hunt at night."
    candidates = _candidates(text, question=question)
    cosines = [0.99 if "TCP" in one.quote.text else 0.1 for one in candidates]

    assert ["The TCP port the server listens on.", "The default value is 5432."] == _picked(
        candidates, cosines
    )


def test_both_sides_of_a_comparison_are_quoted() -> None:
    """A sentence that adds what the question names besides is worth its words."""
    candidates = _candidates(
        "The Tarn plan has 5 users.",
        "The Fell plan has 9 users.",
        question="Are there more users in the Tarn plan or the Fell plan?",
    )

    assert 2 == len(_picked(candidates, [0.8, 0.8]))


def test_words_of_an_answer_are_bounded() -> None:
    """Quotes are added only while they fit together."""
    texts = [f"Owls hunt {name} in the old forest every single night." for name in "abcdef"]
    chosen = _picked(_candidates(*texts), [0.9] * 6, words_max=25)

    assert 2 == len(chosen)
    assert sum(len(words(text)) for text in chosen) <= 25


def test_number_of_quotes_is_bounded() -> None:
    """Never more quotes than the setting."""
    texts = [f"Owls hunt {name} at night." for name in "abcdef"]

    assert 1 == len(_picked(_candidates(*texts), [0.9] * 6, quotes_max=1))


def test_part_of_a_chosen_quote_is_not_chosen_again() -> None:
    """A sentence that another quote already holds adds no words."""
    candidates = _candidates("The owl is inspected. It bears a ring.", question="owl ring")
    whole = next(i for i, c in enumerate(candidates) if "It bears" in c.quote.text)
    cosines = [0.9 if i == whole else 0.5 for i in range(len(candidates))]

    assert ["The owl is inspected. It bears a ring."] == _picked(candidates, cosines)


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


def test_answer_is_less_probable_where_nothing_names_the_question() -> None:
    """The same sentence answers less when the question names a stranger."""
    candidates = _candidates("Owls hunt mice.")
    known, strange = (_read(candidates, [1.0], covered=covered) for covered in (1.0, 0.5))

    assert 1.0 > known.probability > strange.probability > 0.0
    assert 1.0 == known.held


def test_sentence_whose_tokens_match_is_chosen_first() -> None:
    """With equal vectors and words the tokens decide."""
    first, second, other = np.eye(3, dtype=np.float32)
    candidates = _candidates("Owls hunt mice.", "Owls hunt voles.", question="owls hunt")
    place = {entry.quote.text: i for i, entry in enumerate(candidates)}
    far, near = _text(first, other, other), _text(first, other, second)
    texts = [near if "voles" in entry.quote.text else far for entry in candidates]
    long_before = [replace(one, spans=one.spans + 1000) for one in texts]
    reading = read_quotes(candidates, _text(first, second), long_before, WEIGHTS, covered=1.0)

    assert {"Owls hunt mice.", "Owls hunt voles."} == set(place)
    assert "Owls hunt voles." == reading.quotes[0].text


def test_nothing_is_read_of_nothing() -> None:
    """Without sentences there is no answer."""
    assert QuoteReading() == _read([], [])


def test_more_is_quoted_where_a_time_is_asked_for() -> None:
    """What suffices else is less than what suffices between sentences that differ in times."""
    first, second = (f"Owls hunt {name} in old forests." for name in ("mice", "voles"))
    candidates = _candidates(first, second, question="owls hunt")
    rows = np.zeros((2, len(COLUMNS)))
    rows[:, COLUMN["cosine"]] = 0.9, 0.8
    weights = replace(WEIGHTS, enough=0.6, enough_dated=0.8)
    quoted = {}
    for time in (UNDATED, 1.0):
        rows[:, COLUMN["time"]] = time
        found = read_rows(candidates, rows, weights, covered=1.0, bounds=QuoteBounds())
        quoted[time] = [quote.text for quote in found.quotes]

    assert [first] == quoted[UNDATED]
    assert [first, second] == quoted[1.0]
