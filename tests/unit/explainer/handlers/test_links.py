"""`RankLinks`: what links promise, by meaning for those that say most and by words for all."""

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import LinkSeen, RankLinksRequest
from scops.explainer.handlers.links import EMBEDDED_MAX, LINKS_MAX, rank_links
from tests.fakes.worlds.explainer import Explaining

QUESTION = "What is the yearly fee?"


def link(number: int, anchor: str) -> LinkSeen:
    return LinkSeen(url=f"https://docs.example.org/{number}", anchor_text=anchor)


async def test_a_gain_a_link_in_their_order() -> None:
    """The one that speaks of the question has the largest."""
    links = (link(1, "Owls"), link(2, "The yearly fee"), link(3, ""))
    found = await rank_links(
        RankLinksRequest(query=QUESTION, links=links), Explaining.create().ports
    )
    gains = [one.gain for one in found.links]

    assert 3 == len(gains)
    assert gains[1] == max(gains)
    assert found.links[1].meaning > found.links[0].meaning
    assert all(0.0 < gain < 1.0 for gain in gains)


async def test_of_many_links_those_that_say_most_are_embedded() -> None:
    """The others have no meaning, and what they say counts all the same."""
    world = Explaining.create()
    links = tuple(link(number, f"Page {number}") for number in range(EMBEDDED_MAX + 20))
    last = link(9999, "yearly fee")
    found = await rank_links(RankLinksRequest(query=QUESTION, links=(*links, last)), world.ports)

    assert found.links[-1].gain == max(one.gain for one in found.links)
    # Those beyond, but for the last, are as far from the question as can be.
    assert 20 <= sum(one.meaning == 0.0 for one in found.links)
    assert len(links) + 1 == len(found.links)


async def test_no_links_and_too_many() -> None:
    """Nothing is asked of the embedder for none."""
    ports = Explaining.create().ports

    assert () == (await rank_links(RankLinksRequest(query=QUESTION), ports)).links
    many = tuple(link(number, "a") for number in range(LINKS_MAX + 1))
    with pytest.raises(InvalidInput):
        await rank_links(RankLinksRequest(query=QUESTION, links=many), ports)
