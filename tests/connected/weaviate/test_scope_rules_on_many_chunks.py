"""A rule that adds or removes half of 20,000 chunks writes nothing and acts at once."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from weaviate import WeaviateAsyncClient
from weaviate.classes.query import MetadataQuery

from scops.common.contract import ids
from scops.common.contract.ids import ChunkId, EmbeddingKey, PageId, ScopeId
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.filter import compile_filter
from scops.common.scope.urls import url_prefixes
from scops.libraries.index.ports import ChunkObject, FloatArray, StoreQuery
from scops.libraries.index.weaviate.chunk_store import WeaviateChunkStore
from scops.libraries.index.weaviate.opening import open_store, provision
from tests.fakes.servers.weaviate import WeaviateServer

CHUNKS = 20_000
DIMENSIONS = 8
PAGES = 200
LISTED = tuple(f"half.example.org/p{number}" for number in range(PAGES // 2))
EVERY = ScopeRule(kind=RuleKind.PREFIX, pattern="whole.example.org")
HALVES = {
    "prefix": (ScopeRule(kind=RuleKind.PREFIX, pattern="half.example.org"),),
    "glob": (ScopeRule(kind=RuleKind.GLOB, pattern="half.example.org/*"),),
    "list": tuple(ScopeRule(kind=RuleKind.PAGE, pattern=f"https://{url}") for url in LISTED),
}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WeaviateServer]:
    """A server with 20,000 chunks: half of the pages under each of two hosts."""
    folder: Path = tmp_path_factory.mktemp("many")
    server = WeaviateServer(folder).start()
    asyncio.run(_fill(server))
    yield server
    server.kill()


@pytest.fixture
async def store(many: WeaviateServer) -> AsyncIterator[WeaviateChunkStore]:
    store = open_store(many.common(), embedder_id="fake", dimensions=DIMENSIONS)
    yield store
    await store.close()


@pytest.mark.timeout(400)
@pytest.mark.parametrize("kind", list(HALVES))
async def test_half_comes_and_goes_at_once(store: WeaviateChunkStore, kind: str) -> None:
    """The first query after a change sees exactly the new scope, and no object was touched."""
    before = await _fingerprint(store)
    assert {"whole"} == await _hosts_found(store, (EVERY,))
    for _ in range(3):
        assert {"whole", "half"} == await _hosts_found(store, (EVERY, *HALVES[kind]))
        assert {"whole"} == await _hosts_found(store, (EVERY,))

    assert before == await _fingerprint(store)
    assert (CHUNKS, 0) == await store.count()


@pytest.mark.timeout(400)
async def test_excluding_half_acts_at_once(store: WeaviateChunkStore) -> None:
    """An exclusion takes half of the chunks out with the next query."""
    both = ScopeRule(kind=RuleKind.GLOB, pattern="*.example.org")
    without = ScopeRule(kind=RuleKind.PREFIX, pattern="half.example.org", exclude=True)

    assert {"whole", "half"} == await _hosts_found(store, (both,))
    assert {"whole"} == await _hosts_found(store, (both, without))


@pytest.mark.timeout(400)
async def test_rule_changes_while_queries_run(store: WeaviateChunkStore) -> None:
    """Each query, whenever it starts, answers for the rules that it was asked with."""
    rules = [(EVERY,), (EVERY, *HALVES["prefix"])] * 20
    found = await asyncio.gather(*(_hosts_found(store, one) for one in rules))

    assert [{"whole"}, {"whole", "half"}] * 20 == found


async def _hosts_found(store: WeaviateChunkStore, rules: tuple[ScopeRule, ...]) -> set[str]:
    scope = Scope(scope_id=ScopeId("s"), rules=rules)
    vector = np.full(DIMENSIONS, DIMENSIONS**-0.5, dtype=np.float32)
    query = StoreQuery(
        text="half whole", vector=vector, scope_filter=compile_filter([scope]), limit=60
    )
    return {hit.text.split()[0] for hit in await store.search(query)}


async def _fingerprint(store: WeaviateChunkStore) -> dict[str, datetime]:
    """Returns when each of some objects was last written, by Weaviate's own account."""

    async def work(client: WeaviateAsyncClient) -> Any:
        return await store.side(client, False).query.fetch_objects(
            limit=10_000,
            return_properties=[],
            return_metadata=MetadataQuery(last_update_time=True),
        )

    found = (await store.connection.query(work)).objects
    return {str(one.uuid): one.metadata.last_update_time for one in found}


async def _fill(server: WeaviateServer) -> None:
    common = server.common()
    await provision(common, embedder_id="fake", dimensions=DIMENSIONS)
    store = open_store(common, embedder_id="fake", dimensions=DIMENSIONS)
    vectors = np.abs(np.random.default_rng(3).standard_normal((CHUNKS, DIMENSIONS)))
    unit: FloatArray = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    objects = [_chunk(number, unit[number]) for number in range(CHUNKS)]
    for start in range(0, CHUNKS, 1000):
        await store.insert(objects[start : start + 1000])
    await store.close()


def _chunk(number: int, vector: FloatArray) -> ChunkObject:
    host = "half" if number % 2 else "whole"
    page = number // 2 % (PAGES // 2)
    chunk = ChunkId(f"chunk-{number}")
    return ChunkObject(
        object_id=ids.object_id(chunk, 1),
        chunk_id=chunk,
        page_id=PageId(f"{host}-{page}"),
        access_context=PUBLIC,
        url_prefixes=url_prefixes(f"https://{host}.example.org/p{page}"),
        header="",
        text=f"{host} chunk n{number}",
        embedding_key=EmbeddingKey(f"key-{number}"),
        vector=vector,
    )
