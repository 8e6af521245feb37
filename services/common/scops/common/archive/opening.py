"""Opens the archive of an organisation by its URL."""

from pathlib import Path
from typing import Protocol

from scops.common.archive.file_archive import FileArchive
from scops.common.archive.ports import Archive
from scops.common.contract.errors import StoreUnavailable

FILES = "file://"


class CheckedArchive(Archive, Protocol):
    """An archive that a readiness check may ask."""

    async def check_read(self) -> None:
        """Asks for a blob that nobody has, to see whether a get would be answered now.

        Raises:
            StoreUnavailable: it would not.
        """
        ...

    async def check_write(self) -> None:
        """Writes a little, to see whether a put would be taken now.

        Raises:
            StoreUnavailable: it would not.
        """
        ...


def open_archive(url: str, organisation_id: str) -> CheckedArchive:
    """Opens the archive of an organisation.

    Args:
        url: `file:///path` (created when absent), `memory://`, or `s3://`, `gs://`, `az://`.

    Raises:
        StoreUnavailable: the folder cannot be created or the URL names no known store.
    """
    try:
        if url.startswith(FILES):
            return FileArchive(Path(url.removeprefix(FILES)), organisation_id)
        # Imported here: it costs 8 MB, and threads of its own, where blobs are files.
        from scops.common.archive.obstore_archive import open_objects

        return open_objects(url, organisation_id)
    except (OSError, ValueError) as error:
        raise StoreUnavailable(
            f"The archive {url} cannot be opened: {error}. "
            "Point SCOPS_ARCHIVE_URL (or SCOPS_DATA_DIR) at a place that can be written.",
            reason="ARCHIVE_UNAVAILABLE",
        ) from error
