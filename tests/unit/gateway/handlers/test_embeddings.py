"""Texts to embed: who may, and how many at once."""

from dataclasses import replace

import pytest

from scops.common.access.principal import ANONYMOUS
from scops.common.contract.errors import InvalidInput, NotAuthenticated, TransientError
from scops.common.contract.messages.retrieval import EmbedRequest, EmbedResponse
from scops.common.query.ports import EMBED
from scops.gateway.handlers.embeddings import (
    CHARACTERS_MAX,
    TEXTS_MAX,
    embed,
    embedder_id,
)
from tests.fakes.worlds.gateway import gateway_world

MODEL = "hashing-64/test"


async def test_the_most_text_fits_the_bus() -> None:
    """The longest input there may be, in characters of four bytes, and its vectors."""
    longest = ["🏔" * (CHARACTERS_MAX - TEXTS_MAX + 1), *["🏔"] * (TEXTS_MAX - 1)]
    vectors = EmbedResponse(vectors=b"\1" * TEXTS_MAX * 384 * 4, dimensions=384)
    async with gateway_world() as world:
        asked = world.says(EMBED, vectors)
        response = await embed(world.ports, world.call("ann"), texts=longest, embedder_id=MODEL)

    assert [EmbedRequest(texts=tuple(longest), embedder_id=MODEL)] == asked
    assert vectors == response


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ([], "INPUT_EMPTY"),
        (["a", ""], "INPUT_EMPTY"),
        (["a"] * (TEXTS_MAX + 1), "INPUT_TOO_LONG"),
        (["a" * (CHARACTERS_MAX + 1)], "INPUT_TOO_LONG"),
    ],
)
async def test_more_is_refused_before_anybody_is_asked(texts: list[str], reason: str) -> None:
    """The error names the field."""
    async with gateway_world() as world:
        asked = world.says(EMBED, EmbedResponse())
        with pytest.raises(InvalidInput) as raised:
            await embed(world.ports, world.call(), texts=texts, embedder_id=MODEL)

    assert [] == asked
    assert (reason, "input") == (raised.value.reason, raised.value.metadata["field"])


async def test_nobody_unknown_embeds() -> None:
    """Neither texts nor the embedder's name."""
    async with gateway_world() as world:
        asked = world.says(EMBED, EmbedResponse())
        call = world.call(ANONYMOUS)
        with pytest.raises(NotAuthenticated):
            await embed(world.ports, call, texts=["a"], embedder_id=MODEL)
        with pytest.raises(NotAuthenticated):
            await embedder_id(world.ports, call)

    assert [] == asked


async def test_the_embedder_is_asked_for_shortly() -> None:
    """Where no retriever is, a list does not wait for one."""
    async with gateway_world() as world:
        with pytest.raises(TransientError):
            await embedder_id(world.ports, world.call())
        world.says(EMBED, EmbedResponse(embedder_id=MODEL))
        soon = replace(world.call(), deadline=world.clock.now())

        assert MODEL == await embedder_id(world.ports, world.call())
        with pytest.raises(TransientError):
            await embedder_id(world.ports, soon)
