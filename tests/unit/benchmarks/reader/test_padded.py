"""Quotes that fill the words of an answer, as the alternative of the benchmark."""

from typing import Any

import numpy as np

from benchmarks.reader.padded import SUPPORT, Padding
from scops.common.contract.messages.retrieval import Evidence
from scops.explainer.quotes.selection import QuoteBounds, QuoteCandidate, preselect
from scops.explainer.quotes.spans import Quote, quotes_of
from scops.libraries.embedder.calibration import calibration_of
from scops.libraries.embedder.models import MINILM
from tests.fakes.worlds.explainer import passage_of, version_of
from tests.fakes.worlds.indexed_pages import page_of

PADDING = Padding(calibration_of(MINILM.name), SUPPORT[MINILM.name])
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
    bounds = QuoteBounds(**changed)
    return [quote.text for quote in PADDING.quotes(candidates, asked, rows, bounds)]


def test_weak_third_sentence_is_left_out() -> None:
    """A second sentence always helps to understand; a third must be worth it."""
    texts = ["Owls hunt mice.", "Owls sleep by day.", "Trains leave at noon."]
    chosen = _picked(_candidates(*texts, question="owls hunt"), [0.9, 0.8, 0.0])

    assert ["Owls hunt mice.", "Owls sleep by day."] == chosen


def test_number_of_quotes_is_bounded() -> None:
    """Never more quotes than the setting."""
    texts = [f"Owls hunt {name} at night." for name in "abcdef"]

    assert 3 == len(_picked(_candidates(*texts), [0.9] * 6, quotes_max=3))


def test_support_falls_with_what_nothing_found_names() -> None:
    """The same sentence supports less when the question names a stranger; nothing supports none."""
    candidates = _candidates("Owls hunt mice.")
    row = np.array([[1.0, 0.0]], dtype=np.float32)

    known = PADDING.support(candidates, row[0], row, covered=1.0)

    assert 1.0 > known > PADDING.support(candidates, row[0], row, covered=0.5) > 0.0
    assert [] == PADDING.quotes([], row[0], row[:0])
