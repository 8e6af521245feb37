"""The chunker: sizes, tokenizer and shingles bound together, with the name that versions carry."""

from dataclasses import dataclass, replace

from scops.change_detector.chunking.chunks import Chunk, ChunkSizes, chunk_text, header_room
from scops.change_detector.chunking.fingerprints import SHINGLE_UNIT, fingerprint
from scops.change_detector.chunking.token_counts import CountTokens
from scops.change_detector.templates.blocks import NO_MASK, TemplateMask
from scops.common.contract import ids
from scops.common.contract.ids import EmbeddingKey, PageId, embedded_text
from scops.common.contract.messages.content import Document
from scops.common.text.sentences import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What the extractor read out of a page: its text, and the blocks over it."""

    text: str
    document: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunker:
    """Cuts bodies into chunks and derives what hangs on a chunk's text."""

    sizes: ChunkSizes
    embedder_id: str
    embedder_tokens_max: int
    count_tokens: CountTokens
    mask: TemplateMask = NO_MASK

    def masked(self, mask: TemplateMask) -> "Chunker":
        """Returns the chunker that leaves out what a host repeats."""
        return self if mask is self.mask else replace(self, mask=mask)

    @property
    def version(self) -> str:
        """Differs when a text could be cut or fingerprinted otherwise."""
        room = header_room(self.sizes, embedder_tokens_max=self.embedder_tokens_max)
        return f"{self.sizes.version()}/{room}/{SHINGLE_UNIT}"

    @property
    def chunking(self) -> str:
        """Differs when a manifest of the same body could: chunker and embedder."""
        return f"{self.version}@{self.embedder_id}"

    def cut(self, page_id: PageId, body: Body) -> tuple[Chunk, ...]:
        """Returns the chunks of a body in reading order, without what its host repeats."""
        left_out = self._left_out(page_id, body)
        return chunk_text(
            page_id,
            body.text,
            body.document,
            self.count_tokens,
            self.sizes,
            header_tokens_max=header_room(self.sizes, embedder_tokens_max=self.embedder_tokens_max),
            left_out=left_out,
        )

    def left_out(self, page_id: PageId, body: Body) -> tuple[Span, ...]:
        """Returns the spans of the blocks that no chunk holds."""
        blocks = body.document.blocks
        places = sorted(self._left_out(page_id, body))
        return tuple((blocks[place].start, blocks[place].end) for place in places)

    def repeated(self, body: Body) -> tuple[Span, ...]:
        """Returns the spans of the blocks that are the host's, whether left out or not."""
        return self.mask.repeated(body.text, body.document.blocks)

    def _left_out(self, page_id: PageId, body: Body) -> frozenset[int]:
        return self.mask.left_out(page_id, body.text, body.document.blocks)

    def fingerprint(self, text: str) -> int:
        """Returns the SimHash of a chunk's text."""
        return fingerprint(text)

    def embedding_key(self, chunk: Chunk) -> EmbeddingKey:
        """Returns the key of the vector of a chunk."""
        return ids.embedding_key(self.embedder_id, embedded_text(chunk.header, chunk.text))
