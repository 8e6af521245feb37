"""The texts of chunks, cut out of the texts of versions as manifests list them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scops.common.contract import ids
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ChunkId, EmbeddingKey
from scops.common.contract.messages.change import Manifest, ManifestChunk
from scops.common.runtime.text_turns import in_turns
from scops.indexer.ports import IndexerPorts

# A chunk of a manifest, and the manifest that describes it.
ListedChunk = tuple[ManifestChunk, Manifest]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkText:
    """What a chunk object is made of, beside its vector."""

    chunk_id: ChunkId
    header: str
    text: str
    embedding_key: EmbeddingKey
    simhash: int

    @property
    def embedded_text(self) -> str:
        """The string that its vector is of."""
        return ids.embedded_text(self.header, self.text)

    def characters(self) -> int:
        """How long it is."""
        return len(self.text)


def listed_chunks(manifests: Sequence[Manifest]) -> dict[ChunkId, ListedChunk]:
    """Returns the chunks of some versions, each once, as the first that lists it describes it."""
    listed: dict[ChunkId, ListedChunk] = {}
    for manifest in manifests:
        for chunk in manifest.chunks:
            listed.setdefault(chunk.chunk_id, (chunk, manifest))
    return listed


async def chunk_texts(listed: Sequence[ListedChunk], ports: IndexerPorts) -> list[ChunkText]:
    """Cuts chunks out of their versions' texts.

    Raises:
        BlobMissing: the archive lacks a text.
        InvalidInput: a text or a manifest is damaged.
    """
    embedder_id = await ports.vectors.embedder_id()
    refs = {manifest.text.digest: manifest.text for _, manifest in listed}
    texts = {digest: (await ports.archive.get(ref)).decode() for digest, ref in refs.items()}
    return [
        _cut(chunk, manifest, texts, embedder_id)
        async for chunk, manifest in in_turns(listed, _characters)
    ]


def _characters(listed: ListedChunk) -> int:
    return listed[0].end - listed[0].start


def _cut(
    chunk: ManifestChunk, manifest: Manifest, texts: Mapping[str, str], embedder_id: str
) -> ChunkText:
    """Cuts out one chunk; where its manifest is of another embedder, it gets our own key."""
    text = texts[manifest.text.digest][chunk.start : chunk.end]
    key = ids.embedding_key(embedder_id, ids.embedded_text(chunk.header, text))
    if manifest.embedder_id == embedder_id and chunk.embedding_key != key:
        raise InvalidInput(
            f"The manifest lists chunk {chunk.chunk_id} with embedding key "
            f"{chunk.embedding_key}, but its header and text have {key}. The text or the "
            "manifest is damaged; extract the page again.",
            reason="EMBEDDING_KEY_MISMATCH",
            chunk_id=chunk.chunk_id,
        )
    return ChunkText(
        chunk_id=chunk.chunk_id,
        header=chunk.header,
        text=text,
        embedding_key=key,
        simhash=chunk.simhash,
    )
