"""The strategy `owlerlite`: SimHash first, in its doubtful band the embeddings decide.

Source: OwlerLite, section 4. Its thresholds miss small edits that matter (ADR 10);
that is why it only labels.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scops.change_detector.chunking.simhash import similarity
from scops.change_detector.strategies.port import (
    ChangeLabels,
    ComparedChunk,
    Comparison,
    gather,
)
from scops.common.contract.ids import embedded_text
from scops.common.contract.messages.change import ChunkOrigin
from scops.common.contract.messages.types import ChangeClass, ChangeSummary
from scops.libraries.embedder.port import Embedder, FloatArray

NAME = "owlerlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwlerLiteThresholds:
    """The two-stage rule's thresholds.

    Attributes:
        unchanged_min: tau 1; SimHash similarity from which a chunk counts as unchanged.
        changed_below: tau 2; SimHash similarity below which a chunk counts as changed.
        cosine_min: in between, cosine from which two chunks are near duplicates.
    """

    unchanged_min: float
    changed_below: float
    cosine_min: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OwlerLiteStrategy:
    """ChangeLabels chunks by SimHash similarity, and by embeddings only inside the band.

    What is embedded are the strings that the index embeds, so that a shared cache is hit.
    """

    thresholds: OwlerLiteThresholds
    embedder: Callable[[], Awaitable[Embedder]]
    name: str = NAME

    async def label(self, comparison: Comparison) -> ChangeLabels:
        chunks = await self._edited(comparison)
        for j, aligned in enumerate(comparison.alignment.chunks):
            if aligned.origin is ChunkOrigin.MOVED:
                chunks[j] = self._summary(ChangeClass.MOVED, ("moved",), 0.0)
        parts = [chunks[j] for j in sorted(chunks)]
        origins = {aligned.origin for aligned in comparison.alignment.chunks}
        if ChunkOrigin.ADDED in origins:
            parts.append(self._summary(ChangeClass.CRITICAL, ("added",), 1.0))
        if comparison.alignment.removed:
            parts.append(self._summary(ChangeClass.CRITICAL, ("removed",), 1.0))
        return ChangeLabels(page=gather(parts, strategy=NAME), chunks=chunks)

    async def _edited(self, comparison: Comparison) -> dict[int, ChangeSummary]:
        pairs = {
            j: (comparison.old.chunks[aligned.previous], comparison.new.chunks[j])
            for j, aligned in enumerate(comparison.alignment.chunks)
            if aligned.origin is ChunkOrigin.EDITED and aligned.previous is not None
        }
        sigmas = {j: similarity(old.simhash, new.simhash) for j, (old, new) in pairs.items()}
        in_band = [j for j, sigma in sigmas.items() if self._is_in_band(sigma)]
        cosines = await self._cosines([pairs[j] for j in in_band])
        by_chunk = dict(zip(in_band, cosines, strict=True))
        return {j: self._label(sigma, by_chunk.get(j)) for j, sigma in sigmas.items()}

    def _is_in_band(self, sigma: float) -> bool:
        return self.thresholds.changed_below <= sigma < self.thresholds.unchanged_min

    def _label(self, sigma: float, cosine: float | None) -> ChangeSummary:
        salience = 1.0 - sigma
        if cosine is None and sigma >= self.thresholds.unchanged_min:
            return self._summary(ChangeClass.FORMAT, ("simhash",), salience)
        if cosine is None:
            return self._summary(ChangeClass.CRITICAL, ("simhash",), salience)
        is_near_duplicate = cosine >= self.thresholds.cosine_min
        change_class = ChangeClass.LEXICAL if is_near_duplicate else ChangeClass.CRITICAL
        return self._summary(change_class, ("simhash", "cosine"), salience)

    def _summary(
        self, change_class: ChangeClass, reasons: tuple[str, ...], salience: float
    ) -> ChangeSummary:
        return ChangeSummary(
            change_class=change_class,
            reasons=reasons,
            salience=salience,
            semantic=change_class is ChangeClass.CRITICAL,
            strategy=NAME,
        )

    async def _cosines(self, pairs: Sequence[tuple[ComparedChunk, ComparedChunk]]) -> list[float]:
        if not pairs:
            return []
        embedder = await self.embedder()
        texts = [embedded_text(chunk.header, chunk.text) for pair in pairs for chunk in pair]
        vectors: FloatArray = await embedder.embed(texts)
        return [float(cosine) for cosine in np.sum(vectors[0::2] * vectors[1::2], axis=1)]
