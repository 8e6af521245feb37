"""Chooses the sentences of an extractive answer.

Source: algorithms.md section 7 (score of a sentence, MMR, abstention); the weights are starting
points.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scops.explainer.answer_type import holds_answer_type
from scops.explainer.quotes import Quote
from scops.explainer.settings import ExplainerSettings
from scops.explainer.terms import content_terms, inverse_frequencies, overlap, words

FloatArray = NDArray[np.float32]
WEIGHT_SIMILARITY = 0.5
WEIGHT_OVERLAP = 0.3
WEIGHT_TYPE = 0.1
WEIGHT_PASSAGE = 0.1
QUOTES_MIN = 2
# A sentence after the first must be at least this good, relative to the best.
RELATIVE_MIN = 0.6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence with what is known of it before it is embedded."""

    quote: Quote
    overlap: float
    type_matches: bool
    passage_score: float

    @property
    def cheap_score(self) -> float:
        """The score without the vector part."""
        return (
            WEIGHT_OVERLAP * self.overlap
            + WEIGHT_TYPE * self.type_matches
            + WEIGHT_PASSAGE * self.passage_score
        )


def preselect(
    question: str, quotes: Sequence[Quote], passage_scores: Sequence[float], *, limit: int
) -> list[Candidate]:
    """Returns the sentences that are worth embedding, best first.

    Args:
        passage_scores: of each passage of the evidence; scaled here to [0, 1].
    """
    terms = [content_terms(quote.text) for quote in quotes]
    weights = inverse_frequencies(terms)
    asked = content_terms(question)
    top = max(passage_scores, default=0.0)
    low = min(passage_scores, default=0.0)
    spread = (top - low) or 1.0
    candidates = [
        Candidate(
            quote=quote,
            overlap=overlap(asked, held, weights),
            type_matches=holds_answer_type(question, quote.text),
            passage_score=(passage_scores[quote.passage] - low) / spread,
        )
        for quote, held in zip(quotes, terms, strict=True)
    ]
    ranked = sorted(candidates, key=lambda entry: (-entry.cheap_score, entry.quote.passage))
    return _without_repeats(ranked)[:limit]


def choose(
    candidates: Sequence[Candidate],
    question_vector: FloatArray,
    vectors: FloatArray,
    settings: ExplainerSettings,
) -> list[Quote]:
    """Returns the sentences of the answer in the order they were chosen; none to abstain.

    Args:
        question_vector: shape (d,), unit length.
        vectors: shape (n, d), unit rows, one a candidate.
    """
    if not candidates:
        return []
    similarity = vectors @ question_vector
    scores = np.array(
        [
            candidate.cheap_score + WEIGHT_SIMILARITY * float(cosine)
            for candidate, cosine in zip(candidates, similarity, strict=True)
        ]
    )
    support = max(
        WEIGHT_SIMILARITY * float(cosine) + WEIGHT_OVERLAP * candidate.overlap
        for candidate, cosine in zip(candidates, similarity, strict=True)
    )
    if support < settings.support_min:
        return []
    return _diverse(candidates, scores, vectors @ vectors.T, settings)


def _diverse(
    candidates: Sequence[Candidate],
    scores: NDArray[np.float64],
    likeness: FloatArray,
    settings: ExplainerSettings,
) -> list[Quote]:
    chosen: list[int] = []
    budget = settings.words_max
    best = float(scores.max())
    while len(chosen) < settings.quotes_max:
        order = _by_marginal_relevance(scores, likeness, chosen, settings.diversity)
        pick = next((i for i in order if _fits(i, candidates, chosen, budget)), None)
        if pick is None:
            break
        if len(chosen) >= QUOTES_MIN and scores[pick] < RELATIVE_MIN * best:
            break
        chosen.append(pick)
        budget -= len(words(candidates[pick].quote.text))
    return [candidates[i].quote for i in chosen]


def _by_marginal_relevance(
    scores: NDArray[np.float64], likeness: FloatArray, chosen: list[int], diversity: float
) -> list[int]:
    """Returns the sentences not chosen yet by (1 - d) score - d likeness to a chosen one."""
    redundancy = likeness[:, chosen].max(axis=1) if chosen else np.zeros(len(scores))
    value = (1 - diversity) * scores - diversity * redundancy
    order = np.argsort(-value, kind="stable")
    return [int(i) for i in order if int(i) not in chosen]


def _fits(index: int, candidates: Sequence[Candidate], chosen: list[int], budget: int) -> bool:
    """A sentence fits the word budget, and does not open with a pronoun that hangs in the air."""
    quote = candidates[index].quote
    if chosen and len(words(quote.text)) > budget:
        return False
    if not quote.dangling:
        return True
    before = (candidates[i].quote for i in chosen)
    return any(
        other.passage == quote.passage
        and other.block_start == quote.block_start
        and 0 <= quote.start - other.end <= 2
        for other in before
    )


def _without_repeats(candidates: Sequence[Candidate]) -> list[Candidate]:
    seen: set[str] = set()
    kept = []
    for candidate in candidates:
        key = " ".join(words(candidate.quote.text))
        if key not in seen:
            seen.add(key)
            kept.append(candidate)
    return kept
