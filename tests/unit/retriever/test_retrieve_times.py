"""Questions that name a time: how many passages are looked at, and which come first."""

import pytest

from scops.retriever.time.event_times import CARRIED
from tests.fakes.worlds.retriever import Retrieving


async def test_question_with_a_time_ranks_the_text_of_that_time_first(world: Retrieving) -> None:
    """Two texts differ by their years alone."""
    await world.show("a", "From 2001 to 2004 Ann Ott led the club.")
    await world.show("b", "From 2005 to 2009 Bea Orr led the club.")
    response = await world.ask("Who led the club in 2007?")

    assert "From 2005 to 2009 Bea Orr led the club." == response.evidence[0].text
    parts = {part.name: part.weighted for part in response.evidence[0].parts}
    assert {"sentence", "time", "page", "length"} < parts.keys()
    assert response.evidence[0].score == pytest.approx(sum(parts.values()))
    assert ("Passages that speak of 2007-01-01 to 2007-12-31 rank higher.",) == response.notes


async def test_page_about_the_question_lifts_its_passages(world: Retrieving) -> None:
    """Two passages fit alike; one stands on a page that speaks of what is asked."""
    await world.show("a", "The Owl Club was founded in Graz.", "Ann Ott led it in 2007.")
    await world.show("b", "Trains leave at noon.", "Bea Orr led it in 2007.")
    response = await world.ask("Who led the Owl Club in 2007?", as_chunks=True)
    pages = {
        one.text: next(part.weighted for part in one.parts if part.name == "page")
        for one in response.evidence
    }

    assert 0.0 == pages["Ann Ott led it in 2007."] > pages["Bea Orr led it in 2007."]


async def test_heading_shows_the_time_of_the_passage_under_it(world: Retrieving) -> None:
    """Which passage that is, the manifest of the page tells."""
    await world.show("a", "Owl Club leaders.", "In 2007 Ann Ott led the club.")
    response = await world.ask("Who led the Owl Club in 2007?", as_chunks=True)
    heading = next(one for one in response.evidence if one.text == "Owl Club leaders.")

    assert heading.time_match is not None
    assert "2007-01-01" == heading.time_match.named_from
    assert CARRIED == pytest.approx(heading.time_match.confidence)


async def test_times_that_exclude_each_other_are_said_so(world: Retrieving) -> None:
    """The question is answered without them, and nobody is left to wonder."""
    await world.show("a", "Ann Ott led the club.")
    response = await world.ask("Who led the club before 1990 after 2005?")

    assert 1 == len(response.evidence)
    assert "exclude each other" in response.notes[0]


async def test_question_with_a_time_looks_at_more() -> None:
    """Its ranking is not the store's, so the store's first are not enough."""
    world = await Retrieving.create(candidates=10)
    for number in range(45):
        await world.show(f"blog/{number}", f"In {1980 + number} the club had {number} members.")

    assert 10 == (await world.ask("how many members had the club")).candidates
    assert 40 == (await world.ask("how many members had the club in 1999")).candidates
