"""Texts of versions from the archive, the latest used kept in memory."""

from scops.common.archive.ports import Archive
from scops.common.config.settings import MEBIBYTE
from scops.common.contract.long_messages import decode_in_turns
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.content import Document
from scops.common.contract.messages.explanation import TextProvenance
from scops.common.contract.messages.types import BodyRef
from scops.common.runtime.sized_cache import SizedCache
from scops.explainer.ports import VersionText

TEXTS_BYTES_MAX = 32 * MEBIBYTE


class ArchiveTexts:
    """Reads manifest, text and document; blobs are immutable, so a kept text is never stale.

    Args:
        bytes_max: encoded size of the texts and documents kept; the values take some times more.
    """

    def __init__(self, archive: Archive, *, bytes_max: int = TEXTS_BYTES_MAX) -> None:
        self._archive = archive
        self._kept: SizedCache[str, VersionText] = SizedCache(bytes_max)

    async def get(self, manifest_digest: str) -> VersionText:
        kept = self._kept.get(manifest_digest)
        if kept is not None:
            return kept
        blob = await self._archive.get(BodyRef(digest=manifest_digest))
        manifest = await decode_in_turns(Manifest, blob, "chunks", "left_out")
        text = await self._archive.get(manifest.text)
        encoded = await self._archive.get(manifest.document)
        document = await decode_in_turns(Document, encoded, "blocks")
        provenance = TextProvenance(
            extractor=document.extractor, flags=document.flags, stated=manifest.stated
        )
        version = VersionText(text.decode(), document.blocks, provenance, document.language)
        self._kept.keep(manifest_digest, version, size=len(text) + len(encoded))
        return version
