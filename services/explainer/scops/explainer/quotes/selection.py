"""Chooses the quotes of an extractive answer.

Source: maximal marginal relevance (Carbonell and Goldstein 1998). What a quote's context says
counts in part, so that "The default is one minute." can answer for its parameter.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scops.common.contract.messages.retrieval import Evidence
from scops.common.text.terms import content_terms, word_count, words
from scops.explainer.quotes.answer_type import holds_answer_type
from scops.explainer.quotes.spans import Quote
from scops.explainer.quotes.term_overlap import coverage, inverse_frequencies, overlap
from scops.explainer.quotes.years import UNDATED, YearRange, asked_years, time_fit, years_of
from scops.libraries.embedder.calibration import Calibration

FloatArray = NDArray[np.float32]
WEIGHT_SIMILARITY = 0.5
WEIGHT_OVERLAP = 0.3
WEIGHT_TYPE = 0.1
WEIGHT_PASSAGE = 0.1
WEIGHT_TIME = 0.2
CONTEXT_SHARE = 0.7
QUOTES_MIN = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteBounds:
    """Bounds of the quotes of an answer.

    Attributes:
        embedded_max: sentences that are compared with the question by their vectors.
        quotes_max, words_max: of an answer; the words of all quotes together.
        diversity: how much a quote's likeness to a chosen one counts against it (MMR), in [0, 1].
        relative_min: score, relative to the best, below which a third or later quote is left out.
    """

    embedded_max: int = 16
    quotes_max: int = 5
    words_max: int = 80
    diversity: float = 0.2
    relative_min: float = 0.6


BOUNDS = QuoteBounds()


@dataclass(frozen=True, slots=True)
class QuoteCandidate:
    """A quote with what is known of it before it is embedded.

    Attributes:
        overlap: share of the question's terms that it holds, its context counted in part.
        passage_score: of its passage, scaled to [0, 1] over the evidence.
        time_fit: of its years to those asked for, in [0, 1]; one half is no say.
    """

    quote: Quote
    overlap: float
    type_matches: bool
    passage_score: float
    time_fit: float = UNDATED

    @property
    def cheap_score(self) -> float:
        """The score without the vector part."""
        return (
            WEIGHT_OVERLAP * self.overlap
            + WEIGHT_TYPE * self.type_matches
            + WEIGHT_PASSAGE * self.passage_score
            + WEIGHT_TIME * self.time_fit
        )


def preselect(
    question: str,
    quotes: Sequence[Quote],
    evidence: Sequence[Evidence],
    bounds: QuoteBounds = BOUNDS,
) -> list[QuoteCandidate]:
    """Returns the quotes that are worth embedding, best first."""
    fitting = [quote for quote in quotes if word_count(quote.text) <= bounds.words_max]
    terms = [content_terms(quote.text) for quote in fitting]
    contexts = _context_terms(fitting)
    weights = inverse_frequencies(terms)
    asked = content_terms(question)
    years = asked_years(question)
    scaled = _scaled([passage.score for passage in evidence])
    candidates = [
        QuoteCandidate(
            quote=quote,
            overlap=overlap(asked, held, context, weights, context_share=CONTEXT_SHARE),
            type_matches=holds_answer_type(question, quote.text),
            passage_score=scaled[quote.passage],
            time_fit=_time_fit(years, quote),
        )
        for quote, held, context in zip(fitting, terms, contexts, strict=True)
    ]
    ranked = sorted(
        candidates, key=lambda entry: (-entry.cheap_score, entry.quote.passage, entry.quote.start)
    )
    return _without_repeats(ranked)[: bounds.embedded_max]


def preselected(
    question: str, quotes: Sequence[Quote], evidence: Sequence[Evidence]
) -> tuple[list[QuoteCandidate], float]:
    """Returns the quotes that are worth embedding, and the share of the question that is known."""
    candidates = preselect(question, quotes, evidence)
    return candidates, question_coverage(question, evidence) if candidates else 0.0


def question_coverage(question: str, evidence: Sequence[Evidence]) -> float:
    """Returns the share of the question's terms that some passage holds, in [0, 1]."""
    known = " ".join(
        " ".join((passage.title, *passage.section_path, passage.text)) for passage in evidence
    )
    return coverage(content_terms(question), content_terms(known))


def support(
    candidates: Sequence[QuoteCandidate],
    question_vector: FloatArray,
    vectors: FloatArray,
    calibration: Calibration,
    *,
    covered: float,
) -> float:
    """Returns how probable it is that the passages answer, in [0, 1].

    Logistic in the best cosine, the best overlap and the share of the question's terms that
    anything found names. Fitted for each embedder on one half of three corpora (TimeQA's
    pages, MS MARCO's passages, examples/site), each with questions that it answers and questions
    of the others; docs/benchmarks.md has the figures of the other half.
    """
    similarity, best_overlap = support_signals(candidates, question_vector, vectors)
    weighted = (
        calibration.support_similarity * similarity
        + calibration.support_overlap * best_overlap
        + calibration.support_covered * covered
    )
    return float(1 / (1 + np.exp(calibration.support_offset - weighted)))


def support_signals(
    candidates: Sequence[QuoteCandidate], question_vector: FloatArray, vectors: FloatArray
) -> tuple[float, float]:
    """Returns the best cosine with the question, and the best overlap with it."""
    similarity = (vectors @ question_vector).astype(np.float64).max(initial=0.0)
    return float(similarity), max((candidate.overlap for candidate in candidates), default=0.0)


def choose_quotes(
    candidates: Sequence[QuoteCandidate],
    question_vector: FloatArray,
    vectors: FloatArray,
    calibration: Calibration,
    bounds: QuoteBounds = BOUNDS,
) -> list[Quote]:
    """Returns the quotes of the answer, best first.

    Args:
        question_vector: shape (d,), unit length.
        vectors: shape (n, d), unit rows, one a candidate.
    """
    if not candidates:
        return []
    similarity = calibration.likenesses((vectors @ question_vector).astype(np.float64))
    cheap = np.array([candidate.cheap_score for candidate in candidates])
    scores = cheap + WEIGHT_SIMILARITY * similarity
    return _diverse(candidates, scores, calibration.likenesses(vectors @ vectors.T), bounds)


def _diverse(
    candidates: Sequence[QuoteCandidate],
    scores: NDArray[np.float64],
    likeness: FloatArray,
    bounds: QuoteBounds,
) -> list[Quote]:
    """Picks by maximal marginal relevance while words, number and quality allow."""
    chosen: list[int] = []
    weakest = bounds.relative_min * float(scores.max())
    while len(chosen) < bounds.quotes_max:
        order = _by_marginal_relevance(scores, likeness, chosen, bounds.diversity)
        pick = next((i for i in order if _fits(i, candidates, chosen, bounds)), None)
        if pick is None or (len(chosen) >= QUOTES_MIN and scores[pick] < weakest):
            break
        chosen.append(pick)
    return [candidates[i].quote for i in chosen]


def _by_marginal_relevance(
    scores: NDArray[np.float64], likeness: FloatArray, chosen: list[int], diversity: float
) -> list[int]:
    """Returns the quotes not chosen yet by (1 - d) score - d likeness to a chosen one."""
    redundancy = likeness[:, chosen].max(axis=1) if chosen else np.zeros(len(scores))
    value = (1 - diversity) * scores - diversity * redundancy
    order = np.argsort(-value, kind="stable")
    return [int(i) for i in order if int(i) not in chosen]


def _fits(
    index: int, candidates: Sequence[QuoteCandidate], chosen: list[int], bounds: QuoteBounds
) -> bool:
    quote, others = candidates[index].quote, [candidates[i].quote for i in chosen]
    if quote.is_row and others and not any(other.is_row for other in others):
        # Beside sentences, a row without its table is noise.
        return False
    if any(other.holds(quote) for other in others):
        return False
    return words_together([*others, quote]) <= bounds.words_max


def words_together(quotes: Sequence[Quote]) -> int:
    """Returns how many words some quotes hold, what overlaps counted once."""
    total = 0
    last: Quote | None = None
    for quote in sorted(quotes, key=lambda entry: (entry.version_id, entry.start, -entry.end)):
        known = 0
        if last is not None and last.version_id == quote.version_id:
            known = max(last.end - quote.start, 0)
        total += word_count(quote.text[known:])
        if last is None or not known or quote.end > last.end:
            last = quote
    return total


def _time_fit(years: YearRange | None, quote: Quote) -> float:
    if years is None:
        return UNDATED
    own = years_of(quote.text)
    return time_fit(years, own, () if own else years_of(" ".join(quote.context)))


def _context_terms(quotes: Sequence[Quote]) -> list[frozenset[str]]:
    """Returns the terms around each quote; a heading that many share is read once."""
    known: dict[str, frozenset[str]] = {}
    for text in {text for quote in quotes for text in quote.context}:
        known[text] = content_terms(text)
    return [frozenset().union(*(known[text] for text in quote.context)) for quote in quotes]


def _scaled(scores: Sequence[float]) -> list[float]:
    top, low = max(scores, default=0.0), min(scores, default=0.0)
    return [(score - low) / ((top - low) or 1.0) for score in scores]


def _without_repeats(candidates: Sequence[QuoteCandidate]) -> list[QuoteCandidate]:
    seen: set[str] = set()
    kept = []
    for candidate in candidates:
        key = " ".join(words(candidate.quote.text))
        if key not in seen:
            seen.add(key)
            kept.append(candidate)
    return kept
