"""VersionTextReader of versions from the archive, the latest used kept in memory."""

from collections import OrderedDict

from scops.common.archive.ports import Archive
from scops.common.contract import wire
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.content import Document
from scops.common.contract.messages.explanation import TextProvenance
from scops.common.contract.messages.types import BodyRef
from scops.explainer.ports import VersionText


class ArchiveTexts:
    """Reads manifest, text and document; blobs are immutable, so a kept text is never stale.

    Args:
        bytes_max: encoded size of the texts and documents kept; the values take some times more.
    """

    def __init__(self, archive: Archive, *, bytes_max: int) -> None:
        self._archive = archive
        self._bytes_max = bytes_max
        self._bytes = 0
        self._kept: OrderedDict[str, tuple[int, VersionText]] = OrderedDict()

    async def get(self, manifest_digest: str) -> VersionText:
        kept = self._kept.get(manifest_digest)
        if kept is not None:
            self._kept.move_to_end(manifest_digest)
            return kept[1]
        blob = await self._archive.get(BodyRef(digest=manifest_digest))
        manifest = wire.decode(Manifest, blob)
        text = await self._archive.get(manifest.text)
        document = await self._archive.get(manifest.document)
        read = wire.decode(Document, document)
        extraction = TextProvenance(
            extractor=read.extractor, flags=read.flags, stated=manifest.stated
        )
        loaded = VersionText(text.decode(), read.blocks, extraction)
        self._keep(manifest_digest, len(text) + len(document), loaded)
        return loaded

    def _keep(self, manifest_digest: str, size: int, text: VersionText) -> None:
        if manifest_digest in self._kept:
            return
        self._kept[manifest_digest] = (size, text)
        self._bytes += size
        while self._bytes > self._bytes_max and len(self._kept) > 1:
            _, (dropped, _) = self._kept.popitem(last=False)
            self._bytes -= dropped
