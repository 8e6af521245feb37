"""A parser in the caller's own process: the same extraction without its limits."""

from scops.extractor.extraction import TEXT_CHARACTERS_MAX, extract, pack
from scops.extractor.ports import BodyFacts, PackedExtraction


class InlineParser:
    """Parses at once; a body that breaks the extraction breaks the test."""

    def __init__(self, *, text_characters_max: int = TEXT_CHARACTERS_MAX) -> None:
        self._text_characters_max = text_characters_max

    async def parse(self, body: bytes, facts: BodyFacts) -> PackedExtraction:
        return pack(extract(body, facts, text_characters_max=self._text_characters_max))
