"""No page holds up the indexer's event loop, however many chunks it has and whatever they say."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from scops.change_detector.chunking.packing import CHARACTERS_PER_TOKEN_MAX
from scops.common.processes.compute import ChildCompute
from scops.common.processes.pool import ChildPool
from scops.libraries.index.ports import ChunkObject, FloatArray
from scops.libraries.mentions.rules import RuleExtractor
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.stalls import hostile_texts, measured_stalls
from tests.fakes.verdicts import added
from tests.fakes.worlds.index import IndexWorld, WatchedStore
from tests.unit.common.processes.children import limits

# CPU time of the loop's thread in one turn.
SECONDS_MAX = 0.05
# Beyond any bound of this test: what is measured is who works, not how fast.
TASK_SECONDS = 300.0
# As a page of tiny sentences has, and as long as a chunk of 400 tokens may be.
CHUNKS, CHUNK_CHARACTERS = 4_000, 400 * CHARACTERS_PER_TOKEN_MAX
PAGES = {
    "thousands of chunks": [f"Owl {number}." for number in range(CHUNKS)],
    "long chunks": hostile_texts(CHUNK_CHARACTERS, seed=10, count=40),
}


class OneVector:
    """Stands in for the embedder, whose threads are not measured: one vector for all texts."""

    def __init__(self, embedder: HashingEmbedder) -> None:
        self._embedder = embedder

    async def embedder_id(self) -> str:
        """Returns the id of the embedder."""
        return self._embedder.embedder_id

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> FloatArray:
        """Returns the first unit vector for each text."""
        vectors = np.zeros((len(texts), self._embedder.dimensions), dtype=np.float32)
        vectors[:, 0] = 1.0
        return vectors


class NoStore(WatchedStore):
    """Stands in for the index, which writes in a process or a thread of its own."""

    async def insert(self, objects: Sequence[ChunkObject]) -> None:
        """Takes objects, which are made for it."""


@pytest.fixture
async def children() -> AsyncIterator[ChildPool]:
    """Yields a child process, as the indexer has in service."""
    pool = ChildPool(processes=1, limits=limits())
    yield pool
    await pool.close()


@pytest.mark.parametrize("name", PAGES)
async def test_a_page_is_indexed_in_turns(
    world: IndexWorld, children: ChildPool, name: str
) -> None:
    """Its chunks are claimed, cut, read and noted, once and once more with others."""
    compute = ChildCompute(children, seconds=TASK_SECONDS)
    world.ports = replace(
        world.ports,
        vectors=OneVector(world.embedder),
        mentions=RuleExtractor(compute),
        compute=compute,
        store=NoStore(world.plain_store, world.effect),
    )
    await world.show("Warm.", day=0)
    texts = PAGES[name]
    first, second = [
        await world.version(*page, day=day)
        for day, page in ((1, texts), (2, [*reversed(texts), "Then."]))
    ]
    async with measured_stalls() as stalls:
        answers = [
            await world.indexed(added(first, day=1)),
            await world.indexed(added(second, day=2)),
        ]

    assert [len(texts), len(texts) + 1] == [answer.chunks_total for answer in answers]
    assert stalls.longest < SECONDS_MAX
