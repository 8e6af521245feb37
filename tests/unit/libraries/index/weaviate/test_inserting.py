"""Inserts go together, and what an unclean stop took of a batch is found and inserted anew."""

import asyncio
from collections.abc import Sequence

import pytest

from scops.common.config.settings import WeaviateSettings
from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.common.contract.ids import ObjectId
from scops.libraries.index.ports import ChunkObject
from scops.libraries.index.weaviate import inserting
from scops.libraries.index.weaviate.connection import WeaviateConnection
from scops.libraries.index.weaviate.inserting import SAMPLE_OBJECTS, InsertGroups, VerifiedInserts
from tests.contract.chunk_store.chunk_objects import chunk_object

BATCH = [chunk_object(f"c{number:03}") for number in range(40)]
AT_ONCE = inserting.BATCHES_AT_ONCE


class StoppedStore:
    """A store that was killed while it took its first batch, of which searches miss some.

    As Weaviate's, an object that is there is skipped with its fault, and whole once it was removed.
    """

    def __init__(self, torn: Sequence[ChunkObject], *, held: Sequence[ChunkObject] = ()) -> None:
        self.connection = WeaviateConnection(WeaviateSettings())
        self.torn = {item.object_id for item in torn}
        self.held = {item.object_id: item for item in held}
        self.looked = 0
        self.mends = True

    async def get(self, object_ids: Sequence[ObjectId]) -> list[ChunkObject]:
        return [self.held[object_id] for object_id in object_ids]

    async def remove(self, object_ids: Sequence[ObjectId], *, history: bool) -> None:
        for object_id in object_ids:
            del self.held[object_id]
            if self.mends:
                self.torn.discard(object_id)

    async def insert_absent(
        self, batch: Sequence[ChunkObject], *, history: bool
    ) -> list[ChunkObject]:
        known = [item for item in batch if item.object_id in self.held]
        self.held = {item.object_id: item for item in batch} | self.held
        return known

    async def lost(self, batch: Sequence[ChunkObject]) -> set[ObjectId]:
        self.looked += len(batch)
        return {item.object_id for item in batch if item.object_id in self.torn}


async def test_sound_batch_is_looked_at_by_a_sample() -> None:
    """A few of its objects are asked for, whatever its size."""
    store = StoppedStore(torn=[])
    await VerifiedInserts(store).insert(BATCH)

    assert (SAMPLE_OBJECTS, 0) == (store.looked, store.connection.interruptions)
    assert len(BATCH) == len(store.held)


@pytest.mark.parametrize("torn", [1, 2, 7, len(BATCH)])
async def test_tail_that_a_kill_took_is_inserted_anew(torn: int) -> None:
    """However short; and what was accepted before is known to be doubtful from then on."""
    store = StoppedStore(torn=BATCH[-torn:])
    await VerifiedInserts(store).insert(BATCH)

    assert set() == store.torn
    assert 1 == store.connection.interruptions


async def test_batch_that_the_client_may_have_repeated_is_looked_at_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It took as long as a repetition does: any of its objects may be torn."""
    monkeypatch.setattr(inserting, "REPEATED_SECONDS", 0.0)
    store = StoppedStore(torn=BATCH[17:18])
    await VerifiedInserts(store).insert(BATCH)

    assert set() == store.torn


async def test_what_an_earlier_attempt_left_is_looked_at_whole() -> None:
    """A batch that is inserted again is mended where any of its objects is torn."""
    store = StoppedStore(torn=BATCH[17:18], held=BATCH[:30])
    await VerifiedInserts(store).insert(BATCH)

    assert set() == store.torn


async def test_objects_that_stay_lost_are_an_error() -> None:
    """The work is retried; nothing counts as done."""
    store = StoppedStore(torn=BATCH[-3:])
    store.mends = False

    with pytest.raises(StoreUnavailable, match="3 of 3"):
        await VerifiedInserts(store).insert(BATCH)


class Inserted:
    """Takes batches when it is let go; refuses those that hold a certain object."""

    def __init__(self, refused: str = "") -> None:
        self.batches: list[list[str]] = []
        self.go = asyncio.Event()
        self._refused = refused

    async def insert(self, objects: Sequence[ChunkObject]) -> None:
        self.batches.append([item.chunk_id for item in objects])
        await self.go.wait()
        if self._refused in self.batches[-1]:
            raise PermanentError("refused", reason="OBJECT_REFUSED")


async def adding(
    inserted: Inserted, *, objects_max: int, callers: int
) -> list[BaseException | None]:
    """Lets callers of two objects each insert at the same time; returns what each is told."""
    groups = InsertGroups(inserted.insert, objects_max=objects_max)
    pairs = [BATCH[2 * number : 2 * number + 2] for number in range(callers)]
    tasks = [asyncio.create_task(groups.add(pair)) for pair in pairs]
    for _ in range(3):
        await asyncio.sleep(0)
    inserted.go.set()
    return await asyncio.gather(*tasks, return_exceptions=True)


async def test_who_inserts_at_the_same_time_shares_a_batch() -> None:
    """Nobody waits for company, but for batches that are under way; each batch is bounded."""
    inserted = Inserted()
    told = await adding(inserted, objects_max=6, callers=9)

    assert [None] * 9 == told
    inserted_ids = [chunk_id for batch in inserted.batches for chunk_id in batch]
    assert sorted(item.chunk_id for item in BATCH[:18]) == sorted(inserted_ids)
    assert 6 >= max(map(len, inserted.batches))
    assert len(inserted.batches) <= AT_ONCE + 3


async def test_refused_object_is_told_to_its_own_caller() -> None:
    """Those who shared its batch are inserted all the same."""
    inserted = Inserted(refused="c004")
    told = await adding(inserted, objects_max=100, callers=5)

    assert ["NoneType", "NoneType", "PermanentError", "NoneType", "NoneType"] == [
        type(error).__name__ for error in told
    ]


async def test_who_inserts_again_at_once_is_not_forgotten() -> None:
    """Also where every batch has ended in this very moment."""
    inserted = Inserted()
    inserted.go.set()
    groups = InsertGroups(inserted.insert, objects_max=2)

    async def insert_on(objects: Sequence[ChunkObject], *, times: int) -> None:
        for _ in range(times):
            await groups.add(objects)

    pairs = [BATCH[2 * number : 2 * number + 2] for number in range(AT_ONCE)]
    # The first goes on when all batches have ended, and nobody comes after it.
    inserts = [insert_on(pair, times=5 if pair is pairs[0] else 1) for pair in pairs]
    async with asyncio.timeout(10):
        await asyncio.gather(*inserts)

    assert 5 + AT_ONCE - 1 == len(inserted.batches)
