"""Finds the short answer inside a quote: the words that its reader looks for.

Each run of up to `WORDS_MAX` words has a score. Parts of it are counts and cosines
(`RUN_SIGNALS`); the rest is how the vectors of its first and last word, of the words inside and of
those beside it lie to directions that depend on how the question begins: "who", "in what year".
The weights belong to the embedder (`HighlightWeights`); `benchmarks.reference.fit_highlight` fits
them.

Source: Rajpurkar et al. 2016, spans scored by a softmax over a sentence. Differs: the encoder is
that of the index and is not trained for it; what is shown is the run that shares most words with
what is probable, not the most probable run.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scops.common.text.terms import STOP_WORDS, WORD, stem, words
from scops.explainer.quotes.answer_type import answer_type
from scops.explainer.quotes.reading import QuoteReading
from scops.explainer.quotes.spans import Quote
from scops.explainer.quotes.token_matches import apart
from scops.libraries.embedder.highlight_weights import HighlightWeights
from scops.libraries.embedder.port import TokenVectors

Floats = NDArray[np.float64]
Matrix = NDArray[np.float32]
Places = NDArray[np.intp]
PROBABILITY_MIN = 0.3
WORDS_MAX = 10
# Words to each side that are held against the question.
BESIDE = 4
# Tokens of a question that say what sort of answer it wants.
OPENING_TOKENS = 4
# Runs that share so much of their words say the same.
SAME = 0.5
# Counts of words up to which a length has a weight of its own.
LENGTHS = (1, 2, 3, 4)
RUN_SIGNALS = (
    *(f"words_{count}" for count in LENGTHS),
    "words",
    "matched",
    "matched_most",
    "matched_before",
    "matched_after",
    "asked_before",
    "asked_after",
    "asked",
    "asked_any",
    "stop_first",
    "stop_last",
    "stop",
    "name_first",
    "name",
    "name_before",
    "name_after",
    "digit",
    "break_before",
    "break_after",
    "breaks",
    "begins",
    "ends",
    "article_before",
    "asked_beside_before",
    "asked_beside_after",
    "type",
)
ARTICLES = frozenset({"a", "an", "the"})
_RUN_WORD = re.compile(rf"[$€£¥]?(?:{WORD.pattern})[%°]?")


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """A run of words inside a quote.

    Attributes:
        start, end: in code points of the quote's text.
        probability: that it answers, where the quote does, in [0, 1].
    """

    start: int
    end: int
    probability: float


@dataclass(frozen=True, slots=True)
class MarkedQuote:
    """The short answer, and the quote that holds it."""

    quote: Quote
    short: ShortAnswer


@dataclass(frozen=True, slots=True)
class WordRuns:
    """The words of a quote, and every run of them that may be the answer.

    Attributes:
        spans: shape (n, 2), of the words in code points of the quote.
        vectors: shape (n, d), what each word means where it stands.
        first, last: shape (m,), words with which each run begins and ends.
        signals: shape (m, `RUN_SIGNALS`).
    """

    spans: NDArray[np.int32]
    vectors: Matrix
    first: Places
    last: Places
    signals: Matrix


def marked_quote(
    question: str,
    asked: TokenVectors,
    reading: QuoteReading,
    texts: Sequence[TokenVectors],
    weights: HighlightWeights,
) -> MarkedQuote | None:
    """Returns the short answer that is most probable over all quotes of an answer.

    None where even that is less probable than `PROBABILITY_MIN`: a wrong mark misleads more than
    a quote without one. Of a run in a quote it is as probable as that anything answers, times what
    the quote holds of the answer, times what the run does of the quote.

    Args:
        texts: what is embedded of each candidate.
    """
    best, most = None, PROBABILITY_MIN
    for quote, place, share in zip(reading.quotes, reading.places, reading.shares, strict=True):
        short = short_answer(question, asked, quote, texts[place], weights)
        if short is None:
            continue
        probable = reading.probability * share * short.probability
        if probable >= most:
            best, most = MarkedQuote(quote, replace(short, probability=probable)), probable
    return best


def short_answer(
    question: str,
    asked: TokenVectors,
    quote: Quote,
    read: TokenVectors,
    weights: HighlightWeights,
) -> ShortAnswer | None:
    """Returns the words that answer a question; None where the quote has no words.

    Args:
        read: the quote's `embedded_text`.
    """
    runs = word_runs(question, asked, quote, read, weights.common)
    if not len(runs.first):
        return None
    probable = run_probabilities(runs, opening(asked), weights)
    place, probability = most_shared(runs, probable)
    return ShortAnswer(
        start=int(runs.spans[runs.first[place], 0]),
        end=int(runs.spans[runs.last[place], 1]),
        probability=probability,
    )


def opening(asked: TokenVectors) -> Matrix:
    """Returns what says which sort of answer a question wants, shape (d,)."""
    vector: Matrix = asked.tokens[:OPENING_TOKENS].mean(axis=0) if len(asked.ids) else asked.vector
    return vector


def run_probabilities(runs: WordRuns, begins: Matrix, weights: HighlightWeights) -> Floats:
    """Returns how probable it is of each run that it is the answer; they sum to 1."""
    scores = runs.signals @ weights.signals + head_scores(runs, weights.directions(begins))
    raised = np.exp(scores - scores.max())
    shares: Floats = raised / raised.sum()
    return shares


def head_scores(runs: WordRuns, directions: Matrix) -> Floats:
    """Returns what the vectors say of each run.

    Args:
        directions: shape (5, d): for the first word, the last, those inside, and those beside.
    """
    first, last = runs.first, runs.last
    starts, ends, inside, before, after = directions @ runs.vectors.T
    sums = np.concatenate([[0.0], np.cumsum(inside)])
    found: Floats = starts[first] + ends[last]
    found += (sums[last + 1] - sums[first]) / (last + 1 - first)
    found += np.where(first > 0, before[first - 1], 0.0)
    follows = np.minimum(last + 1, len(after) - 1)
    found += np.where(last + 1 < len(after), after[follows], 0.0)
    return found


def most_shared(runs: WordRuns, probable: Floats) -> tuple[int, float]:
    """Returns the run that shares most words with what is probable, and how probable it is.

    Probable is that it, or another that shares at least half of its words (F1), is the answer.
    """
    first, last = runs.first, runs.last
    lengths = last + 1 - first
    both = np.minimum(last[:, None], last) + 1 - np.maximum(first[:, None], first)
    shared = 2 * np.maximum(both, 0) / (lengths[:, None] + lengths)
    place = int((shared @ probable).argmax())
    return place, float(probable[shared[place] >= SAME].sum())


def word_runs(
    question: str, asked: TokenVectors, quote: Quote, read: TokenVectors, common: Matrix
) -> WordRuns:
    """Returns the runs of a quote's words with what is known of each."""
    found = [match.span() for match in _RUN_WORD.finditer(quote.text)]
    spans = np.array(found, dtype=np.int32).reshape(len(found), 2)
    own = len(quote.embedded_text) - len(quote.text)
    holds = (read.spans[:, 0] < spans[:, 1:] + own) & (read.spans[:, 1] > spans[:, :1] + own)
    share = holds / np.maximum(holds.sum(axis=1, keepdims=True), 1)
    matched = share @ _matches(asked, read, common)
    vectors = (share @ (read.tokens - common)).astype(np.float32)
    first, last = _runs(len(spans))
    signals = _signals(question, quote.text, spans, matched, first, last)
    return WordRuns(spans, vectors, first, last, signals)


def _matches(asked: TokenVectors, read: TokenVectors, common: Matrix) -> Floats:
    """Returns of each token the best cosine with one of the question."""
    if not len(asked.ids) or not len(read.ids):
        return np.zeros(len(read.ids))
    cosines = apart(asked.tokens, common) @ apart(read.tokens, common).T
    best: Floats = cosines.max(axis=0).astype(np.float64)
    return best


def _runs(count: int) -> tuple[Places, Places]:
    first = np.repeat(np.arange(count), WORDS_MAX)
    last = first + np.tile(np.arange(WORDS_MAX), count)
    kept = last < count
    return first[kept], last[kept]


def _signals(
    question: str,
    text: str,
    spans: NDArray[np.int32],
    matched: Floats,
    first: Places,
    last: Places,
) -> Matrix:
    written = [text[start:end] for start, end in spans]
    count = len(written)
    if not count:
        return np.zeros((0, len(RUN_SIGNALS)), dtype=np.float32)
    wanted = frozenset(map(stem, words(question)))
    asked = np.array([stem(word.casefold()) in wanted for word in written], dtype=float)
    stop = np.array([word.casefold() in STOP_WORDS for word in written], dtype=float)
    name = np.array([word[0].isupper() for word in written], dtype=float)
    digit = np.array([any(map(str.isdigit, word)) for word in written], dtype=float)
    article = np.array([word.casefold() in ARTICLES for word in written], dtype=float)
    breaks = _breaks(text, spans)
    lengths = last + 1 - first

    def total(values: Floats, start: Places, end: Places) -> Floats:
        sums = np.concatenate([[0.0], np.cumsum(values)])
        found: Floats = sums[end] - sums[start]
        return found

    def beside(values: Floats, places: Places) -> Floats:
        return np.where((places >= 0) & (places < count), values[places.clip(0, count - 1)], 0.0)

    def inside(values: Floats) -> Floats:
        return total(values, first, last + 1)

    left, right = np.maximum(first - BESIDE, 0), np.minimum(last + 1 + BESIDE, count)
    kind = answer_type(question)
    columns = (
        *(lengths == one for one in LENGTHS),
        lengths,
        inside(matched) / lengths,
        [matched[start : end + 1].max() for start, end in zip(first, last, strict=True)],
        total(matched, left, first) / np.maximum(first - left, 1),
        total(matched, last + 1, right) / np.maximum(right - last - 1, 1),
        total(asked, left, first),
        total(asked, last + 1, right),
        inside(asked) / lengths,
        inside(asked) > 0,
        stop[first],
        stop[last],
        inside(stop) / lengths,
        name[first],
        inside(name) / lengths,
        beside(name, first - 1),
        beside(name, last + 1),
        inside(digit) > 0,
        breaks[first],
        breaks[last + 1],
        total(breaks, first + 1, last + 1),
        first == 0,
        last == count - 1,
        beside(article, first - 1),
        beside(asked, first - 1),
        beside(asked, last + 1),
        [
            kind is not None and kind.search(f" {text[spans[a, 0] : spans[b, 1]]}") is not None
            for a, b in zip(first, last, strict=True)
        ],
    )
    return np.column_stack([np.asarray(one, dtype=np.float32) for one in columns])


def _breaks(text: str, spans: NDArray[np.int32]) -> Floats:
    """Returns whether more than space stands before each word, and after the last."""
    ends = [0, *spans[:, 1]]
    starts = [*spans[:, 0], len(text)]
    between = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    found = np.array([bool(one.strip()) for one in between], dtype=float)
    found[0] = found[-1] = 1.0
    return found
