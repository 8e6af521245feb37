"""Where backups lie: a folder, or a bucket by its URL.

blobs/<organisation>/<two digits>/<digest>   shared by all backups of the place
backups/<backup id>/…                        the databases, and `record.json`, written last
"""

import asyncio
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from scops.common.archive.opening import FILES, CheckedArchive, open_archive
from scops.common.contract.errors import PermanentError, StoreUnavailable

BACKUPS = "backups"
CHUNK_BYTES = 1024 * 1024
RECORD_FILE = "record.json"


class BackupDamaged(PermanentError):
    """A file of a backup is missing, or is not what was written."""

    default_reason = "BACKUP_DAMAGED"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file of a backup.

    Attributes:
        path: below the place.
    """

    path: str
    sha256: str
    size: int


def place_url(place: str) -> str:
    """Returns the URL of a folder's path, or the URL that was given."""
    text = place.rstrip("/")
    return text if "://" in text else f"{FILES}{Path(text).expanduser().absolute()}"


class BackupPlace:
    """A folder or bucket that holds backups.

    Raises:
        StoreUnavailable: it cannot be opened.
    """

    def __init__(self, place: str) -> None:
        self.url = place_url(place)
        self._is_folder = self.url.startswith(FILES)
        try:
            self._store = open_store(self.url)
        except (BaseError, OSError, ValueError) as error:
            raise StoreUnavailable(
                f"The place {self.url} cannot be opened: {error}. Name a folder that this user "
                "may write, or s3://, gs://, az:// with the credentials in the environment.",
                reason="BACKUP_PLACE_UNAVAILABLE",
            ) from error

    def archive(self, organisation_id: str) -> CheckedArchive:
        """Returns the blobs of an organisation in all backups here."""
        return open_archive(self.blobs_url, organisation_id, in_segments=False)

    @property
    def blobs_url(self) -> str:
        """Where the blobs of all backups lie."""
        return f"{self.url}/blobs"

    async def keep(self, source: Path, path: str) -> StoredFile:
        """Stores a file; returns what it is."""
        digest, size = await asyncio.to_thread(_examined, source)
        try:
            await obstore.put_async(self._store, path, source)
        except (BaseError, OSError) as error:
            raise self._refused("take", path, error) from error
        return StoredFile(path=path, sha256=digest, size=size)

    async def fetch(self, file: StoredFile, target: Path) -> None:
        """Brings a file back.

        Raises:
            BackupDamaged: it is not there, or not what was stored.
            StoreUnavailable: the place does not answer.
        """
        digest = hashlib.sha256()
        try:
            found = await obstore.get_async(self._store, file.path)
            with target.open("wb") as out:
                async for chunk in found.stream(min_chunk_size=CHUNK_BYTES):
                    digest.update(chunk)
                    await asyncio.to_thread(out.write, chunk)
        except FileNotFoundError as error:
            raise BackupDamaged(f"The backup lacks its file {file.path}.") from error
        except (BaseError, OSError) as error:
            raise self._refused("return", file.path, error) from error
        if digest.hexdigest() != file.sha256:
            raise BackupDamaged(
                f"The backup's file {file.path} is damaged: its bytes have another digest. "
                "Restore an earlier backup: `scops restore PLACE --at ID`."
            )

    async def write(self, path: str, data: bytes) -> None:
        """Stores a small file, when everything stored before is on the disk."""
        try:
            if self._is_folder:
                await asyncio.to_thread(os.sync)
            await obstore.put_async(self._store, path, data)
            if self._is_folder:
                await asyncio.to_thread(os.sync)
        except (BaseError, OSError) as error:
            raise self._refused("take", path, error) from error

    async def read(self, path: str) -> bytes | None:
        """Returns a small file; None where there is none."""
        try:
            found = await obstore.get_async(self._store, path)
            return bytes(await found.bytes_async())
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise self._refused("return", path, error) from error

    async def backup_ids(self) -> list[str]:
        """Returns the ids of the backups that were ended, oldest first."""
        ids = []
        try:
            listed = await obstore.list_with_delimiter_async(self._store, prefix=BACKUPS)
        except FileNotFoundError:
            return []
        except (BaseError, OSError) as error:
            raise self._refused("list", BACKUPS, error) from error
        for folder in listed["common_prefixes"]:
            backup_id = folder.rstrip("/").rpartition("/")[2]
            if await self.read(f"{BACKUPS}/{backup_id}/{RECORD_FILE}") is not None:
                ids.append(backup_id)
        return sorted(ids)

    def _refused(self, what: str, path: str, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(
            f"The place {self.url} did not {what} {path}: {error}. Check its space and rights.",
            reason="BACKUP_PLACE_UNAVAILABLE",
        )


def open_store(url: str) -> ObjectStore:
    """Opens a folder, which is made where it is missing, or a bucket.

    Raises:
        BaseError, OSError, ValueError: it cannot be opened.
    """
    if url.startswith(FILES):
        return LocalStore(Path(url.removeprefix(FILES)), mkdir=True)
    store: ObjectStore = from_url(url)
    return store


def _examined(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size
