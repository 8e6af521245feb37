"""Texts of versions from the archive, the newest used kept in memory."""

from collections import OrderedDict

from scops.common import wire
from scops.common.archive import Archive
from scops.common.messages.change import Manifest
from scops.common.messages.content import Document
from scops.common.messages.types import BodyRef
from scops.explainer.ports import VersionText


class ArchiveTexts:
    """Reads manifest, text and document; blobs are immutable, so a cached text is never stale.

    Args:
        size: texts kept.
    """

    def __init__(self, archive: Archive, *, size: int) -> None:
        self._archive = archive
        self._size = size
        self._cached: OrderedDict[str, VersionText] = OrderedDict()

    async def get(self, manifest_digest: str) -> VersionText:
        if manifest_digest in self._cached:
            self._cached.move_to_end(manifest_digest)
            return self._cached[manifest_digest]
        blob = await self._archive.get(BodyRef(digest=manifest_digest))
        manifest = wire.decode(Manifest, blob)
        text = (await self._archive.get(manifest.text)).decode()
        document = wire.decode(Document, await self._archive.get(manifest.document))
        loaded = VersionText(text, document.blocks)
        self._cached[manifest_digest] = loaded
        if len(self._cached) > self._size:
            self._cached.popitem(last=False)
        return loaded
