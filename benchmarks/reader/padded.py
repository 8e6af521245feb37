"""Quotes by maximal marginal relevance until the words are full, as an alternative.

Source: Carbonell and Goldstein 1998. Weights of the score are hand-made; support is logistic in the
best cosine, the best overlap and the share of the question's terms that anything found names,
fitted for each embedder on questions that its corpora answer and on others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from scops.explainer.quotes.selection import BOUNDS, QuoteBounds, QuoteCandidate, fits_beside
from scops.explainer.quotes.spans import Quote
from scops.libraries.embedder.calibration import Calibration
from scops.libraries.embedder.models import E5, MINILM
from scops.libraries.embedder.port import Embedder, FloatArray

WEIGHT_SIMILARITY = 0.5
WEIGHT_OVERLAP, WEIGHT_TYPE, WEIGHT_PASSAGE, WEIGHT_TIME = 0.3, 0.1, 0.1, 0.2
QUOTES_MIN = 2
# How much likeness to a chosen quote counts, and the score, relative to the best, of a third one.
DIVERSITY = 0.2
RELATIVE_MIN = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportWeights:
    """Of best cosine, best overlap and share of terms; the log-odds without are `-offset`."""

    similarity: float
    overlap: float
    covered: float
    offset: float


SUPPORT: Mapping[str, SupportWeights] = MappingProxyType(
    {
        MINILM.name: SupportWeights(similarity=12.9, overlap=1.75, covered=2.3, offset=9.7),
        E5.name: SupportWeights(similarity=58.256, overlap=5.64, covered=0.0, offset=51.408),
    }
)


@dataclass(frozen=True, slots=True)
class Padding:
    """The alternative, with an embedder's constants."""

    calibration: Calibration
    weights: SupportWeights

    @classmethod
    def of(cls, embedder: Embedder) -> "Padding":
        """Returns it for an embedder."""
        return cls(embedder.calibration, SUPPORT[embedder.embedder_id.partition("/")[0]])

    def support(
        self,
        candidates: Sequence[QuoteCandidate],
        question_vector: FloatArray,
        vectors: FloatArray,
        *,
        covered: float,
    ) -> float:
        """Returns how probable it is that the passages answer, in [0, 1]."""
        similarity = (vectors @ question_vector).astype(np.float64).max(initial=0.0)
        best_overlap = max((candidate.overlap for candidate in candidates), default=0.0)
        weighted = (
            self.weights.similarity * similarity
            + self.weights.overlap * best_overlap
            + self.weights.covered * covered
        )
        return float(1 / (1 + np.exp(self.weights.offset - weighted)))

    def quotes(
        self,
        candidates: Sequence[QuoteCandidate],
        question_vector: FloatArray,
        vectors: FloatArray,
        bounds: QuoteBounds = BOUNDS,
    ) -> list[Quote]:
        """Returns the quotes, best first."""
        if not candidates:
            return []
        cheap = np.array([_cheap_score(candidate) for candidate in candidates])
        cosines = (vectors @ question_vector).astype(np.float64)
        scores = cheap + WEIGHT_SIMILARITY * self.calibration.likenesses(cosines)
        likeness = self.calibration.likenesses(vectors @ vectors.T)
        chosen: list[int] = []
        while len(chosen) < bounds.quotes_max:
            others = [candidates[place].quote for place in chosen]
            order = _by_marginal_relevance(scores, likeness, chosen)
            pick = next(
                (i for i in order if fits_beside(candidates[i].quote, others, bounds)), None
            )
            enough = len(chosen) >= QUOTES_MIN
            if pick is None or (enough and scores[pick] < RELATIVE_MIN * scores.max()):
                break
            chosen.append(pick)
        return [candidates[place].quote for place in chosen]


def _cheap_score(candidate: QuoteCandidate) -> float:
    return (
        WEIGHT_OVERLAP * candidate.overlap
        + WEIGHT_TYPE * candidate.type_matches
        + WEIGHT_PASSAGE * candidate.passage_score
        + WEIGHT_TIME * candidate.time_fit
    )


def _by_marginal_relevance(
    scores: npt.NDArray[np.float64], likeness: FloatArray, chosen: list[int]
) -> list[int]:
    redundancy = likeness[:, chosen].max(axis=1) if chosen else np.zeros(len(scores))
    value = (1 - DIVERSITY) * scores - DIVERSITY * redundancy
    return [int(i) for i in np.argsort(-value, kind="stable") if int(i) not in chosen]
