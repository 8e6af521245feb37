"""Answers `RankLinks`."""

import asyncio

import numpy as np

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import (
    LinkGain,
    RankLinksRequest,
    RankLinksResponse,
)
from scops.explainer.links.gain import gain_of, said_by, wanted_of
from scops.explainer.ports import ExplainerPorts

LINKS_MAX = 1500
# Embedded of them are those that say most of the question, and stand best.
EMBEDDED_MAX = 160


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
    by_words = await asyncio.to_thread(_gains, request, {})
    order = sorted(range(len(by_words)), key=lambda place: -by_words[place].gain)
    meant = await _meaning(request, order[:EMBEDDED_MAX], ports)
    return RankLinksResponse(links=await asyncio.to_thread(_gains, request, meant))


def _gains(request: RankLinksRequest, meant: dict[int, float]) -> tuple[LinkGain, ...]:
    wanted = wanted_of(request.query, request.missing_words)
    return tuple(
        gain_of(link, wanted, meaning=meant.get(place, 0.0))
        for place, link in enumerate(request.links)
    )


async def _meaning(
    request: RankLinksRequest, places: list[int], ports: ExplainerPorts
) -> dict[int, float]:
    """Returns how near each of some links is to the question, in [0, 1], by its place."""
    embedder = await ports.embedder()
    said = {place: said_by(request.links[place]) for place in places}
    # Links of navigation say the same on every page.
    texts = list(dict.fromkeys(said.values()))
    (asked,) = await embedder.embed([request.query], as_queries=True)
    vectors = np.asarray(await embedder.embed(texts), dtype=np.float64)
    cosines = vectors @ np.asarray(asked, dtype=np.float64)
    likenesses = np.clip(embedder.calibration.likenesses(cosines), 0.0, 1.0)
    near = dict(zip(texts, likenesses.tolist(), strict=True))
    return {place: near[text] for place, text in said.items()}
