"""The archive on obstore: object stores by URL, and memory."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from obstore.exceptions import BaseError
from obstore.store import MemoryStore, from_url

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
from scops.common.archive.object_calls import MemoryCalls, ObjectCalls, WaitedCalls
from scops.common.archive.ports import NewBlob
from scops.common.contract.messages.types import BodyRef

PUTS_AT_ONCE_MAX = 4
"""Blobs of one call that are on their way to the store at once; each is a task and a request."""


class ObstoreArchive:
    """Blobs as objects.

    Args:
        store: any store whose put is durable on return.
    """

    def __init__(self, store: ObjectCalls, organisation_id: str) -> None:
        self._store = store
        self._organisation_id = organisation_id

    async def put(self, data: bytes, *, media_type: str, charset: str = "") -> BodyRef:
        digest = await digest_of(data)
        try:
            await self._store.put(self._path(digest), data)
        except (BaseError, OSError) as error:
            raise not_put(digest, len(data), error) from error
        return BodyRef(digest=digest, size=len(data), media_type=media_type, charset=charset)

    async def put_many(
        self, blobs: Sequence[NewBlob], *, patient: bool = False
    ) -> Sequence[BodyRef]:
        left = iter(enumerate(blobs))
        refs: dict[int, BodyRef] = {}

        async def put_on() -> None:
            for number, blob in left:
                refs[number] = await self.put(
                    blob.data, media_type=blob.media_type, charset=blob.charset
                )

        if len(blobs) == 1:
            # One needs no task beside its caller's.
            await put_on()
        else:
            at_once = min(len(blobs), PUTS_AT_ONCE_MAX)
            await asyncio.gather(*(put_on() for _ in range(at_once)))
        return [refs[number] for number in range(len(blobs))]

    async def get(self, ref: BodyRef) -> bytes:
        try:
            data = await self._store.get(self._path(ref.digest))
        except FileNotFoundError as error:
            taken_back = await self._taken_back(ref)
            if taken_back is None:
                raise missing(ref) from error
            data = taken_back
        except (BaseError, OSError) as error:
            raise refused("return", ref.digest, error) from error
        return await whole(data, ref)

    async def touched(self, digest: str) -> datetime | None:
        return await self._put_time(self._path(digest), digest) if is_digest(digest) else None

    async def _put_time(self, path: str, digest: str) -> datetime | None:
        try:
            return await self._store.put_time(path)
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise refused("say when it was put:", digest, error) from error

    async def set_aside(self, digest: str) -> datetime | None:
        path, aside = self._path(digest), self._aside(digest)
        try:
            # Copied first: at every moment one of the two is there.
            await self._store.copy(path, aside)
            put_time = await self._put_time(path, digest)
            await self._store.delete(path)
        except FileNotFoundError:
            # A copy is as old as the copying, and so what it is of is older.
            return await self._put_time(aside, digest)
        except (BaseError, OSError) as error:
            raise refused("set aside", digest, error) from error
        return put_time

    async def drop_aside(self, digest: str) -> None:
        try:
            await self._store.delete(self._aside(digest))
        except FileNotFoundError:
            pass
        except (BaseError, OSError) as error:
            raise refused("remove", digest, error) from error

    async def _taken_back(self, ref: BodyRef) -> bytes | None:
        """Puts back what was set aside, and returns it; None where nothing was."""
        try:
            data = await self._store.get(self._aside(ref.digest))
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise refused("return", ref.digest, error) from error
        # A reader without the right to write has read it all the same.
        with suppress(BaseError, OSError):
            await self._store.put(self._path(ref.digest), data)
        return data

    async def check_read(self) -> None:
        await self.touched(NOBODYS_DIGEST)

    async def check_write(self) -> None:
        try:
            await self._store.put(probe_path(self._organisation_id), PROBE)
        except (BaseError, OSError) as error:
            raise not_writable(error) from error

    async def tidy(self) -> None:
        """Does nothing: each blob is an object of its own."""

    def close(self) -> None:
        pass

    def _aside(self, digest: str) -> str:
        return aside_path(self._organisation_id, digest)

    def _path(self, digest: str) -> str:
        return blob_path(self._organisation_id, digest)


def open_objects(url: str, organisation_id: str) -> ObstoreArchive:
    """Opens `memory://`, `s3://`, `gs://` or `az://`.

    Raises:
        OSError: the store cannot be opened.
        ValueError: the URL names no known store.
    """
    if url.startswith("memory:"):
        return ObstoreArchive(MemoryCalls(MemoryStore()), organisation_id)
    try:
        return ObstoreArchive(WaitedCalls(from_url(url)), organisation_id)
    except BaseError as error:
        raise ValueError(str(error)) from error
