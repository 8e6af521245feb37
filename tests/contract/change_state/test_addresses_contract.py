"""The contract of the `Addresses` port: which pages have moved."""

import pytest

from scops.change_detector.adapters import sql_addresses
from scops.change_detector.ports import Addresses
from scops.common.contract.ids import PageId
from scops.common.db.database import Database
from tests.fakes.worlds.change import PAGE, at, database_world

OTHERS = tuple(PageId(f"00000000-0000-7000-8000-00000000001{number}") for number in range(3))
URLS = ("https://example.org/page", *(f"https://example.org/{number}" for number in range(3)))


@pytest.fixture
async def addresses(database: Database, monkeypatch: pytest.MonkeyPatch) -> Addresses:
    """Pages that moved at 0, 10, 10 and 20, the first once more at 15 and 30."""
    monkeypatch.setattr(sql_addresses, "RUNS_AT_ONCE", 2)
    world = database_world(database)
    await world.see("first", "The fee is 5 euros.", 0)
    for place, minutes in enumerate((10, 10, 20)):
        await world.see(
            f"other-{place}",
            "The fee is 5 euros.",
            minutes,
            page_id=OTHERS[place],
            url=URLS[place + 1],
        )
    for minutes in (15, 30):
        await world.see(f"again-{minutes}", f"The fee is {minutes} euros.", minutes)
    return world.ports.addresses


async def moved(addresses: Addresses, *, since: float, limit: int = 10) -> list[PageId]:
    found = await addresses.moved_since("main", at(since), limit=limit)
    return [one.page_id for one in found]


async def test_pages_that_moved_come_newest_first_and_once(addresses: Addresses) -> None:
    """However many runs one of them opened; those of one instant by their ids."""
    assert [PAGE, OTHERS[2], OTHERS[0], OTHERS[1]] == await moved(addresses, since=5)
    assert [PAGE, OTHERS[2]] == await moved(addresses, since=10)
    assert [] == await moved(addresses, since=30)
    assert () == await addresses.moved_since("other", at(0), limit=10)


@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_no_more_moved_pages_are_named_than_are_asked_for(
    addresses: Addresses, limit: int
) -> None:
    found = await moved(addresses, since=-1, limit=limit)

    assert [PAGE, OTHERS[2], OTHERS[0]][:limit] == found
