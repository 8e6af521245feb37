"""The contract of the `TimelineCompaction` port: history stays, what shows nothing of its own goes.

A page seen often between two changes keeps the observations that name, begin and end its runs and
the newest body. What comes later, late or again, is answered as if nothing had been deleted.
"""

from datetime import timedelta
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from sqlalchemy import func, select, update

from scops.change_detector.adapters.tables import observation, pin, verdict
from scops.change_detector.handlers.compaction import (
    OBSERVATIONS_KEPT,
    PAGES_AT_ONCE,
    PINS_KEPT,
    Compaction,
)
from scops.change_detector.timeline.records import Pin
from scops.common.contract.ids import PageId
from scops.common.db.database import Database
from tests.fakes.clock import ManualClock
from tests.fakes.worlds.change import PAGE, START, ChangeWorld, at, database_world, sql_world

TEXTS = ("The fee is 5 euros.", "The fee is 6 euros.")
LATER = START + OBSERVATIONS_KEPT + timedelta(days=10)


@pytest.fixture
def world(database: Database) -> ChangeWorld:
    return database_world(database, clock=ManualClock(LATER))


async def compact(world: ChangeWorld) -> None:
    """Goes round once over every page."""
    await Compaction(world.ports).step()


async def names(world: ChangeWorld) -> list[float]:
    """Returns the minutes of the observations that are left, in order."""
    assert world.database is not None
    found = select(observation.c.observed_time).order_by(observation.c.observed_time)
    async with world.database.reading() as connection:
        rows = (await connection.execute(found)).all()
    return [(row.observed_time - START).total_seconds() / 60 for row in rows]


async def intervals(world: ChangeWorld) -> list[Any]:
    """Returns the page's history as readers see it."""
    found = await world.ports.histories.history(PAGE, limit=100)
    assert found is not None
    return [
        (one.version_id, one.text_digest, one.order_key, one.observed_to, one.last_observed)
        for one in found.versions
    ]


async def test_observations_inside_of_runs_go_and_history_stays(world: ChangeWorld) -> None:
    """Nine sightings of one text leave the first, the last and the newest body."""
    await world.see("body", TEXTS[0], 0)
    await world.see("again", TEXTS[0], 1)
    for minute in range(2, 9):
        await world.unmodified(minute, "again", minute)
    await world.see("other", TEXTS[1], 9)
    await world.gone("gone", 10)
    await world.gone("still gone", 11)
    await world.gone("gone yet", 12)
    before = await intervals(world)
    await compact(world)
    await compact(world)

    assert before == await intervals(world)
    # The body of minute 9 is the newest: no 304 confirms that of minute 1 any more.
    assert [0, 8, 9, 10, 12] == await names(world)
    assert 5 == await _count(world, verdict)


async def test_the_newest_body_stays_for_304s_to_confirm(world: ChangeWorld) -> None:
    """It is neither first nor last of its run."""
    await world.see("body", TEXTS[0], 0)
    await world.see("again", TEXTS[0], 1)
    for minute in (2, 3):
        await world.unmodified(minute, "again", minute)
    await compact(world)
    late = await world.unmodified("now", "again", 200_000)

    assert [0, 1, 3, 200_000] == await names(world)
    assert "VersionUnchanged" == type(late).__name__


async def test_what_was_seen_lately_stays(database: Database) -> None:
    """As long as a message may be delivered again, its answer is repeated."""
    world = database_world(database, clock=ManualClock(START + OBSERVATIONS_KEPT))
    await world.see("body", TEXTS[0], 0)
    for minute in (1, 2, 3):
        await world.unmodified(minute, "body", minute)
    await compact(world)

    assert [0, 1, 2, 3] == await names(world)


async def test_what_an_older_release_wrote_stays(world: ChangeWorld) -> None:
    """It did not note which of its rows were bodies."""
    await world.see("body", TEXTS[0], 0)
    for minute in (1, 2):
        await world.unmodified(minute, "body", minute)
    assert world.database is not None
    async with world.database.transaction() as connection:
        await connection.execute(update(observation).values(unmodified=None))
    await compact(world)

    assert [0, 1, 2] == await names(world)


async def test_a_fetch_that_comes_again_after_its_row_went_changes_nothing(
    world: ChangeWorld,
) -> None:
    """It is placed anew inside of its run."""
    event = await world.extracted("second", TEXTS[0], 1)
    await world.see("body", TEXTS[0], 0)
    await world.handle(event)
    await world.see("third", TEXTS[0], 2)
    await world.see("fourth", TEXTS[0], 3)
    before = await intervals(world)
    await compact(world)
    assert [0, 3] == await names(world)
    again = await world.handle(event)

    assert "VersionUnchanged" == type(again).__name__
    assert before == await intervals(world)


async def test_rounds_go_over_all_pages_in_parts(world: ChangeWorld) -> None:
    """After the last page the next round begins."""
    other = PageId("00000000-0000-7000-8000-000000000002")
    await world.see("one", TEXTS[0], 0)
    await world.see("two", TEXTS[0], 0, page_id=other)
    compaction = world.ports.compaction

    assert [PAGE] == list(await compaction.pages(after=PageId(""), limit=1))
    assert [other] == list(await compaction.pages(after=PAGE, limit=PAGES_AT_ONCE))
    assert [] == list(await compaction.pages(after=other, limit=1))
    assert 0 == await compaction.compact([], observed_before=LATER)


async def test_pins_that_ended_go(world: ChangeWorld) -> None:
    """Those that hold stay."""
    seen = await world.see("one", TEXTS[0], 0)
    for version, until in (("old", LATER - 2 * PINS_KEPT), ("new", LATER)):
        version_id = f"{seen.verdict.version_id}-{version}"
        await world.ports.retention.pin(
            Pin(version_id=version_id, page_id=PAGE, until=until, note="")
        )
    await compact(world)

    assert 1 == await _count(world, pin)


@pytest.mark.parametrize("seed", range(20))
async def test_late_observations_find_the_same_texts_with_and_without(seed: int) -> None:
    """Random histories, then late sightings: each shows its text at its instant."""
    compacted, whole = [await sql_world(clock=ManualClock(LATER)) for _ in range(2)]
    random = Random(seed)
    seen = [(random.choice(TEXTS), minute) for minute in random.sample(range(0, 200, 2), 30)]
    late = [(random.choice(TEXTS), minute) for minute in random.sample(range(1, 200, 2), 10)]
    for place, (text, minute) in enumerate(seen):
        for world in (compacted, whole):
            await world.see(place, text, minute)
    await compact(compacted)
    for place, (text, minute) in enumerate(late):
        for world in (compacted, whole):
            await world.see(f"late {place}", text, minute)

    assert len(await names(compacted)) <= len(await names(whole))
    standing = [await _standing(world, [m for _, m in late]) for world in (compacted, whole)]
    assert standing[0] == standing[1]
    for world in (compacted, whole):
        spans = sorted((last, end) for *_, end, last in await intervals(world))
        assert all(last < end <= later for (last, end), (later, _) in pairwise(spans))
        await world.close()


async def _standing(world: ChangeWorld, minutes: list[int]) -> list[str]:
    found = [await world.ports.histories.standing(PAGE, at=at(minute)) for minute in minutes]
    return [one.text_digest if one else "" for one in found]


async def _count(world: ChangeWorld, table: Any) -> int:
    assert world.database is not None
    async with world.database.reading() as connection:
        rows = await connection.execute(select(func.count()).select_from(table))
    return int(rows.scalar_one())
