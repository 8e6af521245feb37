"""What a version says: whole, by section, in parts, and as it stood on a day."""

import pytest

from scops.change_detector.handlers.queries import TEXT_CHARACTERS_MAX, answer_read_version
from scops.common.contract.errors import InvalidInput, NotFound
from scops.common.contract.messages.change import ReadVersionRequest, ReadVersionResponse
from tests.fakes.worlds.change import PAGE, ChangeWorld, at

FEES = "# Fees\nThe fee is 5 euros.\n# Refunds\nThirty days.\n# Contact\nPay at the desk."


async def read(world: ChangeWorld, **wanted: object) -> ReadVersionResponse:
    return await answer_read_version(ReadVersionRequest(page_id=PAGE, **wanted), world.ports)  # type: ignore[arg-type]


async def test_the_latest_version_is_read_whole(world: ChangeWorld) -> None:
    """With its clocks, and where its sections lie."""
    await world.see("one", FEES, 0)
    newest = await world.see("two", FEES.replace("5", "6"), 10)
    await world.unmodified("three", "two", 12)
    found = await read(world)

    assert newest.verdict.version_id == found.version_id
    assert "The fee is 6 euros." in found.text
    assert (0, len(found.text), len(found.text)) == (found.start, found.end, found.wanted_end)
    assert (at(10), None, at(12)) == (
        found.order_key.observed_from,
        found.observed_to,
        found.last_verified_time,
    )
    # The headings of these pages begin with a sign that is not of their names.
    below = [one.path[-1] for one in found.sections if not one.path[-1].startswith("#")]
    assert ["Fees", "Refunds", "Contact"] == below
    assert len(found.text) == found.sections[-1].end


@pytest.mark.parametrize("name", [("Refunds",), ("  refunds ",)])
async def test_a_section_is_read_by_its_heading(world: ChangeWorld, name: tuple[str, ...]) -> None:
    """However its letters are cased; nothing of its neighbours comes with it."""
    await world.see("one", FEES, 0)
    found = await read(world, section=name)

    assert "Thirty days." in found.text
    assert "euros" not in found.text
    assert "desk" not in found.text
    assert found.wanted_end == found.end


async def test_a_missing_section_says_which_there_are(world: ChangeWorld) -> None:
    """By name."""
    await world.see("one", FEES, 0)
    with pytest.raises(NotFound, match=r"Fees; .*Refunds; .*Contact") as raised:
        await read(world, section=("Prices",))

    assert "SECTION_NOT_FOUND" == raised.value.reason


async def test_a_long_text_is_read_in_parts(world: ChangeWorld) -> None:
    """Each goes on where the one before ended; together they are the text."""
    await world.see("one", FEES, 0)
    whole = (await read(world)).text
    parts, start = [], 0
    while start < len(whole):
        part = await read(world, start=start, character_limit=20)
        parts.append(part.text)
        assert len(whole) == part.wanted_end
        start = part.end

    assert whole == "".join(parts)
    assert "" == (await read(world, start=len(whole) + 5)).text


async def test_a_part_is_bounded_whatever_is_asked(world: ChangeWorld) -> None:
    """A reply fits the bus."""
    await world.see("one", "word " * TEXT_CHARACTERS_MAX, 0)

    assert TEXT_CHARACTERS_MAX == len((await read(world, character_limit=2**31 - 1)).text)


async def test_a_page_is_read_as_it_stood(world: ChangeWorld) -> None:
    """At the instant that it was first seen, in between, and not before, nor while it was gone."""
    old = await world.see("one", FEES, 2)
    new = await world.see("two", FEES.replace("5", "6"), 10)
    await world.gone("three", 20)
    versions = [(await read(world, as_of_time=at(minute))).version_id for minute in (2, 9, 10, 19)]

    assert [old.verdict.version_id] * 2 + [new.verdict.version_id] * 2 == versions
    for minute in (1, 20, 25):
        with pytest.raises(NotFound) as raised:
            await read(world, as_of_time=at(minute))
        assert "NO_VERSION_THEN" == raised.value.reason


async def test_a_version_is_named_once(world: ChangeWorld) -> None:
    """By itself or by a time."""
    await world.see("one", FEES, 0)
    with pytest.raises(InvalidInput, match="name one of them"):
        await read(world, version="latest", as_of_time=at(1))
    with pytest.raises(NotFound, match="no version nothing"):
        await read(world, version="nothing")
