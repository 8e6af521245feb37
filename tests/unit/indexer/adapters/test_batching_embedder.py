"""Texts of concurrent verdicts are embedded together, and failures belong to who asked."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from scops.indexer.adapters.batching_embedder import BatchingEmbedder
from scops.libraries.embedder.port import Embedder, FloatArray
from tests.fakes.embedder import HashingEmbedder


class GatedEmbedder(HashingEmbedder):
    """Holds each call until it is let through; fails on the text `bad`."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []
        self.gate = asyncio.Event()

    async def embed(self, texts: Sequence[str], *, as_queries: bool = False) -> FloatArray:
        self.sizes.append(len(texts))
        await self.gate.wait()
        if "bad" in texts:
            raise ValueError("bad text")
        return await super().embed(texts, as_queries=as_queries)


@pytest.fixture
def embedder() -> GatedEmbedder:
    return GatedEmbedder()


@pytest.fixture
def batching(embedder: GatedEmbedder) -> BatchingEmbedder:
    async def load() -> Embedder:
        return embedder

    return BatchingEmbedder(load, characters_max=4)


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_waiting_texts_go_together(
    batching: BatchingEmbedder, embedder: GatedEmbedder
) -> None:
    """What arrives during a call is taken by the next one, up to the bound; order is kept."""
    requests = (["a"], ["b", "c"], ["d", "e", "f"], ["g"])
    tasks = [asyncio.create_task(batching.embed(request, urgent=False)) for request in requests]
    await _settle()
    embedder.gate.set()
    results = await asyncio.gather(*tasks)

    for request, vectors in zip(requests, results, strict=True):
        assert np.array_equal(await HashingEmbedder().embed(request), vectors)
    assert 7 == sum(embedder.sizes)
    assert max(embedder.sizes) == 4
    assert len(embedder.sizes) == 2


async def test_first_text_does_not_wait(
    batching: BatchingEmbedder, embedder: GatedEmbedder
) -> None:
    """A lone request is embedded at once."""
    embedder.gate.set()

    assert (1, 64) == (await batching.embed(["a"], urgent=False)).shape


async def test_long_request_is_cut(batching: BatchingEmbedder, embedder: GatedEmbedder) -> None:
    """More text than a call may hold is embedded in several, a long text alone."""
    embedder.gate.set()
    texts = [*"abcdefghi", "a text that is longer than a call", "j"]

    vectors = await batching.embed(texts, urgent=False)

    assert np.array_equal(await HashingEmbedder().embed(texts), vectors)
    assert [4, 4, 1, 1, 1] == embedder.sizes


async def test_who_has_much_delays_others_little(embedder: GatedEmbedder) -> None:
    """A part of its text goes with each call, and a short request with the next."""

    async def load() -> Embedder:
        return embedder

    batching = BatchingEmbedder(load)
    much = asyncio.create_task(batching.embed(["long " * 100] * 40, urgent=False))
    await _settle()
    little = asyncio.create_task(batching.embed(["short"] * 12, urgent=False))
    embedder.gate.set()
    await asyncio.gather(much, little)

    assert [2, 2 + 12] == embedder.sizes[:2]


async def test_urgent_text_overtakes(batching: BatchingEmbedder, embedder: GatedEmbedder) -> None:
    """A text that a person waits for is a call of its own, at once."""
    slow = asyncio.create_task(batching.embed(["a", "b", "c", "d"], urgent=False))
    more = asyncio.create_task(batching.embed(["e"], urgent=False))
    await _settle()
    urgent = asyncio.create_task(batching.embed(["now"], urgent=True))
    await _settle()

    assert [4, 1] == embedder.sizes
    embedder.gate.set()
    await asyncio.gather(slow, more, urgent)
    assert [4, 1, 1] == embedder.sizes


async def test_failure_reaches_who_asked(
    batching: BatchingEmbedder, embedder: GatedEmbedder
) -> None:
    """A call that fails fails its requests; later ones are embedded."""
    embedder.gate.set()

    with pytest.raises(ValueError, match="bad text"):
        await batching.embed(["bad"] * 6, urgent=False)
    assert (1, 64) == (await batching.embed(["good"], urgent=False)).shape


async def test_close_ends_who_waits(batching: BatchingEmbedder, embedder: GatedEmbedder) -> None:
    """A stop leaves nobody waiting."""
    tasks = [asyncio.create_task(batching.embed(["a"], urgent=False)) for _ in range(7)]
    await _settle()
    await batching.close()
    results = await asyncio.gather(*tasks, return_exceptions=True)

    assert 7 == sum(isinstance(result, asyncio.CancelledError) for result in results)


async def test_cancelled_caller_disturbs_nobody(
    batching: BatchingEmbedder, embedder: GatedEmbedder
) -> None:
    """Who no longer waits does not fail the others of its call."""
    gone = asyncio.create_task(batching.embed(["a"], urgent=False))
    other = asyncio.create_task(batching.embed(["b"], urgent=False))
    await _settle()
    gone.cancel()
    embedder.gate.set()

    assert (1, 64) == (await other).shape


async def test_no_texts_is_no_call(batching: BatchingEmbedder, embedder: GatedEmbedder) -> None:
    """An empty request gives an empty array."""
    embedder.gate.set()

    assert (0, 64) == (await batching.embed([], urgent=False)).shape
