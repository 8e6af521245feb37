"""Blobs go from an archive to the folder of a backup and back, however they lie."""

from pathlib import Path

from scops.common.archive.opening import open_archive
from scops.common.contract.messages.types import BodyRef
from scops.standalone.backup.blobs import copy_blobs, damaged_blobs, digests_of
from scops.standalone.backup.place import BackupPlace


async def test_every_blob_of_a_folder_is_copied_and_put_back(tmp_path: Path) -> None:
    """Those in segments, those in files, and those that are set aside; none is copied twice."""
    url, restored = f"file://{tmp_path}/archive", f"file://{tmp_path}/restored"
    archive = open_archive(url, "main")
    old = await open_archive(url, "main", in_segments=False).put(b"old", media_type="text/plain")
    new = await archive.put(b"new", media_type="text/plain")
    aside = await archive.put(b"aside", media_type="text/plain")
    await archive.set_aside(aside.digest)
    wanted = {old.digest: b"old", new.digest: b"new", aside.digest: b"aside"}
    place = BackupPlace(str(tmp_path / "place"))
    held = place.archive("main")

    assert wanted.keys() == await digests_of(url, "main")
    assert [] == await copy_blobs(archive, held, wanted)
    # A folder of backups may lie on any disk, where an index may not.
    assert not list(Path(tmp_path, "place").rglob("*.db"))
    assert wanted.keys() == await digests_of(place.blobs_url, "main")
    again = open_archive(restored, "main")
    assert [] == await copy_blobs(held, again, wanted)
    assert [] == await damaged_blobs(again, wanted)
    for digest, data in wanted.items():
        assert data == await again.get(BodyRef(digest=digest))
    archive.close()
    again.close()
