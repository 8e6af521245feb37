"""Blobs from one archive to another: only what is missing, each verified by its digest."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Collection, Iterable

import obstore
from obstore.exceptions import BaseError

from scops.common.archive.folder_archive import segment_digests
from scops.common.archive.opening import FILES, segments_folder
from scops.common.archive.ports import Archive
from scops.common.contract.errors import BlobMissing, StoreUnavailable
from scops.common.contract.ids import Digest
from scops.common.contract.messages.types import BodyRef
from scops.standalone.backup.place import open_store

# Blobs on the way at once; each may be as large as a body.
COPIES_AT_ONCE = 8
DIGEST_CHARACTERS = 64
BATCH = 1000
Work = Callable[[str], Awaitable[bool]]


async def digests_of(archive_url: str, organisation_id: str) -> set[str]:
    """Returns the digest of every blob of an organisation.

    Raises:
        StoreUnavailable: the archive does not answer.
    """
    try:
        listed = obstore.list(open_store(archive_url), prefix=organisation_id, chunk_size=BATCH)
        found: set[str] = set()
        async for batch in listed:
            names = (str(each["path"]).rpartition("/")[2] for each in batch)
            # What is being written has another name.
            found.update(name for name in names if len(name) == DIGEST_CHARACTERS)
        if archive_url.startswith(FILES):
            folder = segments_folder(archive_url, organisation_id)
            found |= await asyncio.to_thread(segment_digests, folder)
        return found
    except (BaseError, OSError, ValueError, sqlite3.Error) as error:
        raise StoreUnavailable(
            f"The archive {archive_url} cannot be listed: {error}.", reason="ARCHIVE_UNAVAILABLE"
        ) from error


async def copy_blobs(source: Archive, target: Archive, digests: Collection[str]) -> list[str]:
    """Copies blobs; returns those that the source did not have, or not whole.

    Raises:
        StoreUnavailable: one of the two does not answer.
    """

    async def copy(digest: str) -> bool:
        ref = BodyRef(digest=Digest(digest))
        try:
            data = await source.get(ref)
        except BlobMissing:
            return False
        await target.put(data, media_type="")
        return True

    return await _each(copy, digests)


async def damaged_blobs(archive: Archive, digests: Collection[str]) -> list[str]:
    """Reads blobs; returns those that are not there, or not whole."""

    async def is_whole(digest: str) -> bool:
        try:
            await archive.get(BodyRef(digest=Digest(digest)))
        except BlobMissing:
            return False
        return True

    return await _each(is_whole, digests)


async def _each(work: Work, digests: Iterable[str]) -> list[str]:
    """Works on every digest, some at once; returns those that it answered with no."""
    slots = asyncio.Semaphore(COPIES_AT_ONCE)
    failed: list[str] = []

    async def one(digest: str) -> None:
        async with slots:
            if not await work(digest):
                failed.append(digest)

    ordered = sorted(digests)
    for start in range(0, len(ordered), BATCH):
        async with asyncio.TaskGroup() as group:
            for digest in ordered[start : start + BATCH]:
                group.create_task(one(digest))
    return sorted(failed)
