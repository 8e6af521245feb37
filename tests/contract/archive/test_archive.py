"""The archive's contract, on every adapter that runs here."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from scops.common.archive import Archive
from scops.common.archive.local_files import SMALL_BYTES
from scops.common.archive.opening import open_archive
from scops.common.archive.ports import NewBlob
from scops.common.contract.errors import BlobMissing, InvalidInput, StoreUnavailable
from scops.common.contract.ids import sha256_hex
from scops.common.contract.messages.types import BodyRef


@pytest.fixture(params=["segments", "files", "memory"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Archive]:
    url = "memory://" if request.param == "memory" else f"file://{tmp_path}/archive"
    opened = open_archive(url, "main", in_segments=request.param == "segments")
    yield opened
    opened.close()


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


async def test_many_are_put_in_one_call(archive: Archive) -> None:
    """Their references come in their order; the same bytes twice are one blob."""
    bodies = [b"one", b"two", b"one", b""]
    blobs = [NewBlob(data=body, media_type="text/plain") for body in bodies]
    refs = await archive.put_many(blobs, patient=True)

    assert bodies == [await archive.get(ref) for ref in refs]
    assert refs[0] == refs[2]


async def test_an_empty_blob_is_a_blob(archive: Archive) -> None:
    """An empty body is an observation too."""
    ref = await archive.put(b"", media_type="text/plain")

    assert await archive.get(ref) == b""


async def test_a_long_blob_is_got_whole(archive: Archive) -> None:
    """Also one that is not read on the event loop."""
    body = bytes(range(256)) * (SMALL_BYTES // 256) + b"more"
    ref = await archive.put(body, media_type="text/plain")

    assert await archive.get(ref) == body


async def test_writers_of_one_blob_at_once_leave_one(archive: Archive) -> None:
    """Each of them has it when its put returns, whole, and nothing else is left behind."""
    data = b"the same bytes " * 10_000

    async def put_and_get() -> bytes:
        return await archive.get(await archive.put(data, media_type="text/plain"))

    found = await asyncio.gather(*(put_and_get() for _ in range(8)))

    assert [data] * 8 == found


async def test_a_put_leaves_nothing_beside_its_file(tmp_path: Path) -> None:
    """What is written under another name first is renamed, or removed where it cannot be."""
    archive = open_archive(f"file://{tmp_path}/archive", "main", in_segments=False)
    kept = await archive.put(b"kept", media_type="text/plain")
    digest = sha256_hex(b"in the way")
    folder = tmp_path / "archive" / "main" / digest[:2] / digest
    folder.mkdir(parents=True)

    with pytest.raises(StoreUnavailable, match="did not take"):
        await archive.put(b"in the way", media_type="text/plain")

    files = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert [kept.digest] == files


async def test_what_is_set_aside_is_got_and_put_back(archive: Archive) -> None:
    """Setting aside takes it out of the way; who asks for it has it as before."""
    ref = await archive.put(b"rare", media_type="text/plain")
    await archive.set_aside(ref.digest)
    absent = await archive.touched(ref.digest)
    got = await archive.get(ref)

    assert absent is None
    assert b"rare" == got
    assert await archive.touched(ref.digest) is not None


async def test_what_is_put_again_outlives_what_was_set_aside(archive: Archive) -> None:
    """Dropping what was set aside leaves what came since; with nothing since, it is gone."""
    again = await archive.put(b"again", media_type="text/plain")
    gone = await archive.put(b"gone", media_type="text/plain")
    await archive.set_aside(again.digest)
    await archive.set_aside(gone.digest)
    await archive.put(b"again", media_type="text/plain")
    await archive.drop_aside(again.digest)
    await archive.drop_aside(gone.digest)
    await archive.drop_aside(gone.digest)
    await archive.set_aside(gone.digest)

    assert b"again" == await archive.get(again)
    with pytest.raises(BlobMissing):
        await archive.get(gone)


async def test_setting_aside_says_when_a_blob_was_put(archive: Archive) -> None:
    """A collector learns of a put that came after its last look; also the second time."""
    ref = await archive.put(b"secret", media_type="text/plain")
    put_time = await archive.touched(ref.digest)
    first = await archive.set_aside(ref.digest)
    again = await archive.set_aside(ref.digest)
    await archive.drop_aside(ref.digest)

    assert put_time is not None
    assert put_time == first
    assert again is not None
    assert again >= put_time
    assert None is await archive.set_aside(ref.digest)
    with pytest.raises(BlobMissing):
        await archive.get(ref)


async def test_a_missing_blob_is_permanent(archive: Archive) -> None:
    """Retrying cannot bring it back."""
    with pytest.raises(BlobMissing):
        await archive.get(BodyRef(digest="0" * 64))


async def test_either_way_of_a_folder_reads_the_other(tmp_path: Path) -> None:
    """Who puts files finds what lies in segments, drops it, and the other way round."""
    url = f"file://{tmp_path}/archive"
    one = open_archive(url, "main", in_segments=True)
    two = open_archive(url, "main", in_segments=False)
    first = await one.put(b"in a segment", media_type="text/plain")
    second = await two.put(b"in a file", media_type="text/plain")

    assert b"in a segment" == await two.get(first)
    assert b"in a file" == await one.get(second)
    for ref, archive in ((first, two), (second, one)):
        await archive.set_aside(ref.digest)
        await archive.drop_aside(ref.digest)
        with pytest.raises(BlobMissing):
            await archive.get(ref)
    one.close()
    two.close()


async def test_organisations_do_not_share_blobs(tmp_path: Path) -> None:
    """The prefix keeps them apart."""
    url = f"file://{tmp_path}/archive"
    ref = await open_archive(url, "one").put(b"secret", media_type="text/plain")

    with pytest.raises(BlobMissing):
        await open_archive(url, "two").get(ref)


async def test_what_one_organisation_drops_the_other_keeps(tmp_path: Path) -> None:
    """The same text is stored for each: neither a put, nor its age, nor its end shows."""
    url = f"file://{tmp_path}/archive"
    one, two = open_archive(url, "one"), open_archive(url, "two")
    ref = await one.put(b"the same", media_type="text/plain")
    assert await two.touched(ref.digest) is None
    await two.put(b"the same", media_type="text/plain")

    await one.set_aside(ref.digest)
    await one.drop_aside(ref.digest)

    assert b"the same" == await two.get(ref)
    with pytest.raises(BlobMissing):
        await one.get(ref)


@pytest.mark.parametrize("in_segments", [True, False])
async def test_a_damaged_blob_is_noticed(tmp_path: Path, in_segments: bool) -> None:
    """Bytes that do not match their digest are never returned; who puts them again heals them."""
    archive = open_archive(f"file://{tmp_path}/archive", "main", in_segments=in_segments)
    ref = await archive.put(b"truth", media_type="text/plain")
    (stored,) = (path for path in tmp_path.rglob("*") if b"truth" in _bytes_of(path))
    stored.write_bytes(stored.read_bytes().replace(b"truth", b"truce"))

    with pytest.raises(BlobMissing) as caught:
        await archive.get(ref)

    assert caught.value.reason == "BLOB_CORRUPT"
    assert b"truth" == await archive.get(await archive.put(b"truth", media_type="text/plain"))
    assert not any(b"truce" in _bytes_of(path) for path in tmp_path.rglob("*"))


def _bytes_of(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def test_a_folder_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreUnavailable, match="SCOPS_DATA_DIR"):
        open_archive(f"file://{tmp_path}/file/archive", "main")


@pytest.mark.parametrize(
    "digest",
    ["../secret", "../../secret", "", "a", "A" * 64, "0" * 63, "0" * 64 + "\n", "/etc/passwd"],
)
async def test_what_is_no_digest_names_no_blob(
    archive: Archive, digest: str, tmp_path: Path
) -> None:
    """No digest leads out of the archive: nothing is read, told or deleted there."""
    secret = tmp_path / "secret"
    secret.write_bytes(b"kept")
    (tmp_path / "archive" / "main").mkdir(parents=True, exist_ok=True)
    (tmp_path / "archive" / "secret").write_bytes(b"kept")

    with pytest.raises(InvalidInput, match="64"):
        await archive.get(BodyRef(digest=digest, size=4, media_type="text/plain"))
    with pytest.raises(InvalidInput, match="64"):
        await archive.set_aside(digest)
    with pytest.raises(InvalidInput, match="64"):
        await archive.drop_aside(digest)
    assert None is await archive.touched(digest)
    assert b"kept" == secret.read_bytes() == (tmp_path / "archive" / "secret").read_bytes()
