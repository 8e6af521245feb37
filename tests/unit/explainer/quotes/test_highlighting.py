"""Which words of a quote are shown as the short answer."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from scops.common.contract.ids import VersionId
from scops.explainer.quotes.highlighting import (
    PROBABILITY_MIN,
    RUN_SIGNALS,
    marked_quote,
    most_shared,
    short_answer,
    word_runs,
)
from scops.explainer.quotes.reading import QuoteReading
from scops.explainer.quotes.spans import Quote
from scops.libraries.embedder.highlight_weights import (
    HighlightWeights,
    read_highlight_weights,
    write_highlight_weights,
)
from scops.libraries.embedder.port import TokenVectors
from tests.fakes.embedder import HashingEmbedder

QUESTION = "How many mice do owls eat?"
TEXT = "An owl of the Tarn eats 30 mice a week, they say."
NOTHING = np.zeros(64, dtype=np.float32)


def _weights(**signals: float) -> HighlightWeights:
    """Builds weights of what is counted alone."""
    return HighlightWeights(
        common=NOTHING,
        asked_mean=NOTHING,
        asked_axes=np.zeros((64, 2), dtype=np.float32),
        heads=np.zeros((5, 64, 3), dtype=np.float32),
        signals=np.array([signals.get(name, 0.0) for name in RUN_SIGNALS], dtype=np.float32),
    )


def _quote(text: str = TEXT, title: str = "Owls") -> Quote:
    return Quote(
        passage=0,
        version_id=VersionId(title),
        start=0,
        end=len(text),
        text=text,
        title=title,
        section_path=(),
    )


async def _read(*texts: str) -> list[TokenVectors]:
    return await HashingEmbedder().embed_tokens(texts)


async def test_words_of_the_wanted_sort_are_shown() -> None:
    """Offsets count in the quote, whatever stands before it as its title."""
    asked, read = await _read(QUESTION, _quote().embedded_text)
    found = short_answer(QUESTION, asked, _quote(), read, _weights(digit=9.0, words=-3.0))

    assert found is not None
    assert "30" == TEXT[found.start : found.end]
    assert 0.5 < found.probability <= 1.0


async def test_vectors_of_words_count() -> None:
    """A direction that the first word of the answer lies in, for questions that begin like it."""
    asked, read = await _read(QUESTION, _quote().embedded_text)
    (mice,) = await _read("mice")
    plain = _weights(words=-3.0)
    heads = plain.heads.copy()
    heads[0, :, 0] = 9.0 * mice.tokens[0]
    found = short_answer(QUESTION, asked, _quote(), read, replace(plain, heads=heads))

    assert found is not None
    assert "mice" == TEXT[found.start : found.end]


async def test_runs_of_the_same_words_help_each_other() -> None:
    """What is shown shares most with what is probable, and is no less probable than that."""
    asked, read = await _read(QUESTION, _quote().embedded_text)
    runs = word_runs(QUESTION, asked, _quote(), read, NOTHING)
    words = [TEXT[start:end] for start, end in runs.spans]
    probable: NDArray[np.float64] = np.zeros(len(runs.first))

    def place(first: str, last: str) -> int:
        same = (runs.first == words.index(first)) & (runs.last == words.index(last))
        return int(np.flatnonzero(same)[0])

    probable[place("An", "An")] = 0.4
    probable[place("30", "mice")] = probable[place("30", "a")] = 0.3

    assert (place("30", "mice"), pytest.approx(0.6)) == most_shared(runs, probable)


async def test_nothing_is_shown_where_it_is_improbable() -> None:
    """The same words, as the passages answer more or less probably."""
    asked, read = await _read(QUESTION, _quote().embedded_text)
    weights = _weights(digit=9.0, words=-3.0)
    shown = {}
    for probability in (0.1, 0.9):
        reading = QuoteReading((_quote(),), (0,), (0.8,), probability)
        shown[probability] = marked_quote(QUESTION, asked, reading, [read], weights)

    assert shown[0.1] is None
    marked = shown[0.9]
    assert marked is not None
    assert PROBABILITY_MIN < marked.short.probability < 0.9 * 0.8


async def test_quote_that_holds_more_of_the_answer_is_marked() -> None:
    """One short answer an answer, by the place of its quote among the candidates."""
    other = _quote("Owls eat 12 voles in a month.", title="Voles")
    asked, *texts = await _read(QUESTION, other.embedded_text, "Rain.", _quote().embedded_text)
    reading = QuoteReading((_quote(), other), (2, 0), (0.7, 0.2), 1.0)
    marked = marked_quote(QUESTION, asked, reading, texts, _weights(digit=9.0, words=-3.0))

    assert marked is not None
    assert (_quote(), "30") == (marked.quote, TEXT[marked.short.start : marked.short.end])


async def test_quote_without_words_has_no_short_answer() -> None:
    """A line of signs is no answer."""
    quote = _quote("— … —", title="")
    asked, read = await _read(QUESTION, quote.embedded_text)

    assert short_answer(QUESTION, asked, quote, read, _weights()) is None


def test_weights_are_written_and_read_again(tmp_path: Path) -> None:
    """To two bytes each; a model without a file marks nothing."""
    weights = _weights(digit=9.0, words=-0.3)
    write_highlight_weights(tmp_path / "a.npz", weights)
    read = read_highlight_weights(tmp_path / "a.npz")

    assert read is not None
    assert np.allclose(weights.signals, read.signals, rtol=1e-3)
    assert read.heads.shape == weights.heads.shape
    assert read_highlight_weights(tmp_path / "b.npz") is None
