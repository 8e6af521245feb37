"""What a passage shows of the time asked for."""

import pytest

from scops.common.contract.messages.retrieval import TimeMatch
from tests.fakes.worlds.retriever import Retrieving

PASSAGE = "The club is old. Ann Ott led the club from 1990 to 1994. She was tall."


async def _match(world: Retrieving, text: str, query: str) -> TimeMatch | None:
    await world.show("a", text)
    return (await world.ask(query)).evidence[0].time_match


async def test_passage_names_the_sentence_and_the_days_it_speaks_of(world: Retrieving) -> None:
    """The offsets are those of the version's text."""
    match = await _match(world, PASSAGE, "who led the club in March 1992?")

    assert match is not None
    assert ("in", "1992-03-01", "1992-03-31") == (match.relation, match.asked_from, match.asked_to)
    assert (True, "1990-01-01", "1994-12-31") == (match.dated, match.named_from, match.named_to)
    assert 1.0 == match.confidence
    assert "from 1990 to 1994" in PASSAGE[match.start : match.end]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("who led it before 1990", ("before", "", "1989-12-31")),
        ("who led it after 1990", ("after", "1990-01-01", "")),
        ("who led it between 1990 and 1991", ("between", "1990-01-01", "1991-12-31")),
    ],
)
async def test_open_end_of_what_is_asked_is_empty(
    world: Retrieving, query: str, expected: tuple[str, str, str]
) -> None:
    """Nobody named a last day."""
    match = await _match(world, PASSAGE, query)

    assert match is not None
    assert expected == (match.relation, match.asked_from, match.asked_to)


async def test_time_of_the_sentence_before_is_less_sure(world: Retrieving) -> None:
    """It is carried over, and says so by its confidence."""
    text = "Ann Ott came in 1992. She led the club well and she was liked by all of them."
    match = await _match(world, text, "who led the club well, liked by all, in 1992?")

    assert match is not None
    assert match.dated
    assert "1992-01-01" == match.named_from


async def test_passage_without_a_time_says_so(world: Retrieving) -> None:
    """What is asked is told all the same."""
    match = await _match(world, "Ann Ott led the club for many a year.", "who led it in 1992?")

    assert match is not None
    assert (False, "", 0.0) == (match.dated, match.named_from, match.confidence)


async def test_question_without_a_time_matches_none(world: Retrieving) -> None:
    """The common case costs nothing."""
    assert await _match(world, PASSAGE, "who led the club?") is None
