"""The strategy `owlerlite`: SimHash first, in its doubtful band the embeddings decide.

An edit is a chunk that was edited, moved, added or removed.

Source: OwlerLite, section 4. Its thresholds miss small edits that matter (ADR 10);
that is why it only labels.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from scops.change_detector.manifests.alignment import Alignment, align
from scops.change_detector.strategies.port import (
    ChangeLabels,
    ComparedChunk,
    ComparedVersion,
    Comparison,
    TypedEdit,
    edits_of_page,
    reasons_of,
    worst_class,
)
from scops.change_detector.strategies.vectors import Embeds, KnownVectors, Vectors
from scops.common.contract.ids import embedded_text
from scops.common.contract.messages.change import ChunkOrigin
from scops.common.contract.messages.types import ChangeClass, ChangeSummary
from scops.common.text.sentences import Span
from scops.libraries.embedder.port import FloatArray

NAME = "owlerlite"
# tau 1 and tau 2: SimHash similarity from which a chunk counts as unchanged, and below which it
# counts as changed; in between, the cosine from which two chunks are near duplicates.
UNCHANGED_MIN, CHANGED_BELOW, COSINE_MIN = 0.97, 0.90, 0.95
FINGERPRINT_BITS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class OwlerLiteStrategy:
    """Labels chunks by SimHash similarity, and by embeddings only inside the band.

    What is embedded are the strings that the index embeds, so that a shared cache is hit.
    """

    embedder: Callable[[], Awaitable[Embeds]]
    name: str = NAME

    async def edits(self, old: ComparedVersion, new: ComparedVersion) -> Sequence[TypedEdit]:
        alignment = align([c.text for c in old.chunks], [c.text for c in new.chunks])
        by_chunk, others = await self._edits(Comparison(old=old, new=new, alignment=alignment))
        return [*by_chunk.values(), *others]

    def summary(self, edits: Iterable[TypedEdit]) -> ChangeSummary:
        known = list(edits)
        return ChangeSummary(
            change_class=worst_class(known),
            reasons=reasons_of(known),
            salience=max((edit.salience for edit in known), default=0.0),
            semantic=any(edit.semantic for edit in known),
            strategy=NAME,
        )

    async def label(self, comparison: Comparison) -> ChangeLabels:
        by_chunk, others = await self._edits(comparison)
        return ChangeLabels(
            page=self.summary([*by_chunk.values(), *others]),
            chunks={j: self.summary([edit]) for j, edit in by_chunk.items()},
        )

    def apart(self, vectors: Vectors) -> "OwlerLiteStrategy":
        return OwlerLiteStrategy(embedder=KnownVectors(vectors))

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        found = await (await self.embedder()).embed(texts)
        return dict(zip(texts, found, strict=True))

    async def _edits(self, comparison: Comparison) -> tuple[dict[int, TypedEdit], list[TypedEdit]]:
        """Returns the edits of new chunks that follow an old one, by their places, and the rest."""
        old, new, aligned = comparison.old, comparison.new, comparison.alignment
        if old.text == new.text:
            return {}, []
        followed = await self._edited(comparison)
        for j, chunk in enumerate(aligned.chunks):
            if chunk.origin is ChunkOrigin.MOVED and chunk.previous is not None:
                spans = _span(old.chunks[chunk.previous]), _span(new.chunks[j])
                followed[j] = _edit(ChangeClass.MOVED, ("moved",), 0.0, *spans)
        places = sorted(followed)
        edits = edits_of_page(
            [*(followed[j] for j in places), *_one_sided(old, new, aligned)], old, new
        )
        return dict(zip(places, edits, strict=False)), edits[len(places) :]

    async def _edited(self, comparison: Comparison) -> dict[int, TypedEdit]:
        pairs = {
            j: (comparison.old.chunks[aligned.previous], comparison.new.chunks[j])
            for j, aligned in enumerate(comparison.alignment.chunks)
            if aligned.origin is ChunkOrigin.EDITED and aligned.previous is not None
        }
        sigmas = {j: similarity(old.simhash, new.simhash) for j, (old, new) in pairs.items()}
        in_band = [j for j, sigma in sigmas.items() if CHANGED_BELOW <= sigma < UNCHANGED_MIN]
        cosines = await self._cosines([pairs[j] for j in in_band])
        by_chunk = dict(zip(in_band, cosines, strict=True))
        return {
            j: _two_stage_edit(sigmas[j], by_chunk.get(j), _span(old), _span(new))
            for j, (old, new) in pairs.items()
        }

    async def _cosines(self, pairs: Sequence[tuple[ComparedChunk, ComparedChunk]]) -> list[float]:
        if not pairs:
            return []
        embedder = await self.embedder()
        texts = [embedded_text(chunk.header, chunk.text) for pair in pairs for chunk in pair]
        vectors: FloatArray = await embedder.embed(texts)
        return [float(cosine) for cosine in np.sum(vectors[0::2] * vectors[1::2], axis=1)]


def similarity(first: int, second: int) -> float:
    """Returns the share of equal bits of two fingerprints (OwlerLite, section 4), in [0, 1]."""
    return 1.0 - (first ^ second).bit_count() / FINGERPRINT_BITS


def _two_stage_edit(sigma: float, cosine: float | None, old: Span, new: Span) -> TypedEdit:
    salience = 1.0 - sigma
    if cosine is None and sigma >= UNCHANGED_MIN:
        return _edit(ChangeClass.FORMAT, ("simhash",), salience, old, new)
    if cosine is None:
        return _edit(ChangeClass.CRITICAL, ("simhash",), salience, old, new)
    change_class = ChangeClass.LEXICAL if cosine >= COSINE_MIN else ChangeClass.CRITICAL
    return _edit(change_class, ("simhash", "cosine"), salience, old, new)


def _one_sided(old: ComparedVersion, new: ComparedVersion, alignment: Alignment) -> list[TypedEdit]:
    added = [
        _edit(ChangeClass.CRITICAL, ("added",), 1.0, None, _span(new.chunks[j]))
        for j, aligned in enumerate(alignment.chunks)
        if aligned.origin is ChunkOrigin.ADDED
    ]
    return added + [
        _edit(ChangeClass.CRITICAL, ("removed",), 1.0, _span(old.chunks[i]), None)
        for i in alignment.removed
    ]


def _edit(
    change_class: ChangeClass,
    reasons: tuple[str, ...],
    salience: float,
    old: Span | None,
    new: Span | None,
) -> TypedEdit:
    return TypedEdit(
        change_class=change_class,
        reasons=reasons,
        salience=salience,
        old=old,
        new=new,
        semantic=change_class is ChangeClass.CRITICAL,
    )


def _span(chunk: ComparedChunk) -> Span:
    return chunk.start, chunk.end
