"""The chunker: sizes, tokenizer and shingles bound together, with the name that versions carry."""

from dataclasses import dataclass

from scops.change_detector.chunking import Chunk, ChunkSizes, chunk_text, header_room
from scops.change_detector.simhash import ShingleUnit, fingerprint
from scops.change_detector.token_counts import CountTokens
from scops.common import ids
from scops.common.ids import EmbeddingKey, PageId
from scops.common.index.embedded_text import embedded_text
from scops.common.messages.content import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What the extractor read out of a page: its text, and the blocks over it."""

    text: str
    document: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunker:
    """Cuts bodies into chunks and derives what hangs on a chunk's text."""

    sizes: ChunkSizes
    shingle_unit: ShingleUnit
    embedder_id: str
    embedder_tokens_max: int
    count_tokens: CountTokens

    @property
    def version(self) -> str:
        """Differs when a text could be cut or fingerprinted otherwise."""
        room = header_room(self.sizes, embedder_tokens_max=self.embedder_tokens_max)
        return f"{self.sizes.version()}/{room}/{self.shingle_unit}"

    @property
    def chunking(self) -> str:
        """Differs when a manifest of the same body could: chunker and embedder."""
        return f"{self.version}@{self.embedder_id}"

    def cut(self, page_id: PageId, body: Body) -> tuple[Chunk, ...]:
        """Returns the chunks of a body in reading order."""
        return chunk_text(
            page_id,
            body.text,
            body.document,
            self.count_tokens,
            self.sizes,
            header_tokens_max=header_room(self.sizes, embedder_tokens_max=self.embedder_tokens_max),
        )

    def fingerprint(self, text: str) -> int:
        """Returns the SimHash of a chunk's text."""
        return fingerprint(text, self.shingle_unit)

    def embedding_key(self, chunk: Chunk) -> EmbeddingKey:
        """Returns the key of the vector of a chunk."""
        return ids.embedding_key(self.embedder_id, embedded_text(chunk.header, chunk.text))
