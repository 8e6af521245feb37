"""A parser in the caller's own process: the same extraction without its limits."""

from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.adapters.parse_task import packed
from scops.extractor.ports import PackedExtraction


class InlineParser:
    """Parses at once; a body that breaks the extraction breaks the test."""

    async def parse(self, body: bytes, fetched: PageFetched) -> PackedExtraction:
        return packed(body, fetched)
