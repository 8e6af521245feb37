"""Preselects what of the passages is worth embedding as a quote, and says what is known of it.

What a quote's context says counts in part, so that "The default is one minute." can answer for its
parameter.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from scops.common.contract.messages.retrieval import Evidence
from scops.common.text.terms import STOP_WORDS, WORD, content_terms, stem, word_count, words
from scops.explainer.quotes.answer_type import holds_answer_type
from scops.explainer.quotes.spans import Quote
from scops.explainer.quotes.term_overlap import coverage, inverse_frequencies, overlap
from scops.explainer.quotes.years import UNDATED, YearRange, asked_years, time_fit, years_of

Word = TypeVar("Word", str, tuple[str, str])
# Fitted by `benchmarks.reference.fit_preselection`.
WEIGHT_OVERLAP = 0.3
WEIGHT_TYPE = 0.047
WEIGHT_PASSAGE = 0.114
WEIGHT_TIME = 0.066
CONTEXT_SHARE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteBounds:
    """Bounds of the quotes of an answer.

    Attributes:
        embedded_max: sentences that are compared with the question by their vectors.
        quotes_max, words_max: of an answer; the words of all quotes together.
    """

    embedded_max: int = 16
    quotes_max: int = 5
    words_max: int = 80


BOUNDS = QuoteBounds()


@dataclass(frozen=True, slots=True)
class QuoteCandidate:
    """A quote with what is known of it before it is embedded.

    Attributes:
        overlap: share of the question's terms that it holds, its context counted in part.
        passage_score: of its passage, scaled to [0, 1] over the evidence.
        time_fit: of its years to those asked for, in [0, 1]; one half is no say.
        length: its words on a logarithmic scale, in [0, 1].
        pairs: share of the question's neighbouring words that stand together in it.
        names, names_around: share of what the question writes like a name or number that it holds,
            and that it or its context does; 1 where the question names nothing.
        aspects: the question's terms that it or its context holds.
        news: how many terms it holds that the question does not.
    """

    quote: Quote
    overlap: float
    type_matches: bool
    passage_score: float
    time_fit: float = UNDATED
    length: float = 0.0
    pairs: float = 0.0
    names: float = 1.0
    names_around: float = 1.0
    aspects: frozenset[str] = frozenset()
    news: int = 0

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
    asked = _AskedWords.of(question)
    years = asked_years(question)
    scaled = _scaled([passage.score for passage in evidence])
    candidates = [
        QuoteCandidate(
            quote=quote,
            overlap=overlap(asked.terms, held, around, weights, context_share=CONTEXT_SHARE),
            type_matches=holds_answer_type(question, quote.text),
            passage_score=scaled[quote.passage],
            time_fit=_time_fit(years, quote),
            length=math.log1p(word_count(quote.text)) / math.log1p(bounds.words_max),
            pairs=_share(asked.pairs, _pairs(words(quote.text))),
            names=_share(asked.names, held),
            names_around=_share(asked.names, held | around),
            aspects=asked.terms & (held | around),
            news=len(held - asked.terms),
        )
        for quote, held, around in zip(fitting, terms, contexts, strict=True)
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


def fits_beside(quote: Quote, others: Sequence[Quote], bounds: QuoteBounds) -> bool:
    """Returns whether a quote may stand beside those chosen already."""
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


@dataclass(frozen=True, slots=True)
class _AskedWords:
    """A question's words as they are compared.

    Attributes:
        terms: stems that carry meaning.
        names: stems of what is written like a name or holds a digit.
        pairs: neighbouring words.
    """

    terms: frozenset[str]
    names: frozenset[str]
    pairs: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, question: str) -> "_AskedWords":
        written = [match.group() for match in WORD.finditer(question)]
        folded = [word.casefold() for word in written]
        # The first word of a sentence is written like a name whatever it is.
        names = [
            stem(word.casefold())
            for place, word in enumerate(written)
            if (place and word[0].isupper() and word.casefold() not in STOP_WORDS)
            or any(letter.isdigit() for letter in word)
        ]
        return cls(content_terms(question), frozenset(names), _pairs(folded))


def _pairs(folded: Sequence[str]) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(folded))


def _share(wanted: frozenset[Word], held: frozenset[Word]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 1.0


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
