"""Versions that retention lets go of: nothing of them is found, and nothing else is lost."""

import pytest

from scops.common.bus.ports import Cause
from scops.common.contract.ids import EventId
from scops.common.contract.messages.change import DroppedVersion, VersionRow, VersionsDropped
from scops.common.contract.service_table import Lane
from scops.indexer.handlers.dropping import handle_versions_dropped
from tests.fakes.verdicts import PAGE, at
from tests.fakes.worlds.index import IndexWorld


@pytest.fixture
async def world(world: IndexWorld) -> IndexWorld:
    """A page whose first version stood one day, one chunk of which goes on standing."""
    first = await world.show("tea is cheap", "open daily", day=1)
    await world.show("tea is dear", "open daily", day=2, after=first)
    await world.sweep_later()
    return world


async def drop(world: IndexWorld, *versions: VersionRow) -> None:
    """Tells the indexer that versions are not kept."""
    news = VersionsDropped(
        page_id=PAGE,
        versions=tuple(
            DroppedVersion(version_id=version.version_id, manifest=version.manifest)
            for version in versions
        ),
        reason="expired",
        dropped_time=at(50),
    )
    cause = Cause(
        event_id=EventId("dropped"),
        organisation_id="main",
        lane=Lane.BULK,
        published_time=at(50),
    )
    assert () == tuple(await handle_versions_dropped(news, cause, world.ports))


async def test_a_dropped_version_is_not_found_any_more(world: IndexWorld) -> None:
    """Neither its row nor the chunk that it alone listed; told twice, it is the same."""
    before = await world.search("tea", day=1.5)
    first = await world.version("tea is cheap", "open daily", day=1, until=2)
    await drop(world, first)
    await drop(world, first)

    assert {"tea is cheap", "open daily"} == set(before)
    assert [] == await world.search("tea", day=1.5)
    assert (2, 0) == await world.plain_store.count()


async def test_what_other_versions_list_stays(world: IndexWorld) -> None:
    """The head and its chunks are untouched."""
    first = await world.version("tea is cheap", "open daily", day=1, until=2)
    await drop(world, first)
    await world.check()

    assert {"tea is dear", "open daily"} == set(await world.search("tea open"))


async def test_what_the_head_stands_at_is_never_dropped(world: IndexWorld) -> None:
    """Whoever says so erred, or speaks of what has come back."""
    second = await world.version("tea is dear", "open daily", day=2)
    await drop(world, second)

    assert {"tea is dear", "open daily"} == set(await world.search("tea open", day=3))
