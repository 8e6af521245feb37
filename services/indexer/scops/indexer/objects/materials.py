"""What chunks are known by beside their texts: vectors, mentions and wordings made of these."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from scops.common.contract.ids import ChunkId, EmbeddingKey
from scops.common.processes.compute import compute_in_batches
from scops.indexer import metrics
from scops.indexer.objects.chunk_texts import ChunkText
from scops.indexer.ports import IndexerPorts
from scops.libraries.index.ports import FloatArray
from scops.libraries.index.wording import Wording, wordings_of
from scops.libraries.mentions.keys import mentions_text
from scops.libraries.mentions.port import Mentions

NOTHING_HELD: Mapping[EmbeddingKey, FloatArray] = MappingProxyType({})


async def chunk_vectors(
    texts: Sequence[ChunkText],
    *,
    urgent: bool,
    ports: IndexerPorts,
    held: Mapping[EmbeddingKey, FloatArray] = NOTHING_HELD,
) -> tuple[Mapping[EmbeddingKey, FloatArray], int]:
    """Returns the vectors of texts by their keys, and how many texts had to be embedded.

    Args:
        urgent: a person waits; do not queue behind the texts of crawls.
        held: vectors from elsewhere, by their keys, for texts that no cached one is known of.

    Returns:
        Vectors of shape (dimensions,), unit length; and the number of embedded texts.
    """
    by_key = {text.embedding_key: text.embedded_text for text in texts}
    cached = await ports.rows.vectors(list(by_key), now=ports.clock.now())
    known = {key: held[key] for key in by_key if key in held} | dict(cached)
    missing = [key for key in by_key if key not in known]
    metrics.CACHED.inc(len(cached))
    if not missing:
        return known, 0
    computed = await ports.vectors.embed([by_key[key] for key in missing], urgent=urgent)
    fresh = dict(zip(missing, computed, strict=True))
    await ports.rows.keep_vectors(fresh, now=ports.clock.now())
    return {**known, **fresh}, len(missing)


async def chunk_mentions(
    texts: Sequence[ChunkText], ports: IndexerPorts
) -> Mapping[ChunkId, Mentions]:
    """Returns what chunks mention, and counts who read them."""
    found = await ports.mentions.read([mentions_text(text.header, text.text) for text in texts])
    for mentions in found:
        meant = mentions.extractor_id == ports.mentions.extractor_id
        metrics.MENTIONED.labels("read" if meant else "fallback").inc()
    return {text.chunk_id: mentions for text, mentions in zip(texts, found, strict=True)}


async def chunk_wordings(
    texts: Sequence[ChunkText], ports: IndexerPorts
) -> Mapping[ChunkId, Wording]:
    """Returns the wording of each chunk."""
    pairs = [(text.text, text.simhash) for text in texts]
    made = await compute_in_batches(
        ports.compute, wordings_of, pairs, characters=lambda pair: len(pair[0])
    )
    return {text.chunk_id: one for text, one in zip(texts, made, strict=True)}
