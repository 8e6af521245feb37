"""The ways to choose what is quoted: that of the explainer, and what it is compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.languages.answering import evidence_of, version_of
from benchmarks.reader.outcomes import Reading
from benchmarks.reader.padded import Padding
from benchmarks.reader.sets import Place, ReadingQuestion, ReadingSet
from benchmarks.shared.judged.passage_store import Passage, PassageStore
from benchmarks.shared.judged.scoring import Scorer
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from benchmarks.shared.splits import fold_of
from scops.common.contract.messages.retrieval import Evidence
from scops.explainer.answer.evidence import PASSAGES
from scops.explainer.ports import VersionText
from scops.explainer.quotes.highlighting import marked_quote
from scops.explainer.quotes.reading import QuoteReading, read_quotes
from scops.explainer.quotes.selection import QuoteCandidate, preselected
from scops.explainer.quotes.spans import Quote, join_quotes, quotes_of
from scops.explainer.settings import ExplainerSettings
from scops.libraries.embedder.highlight_weights import HighlightWeights
from scops.libraries.embedder.port import TokenVectors

# Those that abstain.
ABSTAINING = frozenset({"ours", "padded"})
PADDED_SUPPORT_MIN = 0.3


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """A question with what is found for it, whoever then chooses.

    Attributes:
        ranked: ids of paragraphs with their scores, best first.
        covered: share of the question's terms that anything found names.
    """

    ranked: Sequence[tuple[str, float]]
    versions: Sequence[VersionText]
    candidates: Sequence[QuoteCandidate]
    asked: TokenVectors
    texts: Sequence[TokenVectors]
    covered: float


class Selections:
    """Reads questions of a set in every way.

    Args:
        gold_alone: whether the gold paragraph alone is read, as SQuAD is, or what is retrieved of
            all paragraphs.
        highlights: by fold of pages, what marks short answers there; by default what is shipped.
    """

    def __init__(
        self,
        among: ReadingSet,
        embedder: CachingEmbedder,
        *,
        gold_alone: bool = False,
        highlights: Mapping[int, HighlightWeights] | None = None,
    ) -> None:
        self._among = among
        self._embedder = embedder
        self._highlights = highlights or {}
        self._scorer = Scorer(embedder)
        self._store = None
        self._support_min = ExplainerSettings().support_min
        if not gold_alone:
            passages = [Passage(p.id, p.title, p.text) for p in among.paragraphs.values()]
            self._store = PassageStore.build(passages, embedder)

    def prepared(
        self, question: ReadingQuestion, *, without_page: bool = False
    ) -> PreparedQuestion:
        """Returns what is read for a question.

        Args:
            without_page: whether passages of the gold page are left out, so that none answers.
        """
        ranked = self._ranked(question, without_page=without_page)[:PASSAGES]
        versions = [version_of(self._among.paragraphs[one]) for one, _ in ranked]
        evidence, quotes = self._quotable(ranked, versions)
        candidates, covered = preselected(question.text, quotes, evidence)
        (asked,) = self._embedder.tokens_now([question.text], as_queries=True)
        texts = self._embedder.tokens_now([entry.quote.embedded_text for entry in candidates])
        return PreparedQuestion(ranked, versions, candidates, asked, texts, covered)

    def quotable(self, question: ReadingQuestion) -> tuple[list[Evidence], list[Quote]]:
        """Returns what is found for a question, and all that can be quoted of it."""
        ranked = self._ranked(question, without_page=False)[:PASSAGES]
        return self._quotable(
            ranked, [version_of(self._among.paragraphs[one]) for one, _ in ranked]
        )

    def read(self, question: ReadingQuestion) -> Mapping[str, Reading]:
        """Returns what each selection makes of a question."""
        read = self.prepared(question)
        return {
            "ours": self.ours(question, read),
            "first_sentence": self._first_sentence(read.ranked),
            "best_cosine": _best_cosine(read),
            "padded": self.padded(read),
        }

    def _quotable(
        self, ranked: Sequence[tuple[str, float]], versions: Sequence[VersionText]
    ) -> tuple[list[Evidence], list[Quote]]:
        evidence = [evidence_of(self._among.paragraphs[one], score) for one, score in ranked]
        quotes = [
            quote
            for place, (passage, version) in enumerate(zip(evidence, versions, strict=True))
            for quote in quotes_of(place, passage, version)
        ]
        return evidence, quotes

    def ours(self, question: ReadingQuestion, read: PreparedQuestion) -> Reading:
        """Returns what the explainer makes of a question."""
        known = self._embedder.calibration
        found = read_quotes(
            read.candidates, read.asked, read.texts, known.reader, covered=read.covered
        )
        reading, marked = self.reading_of(found, read), None
        weights = known.highlight
        if self._highlights:
            weights = self._highlights[fold_of(question.page, len(self._highlights))]
        if weights is not None:
            marked = marked_quote(question.text, read.asked, found, read.texts, weights)
        if marked is None:
            return reading
        return replace(reading, highlight=marked.quote.text[marked.short.start : marked.short.end])

    def reading_of(self, found: QuoteReading, read: PreparedQuestion) -> Reading:
        """Returns what a reader has made of a question as it is judged."""
        right = found.probability * found.held
        return Reading(
            quotes=tuple(map(_quoted, join_quotes(found.quotes, read.versions))),
            confidence=right,
            probability=right,
            answered=found.probability,
            abstains=found.probability < self._support_min,
        )

    def padded(self, read: PreparedQuestion) -> Reading:
        """Returns what fills the words that an answer may have."""
        if not read.candidates:
            return Reading(confidence=0.0, probability=0.0, answered=0.0, abstains=True)
        padding = Padding.of(self._embedder)
        vectors = np.stack([text.vector for text in read.texts])
        supported = padding.support(
            read.candidates, read.asked.vector, vectors, covered=read.covered
        )
        quotes = padding.quotes(read.candidates, read.asked.vector, vectors)
        return Reading(
            quotes=tuple(map(_quoted, join_quotes(quotes, read.versions))),
            confidence=supported,
            probability=supported,
            answered=supported,
            abstains=supported < PADDED_SUPPORT_MIN,
        )

    def _ranked(
        self, question: ReadingQuestion, *, without_page: bool
    ) -> Sequence[tuple[str, float]]:
        if self._store is None:
            return [(question.paragraph_id, 1.0)]
        (vector,) = self._embedder.embed_now([question.text], as_queries=True)
        asked = self._scorer.question(question.text, limit=PASSAGES)
        hits = self._scorer.hits(self._store, asked, vector)
        pages = {one.id: one.title or one.id for one in self._among.paragraphs.values()}
        kept = [hit for hit in hits if not without_page or pages[hit.chunk_id] != question.page]
        return self._scorer.scored(asked, kept)

    def _first_sentence(self, ranked: Sequence[tuple[str, float]]) -> Reading:
        """Quotes how the best passage begins."""
        for one, _ in ranked[:1]:
            for place in self._among.sentences[one][:1]:
                text = self._among.paragraphs[one].text[place.start : place.end]
                return Reading(quotes=((place, text),))
        return Reading()


def _best_cosine(read: PreparedQuestion) -> Reading:
    """Quotes what is closest to the question."""
    if not read.candidates:
        return Reading()
    cosines = np.array([text.vector @ read.asked.vector for text in read.texts])
    best = int(cosines.argmax())
    return Reading(quotes=(_quoted(read.candidates[best].quote),), confidence=float(cosines[best]))


def _quoted(quote: Quote) -> tuple[Place, str]:
    return Place(str(quote.version_id), quote.start, quote.end), quote.text
