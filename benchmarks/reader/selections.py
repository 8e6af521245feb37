"""The ways to choose what is quoted: that of the explainer, and what it is compared with."""

from collections.abc import Mapping, Sequence

from benchmarks.languages.answering import evidence_of, version_of
from benchmarks.reader.outcomes import Reading
from benchmarks.reader.sets import Place, ReadingQuestion, ReadingSet
from benchmarks.shared.judged.passage_store import Passage, PassageStore
from benchmarks.shared.judged.scoring import Scorer
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.explainer.answer.evidence import PASSAGES
from scops.explainer.quotes.selection import QuoteCandidate, choose_quotes, preselected, support
from scops.explainer.quotes.spans import Quote, join_quotes, quotes_of
from scops.explainer.settings import ExplainerSettings
from scops.libraries.embedder.port import FloatArray

# Those that abstain.
ABSTAINING = frozenset({"ours", "padded"})


class Selections:
    """Reads questions of a set in every way.

    Args:
        gold_alone: whether the gold paragraph alone is read, as SQuAD is, or what is retrieved of
            all paragraphs.
    """

    def __init__(
        self, among: ReadingSet, embedder: CachingEmbedder, *, gold_alone: bool = False
    ) -> None:
        self._among = among
        self._embedder = embedder
        self._scorer = Scorer(embedder)
        self._store = None
        self._support_min = ExplainerSettings().support_min
        if not gold_alone:
            passages = [Passage(p.id, p.title, p.text) for p in among.paragraphs.values()]
            self._store = PassageStore.build(passages, embedder)

    def read(self, question: ReadingQuestion) -> Mapping[str, Reading]:
        """Returns what each selection makes of a question."""
        ranked = self._ranked(question)
        chosen = [(self._among.paragraphs[one], score) for one, score in ranked[:PASSAGES]]
        evidence = [evidence_of(one, score) for one, score in chosen]
        versions = [version_of(one) for one, _ in chosen]
        quotes = [
            quote
            for place, (passage, version) in enumerate(zip(evidence, versions, strict=True))
            for quote in quotes_of(place, passage, version)
        ]
        candidates, named = preselected(question.text, quotes, evidence)
        (asked,) = self._embedder.embed_now([question.text], as_queries=True)
        vectors = self._embedder.embed_now([entry.quote.embedded_text for entry in candidates])
        calibration = self._embedder.calibration
        supported = support(candidates, asked, vectors, calibration, covered=named)
        padded = _reading(
            join_quotes(choose_quotes(candidates, asked, vectors, calibration), versions),
            probability=supported,
            probability_min=self._support_min,
        )
        return {
            "ours": padded,
            "first_sentence": self._first_sentence(ranked),
            "best_cosine": _best_cosine(candidates, asked, vectors),
            "padded": padded,
        }

    def _ranked(self, question: ReadingQuestion) -> Sequence[tuple[str, float]]:
        if self._store is None:
            return [(question.paragraph_id, 1.0)]
        (vector,) = self._embedder.embed_now([question.text], as_queries=True)
        asked = self._scorer.question(question.text, limit=PASSAGES)
        return self._scorer.scored(asked, self._scorer.hits(self._store, asked, vector))

    def _first_sentence(self, ranked: Sequence[tuple[str, float]]) -> Reading:
        """Quotes how the best passage begins."""
        for one, _ in ranked[:1]:
            for place in self._among.sentences[one][:1]:
                text = self._among.paragraphs[one].text[place.start : place.end]
                return Reading(quotes=((place, text),))
        return Reading()


def _best_cosine(
    candidates: Sequence[QuoteCandidate], asked: FloatArray, vectors: FloatArray
) -> Reading:
    """Quotes what is closest to the question."""
    if not candidates:
        return Reading()
    cosines = vectors @ asked
    best = int(cosines.argmax())
    return Reading(quotes=(_quoted(candidates[best].quote),), confidence=float(cosines[best]))


def _reading(quotes: Sequence[Quote], *, probability: float, probability_min: float) -> Reading:
    return Reading(
        quotes=tuple(map(_quoted, quotes)),
        confidence=probability,
        probability=probability,
        abstains=probability < probability_min,
    )


def _quoted(quote: Quote) -> tuple[Place, str]:
    return Place(str(quote.version_id), quote.start, quote.end), quote.text
