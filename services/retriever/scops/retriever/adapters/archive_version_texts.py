"""Clean texts of versions from the archive, the latest used kept in memory."""

from scops.common.archive.ports import Archive
from scops.common.contract.messages.types import BodyRef
from scops.common.runtime.sized_cache import SizedCache

TEXT_BYTES_MAX = 16 * 1024 * 1024


class ArchiveVersionTexts:
    """Implements `TextReader`; a digest names its bytes, so a kept text is never stale."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._kept: SizedCache[str, str] = SizedCache(TEXT_BYTES_MAX)

    async def get(self, ref: BodyRef) -> str:
        text = self._kept.get(ref.digest)
        if text is None:
            data = await self._archive.get(ref)
            text = data.decode()
            self._kept.keep(ref.digest, text, size=len(data))
        return text
