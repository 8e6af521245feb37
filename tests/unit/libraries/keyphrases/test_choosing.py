"""Keyphrases by the embedder that Scops has."""

import pytest

from scops.common.config.settings import CommonSettings
from scops.libraries.embedder.opening import open_embedder
from scops.libraries.embedder.port import Embedder
from scops.libraries.keyphrases.choosing import keyphrases

TEXT = (
    "Ferries to Plover Island sail twice a day. The Heron tariff is a monthly season ticket for "
    "commuters on the ferry; season tickets for commuters are sold at the pier. It rained a lot."
)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return open_embedder(CommonSettings())


async def test_the_phrases_nearest_to_a_text_come_first(embedder: Embedder) -> None:
    found = await keyphrases(TEXT, embedder, limit=3, diversity=0.0)

    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert "rained" not in {one.text for one in found}
    assert all(one.text in TEXT for one in found)


async def test_diversity_keeps_out_what_says_the_same(embedder: Embedder) -> None:
    alike = await keyphrases(TEXT, embedder, limit=12, diversity=0.0)
    apart = await keyphrases(TEXT, embedder, limit=12, diversity=0.9)

    assert alike[0] == apart[0]
    assert {one.text for one in alike} == {one.text for one in apart}
    assert [one.text for one in alike] != [one.text for one in apart]


@pytest.mark.parametrize("text", ["", "the of", "!"])
async def test_a_text_without_phrases_has_none(embedder: Embedder, text: str) -> None:
    assert [] == await keyphrases(text, embedder)
