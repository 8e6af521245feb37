"""Reads manifests from the archive and keeps the latest used in memory, by digest."""

from collections import OrderedDict

from scops.common.archive.ports import Archive
from scops.common.contract.long_messages import decode_in_turns
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.types import BodyRef

MANIFEST_BYTES_MAX = 16 * 1024 * 1024


class ManifestReader:
    """A cache that never goes stale: a digest names its bytes.

    Args:
        bytes_max: encoded size of the manifests kept; as values they take five times that.
    """

    def __init__(self, archive: Archive, *, bytes_max: int = MANIFEST_BYTES_MAX) -> None:
        self._archive = archive
        self._bytes_max = bytes_max
        self._bytes = 0
        self._kept: OrderedDict[str, tuple[int, Manifest]] = OrderedDict()

    async def get(self, ref: BodyRef) -> Manifest:
        """Returns a manifest.

        Raises:
            BlobMissing: the archive has no such blob.
            InvalidInput: the blob is no manifest.
            StoreUnavailable: the archive does not answer.
        """
        kept = self._kept.get(ref.digest)
        if kept is not None:
            self._kept.move_to_end(ref.digest)
            return kept[1]
        data = await self._archive.get(ref)
        manifest = await decode_in_turns(Manifest, data, "chunks", "left_out")
        self._keep(ref.digest, len(data), manifest)
        return manifest

    def _keep(self, digest: str, size: int, manifest: Manifest) -> None:
        if digest in self._kept:
            return
        self._kept[digest] = (size, manifest)
        self._bytes += size
        while self._bytes > self._bytes_max and len(self._kept) > 1:
            _, (dropped, _) = self._kept.popitem(last=False)
            self._bytes -= dropped
