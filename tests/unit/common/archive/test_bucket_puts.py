"""Blobs that are put together go to a bucket a few at a time."""

import asyncio

from obstore.store import MemoryStore

from scops.common.archive.object_calls import MemoryCalls
from scops.common.archive.obstore_archive import PUTS_AT_ONCE_MAX, ObstoreArchive
from scops.common.archive.ports import NewBlob


async def test_many_blobs_are_put_a_few_at_once() -> None:
    """However many there are: each put is a task, and a request that the store has to serve."""
    archive = ObstoreArchive(MemoryCalls(MemoryStore()), "main")
    blobs = [NewBlob(data=f"{number}".encode(), media_type="text/plain") for number in range(100)]
    before = len(asyncio.all_tasks())
    putting = asyncio.create_task(archive.put_many(blobs))
    most = 0
    while not putting.done():
        await asyncio.sleep(0)
        most = max(most, len(asyncio.all_tasks() - {putting}) - before)

    assert PUTS_AT_ONCE_MAX == most
    assert [blob.data for blob in blobs] == [await archive.get(ref) for ref in await putting]
