"""Rebuild makes an equal generation and switches to it, under services that go on."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scops.common.contract.errors import PermanentError, TransientError
from scops.common.contract.ids import PageId
from scops.indexer.adapters.tables import HEAD
from scops.indexer.upkeep.inventory import MaintenanceTools
from scops.indexer.upkeep.rebuild import RebuildReport, rebuild
from scops.indexer.upkeep.reconcile import reconcile
from scops.libraries.index.sqlite.generations import SqliteGenerations
from scops.libraries.index.sqlite.schema import provision
from scops.libraries.index.sqlite.upkeep import MaintainedSqliteStore
from scops.libraries.index.upkeep import MaintainedStore
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.verdicts import added
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
        generation="chunks-2.db", objects=3, history=1, passes=2, caught_up=0, dropped=()
    )
    assert expected == done
    assert before == await content(world.plain_store)
    assert texts == len(world.embedder.texts)
    assert path.resolve() == path.with_name("chunks-2.db")


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
    """A generation that lacks something never serves."""
    before = await content(world.plain_store)
    async with world.database.transaction() as connection:
        broken = HEAD.update().where(HEAD.c.page_id == OTHER).values(manifest_digest="0" * 64)
        await connection.execute(broken)

    with pytest.raises(TransientError) as refused:
        await rebuild(world.tools, generations_of(path))
    assert "REBUILD_INCOMPLETE" == refused.value.reason
    assert not path.is_symlink()
    assert before == await content(world.plain_store)


async def live_ids(world: IndexWorld) -> list[Any]:
    return [
        item.object_id async for batch in world.plain_store.scan(history=False) for item in batch
    ]
