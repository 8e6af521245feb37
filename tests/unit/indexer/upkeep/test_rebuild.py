"""Rebuild makes an equal generation and switches to it, under services that go on."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete

from scops.common.bus.ports import Cause
from scops.common.contract.errors import PermanentError
from scops.common.contract.ids import EventId, PageId
from scops.common.contract.messages.change import DroppedVersion, VersionRow, VersionsDropped
from scops.common.contract.service_table import Lane
from scops.indexer.adapters.tables import VECTOR_CACHE
from scops.indexer.handlers.dropping import handle_versions_dropped
from scops.indexer.upkeep.inventory import MaintenanceTools
from scops.indexer.upkeep.rebuild import RebuildReport, rebuild
from scops.indexer.upkeep.reconcile import reconcile
from scops.libraries.index.manifest_reader import ManifestReader
from scops.libraries.index.sqlite.generations import SqliteGenerations
from scops.libraries.index.sqlite.schema import provision
from scops.libraries.index.sqlite.upkeep import MaintainedSqliteStore
from scops.libraries.index.upkeep import MaintainedStore
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.verdicts import PAGE, added, at
from tests.fakes.worlds.index import EmbedderVectors, IndexWorld

OTHER = PageId("page-2")
LATE = PageId("page-3")


class OtherEmbedder(HashingEmbedder):
    """Another embedder of the same dimensions."""

    embedder_id = "hashing-64/other"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "index" / "chunks.db"
    provision(path)
    return path


@pytest.fixture
async def world(world: IndexWorld, path: Path) -> IndexWorld:
    """Two pages in a file, one with a chunk in the history."""
    await world.serve_from(opened(path))
    first = await world.show("green tea", "black tea", day=1)
    await world.show("green tea", "white tea", day=2, after=first)
    await world.sweep_later()
    await index(world, "red wine", page=OTHER)
    return world


def opened(path: Path, embedder_id: str = HashingEmbedder.embedder_id) -> MaintainedSqliteStore:
    dimensions = HashingEmbedder.dimensions
    return MaintainedSqliteStore(path, embedder_id=embedder_id, dimensions=dimensions)


async def index(world: IndexWorld, text: str, *, page: PageId) -> None:
    await world.indexed(added(await world.version(text, day=1, page=page), day=1, page=page))


def generations_of(path: Path, embedder_id: str = HashingEmbedder.embedder_id) -> SqliteGenerations:
    dimensions = HashingEmbedder.dimensions
    return SqliteGenerations(path, embedder_id=embedder_id, dimensions=dimensions)


async def content(store: MaintainedStore) -> dict[str, Any]:
    """Returns everything a store holds, comparable."""
    found: dict[str, Any] = {}
    for history in (False, True):
        async for batch in store.scan(history=history):
            found |= {f"{item.object_id} {history}": item for item in batch}
    names = [name.split(" ")[0] for name in found if name.endswith("False")]
    objects = await store.get(names)  # type: ignore[arg-type]
    return found | {
        item.object_id: (item.text, item.embedding_key, item.vector.tobytes()) for item in objects
    }


async def lose_text(world: IndexWorld) -> None:
    """Takes the text of the other page out of the archive."""
    lost = await world.version("red wine", day=1, page=OTHER)
    manifest = await world.ports.manifests.get(lost.manifest)
    await world.lose(manifest.text.digest)


async def drop(world: IndexWorld, *versions: VersionRow) -> None:
    """Tells the indexer that versions are not kept."""
    dropped = tuple(
        DroppedVersion(version_id=version.version_id, manifest=version.manifest)
        for version in versions
    )
    news = VersionsDropped(page_id=PAGE, versions=dropped, reason="expired", dropped_time=at(50))
    cause = Cause(
        event_id=EventId("dropped"),
        organisation_id="main",
        lane=Lane.BULK,
        published_time=at(50),
    )
    await handle_versions_dropped(news, cause, world.ports)


def dropping_between(path: Path, happens: Callable[[], Any]) -> SqliteGenerations:
    dimensions = HashingEmbedder.dimensions
    generations = Between(path, embedder_id=HashingEmbedder.embedder_id, dimensions=dimensions)
    generations.happens = happens
    return generations


class Between(SqliteGenerations):
    """Generations that let something happen right before the switch."""

    happens: Callable[[], Any]

    async def switch(self) -> str:
        await self.happens()
        return await super().switch()


async def test_rebuilt_generation_equals_the_old(world: IndexWorld, path: Path) -> None:
    """Objects, vectors, prefixes and intervals are the same, and nothing is embedded anew."""
    before = await content(world.plain_store)
    texts = len(world.embedder.texts)
    done = await rebuild(world.tools, generations_of(path))

    expected = RebuildReport(
        generation="chunks-2.db",
        objects=3,
        history=1,
        passes=2,
        caught_up=0,
        unrestorable=0,
        dropped=(),
    )
    assert expected == done
    assert before == await content(world.plain_store)
    assert texts == len(world.embedder.texts)
    assert path.resolve() == path.with_name("chunks-2.db")


async def forget_cache(world: IndexWorld) -> None:
    """Leaves the vector cache as one that is far smaller than the index."""
    async with world.database.transaction() as connection:
        await connection.execute(delete(VECTOR_CACHE))


async def test_vectors_are_those_of_the_generation_before(world: IndexWorld, path: Path) -> None:
    """Where the cache has let go of them nothing is embedded again, live or of the history."""
    before = await content(world.plain_store)
    await forget_cache(world)
    texts = len(world.embedder.texts)
    await rebuild(world.tools, generations_of(path))

    assert texts == len(world.embedder.texts)
    assert before == await content(world.plain_store)


async def test_vectors_of_a_damaged_generation_are_made_anew(world: IndexWorld, path: Path) -> None:
    """One that is of another length is no vector of ours; its text is embedded."""
    before = await content(world.plain_store)
    await forget_cache(world)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE payload SET vector = zeroblob(length(vector)) WHERE id = 1")
    texts = len(world.embedder.texts)
    await rebuild(world.tools, generations_of(path))

    assert texts + 1 == len(world.embedder.texts)
    assert before == await content(world.plain_store)


async def test_a_generation_that_cannot_be_read_is_built_anew(
    world: IndexWorld, path: Path
) -> None:
    """A rebuild is its remedy: texts are embedded as if nothing had been there."""
    before = await content(world.plain_store)
    await forget_cache(world)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE payload RENAME TO broken")
    texts = len(world.embedder.texts)
    await rebuild(world.tools, generations_of(path))

    assert texts + 4 == len(world.embedder.texts)
    assert before == await content(world.plain_store)


async def test_a_rebuild_ends_after_retention_has_dropped_a_version(
    world: IndexWorld, path: Path
) -> None:
    """No kept version lists the chunk that went: the new generation owes nothing for it."""
    await drop(world, await world.version("green tea", "black tea", day=1, until=2))
    done = await rebuild(world.tools, generations_of(path))

    assert (3, 0, 0) == (done.objects, done.history, done.unrestorable)
    assert (await reconcile(world.tools)).faults == 0


async def test_a_rebuild_ends_where_a_dropped_versions_manifest_went_first(
    world: IndexWorld, path: Path
) -> None:
    """Nobody can tell any more what it listed; what no kept version lists is owed nothing."""
    first = await world.version("green tea", "black tea", day=1, until=2)
    await world.lose(first.manifest.digest)
    world.ports = replace(world.ports, manifests=ManifestReader(world.ports.archive))
    await drop(world, first)
    done = await rebuild(world.tools, generations_of(path))

    assert (3, 0) == (done.objects, done.history)


async def test_a_rebuild_beside_retention_keeps_nothing_of_what_went(
    world: IndexWorld, path: Path
) -> None:
    """A version that is dropped while a generation is built leaves no copy in it."""
    first = await world.version("green tea", "black tea", day=1, until=2)
    generations = dropping_between(path, lambda: drop(world, first))
    done = await rebuild(world.tools, generations)

    assert 0 == done.history


async def test_a_rebuild_ends_and_tells_what_the_archive_lost(
    world: IndexWorld, path: Path
) -> None:
    """A page whose text is gone is left out and counted; every other one is whole."""
    await lose_text(world)
    done = await rebuild(world.tools, generations_of(path), accept_loss=True)
    again = await reconcile(world.tools)

    assert (2, 1, 1) == (done.objects, done.history, done.unrestorable)
    assert (again.missing, again.unrestorable, again.mended) == (1, 1, 0)
    assert "white tea" in await world.search("white tea")


async def test_old_generation_stays_until_dropped(world: IndexWorld, path: Path) -> None:
    """Every generation before is kept as a file of its own; `drop_old` deletes them all."""
    before = await content(world.plain_store)
    await rebuild(world.tools, generations_of(path))
    kept = opened(path.with_name("chunks-1.db"))
    assert before == await content(kept)
    await kept.close()
    done = await rebuild(world.tools, generations_of(path), drop_old=True)

    assert ("chunks-3.db", ("chunks-1.db", "chunks-2.db")) == (done.generation, done.dropped)
    assert before == await content(world.plain_store)


async def test_open_store_follows_the_switch(world: IndexWorld, path: Path) -> None:
    """Who had the old file open writes and searches in the new one from its next call."""
    service = opened(path)
    assert (3, 1) == await service.count()
    await rebuild(world.tools, generations_of(path))
    world.ports = replace(world.ports, store=service)
    await index(world, "rose hip", page=LATE)

    assert "rose hip" in await world.search("rose hip")
    assert (4, 1) == await opened(path).count()
    await service.close()


async def test_page_of_the_last_moment_is_not_lost(world: IndexWorld, path: Path) -> None:
    """What is indexed after the last pass and before the switch is brought in by the next one."""
    generations = Between(
        path, embedder_id=HashingEmbedder.embedder_id, dimensions=HashingEmbedder.dimensions
    )
    generations.happens = lambda: index(world, "rose hip", page=LATE)
    done = await rebuild(world.tools, generations)

    assert (1, 4) == (done.caught_up, done.objects)
    assert "rose hip" in await world.search("rose hip")
    assert 0 == (await reconcile(world.tools)).faults


async def test_rebuild_that_was_given_up_goes_on(world: IndexWorld, path: Path) -> None:
    """An unfinished generation of ours is completed; strays in it are cleared away."""
    abandoned = generations_of(path)
    unfinished = await abandoned.create()
    await unfinished.insert(await world.plain_store.get(await live_ids(world)))
    await abandoned.close()
    await rebuild(world.tools, generations_of(path))

    assert (3, 1) == await world.plain_store.count()


async def test_another_embedder_takes_over(world: IndexWorld, path: Path) -> None:
    """Under a new embedder every text is embedded anew; the old one's services are refused."""
    embedder = OtherEmbedder()
    store = opened(path, embedder.embedder_id)
    ports = replace(world.ports, vectors=EmbedderVectors(embedder), store=store)
    tools = MaintenanceTools(ports=ports, inventory=world.tools.inventory, store=store)
    with pytest.raises(PermanentError, match="scops rebuild"):
        await store.open()
    await rebuild(tools, generations_of(path, embedder.embedder_id))

    assert 0 == (await reconcile(tools)).faults
    assert 4 == len(embedder.texts)
    with pytest.raises(PermanentError) as refused:
        await world.plain_store.count()
    assert "EMBEDDER_MISMATCH" == refused.value.reason
    await store.close()


async def test_what_cannot_be_restored_is_not_switched_to(world: IndexWorld, path: Path) -> None:
    """A generation that lacks something serves only where that is accepted."""
    before = await content(world.plain_store)
    await lose_text(world)

    with pytest.raises(PermanentError, match="--accept-loss") as refused:
        await rebuild(world.tools, generations_of(path))
    assert "REBUILD_INCOMPLETE" == refused.value.reason
    assert not path.is_symlink()
    assert before == await content(world.plain_store)


async def live_ids(world: IndexWorld) -> list[Any]:
    return [
        item.object_id async for batch in world.plain_store.scan(history=False) for item in batch
    ]
