"""Presets of how many passages an answer may rest on, and how good each must be."""

import pytest

from tests.fakes.worlds.retriever import Retrieving

FEE = "The annual harbour fee for a visiting sailing yacht is"
OWLS = [f"Owls number {number} sleep by day." for number in range(14)]


# The first passage is relevant with a probability of .68, two more with .55, owls with next to 0.
@pytest.mark.parametrize(("recipe", "expected"), [("top2", 2), ("top3", 3), ("top5", 1)])
async def test_preset_returns_the_few_that_are_good_enough(
    world: Retrieving, recipe: str, expected: int
) -> None:
    """At most so many, and none that is less probably relevant than the preset asks."""
    await world.show("fees", *(f"{FEE} {number} euros." for number in (10, 20, 30)))
    await world.show("owls", *OWLS)
    every = await world.ask(f"{FEE} 10 euros")
    found = await world.ask(f"{FEE} 10 euros", recipe=recipe)

    assert recipe == found.recipe
    assert [one.text for one in every.evidence[:expected]] == [one.text for one in found.evidence]


async def test_preset_that_is_full_misses_nothing(world: Retrieving) -> None:
    """Two of three that are good are what was asked for."""
    await world.show("fees", *(f"{FEE} {number} euros." for number in (10, 20, 30)))
    await world.show("owls", *OWLS)

    assert "" == (await world.ask(f"{FEE} 10 euros", recipe="top2")).shortfall_reason


async def test_preset_finds_nothing_where_nothing_is_relevant(world: Retrieving) -> None:
    """No passage is better than the least bad one, and the reason is told."""
    await world.show("owls", *OWLS)
    found = await world.ask(FEE, recipe="top2")

    assert () == found.evidence
    assert "14 were found and ranked, but score less than 2.24477" in found.shortfall_reason
