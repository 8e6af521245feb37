"""Answers from ranked paragraphs as the explainer does, without processes around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.languages.folders import Paragraph
from benchmarks.shared.judged.scoring import NOW
from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.common.contract.ids import ChunkId, PageId, VersionId
from scops.common.contract.messages.content import Block, BlockKind
from scops.common.contract.messages.retrieval import Evidence
from scops.common.contract.messages.types import Clocks, OrderKey
from scops.common.text.terms import word_count
from scops.explainer.answer.evidence import PASSAGES
from scops.explainer.ports import VersionText
from scops.explainer.quotes.reading import read_quotes
from scops.explainer.quotes.selection import QuoteCandidate, preselected
from scops.explainer.quotes.spans import join_quotes, quotes_of
from scops.explainer.settings import ExplainerSettings
from scops.libraries.embedder.port import TokenVectors


@dataclass(frozen=True, slots=True)
class Quoted:
    """The quotes of an answer; none where it abstains."""

    quotes: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        """How many words the quotes hold, as a reader counts them."""
        return sum(map(word_count, self.quotes))

    def holds_any(self, strings: Sequence[str]) -> bool:
        """Returns whether a quote holds one of some strings; case and spaces are type."""
        quotes = [_plain(quote) for quote in self.quotes]
        return any(_plain(string) in quote for quote in quotes for string in strings)


class Answerer:
    """Quotes paragraphs, each the one version of a page of its own."""

    def __init__(self, embedder: CachingEmbedder, paragraphs: Mapping[str, Paragraph]) -> None:
        self._embedder = embedder
        self._paragraphs = paragraphs
        self._support_min = ExplainerSettings().support_min

    def answer(self, question: str, ranked: Sequence[tuple[str, float]]) -> Quoted:
        """Returns what is quoted of ranked paragraphs.

        Args:
            ranked: ids of paragraphs with their scores, best first.
        """
        found = self._read(question, ranked)
        reading = read_quotes(
            found.candidates,
            found.asked,
            found.texts,
            self._embedder.calibration.reader,
            covered=found.covered,
        )
        if reading.probability < self._support_min:
            return Quoted()
        joined = join_quotes(reading.quotes, found.versions)
        return Quoted(tuple(quote.text for quote in joined))

    def best_cosine(self, question: str, ranked: Sequence[tuple[str, float]]) -> float:
        """Returns that of the closest sentence of what is quoted from; 0 without any."""
        found = self._read(question, ranked)
        return max((float(one.vector @ found.asked.vector) for one in found.texts), default=0.0)

    def _read(self, question: str, ranked: Sequence[tuple[str, float]]) -> "_ReadPassages":
        chosen = [(self._paragraphs[one], score) for one, score in ranked[:PASSAGES]]
        evidence = [evidence_of(one, score) for one, score in chosen]
        versions = [version_of(one) for one, _ in chosen]
        quotes = [
            quote
            for place, (passage, version) in enumerate(zip(evidence, versions, strict=True))
            for quote in quotes_of(place, passage, version)
        ]
        candidates, covered = preselected(question, quotes, evidence)
        (asked,) = self._embedder.tokens_now([question], as_queries=True)
        texts = self._embedder.tokens_now([entry.quote.embedded_text for entry in candidates])
        return _ReadPassages(candidates, covered, asked, texts, versions)


@dataclass(frozen=True, slots=True)
class _ReadPassages:
    """The sentences that are compared with a question, token by token."""

    candidates: list[QuoteCandidate]
    covered: float
    asked: TokenVectors
    texts: list[TokenVectors]
    versions: list[VersionText]


def evidence_of(paragraph: Paragraph, score: float) -> Evidence:
    """Returns a paragraph as a passage that the retriever found."""
    return Evidence(
        chunk_id=ChunkId(paragraph.id),
        page_id=PageId(paragraph.id),
        version_id=VersionId(paragraph.id),
        title=paragraph.title,
        end=len(paragraph.text),
        text=paragraph.text,
        score=score,
        clocks=Clocks(observed_time=NOW),
        order_key=OrderKey(observed_from=NOW),
    )


def version_of(paragraph: Paragraph) -> VersionText:
    """Returns a paragraph as the one version of a page."""
    block = Block(kind=BlockKind.PARAGRAPH, start=0, end=len(paragraph.text))
    return VersionText(text=paragraph.text, blocks=(block,))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
