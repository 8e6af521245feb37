"""Manifests are read once and kept within a bound."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from scops.common.archive.opening import open_archive
from scops.common.archive.ports import Archive
from scops.common.contract import wire
from scops.common.contract.errors import BlobMissing, InvalidInput
from scops.common.contract.ids import VersionId
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.types import BodyRef, ChangeSummary, OrderKey
from scops.libraries.index.manifest_reader import ManifestReader


@dataclass
class CountingArchive:
    """An archive that remembers what was read."""

    archive: Archive = field(default_factory=lambda: open_archive("memory://", "main"))
    read: list[str] = field(default_factory=list)

    async def put(self, data: bytes, *, media_type: str, charset: str = "") -> BodyRef:
        return await self.archive.put(data, media_type=media_type, charset=charset)

    async def get(self, ref: BodyRef) -> bytes:
        self.read.append(ref.digest)
        return await self.archive.get(ref)


async def _manifests(archive: CountingArchive, count: int) -> Sequence[BodyRef]:
    return [
        await archive.put(
            wire.encode(
                Manifest(
                    version_id=VersionId(f"v{number}"),
                    order_key=OrderKey(observed_from=datetime(2026, 1, 1, tzinfo=UTC)),
                    text=BodyRef(),
                    document=BodyRef(),
                    summary=ChangeSummary(),
                )
            ),
            media_type="m",
        )
        for number in range(count)
    ]


async def test_manifest_is_read_once() -> None:
    """A digest names its bytes: the second look-up asks nobody."""
    archive = CountingArchive()
    (ref,) = await _manifests(archive, 1)
    reader = ManifestReader(archive)

    assert ["v0", "v0"] == [(await reader.get(ref)).version_id for _ in range(2)]
    assert [ref.digest] == archive.read


async def test_longest_unused_goes_first() -> None:
    """Above the bound the least recently used manifests are dropped."""
    archive = CountingArchive()
    refs = await _manifests(archive, 3)
    reader = ManifestReader(archive, bytes_max=2 * refs[0].size)
    for number in (0, 1, 0, 2):
        await reader.get(refs[number])
    archive.read.clear()
    for number in (0, 2, 1):
        await reader.get(refs[number])

    assert [refs[1].digest] == archive.read


async def test_missing_and_damaged_blobs_are_errors() -> None:
    """What is not there, or is no manifest, is said and not kept."""
    archive = CountingArchive()
    reader = ManifestReader(archive)
    damaged = await archive.put(b"\xff\xff", media_type="m")

    with pytest.raises(BlobMissing):
        await reader.get(BodyRef(digest="0" * 64))
    for _ in range(2):
        with pytest.raises(InvalidInput):
            await reader.get(damaged)
