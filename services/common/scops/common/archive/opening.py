"""Opens the archive of an organisation by its URL."""

from pathlib import Path
from typing import Protocol

from scops.common.archive.file_archive import FileArchive
from scops.common.archive.folder_archive import FolderArchive
from scops.common.archive.ports import Archive
from scops.common.contract.errors import StoreUnavailable

FILES = "file://"
SEGMENTS = "segments"


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

    async def tidy(self) -> None:
        """Does what comes due without a call, such as closing what was opened long ago.

        Raises:
            StoreUnavailable: the store does not do it.
        """
        ...

    def close(self) -> None:
        """Closes what it holds open."""
        ...


def open_archive(url: str, organisation_id: str, *, in_segments: bool = True) -> CheckedArchive:
    """Opens the archive of an organisation.

    Args:
        url: `file:///path` (created when absent), `memory://`, or `s3://`, `gs://`, `az://`.
        in_segments: what is put into a folder shares segments; otherwise each blob is a file of
            its own. Both are read.

    Raises:
        StoreUnavailable: the folder cannot be created or the URL names no known store.
    """
    try:
        if url.startswith(FILES):
            root = Path(url.removeprefix(FILES)).absolute()
            files = FileArchive(root, organisation_id)
            folder = segments_folder(url, organisation_id)
            return FolderArchive(files, folder, in_segments=in_segments)
        # Imported here: it costs 8 MB, and threads of its own, where blobs are files.
        from scops.common.archive.obstore_archive import open_objects

        return open_objects(url, organisation_id)
    except (OSError, ValueError) as error:
        raise StoreUnavailable(
            f"The archive {url} cannot be opened: {error}. "
            "Point SCOPS_ARCHIVE_URL (or SCOPS_DATA_DIR) at a place that can be written.",
            reason="ARCHIVE_UNAVAILABLE",
        ) from error


def segments_folder(url: str, organisation_id: str) -> str:
    """Returns where the segments of a folder's archive lie; `url` is `file:///path`."""
    return f"{Path(url.removeprefix(FILES)).absolute()}/{organisation_id}/{SEGMENTS}"
