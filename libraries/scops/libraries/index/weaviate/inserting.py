"""Inserts of live objects: those of several callers together, verified by a sample.

Weaviate that was killed loses the tail of some of its indexes while the objects stay, and then
skips the client's repetition of an identical insert. A batch is looked at whole where that may
have happened: where the client may have repeated it, where a part of it was there, and where a
few of its objects, the last among them, are not found.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.common.contract.ids import ObjectId
from scops.libraries.index.ports import ChunkObject
from scops.libraries.index.weaviate.connection import WeaviateConnection

# Of a batch, spread over it from its last one on.
SAMPLE_OBJECTS = 8
# The client waits a second before it repeats a batch: one that took less was sent once.
REPEATED_SECONDS = 1.0
# While some batches are under way, others gather.
BATCHES_AT_ONCE = 2

Insert = Callable[[Sequence[ChunkObject]], Awaitable[None]]


class InsertTarget(Protocol):
    """A store that batches are inserted into."""

    connection: WeaviateConnection

    async def get(self, object_ids: Sequence[ObjectId]) -> list[ChunkObject]: ...

    async def remove(self, object_ids: Sequence[ObjectId], *, history: bool) -> None: ...

    async def insert_absent(
        self, batch: Sequence[ChunkObject], *, history: bool
    ) -> list[ChunkObject]: ...

    async def lost(self, batch: Sequence[ChunkObject]) -> set[ObjectId]: ...


class InsertGroups:
    """Gathers what is inserted at the same time into batches; nobody waits for company.

    Args:
        insert: inserts a batch, which may hold an object twice.
        objects_max: in a batch, and of one caller.
    """

    def __init__(self, insert: Insert, *, objects_max: int) -> None:
        self._insert = insert
        self._objects_max = objects_max
        self._waiting: list[tuple[Sequence[ChunkObject], asyncio.Future[None]]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def add(self, objects: Sequence[ChunkObject]) -> None:
        """Returns when the objects are inserted; raises as `insert` does."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((objects, done))
        # A task that has ended looks at nobody who waits, though it may still be in the set.
        if sum(not task.done() for task in self._tasks) < BATCHES_AT_ONCE:
            task = asyncio.create_task(self._go_on(), name="weaviate-inserts")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        await done

    async def _go_on(self) -> None:
        while self._waiting:
            group = self._taken()
            error = await self._error_of([item for objects, _ in group for item in objects])
            for objects, done in group:
                if isinstance(error, PermanentError) and len(group) > 1:
                    # One of them is at fault: each is told of its own objects.
                    _end(done, await self._error_of(objects))
                else:
                    _end(done, error)

    def _taken(self) -> list[tuple[Sequence[ChunkObject], asyncio.Future[None]]]:
        """Takes as many callers as fit into a batch, in their order."""
        size = 0
        for count, (objects, _) in enumerate(self._waiting):
            size += len(objects)
            if count and size > self._objects_max:
                group, self._waiting = self._waiting[:count], self._waiting[count:]
                return group
        group, self._waiting = self._waiting, []
        return group

    async def _error_of(self, objects: Sequence[ChunkObject]) -> BaseException | None:
        (error,) = await asyncio.gather(self._insert(objects), return_exceptions=True)
        return error


class VerifiedInserts:
    """Inserts batches, and anew what a search does not find though its insert was accepted."""

    def __init__(self, store: InsertTarget) -> None:
        self._store = store

    async def insert(self, objects: Sequence[ChunkObject]) -> None:
        """Adds live objects; one that is there stays as it is.

        Raises:
            StoreUnavailable: nothing or a part was stored; inserting again completes it.
        """
        given: dict[ObjectId, ChunkObject] = {}
        for item in objects:
            given.setdefault(item.object_id, item)
        batch = list(given.values())
        began = time.monotonic()
        known = await self._store.insert_absent(batch, history=False)
        is_repeated = time.monotonic() - began >= REPEATED_SECONDS
        stored = await self._store.get([item.object_id for item in known])
        as_stored = given | {item.object_id: item for item in stored}
        doubtful = batch if is_repeated else [*known, *_sample(batch)]
        lost = await self._store.lost([as_stored[key] for key in _ids(doubtful)])
        if lost and not is_repeated:
            # What was accepted before this batch may have lost as much.
            self._store.connection.note_interruption()
            lost = await self._store.lost(list(as_stored.values()))
        if lost:
            # What is there stays as it is, unless it has lost its vector altogether.
            whole = given | {item.object_id: item for item in stored if item.vector.size}
            await self._mend([whole[object_id] for object_id in sorted(lost)])

    async def _mend(self, lost: Sequence[ChunkObject]) -> None:
        await self._store.remove(_ids(lost), history=False)
        await self._store.insert_absent(lost, history=False)
        if still := await self._store.lost(lost):
            raise StoreUnavailable(
                f"Weaviate does not find {len(still)} of {len(lost)} chunk objects that it has "
                "accepted twice. Check its log; the work is retried.",
                reason="INDEX_UNAVAILABLE",
            )


def _sample(batch: Sequence[ChunkObject]) -> Sequence[ChunkObject]:
    """Returns some objects, evenly spread and with the last one: a kill takes the tail."""
    step = max(1, -(-len(batch) // SAMPLE_OBJECTS))
    return batch[::-1][::step]


def _ids(objects: Sequence[ChunkObject]) -> list[ObjectId]:
    """Returns the id of each object, once."""
    return list(dict.fromkeys(item.object_id for item in objects))


def _end(done: asyncio.Future[None], error: BaseException | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
