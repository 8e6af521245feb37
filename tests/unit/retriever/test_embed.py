"""Texts of callers as vectors."""

import numpy as np
import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.retrieval import EmbedRequest
from scops.retriever.handlers import EMBED_TEXTS, embed
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
