"""Clean texts of versions from the archive, the latest used kept in memory."""

from collections import OrderedDict

from scops.common.archive.ports import Archive
from scops.common.contract.messages.types import BodyRef

TEXT_BYTES_MAX = 16 * 1024 * 1024


class VersionTexts:
    """A cache that never goes stale: a digest names its bytes.

    Args:
        bytes_max: encoded size of the texts kept.
    """

    def __init__(self, archive: Archive, *, bytes_max: int = TEXT_BYTES_MAX) -> None:
        self._archive = archive
        self._bytes_max = bytes_max
        self._bytes = 0
        self._kept: OrderedDict[str, tuple[int, str]] = OrderedDict()

    async def get(self, ref: BodyRef) -> str:
        """Returns a version's clean text.

        Raises:
            BlobMissing: the archive has no such blob.
            StoreUnavailable: the archive does not answer.
        """
        kept = self._kept.get(ref.digest)
        if kept is not None:
            self._kept.move_to_end(ref.digest)
            return kept[1]
        data = await self._archive.get(ref)
        text = data.decode()
        if len(data) <= self._bytes_max and ref.digest not in self._kept:
            self._kept[ref.digest] = (len(data), text)
            self._bytes += len(data)
        while self._bytes > self._bytes_max:
            _, (dropped, _) = self._kept.popitem(last=False)
            self._bytes -= dropped
        return text
