"""The archive in a folder of this machine: each blob a file, on the disk before its put returns."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from scops.common.archive.blobs import (
    NOBODYS_DIGEST,
    PROBE,
    aside_path,
    blob_path,
    digest_of,
    is_digest,
    missing,
    not_put,
    not_writable,
    probe_path,
    refused,
    whole,
)
from scops.common.archive.local_files import move_durably, read_bytes, read_small, write_durably
from scops.common.archive.ports import NewBlob
from scops.common.contract.messages.types import BodyRef


class FileArchive:
    """Blobs as files below a folder, which is made where it is missing.

    Raises:
        OSError: the folder cannot be made or written.
    """

    def __init__(self, root: Path, organisation_id: str) -> None:
        root.mkdir(parents=True, exist_ok=True)
        if not os.access(root, os.W_OK):
            raise PermissionError(f"{root} is not writable")
        self._root = str(root.absolute())
        self._organisation_id = organisation_id
        self._probe = f"{self._root}/{probe_path(organisation_id)}"

    async def put(self, data: bytes, *, media_type: str, charset: str = "") -> BodyRef:
        digest = await digest_of(data)
        try:
            await asyncio.to_thread(write_durably, self._path(digest), data)
        except OSError as error:
            raise not_put(digest, len(data), error) from error
        return BodyRef(digest=digest, size=len(data), media_type=media_type, charset=charset)

    async def put_many(
        self, blobs: Sequence[NewBlob], *, patient: bool = False
    ) -> Sequence[BodyRef]:
        return [
            await self.put(blob.data, media_type=blob.media_type, charset=blob.charset)
            for blob in blobs
        ]

    async def get(self, ref: BodyRef) -> bytes:
        try:
            data = read_small(path := self._path(ref.digest))
            if data is None:
                data = await asyncio.to_thread(read_bytes, path)
        except FileNotFoundError as error:
            data = await asyncio.to_thread(self._taken_back, ref.digest)
            if data is None:
                raise missing(ref) from error
        except OSError as error:
            raise refused("return", ref.digest, error) from error
        return await whole(data, ref)

    async def touched(self, digest: str) -> datetime | None:
        return await self._put_time(self._path(digest), digest) if is_digest(digest) else None

    async def _put_time(self, path: str, digest: str) -> datetime | None:
        try:
            found = await asyncio.to_thread(os.stat, path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise refused("say when it was put:", digest, error) from error
        return datetime.fromtimestamp(found.st_mtime, UTC)

    async def set_aside(self, digest: str) -> datetime | None:
        try:
            await asyncio.to_thread(self._move_aside, digest)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise refused("set aside", digest, error) from error
        # A file keeps its time when it is moved.
        return await self._put_time(self._aside(digest), digest)

    async def drop_aside(self, digest: str) -> None:
        try:
            await asyncio.to_thread(os.unlink, self._aside(digest))
        except FileNotFoundError:
            pass
        except OSError as error:
            raise refused("remove", digest, error) from error

    def _move_aside(self, digest: str) -> None:
        # Most have no file: no folder is made for them.
        if os.path.exists(path := self._path(digest)):
            move_durably(path, self._aside(digest))

    def _taken_back(self, digest: str) -> bytes | None:
        """Puts back what was set aside, and returns it; None where nothing was, nor is there."""
        # A reader without the right to write reads it where it is.
        with suppress(OSError):
            move_durably(self._aside(digest), self._path(digest))
        with suppress(OSError):
            return read_bytes(self._aside(digest))
        try:
            return read_bytes(self._path(digest))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise refused("return", digest, error) from error

    async def check_read(self) -> None:
        await self.touched(NOBODYS_DIGEST)

    async def check_write(self) -> None:
        try:
            await asyncio.to_thread(write_durably, self._probe, PROBE)
        except OSError as error:
            raise not_writable(error) from error

    def close(self) -> None:
        pass

    def _aside(self, digest: str) -> str:
        return f"{self._root}/{aside_path(self._organisation_id, digest)}"

    def _path(self, digest: str) -> str:
        return f"{self._root}/{blob_path(self._organisation_id, digest)}"
