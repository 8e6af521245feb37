"""The strategies that `benchmarks.change` compares; each says whether a pair is a change.

`salient` and `owlerlite_*` run the service's code; the others are what people use instead.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.change.sets import Pair, Side
from benchmarks.shared.judged.vector_cache import WrappedEmbedder
from scops.change_detector.chunking.chunker import Body, Chunker
from scops.change_detector.chunking.chunks import Chunk
from scops.change_detector.chunking.fingerprints import ShingleUnit, fingerprint
from scops.change_detector.manifests.alignment import align
from scops.change_detector.settings import ChangeDetectorSettings
from scops.change_detector.strategies.owlerlite import OwlerLiteStrategy
from scops.change_detector.strategies.port import (
    ChangeLabels,
    ComparedChunk,
    ComparedVersion,
    Comparison,
)
from scops.change_detector.strategies.salient.strategy import SalientStrategy
from scops.common.contract.ids import PageId, embedded_text
from scops.common.contract.messages.change import ChunkOrigin
from scops.common.contract.messages.content import Document
from scops.common.contract.messages.types import ChangeClass
from scops.libraries.embedder.port import Embedder, FloatArray

PAGE = PageId("00000000-0000-7000-8000-000000000001")
COSINE_MIN = 0.95
EMBEDDED_TEXTS_MAX = 64


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a strategy says of a pair: a change or not, and which new chunks it would embed.

    Attributes:
        salience: how much the change weighs, 1 where it is critical; None where nothing is weighed.
    """

    changed: bool
    embedded: int
    salience: float | None = None


Strategy = Callable[[Pair], Awaitable[Judgement]]


class CachedEmbedder(WrappedEmbedder):
    """Remembers vectors by text: many pairs share chunks, and several strategies ask."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self.known: dict[str, FloatArray] = {}

    async def embed(self, texts: Sequence[str], *, as_queries: bool = False) -> FloatArray:
        assert not as_queries, "chunks are compared with chunks"
        missing = [text for text in dict.fromkeys(texts) if text not in self.known]
        for first in range(0, len(missing), EMBEDDED_TEXTS_MAX):
            batch = missing[first : first + EMBEDDED_TEXTS_MAX]
            self.known.update(zip(batch, await self._embedder.embed(batch), strict=True))
        return np.stack([self.known[text] for text in texts])


@dataclass
class Comparisons:
    """Chunks both sides of a pair and aligns them, once for all strategies."""

    chunker: Chunker
    _last: tuple[Pair, Comparison, int] | None = None

    def of(self, pair: Pair) -> Comparison:
        """Returns the comparison, its fingerprints left out."""
        return self._made(pair)[1]

    def new_chunks(self, pair: Pair) -> int:
        """Returns how many new chunks have another embedded string than any old one."""
        return self._made(pair)[2]

    def _made(self, pair: Pair) -> tuple[Pair, Comparison, int]:
        if self._last is None or self._last[0] is not pair:
            old, new = self.cut(pair.old), self.cut(pair.new)
            alignment = align([c.text for c in old], [c.text for c in new])
            sides = (_version(pair.old, old), _version(pair.new, new))
            comparison = Comparison(old=sides[0], new=sides[1], alignment=alignment)
            self._last = (pair, comparison, len(_embedded(new) - _embedded(old)))
        return self._last

    def cut(self, side: Side) -> tuple[Chunk, ...]:
        """Returns the chunks of one side."""
        return self.chunker.cut(PAGE, Body(text=side.text, document=_document(side)))


def _embedded(chunks: Sequence[Chunk]) -> set[str]:
    return {embedded_text(chunk.header, chunk.text) for chunk in chunks}


def _document(side: Side) -> Document:
    return Document(blocks=side.blocks, language=side.language)


def _version(side: Side, chunks: Sequence[Chunk]) -> ComparedVersion:
    return ComparedVersion(
        text=side.text,
        document=_document(side),
        chunks=tuple(
            ComparedChunk(text=c.text, header=c.header, simhash=0, start=c.start, end=c.end)
            for c in chunks
        ),
    )


def strategies(
    embedder: CachedEmbedder, comparisons: Comparisons, settings: ChangeDetectorSettings
) -> Mapping[str, Strategy]:
    """Returns the strategies by name."""
    return {
        "salient": _salient(comparisons, settings),
        "owlerlite_char": _owlerlite(embedder, comparisons, "character"),
        "owlerlite_word": _owlerlite(embedder, comparisons, "word"),
        "text_differs": _whole_text(comparisons, lambda text: text),
        "sorted_characters": _whole_text(comparisons, lambda text: Counter("".join(text.split()))),
        "cosine_095": _cosine(embedder, comparisons),
    }


def salient_strategy(settings: ChangeDetectorSettings) -> SalientStrategy:
    """Returns the default strategy as the service builds it."""
    return SalientStrategy(salience_min=settings.salience_min)


def _salient(comparisons: Comparisons, settings: ChangeDetectorSettings) -> Strategy:
    strategy = salient_strategy(settings)

    async def say(pair: Pair) -> Judgement:
        labels = await strategy.label(comparisons.of(pair))
        is_critical = labels.page.change_class is ChangeClass.CRITICAL
        salience = 1.0 if is_critical else labels.page.salience
        return Judgement(labels.page.semantic, comparisons.new_chunks(pair), salience)

    return say


def _owlerlite(
    embedder: CachedEmbedder,
    comparisons: Comparisons,
    unit: ShingleUnit,
) -> Strategy:
    async def loaded() -> Embedder:
        return embedder

    strategy = OwlerLiteStrategy(embedder=loaded)

    async def say(pair: Pair) -> Judgement:
        comparison = _fingerprinted(comparisons.of(pair), unit)
        labels = await strategy.label(comparison)
        return Judgement(labels.page.semantic, _labelled(labels, comparison))

    return say


def _fingerprinted(comparison: Comparison, unit: ShingleUnit) -> Comparison:
    def side(version: ComparedVersion) -> ComparedVersion:
        chunks = tuple(
            ComparedChunk(text=c.text, header=c.header, simhash=fingerprint(c.text, unit))
            for c in version.chunks
        )
        return ComparedVersion(text=version.text, document=version.document, chunks=chunks)

    return Comparison(
        old=side(comparison.old), new=side(comparison.new), alignment=comparison.alignment
    )


def _labelled(labels: ChangeLabels, comparison: Comparison) -> int:
    """Chunks that the rule would ingest again: those it calls changed, and new ones."""
    changed = sum(summary.semantic for summary in labels.chunks.values())
    return changed + [c.origin for c in comparison.alignment.chunks].count(ChunkOrigin.ADDED)


def _whole_text(comparisons: Comparisons, form: Callable[[str], object]) -> Strategy:
    """Compares pages as a whole, and ingests all of a page that differs."""

    async def say(pair: Pair) -> Judgement:
        changed = form(pair.old.text) != form(pair.new.text)
        return Judgement(changed, len(comparisons.of(pair).new.chunks) if changed else 0)

    return say


def _cosine(embedder: CachedEmbedder, comparisons: Comparisons) -> Strategy:
    """A chunk changed where its vector moved."""

    async def say(pair: Pair) -> Judgement:
        comparison = comparisons.of(pair)
        pairs = [
            (comparison.old.chunks[aligned.previous], comparison.new.chunks[j])
            for j, aligned in enumerate(comparison.alignment.chunks)
            if aligned.origin is ChunkOrigin.EDITED and aligned.previous is not None
        ]
        texts = [embedded_text(chunk.header, chunk.text) for sides in pairs for chunk in sides]
        vectors = await embedder.embed(texts) if texts else np.zeros((0, 1), np.float32)
        moved = int(np.sum(np.sum(vectors[0::2] * vectors[1::2], axis=1) < COSINE_MIN))
        added = [c.origin for c in comparison.alignment.chunks].count(ChunkOrigin.ADDED)
        return Judgement(bool(moved or added or comparison.alignment.removed), moved + added)

    return say
