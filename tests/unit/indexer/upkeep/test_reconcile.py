"""Reconcile finds and mends whatever differs between the rows and the store, and nothing else."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from scops.common.contract import ids
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.ids import ChunkId, ObjectId, PageId
from scops.indexer.adapters.tables import CHUNK
from scops.indexer.upkeep import reconcile as reconcile_module
from scops.indexer.upkeep.inventory import PageInventory
from scops.indexer.upkeep.reconcile import ReconcileReport, reconcile
from scops.libraries.index.ports import ChunkObject
from tests.contract.chunk_store.chunk_objects import chunk_object
from tests.fakes.verdicts import PAGE
from tests.fakes.worlds.index import IndexWorld

OTHER = PageId("page-2")


@pytest.fixture
async def world(world: IndexWorld) -> IndexWorld:
    """Two pages; the first has a chunk in the history."""
    first = await world.show("green tea", "black tea", day=1)
    await world.show("green tea", "white tea", day=2, after=first)
    await world.sweep_later()
    await world.show("red wine", day=1, page=OTHER)
    return world


async def object_of(world: IndexWorld, text: str) -> ChunkObject:
    """Returns the live object that holds a text."""
    for page in (PAGE, OTHER):
        rows = await world.live_incarnations(page)
        wanted = [ids.object_id(chunk_id, number) for chunk_id, number in rows.items()]
        for item in await world.plain_store.get(wanted):
            if item.text == text:
                return item
    raise AssertionError(f"no object holds {text!r}")


async def stored_object_ids(world: IndexWorld) -> dict[bool, set[ObjectId]]:
    """Returns the ids of everything in the store, live and historical."""
    return {
        history: {
            item.object_id
            async for batch in world.plain_store.scan(history=history)
            for item in batch
        }
        for history in (False, True)
    }


async def mended(world: IndexWorld, **expected: int) -> ReconcileReport:
    """Reconciles, and checks that the faults were these, that they are gone, and nothing else."""
    before = await reconcile(world.tools, dry_run=True)
    found = await reconcile(world.tools)
    again = await reconcile(world.tools)
    counts = {"pages": 2, "chunks": 3, "history": 1}
    assert ReconcileReport(**(counts | expected)) == before
    assert ReconcileReport(**(counts | expected), mended=sum(expected.values())) == found
    assert 0 == again.faults
    await world.check(PAGE, OTHER)
    return found


async def test_sound_index_has_no_faults(world: IndexWorld) -> None:
    """What the indexer and its sweeper leave behind differs from the rows nowhere."""
    before = await stored_object_ids(world)
    await mended(world)

    assert before == await stored_object_ids(world)


async def test_missing_object_is_made_anew(world: IndexWorld) -> None:
    """A chunk whose object is gone comes back from archive and vector cache, word for word."""
    lost = await object_of(world, "white tea")
    await world.plain_store.delete([lost.object_id])
    embedded = len(world.embedder.texts)
    await mended(world, missing=1)

    found = await object_of(world, "white tea")
    assert replace(lost, vector=found.vector) == found
    assert np.array_equal(lost.vector, found.vector)
    assert embedded == len(world.embedder.texts)


async def test_vector_cache_that_was_emptied_is_filled_again(world: IndexWorld) -> None:
    """Without a cached vector the text is embedded once more."""
    lost = await object_of(world, "white tea")
    await world.plain_store.delete([lost.object_id])
    await world.rows.forget(answered_before=world.clock.now(), vectors_max=0, limit=100)
    await mended(world, missing=1)

    assert np.array_equal(lost.vector, (await object_of(world, "white tea")).vector)


async def test_what_a_replacement_hides_is_replaced_as_well(
    world: IndexWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A torn graph leads to "red wine" no more once "white tea" was replaced in it."""
    lost = [(await object_of(world, text)).object_id for text in ("white tea", "red wine")]
    store = world.tools.store
    remove = store.remove

    async def unfindable(objects: Sequence[ChunkObject]) -> frozenset[ObjectId]:
        return frozenset(item.object_id for item in objects) & frozenset(lost[:1])

    async def removed(object_ids: Sequence[ObjectId], *, history: bool) -> None:
        await remove(object_ids, history=history)
        del lost[: len(object_ids)]

    monkeypatch.setattr(store, "unfindable", unfindable)
    monkeypatch.setattr(store, "remove", removed)
    found = await reconcile(world.tools)

    assert [] == lost
    assert (2, 2, 0) == (found.unfindable, found.mended, found.left)
    assert (2, 3) == (found.pages, found.chunks)
    assert "red wine" == (await object_of(world, "red wine")).text


async def test_wrong_vector_is_replaced(world: IndexWorld) -> None:
    """An object with another vector than its key's is deleted and inserted anew."""
    right = await object_of(world, "red wine")
    wrong = await object_of(world, "white tea")
    await world.plain_store.delete([right.object_id])
    await world.plain_store.insert([replace(right, vector=wrong.vector)])
    await mended(world, wrong=1)

    assert np.array_equal(right.vector, (await object_of(world, "red wine")).vector)


async def test_object_of_another_text_is_replaced(world: IndexWorld) -> None:
    """An object whose text is not that of its key is deleted and inserted anew."""
    right = await object_of(world, "red wine")
    await world.plain_store.delete([right.object_id])
    await world.plain_store.insert([replace(right, text="red whine")])
    await mended(world, wrong=1)


async def test_prefixes_of_another_url_are_rewritten(world: IndexWorld) -> None:
    """Objects under another URL than their head's come back into its scopes."""
    await world.plain_store.set_prefixes(OTHER, ("elsewhere.org",))
    assert "red wine" not in await world.search("red wine")
    await mended(world, misplaced=1)

    assert "red wine" in await world.search("red wine")


async def test_object_without_a_row_is_an_orphan(world: IndexWorld) -> None:
    """What no row stands for is deleted, live or historical."""
    await world.plain_store.insert([chunk_object_of_world(world, "stray")])
    await world.plain_store.insert_history([chunk_object_of_world(world, "past stray")])

    await mended(world, orphans=2)


async def test_object_of_a_deleted_incarnation_is_an_orphan(world: IndexWorld) -> None:
    """A late insert of an incarnation that the sweeper deleted is cleared away."""
    current = await object_of(world, "green tea")
    stale = replace(current, object_id=ids.object_id(current.chunk_id, 7))
    await world.plain_store.insert([stale])

    await mended(world, orphans=1)


async def test_claim_without_an_object_is_no_fault(world: IndexWorld) -> None:
    """A chunk that a handler has just claimed has no object yet, or one that nobody lists."""
    claimed = chunk_object_of_world(world, "claimed")
    async with world.database.transaction() as connection:
        row = (await connection.execute(CHUNK.select().limit(1))).one()._asdict()
        new = row | {"chunk_id": claimed.chunk_id, "stored": False, "state": "live"}
        await connection.execute(CHUNK.insert(), new | {"incarnation": 1, "delete_from": None})
    await world.plain_store.insert([claimed])

    await mended(world)


async def test_lost_history_is_copied_again(world: IndexWorld) -> None:
    """A retired chunk answers for its interval again."""
    (copy,) = (await stored_object_ids(world))[True]
    await world.plain_store.remove([copy], history=True)
    assert "black tea" not in await world.search("black tea", day=1.5)
    await mended(world, history_missing=1)

    assert "black tea" in await world.search("black tea", day=1.5)


async def test_row_that_lost_its_listing_is_listed_again(world: IndexWorld) -> None:
    """What a head's manifest lists is live, stored and listed again, and survives the sweeper."""
    async with world.database.transaction() as connection:
        await connection.execute(CHUNK.delete().where(CHUNK.c.page_id == OTHER))
    found = await reconcile(world.tools)
    again = await reconcile(world.tools)
    await world.sweep_later()

    assert (1, 0) == (found.unlisted, again.faults)
    assert "red wine" in await world.search("red wine")


async def test_page_whose_texts_are_gone_stays_a_fault(world: IndexWorld) -> None:
    """What the archive lacks cannot be mended, is counted, and stops nothing else."""
    for text in ("red wine", "white tea"):
        await world.plain_store.delete([(await object_of(world, text)).object_id])
    lost = await world.version("red wine", day=1, page=OTHER)
    manifest = await world.ports.manifests.get(lost.manifest)
    await world.lose(manifest.text.digest)
    found = await reconcile(world.tools)

    assert 1 == found.unrestorable
    assert (2, 1, 1) == (found.missing, found.mended, found.left)


async def test_since_looks_at_recent_pages_only(world: IndexWorld) -> None:
    """Only what was applied since then is looked at, and orphans are left alone."""
    for text in ("red wine", "white tea"):
        await world.plain_store.delete([(await object_of(world, text)).object_id])
    await world.plain_store.insert([chunk_object_of_world(world, "stray")])
    found = await reconcile(world.tools, since=world.clock.now())

    assert ReconcileReport(pages=1, chunks=1, missing=1, mended=1) == found
    assert "red wine" in await world.search("red wine")


async def test_pages_of_many_batches_are_looked_at_once_each(
    world: IndexWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches that are under way at once leave out no page and count none twice."""
    monkeypatch.setattr(reconcile_module, "PAGES_A_BATCH", 1)
    texts = {PageId(f"page-{number}"): f"wine number {number}" for number in range(3, 12)}
    for page, text in texts.items():
        await world.show(text, day=1, page=page)
        rows = await world.live_incarnations(page)
        gone = [ids.object_id(chunk_id, number) for chunk_id, number in rows.items()]
        await world.plain_store.delete(gone)
    found = await reconcile(world.tools)

    assert (11, 9, 9) == (found.pages, found.missing, found.mended)
    assert 0 == (await reconcile(world.tools)).faults
    await world.check(PAGE, OTHER, *texts)


async def test_a_store_that_goes_away_ends_every_batch(
    world: IndexWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first error ends the run, and no batch goes on behind its back."""
    monkeypatch.setattr(reconcile_module, "PAGES_A_BATCH", 1)
    away = StoreUnavailable("The store is away.", reason="WEAVIATE_UNAVAILABLE")

    async def refuse(page_ids: Sequence[PageId]) -> Sequence[PageInventory]:
        raise away

    tools = world.tools
    monkeypatch.setattr(tools.inventory, "look", refuse)
    before = asyncio.all_tasks()
    with pytest.raises(StoreUnavailable) as raised:
        await reconcile(tools)

    assert away is raised.value
    assert before == asyncio.all_tasks()


def chunk_object_of_world(world: IndexWorld, name: str) -> ChunkObject:
    """Builds an object of the world's dimensions."""
    vector = np.zeros(world.embedder.dimensions, dtype=np.float32)
    vector[0] = 1.0
    item = chunk_object(name, vector=vector, day_from=1, day_to=2)
    return replace(item, chunk_id=ChunkId(name))
