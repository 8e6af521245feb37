"""The archive's contract, on every adapter that runs here."""

from pathlib import Path

import pytest

from scops.common.archive import Archive
from scops.common.archive.obstore_archive import open_archive
from scops.common.errors import BlobMissing, StoreUnavailable
from scops.common.ids import sha256_hex
from scops.common.messages.types import BodyRef


@pytest.fixture(params=["file", "memory"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Archive:
    url = f"file://{tmp_path}/archive" if request.param == "file" else "memory://"
    return open_archive(url, "main")


async def test_what_was_put_is_got(archive: Archive) -> None:
    """The reference names digest, size and type; the bytes come back."""
    ref = await archive.put(b"hello", media_type="text/html", charset="utf-8")

    assert ref == BodyRef(
        digest=sha256_hex(b"hello"), size=5, media_type="text/html", charset="utf-8"
    )
    assert await archive.get(ref) == b"hello"


async def test_putting_twice_is_one_blob(archive: Archive) -> None:
    """Writers always put."""
    first = await archive.put(b"same", media_type="text/plain")
    second = await archive.put(b"same", media_type="text/plain")

    assert first == second
    assert await archive.get(second) == b"same"


async def test_an_empty_blob_is_a_blob(archive: Archive) -> None:
    """An empty body is an observation too."""
    ref = await archive.put(b"", media_type="text/plain")

    assert await archive.get(ref) == b""


async def test_a_missing_blob_is_permanent(archive: Archive) -> None:
    """Retrying cannot bring it back."""
    with pytest.raises(BlobMissing):
        await archive.get(BodyRef(digest="0" * 64))


async def test_organisations_do_not_share_blobs(tmp_path: Path) -> None:
    """The prefix keeps them apart."""
    url = f"file://{tmp_path}/archive"
    ref = await open_archive(url, "one").put(b"secret", media_type="text/plain")

    with pytest.raises(BlobMissing):
        await open_archive(url, "two").get(ref)


async def test_a_damaged_blob_is_noticed(tmp_path: Path) -> None:
    """Bytes that do not match their digest are never returned."""
    archive = open_archive(f"file://{tmp_path}/archive", "main")
    ref = await archive.put(b"truth", media_type="text/plain")
    stored = next(path for path in tmp_path.rglob(ref.digest) if path.is_file())
    stored.write_bytes(b"truce")

    with pytest.raises(BlobMissing) as caught:
        await archive.get(ref)

    assert caught.value.reason == "BLOB_CORRUPT"


def test_a_folder_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreUnavailable, match="SCOPS_DATA_DIR"):
        open_archive(f"file://{tmp_path}/file/archive", "main")
