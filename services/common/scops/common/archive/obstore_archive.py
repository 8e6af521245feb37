"""The archive on obstore: `file://` (on the disk at once), memory, and object stores by URL."""

import asyncio
import os
from datetime import datetime
from pathlib import Path

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, MemoryStore, ObjectStore, from_url

from scops.common.archive.local_files import write_durably
from scops.common.errors import BlobMissing, StoreUnavailable
from scops.common.ids import sha256_hex
from scops.common.messages.types import BodyRef

# Asked for to see whether the store answers at all.
NOBODYS_DIGEST = "0" * 64


class ObstoreArchive:
    """Blobs under `<organisation>/<first two digits>/<digest>`.

    Args:
        store: any obstore store; bodies of a `LocalStore` are written and read as files, durably.
        organisation_id: the prefix that keeps organisations apart.
    """

    def __init__(self, store: ObjectStore, organisation_id: str) -> None:
        self._store = store
        self._organisation_id = organisation_id
        self._root = Path(str(store.prefix)) if isinstance(store, LocalStore) else None

    async def put(self, data: bytes, *, media_type: str, charset: str = "") -> BodyRef:
        digest = sha256_hex(data)
        path = self._path(digest)
        try:
            if self._root is not None:
                await asyncio.to_thread(write_durably, self._root / path, data)
            else:
                await obstore.put_async(self._store, path, data)
        except (BaseError, OSError) as error:
            raise StoreUnavailable(
                f"The archive did not take blob {digest[:12]} ({len(data)} bytes): {error}. "
                "Check the free space and permissions of its folder or bucket.",
                reason="ARCHIVE_UNAVAILABLE",
            ) from error
        return BodyRef(digest=digest, size=len(data), media_type=media_type, charset=charset)

    async def get(self, ref: BodyRef) -> bytes:
        path = self._path(ref.digest)
        try:
            data = await self._read(path)
        except FileNotFoundError as error:
            raise BlobMissing(f"The archive has no blob {ref.digest}.") from error
        except (BaseError, OSError) as error:
            raise StoreUnavailable(
                f"The archive did not return blob {ref.digest[:12]}: {error}.",
                reason="ARCHIVE_UNAVAILABLE",
            ) from error
        if sha256_hex(data) != ref.digest:
            raise BlobMissing(
                f"Blob {ref.digest} is damaged: its bytes have another digest.",
                reason="BLOB_CORRUPT",
            )
        return data

    async def touched(self, digest: str) -> datetime | None:
        try:
            found = await obstore.head_async(self._store, self._path(digest))
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise StoreUnavailable(
                f"The archive did not say when blob {digest[:12]} was put: {error}.",
                reason="ARCHIVE_UNAVAILABLE",
            ) from error
        return found["last_modified"]

    async def delete(self, digest: str) -> None:
        try:
            await obstore.delete_async(self._store, self._path(digest))
        except FileNotFoundError:
            pass
        except (BaseError, OSError) as error:
            raise StoreUnavailable(
                f"The archive did not remove blob {digest[:12]}: {error}.",
                reason="ARCHIVE_UNAVAILABLE",
            ) from error

    async def problem(self) -> str | None:
        """Returns why the archive does not answer, as a readiness check."""
        try:
            await obstore.head_async(self._store, self._path(NOBODYS_DIGEST))
        except FileNotFoundError:
            pass
        except (BaseError, OSError) as error:
            return f"The archive does not answer: {error}. Check SCOPS_ARCHIVE_URL."
        if self._root is not None and not os.access(self._root, os.W_OK):
            return f"The archive's folder {self._root} cannot be written. Check SCOPS_ARCHIVE_URL."
        return None

    async def _read(self, path: str) -> bytes:
        if self._root is not None:
            return await asyncio.to_thread((self._root / path).read_bytes)
        response = await obstore.get_async(self._store, path)
        return bytes(await response.bytes_async())

    def _path(self, digest: str) -> str:
        return f"{self._organisation_id}/{digest[:2]}/{digest}"


def open_archive(url: str, organisation_id: str) -> ObstoreArchive:
    """Opens the archive of an organisation.

    Args:
        url: `file:///path` (created when absent), `memory://`, or `s3://`, `gs://`, `az://`.

    Raises:
        StoreUnavailable: the folder cannot be created or the URL names no known store.
    """
    try:
        return ObstoreArchive(_open_store(url), organisation_id)
    except (BaseError, OSError, ValueError) as error:
        raise StoreUnavailable(
            f"The archive {url} cannot be opened: {error}. "
            "Point SCOPS_ARCHIVE_URL (or SCOPS_DATA_DIR) at a place that can be written.",
            reason="ARCHIVE_UNAVAILABLE",
        ) from error


def _open_store(url: str) -> ObjectStore:
    if url.startswith("memory:"):
        return MemoryStore()
    if url.startswith("file://"):
        root = Path(url.removeprefix("file://"))
        root.mkdir(parents=True, exist_ok=True)
        if not os.access(root, os.W_OK):
            raise PermissionError(f"{root} is not writable")
        return LocalStore(prefix=root, mkdir=True)
    return from_url(url)
