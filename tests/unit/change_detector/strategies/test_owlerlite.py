"""The strategy `owlerlite`: SimHash first, embeddings only in its band."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from scops.change_detector.manifests.alignment import AlignedChunk, Alignment
from scops.change_detector.strategies.owlerlite import OwlerLiteStrategy
from scops.change_detector.strategies.port import (
    ComparedChunk,
    ComparedVersion,
    Comparison,
    counted,
)
from scops.common.contract.messages.change import ChunkOrigin
from scops.common.contract.messages.content import Document
from scops.common.contract.messages.types import ChangeClass
from tests.fakes.embedder import HashingEmbedder


@dataclass
class PairEmbedder(HashingEmbedder):
    """Gives the two sides of each pair vectors with one cosine."""

    cosine: float

    def __post_init__(self) -> None:
        super().__init__()

    async def embed(self, texts: object, *, as_queries: bool = False) -> NDArray[np.float32]:
        await super().embed(list(texts))  # type: ignore[call-overload]
        sine = (1 - self.cosine**2) ** 0.5
        sides = [[1.0, 0.0], [self.cosine, sine]] * (len(self.texts) // 2)
        return np.array(sides, dtype=np.float32)


def comparison(*hamming: int) -> Comparison:
    """Returns chunks that were edited, each as many bits away from its predecessor."""
    old = [ComparedChunk(text=f"old {i}", header="H", simhash=0) for i in range(len(hamming))]
    new = [
        ComparedChunk(text=f"new {i}", header="H", simhash=(1 << bits) - 1)
        for i, bits in enumerate(hamming)
    ]
    return Comparison(
        old=ComparedVersion(text="old", document=Document(), chunks=tuple(old)),
        new=ComparedVersion(text="new", document=Document(), chunks=tuple(new)),
        alignment=Alignment(
            chunks=tuple(
                AlignedChunk(origin=ChunkOrigin.EDITED, previous=i) for i in range(len(hamming))
            ),
            removed=(),
        ),
    )


def strategy(embedder: HashingEmbedder) -> OwlerLiteStrategy:
    """Returns the strategy with the paper's thresholds."""

    async def loaded() -> HashingEmbedder:
        return embedder

    return OwlerLiteStrategy(embedder=loaded)


@pytest.mark.parametrize(
    ("hamming", "cosine", "change_class", "reasons"),
    [
        (0, 0.0, ChangeClass.FORMAT, ("simhash",)),
        (1, 0.0, ChangeClass.FORMAT, ("simhash",)),
        (2, 0.96, ChangeClass.LEXICAL, ("simhash", "cosine")),
        (2, 0.94, ChangeClass.CRITICAL, ("simhash", "cosine")),
        (6, 0.96, ChangeClass.LEXICAL, ("simhash", "cosine")),
        (7, 1.0, ChangeClass.CRITICAL, ("simhash",)),
        (64, 1.0, ChangeClass.CRITICAL, ("simhash",)),
    ],
)
async def test_two_stages(
    hamming: int, cosine: float, change_class: ChangeClass, reasons: tuple[str, ...]
) -> None:
    """sigma >= 0.97 is at most 1 bit, the band 2 to 6 bits."""
    labels = await strategy(PairEmbedder(cosine)).label(comparison(hamming))

    label = labels.chunks[0]
    assert (label.change_class, label.reasons) == (change_class, reasons)
    assert label.salience == hamming / 64
    assert label.semantic == (change_class is ChangeClass.CRITICAL)
    assert label.strategy == "owlerlite"


async def test_only_the_band_is_embedded() -> None:
    """Both sides of one pair, as the index embeds them; nothing for the other two."""
    embedder = PairEmbedder(0.99)

    await strategy(embedder).label(comparison(1, 3, 20))

    assert embedder.texts == ["H\nold 1", "H\nnew 1"]


async def test_the_page_takes_the_worst_class_of_its_chunks() -> None:
    """Every reason is named once."""
    labels = await strategy(PairEmbedder(0.99)).label(comparison(1, 3, 20))

    assert labels.page.change_class is ChangeClass.CRITICAL
    assert labels.page.reasons == ("simhash", "cosine")
    assert labels.page.salience == 20 / 64
    assert labels.page.semantic


async def test_moving_chunks_is_never_critical() -> None:
    """Nothing but the order changed."""
    chunks = tuple(
        AlignedChunk(origin=origin, previous=i)
        for i, origin in [(1, ChunkOrigin.MOVED), (0, ChunkOrigin.KEPT)]
    )
    moved = comparison(0, 0)
    moved = Comparison(old=moved.old, new=moved.new, alignment=Alignment(chunks=chunks, removed=()))

    labels = await strategy(HashingEmbedder()).label(moved)

    assert labels.page.change_class is ChangeClass.MOVED
    assert not labels.page.semantic
    assert labels.chunks[0].change_class is ChangeClass.MOVED


async def test_an_added_and_a_removed_chunk_are_changes() -> None:
    """New text and lost text count as changed."""
    added = Comparison(
        old=comparison(0).old,
        new=comparison(0).new,
        alignment=Alignment(chunks=(AlignedChunk(origin=ChunkOrigin.ADDED),), removed=(0,)),
    )

    labels = await strategy(HashingEmbedder()).label(added)

    page = counted(labels.page, added.alignment)
    assert (page.change_class, page.reasons) == (ChangeClass.CRITICAL, ("added", "removed"))
    assert (page.added, page.removed, page.kept) == (1, 1, 0)


async def test_nothing_changed_is_the_class_none() -> None:
    """Kept chunks need no label."""
    kept = Comparison(
        old=comparison(0).old,
        new=comparison(0).new,
        alignment=Alignment(
            chunks=(AlignedChunk(origin=ChunkOrigin.KEPT, previous=0),), removed=()
        ),
    )

    labels = await strategy(HashingEmbedder()).label(kept)

    assert (labels.page.change_class, dict(labels.chunks)) == (ChangeClass.NONE, {})
