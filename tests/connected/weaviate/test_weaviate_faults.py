"""Weaviate is killed, away or somebody else's: nothing indexed is lost, and errors say so."""

import asyncio
from dataclasses import asdict, replace

import pytest
import weaviate

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.common.runtime.service import Loop
from scops.indexer.upkeep.inventory import MaintenanceTools
from scops.indexer.upkeep.rebuild import rebuild
from scops.indexer.upkeep.recheck import IndexRecheck
from scops.indexer.upkeep.reconcile import reconcile
from scops.libraries.index.ports import ChunkObject, StoreQuery
from scops.libraries.index.weaviate import connection
from scops.libraries.index.weaviate.chunk_store import WeaviateChunkStore
from scops.libraries.index.weaviate.opening import open_generations, open_store, provision
from tests.fakes.clock import ManualClock
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.servers.weaviate import WeaviateServer
from tests.fakes.worlds.index import EmbedderVectors, prefix_filter
from tests.fakes.worlds.index_on_weaviate import CHUNKS_PER_PAGE, HOST, WeaviateWorld

# Longer than a write waits by itself for a server that comes back.
AWAY_SECONDS = 8
KILLS = 3
KILLS_UNTIL_LOST = 8
PAGES = 12
NOTHING_LOST = {"id": 0, "bm25": 0, "vector": 0}


class OtherEmbedder(HashingEmbedder):
    """Another embedder of the same dimensions."""

    embedder_id = "hashing-64/other"


async def index_pages(world: WeaviateWorld, first: int, count: int) -> None:
    """Indexes pages, four at a time."""
    gate = asyncio.Semaphore(4)

    async def one(number: int) -> None:
        async with gate:
            await world.index_page(number)

    await asyncio.gather(*(one(number) for number in range(first, first + count)))


async def kill_while_indexing(world: WeaviateWorld, server: WeaviateServer) -> None:
    """Kills the server in the middle of inserts, several times, and starts it again."""
    for number in range(KILLS):
        indexing = asyncio.create_task(index_pages(world, number * PAGES, PAGES))
        goal = (number * PAGES + PAGES // 3) * CHUNKS_PER_PAGE
        while len(world.texts) < goal and not indexing.done():
            await asyncio.sleep(0.01)
        server.kill()
        await asyncio.sleep(AWAY_SECONDS)
        await asyncio.to_thread(server.start)
        await indexing


@pytest.mark.timeout(300)
async def test_control_without_a_fault(world: WeaviateWorld) -> None:
    """Undisturbed, every chunk is found in three ways and reconcile finds nothing to do."""
    await index_pages(world, 0, PAGES)
    done = await reconcile(world.tools)

    assert NOTHING_LOST == await world.lost()
    assert (PAGES * CHUNKS_PER_PAGE, 0) == (done.chunks, done.faults)


@pytest.mark.timeout(400)
async def test_kills_while_indexing_lose_nothing(
    world: WeaviateWorld, server: WeaviateServer
) -> None:
    """After kills in the middle of inserts and one reconcile, all chunks are found three ways."""
    await kill_while_indexing(world, server)
    done = await reconcile(world.tools)
    again = await reconcile(world.tools)
    print(f"retries {world.retries}, reconciled {asdict(done)}")

    expected = KILLS * PAGES * CHUNKS_PER_PAGE
    assert world.retries > 0
    assert 0 == done.left
    assert 0 == again.faults
    assert NOTHING_LOST == await world.lost()
    assert (expected, 0) == await world.store.count()


async def lose_vector(world: WeaviateWorld) -> ChunkObject:
    """Stores a live object anew without its vector; returns it as it was."""
    item = (await world.live_objects())[0]
    client = await raw_client(world.common)
    collection = client.collections.get(world.store.owner.aliases.live)
    (found,) = (await collection.query.fetch_objects_by_ids([item.object_id])).objects
    await collection.data.delete_by_id(item.object_id)
    await collection.data.insert(found.properties, uuid=item.object_id)
    await client.close()
    return item


@pytest.mark.timeout(300)
async def test_object_without_its_vector_is_mended(world: WeaviateWorld) -> None:
    """An object that is there by id and BM25 only is found by vector after reconcile."""
    await index_pages(world, 0, 2)
    await lose_vector(world)
    before = await world.lost()
    done = await reconcile(world.tools)

    assert {"id": 0, "bm25": 0, "vector": 1} == before
    assert (1, 1) == (done.faults, done.mended)
    assert NOTHING_LOST == await world.lost()


@pytest.mark.timeout(300)
async def test_insert_that_is_repeated_mends_what_was_lost(world: WeaviateWorld) -> None:
    """Inserting an object again whose vector got lost brings it back, with its old content."""
    await index_pages(world, 0, 1)
    item = await lose_vector(world)
    await world.store.insert([item])

    assert NOTHING_LOST == await world.lost()
    assert (CHUNKS_PER_PAGE, 0) == await world.store.count()


@pytest.mark.timeout(300)
async def test_absence_is_transient_and_ends_by_itself(
    world: WeaviateWorld, server: WeaviateServer
) -> None:
    """While Weaviate is away every call fails in bounded time; afterwards the same store works."""
    await index_pages(world, 0, 1)
    server.kill()
    query = StoreQuery(
        text="tok0x0",
        vector=(await HashingEmbedder().embed(["tok0x0"]))[0],
        scope_filter=prefix_filter(HOST),
        limit=3,
    )
    for call in (world.store.search(query), world.store.ping(), world.store.count()):
        with pytest.raises(StoreUnavailable, match="SCOPS_WEAVIATE_URL"):
            async with asyncio.timeout(10):
                await call
    await asyncio.to_thread(server.start)

    await world.store.ping()
    assert 1 == world.store.interruptions
    assert (CHUNKS_PER_PAGE, 0) == await world.store.count()
    # Which are found after an unclean stop is for reconcile to say.
    assert await world.store.search(query)


@pytest.mark.timeout(300)
async def test_kill_right_after_an_insert_is_mended(
    world: WeaviateWorld, server: WeaviateServer
) -> None:
    """What a kill right after accepted inserts took from the vector index, reconcile brings back.

    So that the test can fail: a kill does lose vectors, while objects and BM25 stay. Weaviate
    writes its vectors' log every while, so a kill that comes just after loses none: repeated.
    """
    before = NOTHING_LOST
    for attempt in range(KILLS_UNTIL_LOST):
        await index_pages(world, 2 * attempt, 2)
        server.kill()
        await asyncio.to_thread(server.start)
        before = await world.lost()
        if before["vector"]:
            break
    done = await reconcile(world.tools)
    again = await reconcile(world.tools)

    assert (0, 0) == (before["id"], before["bm25"])
    # Two searches of an index with holes: one may find by luck what the other does not.
    assert 0 < before["vector"] <= done.unfindable
    assert done.unfindable == done.mended
    assert 0 == again.faults
    assert NOTHING_LOST == await world.lost()


async def test_weaviate_away_at_the_start_is_named_and_waited_for(
    server: WeaviateServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that is opened before Weaviate is up says so, and works once it is there."""
    server.stop()
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 1.0)
    common = server.common()
    owner = {"embedder_id": "fake", "dimensions": 8}
    store = open_store(common, **owner)
    with pytest.raises(StoreUnavailable, match=common.weaviate_url):
        await store.open()
    await asyncio.to_thread(server.start)
    with pytest.raises(StoreUnavailable, match="scops provision"):
        await store.open()
    await provision(common, **owner)

    await store.open()
    assert (0, 0) == await store.count()
    await store.close()


@pytest.mark.timeout(300)
async def test_index_of_another_embedder_is_refused_until_rebuilt(world: WeaviateWorld) -> None:
    """A store of another embedder names the command; after a rebuild each has its own vectors."""
    await index_pages(world, 0, 2)
    embedder = OtherEmbedder()
    owner = {"embedder_id": embedder.embedder_id, "dimensions": embedder.dimensions}
    store = open_store(world.common, **owner)
    await provision(world.common, **owner)
    with pytest.raises(PermanentError, match="scops rebuild") as refused:
        await store.count()
    ports = replace(world.index.ports, vectors=EmbedderVectors(embedder), store=store)
    tools = MaintenanceTools(ports=ports, inventory=world.tools.inventory, store=store)
    generations = open_generations(world.common, **owner)
    done = await rebuild(tools, generations)
    await generations.close()

    assert "EMBEDDER_MISMATCH" == refused.value.reason
    assert ("Passage_main_2", 2 * CHUNKS_PER_PAGE) == (done.generation, done.objects)
    assert 0 == (await reconcile(tools)).faults
    assert NOTHING_LOST == await world.lost()
    await store.close()


@pytest.mark.timeout(300)
async def test_rebuild_switches_under_open_stores(world: WeaviateWorld) -> None:
    """After a rebuild with `drop_old`, a store that was open works on the new generation."""
    await index_pages(world, 0, 3)
    owner = {
        "embedder_id": HashingEmbedder.embedder_id,
        "dimensions": HashingEmbedder.dimensions,
    }
    reader = open_store(world.common, **owner)
    assert (3 * CHUNKS_PER_PAGE, 0) == await reader.count()
    embedded = len(world.index.embedder.texts)
    generations = open_generations(world.common, **owner)
    done = await rebuild(world.tools, generations, drop_old=True)
    await generations.close()
    await index_pages(world, 3, 1)

    assert (("Passage_main_1",), 0) == (done.dropped, done.caught_up)
    assert embedded + CHUNKS_PER_PAGE == len(world.index.embedder.texts)
    assert (4 * CHUNKS_PER_PAGE, 0) == await reader.count()
    assert NOTHING_LOST == await world.lost()
    await reader.close()


@pytest.mark.timeout(300)
async def test_indexer_looks_again_after_an_interruption(
    world: WeaviateWorld, server: WeaviateServer
) -> None:
    """The recheck loop mends what was indexed lately, at its start and after each absence."""
    await index_pages(world, 0, 2)
    clock = ManualClock()
    tools = replace(world.tools, ports=replace(world.index.ports, clock=RealSleep(clock)))
    repeated = Loop.every(
        1.0, IndexRecheck(tools).step, name="recheck", pause=tools.ports.clock.sleep
    )
    loop = asyncio.create_task(repeated.run())
    for _ in range(2):
        lost = (await world.live_objects())[0].object_id
        await world.store.delete([lost])
        server.kill()
        await asyncio.sleep(1)
        await asyncio.to_thread(server.start)
        async with asyncio.timeout(60):
            while await world.lost() != NOTHING_LOST:
                await asyncio.sleep(0.2)
    loop.cancel()
    await asyncio.gather(loop, return_exceptions=True)

    assert world.store.interruptions >= 2


class RealSleep(ManualClock):
    """A clock that stands still but whose pauses are real and short."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__()
        self._clock = clock

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.2))


async def raw_client(common: CommonSettings) -> weaviate.WeaviateAsyncClient:
    """Returns a connected client of the library itself."""
    host, grpc_port = common.weaviate_grpc_address
    client = weaviate.use_async_with_custom(
        http_host=host,
        http_port=int(common.weaviate_url.rpartition(":")[2]),
        http_secure=False,
        grpc_host=host,
        grpc_port=grpc_port,
        grpc_secure=False,
        skip_init_checks=True,
    )
    await client.connect()
    return client


def test_store_is_what_the_settings_open() -> None:
    """The maintained store is the chunk store of the contract suite."""
    store = open_store(
        CommonSettings(weaviate_url="http://127.0.0.1:1"), embedder_id="x", dimensions=1
    )

    assert isinstance(store, WeaviateChunkStore)
