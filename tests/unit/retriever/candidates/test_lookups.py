"""What hits are looked up for: once, early where the store says so, told where it fails."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import pytest

from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.ids import ChunkId, PageId
from scops.common.contract.messages.change import VersionRow
from scops.libraries.index.ports import Head, HeadReader, ListedChunk, StoreHit, StoreQuery
from tests.fakes.worlds.retriever import Retrieving


class _NotedHeads:
    """Heads, and which chunks were asked for at each reading."""

    def __init__(self, heads: HeadReader) -> None:
        self._heads = heads
        self.asked: list[list[ChunkId]] = []

    async def heads(self, page_ids: Sequence[PageId]) -> Mapping[PageId, Head]:
        return await self._heads.heads(page_ids)

    async def listed(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, ListedChunk]:
        self.asked.append(sorted(chunk_ids))
        return await self._heads.listed(chunk_ids)

    async def standing(
        self, page_ids: Sequence[PageId], at: datetime
    ) -> Mapping[PageId, VersionRow]:
        return await self._heads.standing(page_ids, at)


class _AwayHeads(_NotedHeads):
    """Heads in a database that is away."""

    async def listed(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, ListedChunk]:
        raise StoreUnavailable("The database did not answer.", reason="DATABASE_UNAVAILABLE")


class _WordsFirstStore:
    """A store that has what BM25 found before the rest, as Weaviate does; it may end there."""

    def __init__(self, world: Retrieving, *, ends: bool = False) -> None:
        self._world = world
        self._ends = ends

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        hits = await self._world.pages.store.search(query)
        if query.on_bm25_hits is not None:
            query.on_bm25_hits([hit for hit in hits if hit.bm25 is not None])
        if self._ends:
            raise StoreUnavailable("The index did not answer.", reason="INDEX_UNAVAILABLE")
        return hits


async def test_chunk_is_looked_up_once_for_a_question(world: Retrieving) -> None:
    """What words found is looked up first, and only the rest afterwards."""
    await world.show("a", "Owls eat mice.")
    await world.show("b", "Permits cost ten euros.")
    noted = _NotedHeads(world.ports.heads)
    response = await world.with_ports(store=_WordsFirstStore(world), heads=noted).ask("owls")

    assert 2 == len(response.evidence)
    assert [1, 1] == [len(chunks) for chunks in noted.asked]
    assert noted.asked[0] != noted.asked[1]


async def test_early_lookup_changes_no_answer(world: Retrieving) -> None:
    """Whether a store tells its words first is not seen in what is returned."""
    for path in "abc":
        await world.show(path, f"Owls eat mice in {path}.", "Permits cost ten euros.")
    early = world.with_ports(store=_WordsFirstStore(world))

    for recipe in ("hybrid", "default", "graph"):
        expected = await world.ask("what do owls eat", recipe=recipe, limit=2)
        assert expected == await early.ask("what do owls eat", recipe=recipe, limit=2)


async def test_early_lookup_that_fails_fails_the_question(world: Retrieving) -> None:
    """A database that is away is told, also where it was asked while the store searched."""
    await world.show("a", "Owls eat mice.")
    away = _AwayHeads(world.ports.heads)

    with pytest.raises(StoreUnavailable, match="database"):
        await world.with_ports(store=_WordsFirstStore(world), heads=away).ask("owls")


async def test_store_that_ends_after_its_words_is_told(world: Retrieving) -> None:
    """What was begun for it is ended, and its own error is raised."""
    await world.show("a", "Owls eat mice.")
    ending = _WordsFirstStore(world, ends=True)
    away = _AwayHeads(world.ports.heads)

    with pytest.raises(StoreUnavailable, match="index"):
        await world.with_ports(store=ending, heads=away).ask("owls")
