"""Reads candidates against a question: which sentences answer it, and whether any does.

A linear model gives each candidate its share of the answer (softmax over the candidates), another
the probability that they hold one at all. Quoted is the smallest set of the largest shares that
together hold enough of the answer, and what adds an aspect of the question, as the other side of a
comparison does. Sentences that differ in their times more than in their words are told apart less
surely, so that more is enough where a time is asked for. Both models see counts and cosines alone,
no words; their weights belong to the embedder (`ReaderWeights`), and
`benchmarks.reference.fit_reader` fits them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scops.explainer.quotes.selection import BOUNDS, QuoteBounds, QuoteCandidate, fits_beside
from scops.explainer.quotes.spans import Quote
from scops.explainer.quotes.token_matches import token_matches
from scops.explainer.quotes.years import UNDATED
from scops.libraries.embedder.calibration import ReaderWeights
from scops.libraries.embedder.port import TokenVectors

Floats = NDArray[np.float64]
# What the shares of the candidates are made of.
SENTENCE_SIGNALS = (
    "cosine",
    "matched",
    "rare_matched",
    "overlap",
    "passage",
    "time",
    "type",
    "length",
    "pairs",
)
# What the probability of an answer is made of: of the candidate with the largest share, but for
# the best cosine of all and the share of the question's terms that anything found names.
ANSWER_SIGNALS = ("cosine", "covered", "matched", "rare_matched", "names", "names_around")
COLUMNS = (*SENTENCE_SIGNALS, "names", "names_around")
COLUMN = {name: place for place, name in enumerate(COLUMNS)}
# Below it a candidate is no part of the answer, whatever the others hold.
SHARE_MIN = 0.02
# Of the question's terms, how many are an aspect that a further quote is worth.
ASPECT_MIN = 0.25
ASPECT_SHARE_MIN = 0.03
# Terms beside the question's own, fewer than which a sentence only repeats it.
NEWS_MIN = 2


@dataclass(frozen=True, slots=True)
class QuoteReading:
    """What a reader makes of a question.

    Attributes:
        quotes: best first; there may be some although they probably do not answer.
        places: of the quotes among the candidates.
        shares: of the answer, of each quote.
        probability: that the candidates hold an answer, in [0, 1].
    """

    quotes: tuple[Quote, ...] = ()
    places: tuple[int, ...] = ()
    shares: tuple[float, ...] = ()
    probability: float = 0.0

    @property
    def held(self) -> float:
        """The part of the answer that the quotes hold, in [0, 1]."""
        return sum(self.shares)


def read_quotes(
    candidates: Sequence[QuoteCandidate],
    question: TokenVectors,
    texts: Sequence[TokenVectors],
    weights: ReaderWeights,
    *,
    covered: float,
    bounds: QuoteBounds = BOUNDS,
) -> QuoteReading:
    """Returns the quotes of the answer, and how probable it is that there is one.

    Args:
        texts: what is embedded of each candidate.
        covered: share of the question's terms that anything found names.
    """
    if not candidates:
        return QuoteReading()
    rows = signal_rows(candidates, question, texts)
    return read_rows(candidates, rows, weights, covered=covered, bounds=bounds)


def read_rows(
    candidates: Sequence[QuoteCandidate],
    rows: Floats,
    weights: ReaderWeights,
    *,
    covered: float,
    bounds: QuoteBounds = BOUNDS,
) -> QuoteReading:
    """Returns the same where the signals of the candidates, at least one, are known."""
    shares = sentence_shares(rows, weights_of(SENTENCE_SIGNALS, weights.sentence))
    signals = answer_signals(rows, shares, covered=covered)
    told = signals @ weights_of(ANSWER_SIGNALS, weights.answer)
    enough = weights.enough_dated if is_dated(rows) else weights.enough
    chosen = _chosen(candidates, shares, bounds, enough=enough)
    return QuoteReading(
        quotes=tuple(candidates[place].quote for place in chosen),
        places=tuple(chosen),
        shares=tuple(float(shares[place]) for place in chosen),
        probability=float(1 / (1 + np.exp(-told - weights.answer_offset))),
    )


def signal_rows(
    candidates: Sequence[QuoteCandidate], question: TokenVectors, texts: Sequence[TokenVectors]
) -> Floats:
    """Returns what is known of each candidate, shape (n, `COLUMNS`)."""
    own_starts = [len(one.quote.embedded_text) - len(one.quote.text) for one in candidates]
    cosines = [float(text.vector @ question.vector) for text in texts]
    known = [
        (
            one.overlap,
            one.passage_score,
            one.time_fit,
            float(one.type_matches),
            one.length,
            one.pairs,
            one.names,
            one.names_around,
        )
        for one in candidates
    ]
    return np.column_stack([cosines, token_matches(question, texts, own_starts), known])


def is_dated(rows: Floats) -> bool:
    """Returns whether a time is asked for that some candidate fits or contradicts."""
    return bool((rows[:, COLUMN["time"]] != UNDATED).any())


def sentence_shares(rows: Floats, weights: Floats) -> Floats:
    """Returns the share of the answer that each candidate holds; they sum to 1."""
    scores = rows[:, : len(SENTENCE_SIGNALS)] @ weights
    raised = np.exp(scores - scores.max())
    shares: Floats = raised / raised.sum()
    return shares


def answer_signals(rows: Floats, shares: Floats, *, covered: float) -> Floats:
    """Returns the `ANSWER_SIGNALS` of a question."""
    best = rows[int(shares.argmax())]
    own = (best[COLUMN[name]] for name in ANSWER_SIGNALS[2:])
    return np.array([rows[:, COLUMN["cosine"]].max(), covered, *own])


def weights_of(signals: Sequence[str], weights: Mapping[str, float]) -> Floats:
    """Returns weights in the order of their signals."""
    return np.array([weights[name] for name in signals])


def _chosen(
    candidates: Sequence[QuoteCandidate], shares: Floats, bounds: QuoteBounds, *, enough: float
) -> list[int]:
    """Picks by share until enough is held; then only what adds an aspect, or goes on.

    A sentence that repeats the question holds no answer alone, and is quoted with the next one.
    """
    chosen: list[int] = []
    held, named = 0.0, frozenset[str]()
    asked = frozenset[str]().union(*(candidate.aspects for candidate in candidates))
    for place in map(int, np.argsort(-shares, kind="stable")):
        candidate, others = candidates[place], [candidates[one] for one in chosen]
        if len(chosen) == bounds.quotes_max:
            break
        aspect = len(candidate.aspects - named) / max(len(asked), 1)
        wanted = (
            not chosen
            or (held < enough and shares[place] >= SHARE_MIN)
            or (aspect >= ASPECT_MIN and shares[place] >= ASPECT_SHARE_MIN)
            or any(_repeats(one) and candidate.quote.follows(one.quote) for one in others)
        )
        if not wanted or not fits_beside(candidate.quote, [one.quote for one in others], bounds):
            continue
        chosen.append(place)
        held += 0.0 if _repeats(candidate) else float(shares[place])
        named |= candidate.aspects
    return chosen


def _repeats(candidate: QuoteCandidate) -> bool:
    """Returns whether a sentence says next to nothing beside the question's own words."""
    return candidate.news < NEWS_MIN
