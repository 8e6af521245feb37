"""Vectors that are kept hold their own memory and no more."""

import tracemalloc

from numpy.lib import tracemalloc_domain

from scops.retriever.scoring.window_vectors import WindowVectors
from tests.fakes.embedder import HashingEmbedder

BATCH = 1_000
KEPT = 2 * BATCH
VECTOR_BYTES = 4 * HashingEmbedder.dimensions


async def test_vectors_that_are_wanted_again_hold_no_others() -> None:
    """One of each thousand that are embedded together is asked for again and again."""
    vectors, embedder = WindowVectors(kept_max=KEPT), HashingEmbedder()
    wanted: list[str] = []
    tracemalloc.start()
    try:
        for number in range(20):
            wanted.append(f"wanted {number}")
            others = [f"owl {number} {one}" for one in range(BATCH - 1)]
            await vectors.get([*others, *wanted], embedder)
        kept = tracemalloc.take_snapshot().filter_traces(
            [tracemalloc.DomainFilter(True, tracemalloc_domain)]
        )
    finally:
        tracemalloc.stop()

    assert sum(each.size for each in kept.traces) <= KEPT * VECTOR_BYTES
