"""Texts of callers as vectors."""

import numpy as np
import pytest

from scops.common.contract import ids
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ChunkId
from scops.common.contract.messages.retrieval import EmbedRequest, VectorsRequest
from scops.retriever.handlers import EMBED_TEXTS, embed, vectors
from tests.fakes.worlds.retriever import Retrieving

TEXTS = tuple(f"text number {number}" for number in range(2 * EMBED_TEXTS + 1))


async def test_each_text_has_its_vector(world: Retrieving) -> None:
    """In their order, however many; in parts, so that questions have their turn."""
    response = await embed(EmbedRequest(texts=TEXTS), world.ports)
    rows = np.frombuffer(response.vectors, "<f4").reshape(-1, response.dimensions)

    assert 3 == world.embedder.calls
    assert np.array_equal(await world.embedder.embed(TEXTS), rows)
    assert 3 * len(TEXTS) == response.tokens
    assert world.embedder.embedder_id == response.embedder_id


async def test_no_text_asks_for_the_embedder(world: Retrieving) -> None:
    """Nothing is embedded for it."""
    response = await embed(EmbedRequest(), world.ports)

    assert (b"", 64, "hashing-64/test") == (
        response.vectors,
        response.dimensions,
        response.embedder_id,
    )
    assert 0 == world.embedder.calls


async def test_another_embedder_is_refused(world: Retrieving) -> None:
    """Its vectors would be compared with others in vain."""
    with pytest.raises(InvalidInput, match="hashing-64/test") as raised:
        await embed(EmbedRequest(texts=TEXTS, embedder_id="other/fp32"), world.ports)

    assert "MODEL_UNKNOWN" == raised.value.reason
    assert 0 == world.embedder.calls


async def test_vectors_are_those_of_the_index(world: Retrieving) -> None:
    """Of chunks that are live; of others there are none."""
    page = await world.show("/a", "The lake is deep.", "The lake is cold.")
    (manifest,) = world.pages.manifests(page.url)
    texts = {
        one.chunk_id: ids.embedded_text(one.header, page.text[one.start : one.end])
        for one in manifest.chunks
    }
    asked = VectorsRequest(chunk_ids=(*texts, ChunkId("none")))
    found = {one.chunk_id: one.vector for one in (await vectors(asked, world.ports)).vectors}
    rows = await world.embedder.embed(list(texts.values()))

    assert dict(zip(texts, (row.astype("<f4").tobytes() for row in rows), strict=True)) == found
    assert 2 == len(found)
