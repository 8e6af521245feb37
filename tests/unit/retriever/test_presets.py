"""Presets of how many passages an answer may rest on, and how like the question each must be."""

import pytest

from scops.libraries.embedder.calibration import calibration_of
from scops.libraries.embedder.models import E5
from scops.retriever.scoring.likeness import SENTENCES_MAX
from scops.retriever.scoring.recipes import PRESETS
from tests.fakes.worlds.retriever import Retrieving

FEE = "The annual harbour fee for a visiting sailing yacht is"
ASKED = f"{FEE} 10 euros"
# Cosines with what is asked: .965, .877, .566; those of owls are negative.
FEES = (
    f"{FEE} 10 euros.",
    f"{FEE} 20 euros.",
    "The annual harbour fee for a winter berth of a fishing boat depends on tonnage.",
)
OWLS = [f"Owls number {number} sleep by day." for number in range(14)]


@pytest.mark.parametrize(("recipe", "expected"), [("top2", 2), ("top3", 3), ("top5", 2)])
async def test_preset_returns_the_few_that_are_like_enough(
    world: Retrieving, recipe: str, expected: int
) -> None:
    """At most so many, and none that is less like the question than the preset asks."""
    await world.show("fees", *FEES)
    await world.show("owls", *OWLS)
    found = await world.ask(ASKED, recipe=recipe)

    assert recipe == found.recipe
    assert list(FEES[:expected]) == [one.text for one in found.evidence]


async def test_likeness_is_on_the_scale_that_embedders_share(world: Retrieving) -> None:
    """For a model whose unrelated texts have .78, .57 is nothing."""
    world.embedder.calibration = calibration_of(E5.name)
    await world.show("fees", *FEES)

    assert list(FEES[:2]) == await world.texts(ASKED, recipe="top3")


async def test_preset_cuts_by_meaning_whatever_words_say(world: Retrieving) -> None:
    """A passage that shares a rare word alone is left out, however it scores."""
    await world.show("fees", *FEES)
    await world.show("owls", "Yacht.", *OWLS)
    every = await world.texts(ASKED)
    found = await world.texts(ASKED, recipe="top3")

    assert list(FEES) == found
    assert "Yacht." in every


async def test_passage_is_as_like_as_its_best_sentence(world: Retrieving) -> None:
    """One that answers among others is left out by no preset; its score is that of the whole."""
    around = [f"Number {number} of owls sleeps in barns, towers and ruins." for number in range(5)]
    await world.show("long", " ".join((*around, FEES[0])))
    await world.show("owls", *OWLS)
    every = await world.ask(ASKED)
    found = await world.ask(ASKED, recipe="top5")

    assert "vector" == every.evidence[0].parts[1].name
    assert every.evidence[0].parts[1].raw < 0.6
    assert every.evidence[:1] == found.evidence


async def test_sentences_are_embedded_only_where_passages_are_not_like_enough(
    world: Retrieving,
) -> None:
    """And once: a question that is asked again needs none."""
    await world.show("fees", *FEES)
    await world.show("long", " ".join(OWLS))
    counts = []
    for recipe in ("default", "top2", "top2", "default"):
        before = len(world.embedder.texts)
        await world.ask(ASKED, recipe=recipe)
        counts.append(len(world.embedder.texts) - before)

    assert [1, 1 + 1 + SENTENCES_MAX, 1, 1] == counts


async def test_preset_that_is_full_misses_nothing(world: Retrieving) -> None:
    """Two of three that are good are what was asked for."""
    await world.show("fees", *FEES)
    await world.show("owls", *OWLS)

    assert "" == (await world.ask(ASKED, recipe="top2")).shortfall_reason


async def test_what_was_cut_is_counted_and_told(world: Retrieving) -> None:
    """By a code of its own, with how like it would have to be."""
    await world.show("fees", *FEES)
    await world.show("owls", *OWLS)
    found = await world.ask(ASKED, recipe="top5")
    (told,) = found.shortfall

    assert "others_less_alike" == told.code
    assert {"returned": "2", "limit": "5", "unlike": "15", "likeness_min": "0.6"} == {
        one.name: one.value for one in told.arguments
    }
    assert (
        "Only 2 of 5 passages: 15 more were found, but are less like the question than 0.6."
        == found.shortfall_reason
    )


@pytest.mark.parametrize("recipe", PRESETS)
async def test_preset_finds_nothing_where_nothing_is_alike(world: Retrieving, recipe: str) -> None:
    """No passage is better than the least bad one, and the reason is told."""
    await world.show("owls", *OWLS)
    found = await world.ask(FEE, recipe=recipe)

    assert () == found.evidence
    assert ["all_less_alike"] == [one.code for one in found.shortfall]


async def test_least_score_holds_for_a_preset_as_well(world: Retrieving) -> None:
    """What scores less is left out first."""
    await world.show("fees", *FEES)
    found = await world.ask(ASKED, recipe="top3", min_score=99.0)

    assert () == found.evidence
    assert ["all_score_less"] == [one.code for one in found.shortfall]
