"""What chunk objects are made of: texts from the archive, vectors and mentions read from them."""

from collections.abc import Mapping, Sequence

from scops.common.contract.ids import ChunkId, EmbeddingKey
from scops.indexer import metrics
from scops.indexer.objects.target import ChunkText, ListedChunk, chunk_text
from scops.indexer.ports import Ports
from scops.libraries.index.ports import FloatArray
from scops.libraries.mentions.keys import mentions_text
from scops.libraries.mentions.port import Mentions


async def chunk_texts(chunks: Sequence[ListedChunk], ports: Ports) -> list[ChunkText]:
    """Cuts chunks out of their versions' texts.

    Raises:
        BlobMissing: the archive lacks a text.
        InvalidInput: a text or a manifest is damaged.
    """
    embedder_id = await ports.vectors.embedder_id()
    clean_texts: dict[str, str] = {}
    for chunk in chunks:
        if chunk.text.digest not in clean_texts:
            data = await ports.archive.get(chunk.text)
            clean_texts[chunk.text.digest] = data.decode()
    return [
        chunk_text(chunk, clean_texts[chunk.text.digest], embedder_id=embedder_id)
        for chunk in chunks
    ]


async def chunk_vectors(
    texts: Sequence[ChunkText], *, urgent: bool, ports: Ports
) -> tuple[Mapping[EmbeddingKey, FloatArray], int]:
    """Returns the vectors of texts by their keys, and how many texts had to be embedded."""
    by_key = {text.embedding_key: text.embedded_text for text in texts}
    cached = await ports.rows.vectors(list(by_key), now=ports.clock.now())
    missing = [key for key in by_key if key not in cached]
    metrics.CACHED.inc(len(cached))
    if not missing:
        return cached, 0
    computed = await ports.vectors.embed([by_key[key] for key in missing], urgent=urgent)
    fresh = dict(zip(missing, computed, strict=True))
    await ports.rows.keep_vectors(fresh, now=ports.clock.now())
    return {**cached, **fresh}, len(missing)


async def chunk_mentions(texts: Sequence[ChunkText], ports: Ports) -> Mapping[ChunkId, Mentions]:
    """Returns what chunks mention, and counts who read them."""
    found = await ports.mentions.read([mentions_text(text.header, text.text) for text in texts])
    for mentions in found:
        meant = mentions.extractor_id == ports.mentions.extractor_id
        metrics.MENTIONED.labels("read" if meant else "fallback").inc()
    return {text.chunk_id: mentions for text, mentions in zip(texts, found, strict=True)}
