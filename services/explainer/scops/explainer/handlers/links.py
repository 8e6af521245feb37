"""Answers `RankLinks`."""

import asyncio

import numpy as np

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import (
    LinkGain,
    RankLinksRequest,
    RankLinksResponse,
)
from scops.explainer.links.gain import (
    OVERVIEWS,
    Meaning,
    Wanted,
    gains_of,
    said_by,
    terms_of,
    wanted_of,
)
from scops.explainer.ports import ExplainerPorts
from scops.libraries.embedder.port import Embedder

LINKS_MAX = 3000
# Embedded of them are those that say most of the question.
EMBEDDED_MAX = 240


async def rank_links(request: RankLinksRequest, ports: ExplainerPorts) -> RankLinksResponse:
    """Returns of each link how much its page is expected to help.

    Beyond `EMBEDDED_MAX` links, those that say least of the question count as saying nothing near
    it in meaning.

    Raises:
        InvalidInput: too many links are given.
    """
    if len(request.links) > LINKS_MAX:
        raise InvalidInput(
            f"rank_links is given {len(request.links)} links; it takes {LINKS_MAX}.",
            reason="TOO_MANY_LINKS",
        )
    if not request.links:
        return RankLinksResponse()
    return RankLinksResponse(links=await weighed(request, await ports.embedder()))


async def weighed(request: RankLinksRequest, embedder: Embedder) -> tuple[LinkGain, ...]:
    """Returns what speaks for each link of a request."""
    terms, wanted, by_words = await asyncio.to_thread(_by_words, request)
    order = sorted(range(len(by_words)), key=lambda place: -by_words[place].gain)
    meant = await _meaning(request, order[:EMBEDDED_MAX], embedder)
    return await asyncio.to_thread(gains_of, request.links, terms, wanted, meant)


def _by_words(
    request: RankLinksRequest,
) -> tuple[tuple[frozenset[str], ...], Wanted, tuple[LinkGain, ...]]:
    terms = tuple(terms_of(link) for link in request.links)
    wanted = wanted_of(request.query, request.missing_words, terms)
    return terms, wanted, gains_of(request.links, terms, wanted, {})


async def _meaning(
    request: RankLinksRequest, places: list[int], embedder: Embedder
) -> dict[int, Meaning]:
    """Returns how near some links are in meaning, by their places."""
    said = {place: said_by(request.links[place]) for place in places}
    # Links of navigation say the same on every page.
    texts = list(dict.fromkeys(said.values()))
    asked = np.asarray(await embedder.embed([request.query, *OVERVIEWS], as_queries=True))
    vectors = np.asarray(await embedder.embed(texts))
    cosines = vectors.astype(np.float64) @ asked.T.astype(np.float64)
    likenesses = np.clip(embedder.calibration.likenesses(cosines), 0.0, 1.0)
    near = {
        text: Meaning(question=question, overview=max(overviews))
        for text, (question, *overviews) in zip(texts, likenesses.tolist(), strict=True)
    }
    return {place: near[text] for place, text in said.items()}
