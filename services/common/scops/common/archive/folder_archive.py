"""The archive in a folder of this machine: blobs in segments, or in files of their own."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from scops.common.archive.blobs import (
    digest_of,
    is_digest,
    missing,
    not_put,
    not_tidied,
    refused,
    whole,
)
from scops.common.archive.file_archive import FileArchive
from scops.common.archive.groups import Groups
from scops.common.archive.local_files import SMALL_BYTES
from scops.common.archive.ports import NewBlob
from scops.common.archive.segment_index import BlobPlace
from scops.common.archive.segment_store import MICROSECOND, BlobEntry, SegmentStore
from scops.common.contract.errors import BlobMissing, StoreUnavailable
from scops.common.contract.messages.types import BodyRef

FAULTS = (OSError, sqlite3.Error)
# So often a place is looked up that another process changes meanwhile.
LOOKS = 4


class FolderArchive:
    """Blobs in segments and in files of their own.

    Args:
        folder: of the segments.
        in_segments: where new blobs go.
    """

    def __init__(self, files: FileArchive, folder: str, *, in_segments: bool) -> None:
        self._files = files
        self._in_segments = in_segments
        self._store = SegmentStore(folder)
        self._groups = Groups(self._store.put)

    async def put(self, data: bytes, *, media_type: str, charset: str = "") -> BodyRef:
        blob = NewBlob(data=data, media_type=media_type, charset=charset)
        (ref,) = await self.put_many([blob])
        return ref

    async def put_many(
        self, blobs: Sequence[NewBlob], *, patient: bool = False
    ) -> Sequence[BodyRef]:
        if not self._in_segments:
            return await self._files.put_many(blobs, patient=patient)
        refs = [
            BodyRef(
                digest=await digest_of(blob.data),
                size=len(blob.data),
                media_type=blob.media_type,
                charset=blob.charset,
            )
            for blob in blobs
        ]
        entries = [
            BlobEntry(bytes.fromhex(ref.digest), blob)
            for ref, blob in zip(refs, blobs, strict=True)
        ]
        try:
            await self._groups.add(entries, patient=patient)
        except FAULTS as error:
            raise not_put(refs[0].digest, refs[0].size, error) from error
        return refs

    async def get(self, ref: BodyRef) -> bytes:
        if is_digest(ref.digest):
            for look in range(LOOKS):
                place = self._place(ref.digest)
                if place is None:
                    break
                try:
                    return await self._read(ref, place)
                except BlobMissing:
                    # Another process may have moved it.
                    if look == LOOKS - 1 or self._place(ref.digest) == place:
                        raise
        return await self._files.get(ref)

    async def touched(self, digest: str) -> datetime | None:
        place = self._place(digest, aside=False) if is_digest(digest) else None
        return _latest(place, await self._files.touched(digest))

    async def set_aside(self, digest: str) -> datetime | None:
        of_file = await self._files.set_aside(digest)
        await self._do("set aside", self._store.set_aside, digest)
        return _latest(self._place(digest, aside=True), of_file)

    async def drop_aside(self, digest: str) -> None:
        await self._files.drop_aside(digest)
        await self._do("remove", self._store.drop_aside, digest)

    async def check_read(self) -> None:
        await self._files.check_read()

    async def check_write(self) -> None:
        await self._files.check_write()

    async def tidy(self) -> None:
        try:
            await asyncio.to_thread(self._store.tidy)
        except FAULTS as error:
            raise not_tidied(error) from error

    def close(self) -> None:
        self._store.close()

    async def _read(self, ref: BodyRef, place: BlobPlace) -> bytes:
        try:
            if place.size <= SMALL_BYTES:
                data = self._store.read(place)
            else:
                data = await asyncio.to_thread(self._store.read, place)
        except OSError as error:
            raise refused("return", ref.digest, error) from error
        if data is None:
            raise missing(ref)
        data = await whole(data, ref)
        if place.aside:
            # A reader without the right to write has read it all the same.
            with suppress(StoreUnavailable):
                await self._do("take back", self._store.put_back, ref.digest)
        return data

    def _place(self, digest: str, *, aside: bool | None = None) -> BlobPlace | None:
        try:
            return self._store.find(bytes.fromhex(digest), aside=aside)
        except FAULTS as error:
            raise refused("find", digest, error) from error

    async def _do(self, what: str, work: Callable[[bytes], None], digest: str) -> None:
        try:
            await asyncio.to_thread(work, bytes.fromhex(digest))
        except FAULTS as error:
            raise refused(what, digest, error) from error


def segment_digests(folder: str) -> set[str]:
    """Returns the digest of every blob in the segments of a folder; blocks.

    Raises:
        OSError, sqlite3.Error: its index cannot be read.
    """
    store = SegmentStore(folder)
    try:
        return store.digests()
    finally:
        store.close()


def _latest(place: BlobPlace | None, of_file: datetime | None) -> datetime | None:
    if place is None:
        return of_file
    of_segment = datetime.fromtimestamp(place.put_time / MICROSECOND, UTC)
    return of_segment if of_file is None else max(of_segment, of_file)
