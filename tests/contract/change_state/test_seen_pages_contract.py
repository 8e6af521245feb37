"""The contract of the `SeenPages` port: many at once end where each alone would have ended."""

import random
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import select

from scops.change_detector.adapters import tables
from scops.change_detector.adapters.sql_seen_pages import SqlSeenPages
from scops.change_detector.handlers.observations import handle_page_unmodified
from scops.change_detector.handlers.seen_pages import handle_pages_verified
from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.messages.change import VersionsVerified
from scops.common.contract.messages.crawl import ConfirmedPage, PagesVerified, PageUnmodified
from scops.common.db.database import Database
from tests.fakes.worlds.change import ChangeWorld, at, cause, database_world, fetch, sql_world

PAGES = [PageId(f"00000000-0000-7000-8000-{number:012}") for number in range(8)]
TABLES = (tables.page, tables.observation, tables.run, tables.version, tables.verdict)
TEXTS = ("One line.\nAnother.", "One line.\nA third.", "Something else.")


def url(page_id: PageId) -> str:
    return f"https://example.org/{page_id}"


def seen(page_id: PageId, name: str, confirmed: FetchId, time: datetime) -> ConfirmedPage:
    return ConfirmedPage(
        page_id=page_id,
        fetch_id=fetch(name),
        confirmed_fetch_id=confirmed,
        observed_time=time,
        canonical_url=url(page_id),
    )


def alone(page: ConfirmedPage) -> PageUnmodified:
    return PageUnmodified(
        page_id=page.page_id,
        fetch_id=page.fetch_id,
        confirmed_fetch_id=page.confirmed_fetch_id,
        observed_time=page.observed_time,
        access_context="public",
        canonical_url=page.canonical_url,
    )


async def rows(world: ChangeWorld) -> dict[str, list[Any]]:
    assert world.database is not None
    async with world.database.reading() as connection:
        return {
            table.name: sorted((await connection.execute(select(table))).all(), key=repr)
            for table in TABLES
        }


async def together(world: ChangeWorld, *pages: ConfirmedPage) -> VersionsVerified:
    (event,) = await handle_pages_verified(PagesVerified(pages=pages), cause(), world.ports)
    return event


async def test_many_at_once_leave_what_each_alone_leaves(database: Database) -> None:
    """Whatever the histories, rows are the same; what is not plain is named and comes alone."""
    chance = random.Random(11)
    many, single = database_world(database), await sql_world()
    plain = 0
    for round_ in range(12):
        frame = []
        for page_id in PAGES:
            name, minute = f"{page_id}/{round_}", round_ * 10 + chance.randrange(8)
            text = chance.choice(TEXTS)
            for world in (many, single):
                await world.see(name, text, minute, page_id=page_id, url=url(page_id))
            confirmed = fetch(f"{page_id}/{chance.randint(max(0, round_ - 1), round_)}")
            later = at(chance.choice((minute + 1.0, minute + 2.0, minute - 1.0)))
            frame.append(seen(page_id, f"{name}/again", confirmed, later))
        told = await together(many, *frame)
        plain += len(told.versions)
        for page in frame:
            await handle_page_unmodified(alone(page), cause(), single.ports)
            if page.fetch_id in told.unsettled_fetch_ids:
                await handle_page_unmodified(alone(page), cause(), many.ports)

        assert await rows(single) == await rows(many)
    await single.close()

    assert 20 < plain < 90


async def test_a_redelivery_changes_nothing_and_says_the_same(database: Database) -> None:
    """What was recorded is found recorded, and the page's target is that of now."""
    world = database_world(database)
    for page_id in PAGES[:3]:
        await world.see(f"{page_id}", TEXTS[0], 0, page_id=page_id, url=url(page_id))
    frame = [seen(page, f"{page}/again", fetch(f"{page}"), at(5)) for page in PAGES[:3]]
    first = await together(world, *frame)
    before = await rows(world)
    again = await together(world, *frame)

    assert (first, before) == (again, await rows(world))
    assert [at(5)] * 3 == [version.verified_time for version in again.versions]


async def test_pages_with_long_urls_are_told_of_in_events_that_the_bus_takes(
    database: Database,
) -> None:
    """Of each page once, in the order of the message; those that are not plain are named there."""
    world = database_world(database)
    for page_id in PAGES[:3]:
        await world.see(f"{page_id}", TEXTS[0], 0, page_id=page_id, url=url(page_id))
    plain = [seen(page, f"{page}/again", fetch(f"{page}"), at(5)) for page in PAGES[:3]]
    others = [
        seen(PageId(f"{PAGES[3][:-3]}{number}"), f"other {number}", fetch("none"), at(5))
        for number in range(100, 353)
    ]
    pages = [*plain[:2], *others, plain[2]]
    long = tuple(replace(page, canonical_url=url(page.page_id).ljust(2000, "x")) for page in pages)
    event = PagesVerified(pages=long)
    told = await handle_pages_verified(event, cause(), world.ports)

    assert [page.fetch_id for page in others] == [
        name for one in told for name in one.unsettled_fetch_ids
    ]
    assert [page.fetch_id for page in plain] == [
        version.fetch_id for one in told for version in one.versions
    ]
    assert [2, 1] == [len(one.versions) for one in told]
    assert list(told) == list(await handle_pages_verified(event, cause(), world.ports))


async def test_an_overlapping_redelivery_counts_once(database: Database) -> None:
    """A second process that gets half of the pages in another order adds nothing."""
    world = database_world(database)
    for page_id in PAGES:
        await world.see(f"{page_id}", TEXTS[0], 0, page_id=page_id, url=url(page_id))
    frame = [seen(page, f"{page}/again", fetch(f"{page}"), at(5)) for page in PAGES]
    other = SqlSeenPages(database)
    await world.ports.seen_pages.record(frame)
    before = await rows(world)
    recorded = await other.record(frame[:4:-1])

    assert {page.fetch_id for page in frame[5:]} == {version.fetch_id for version in recorded}
    assert before == await rows(world)


async def test_what_is_not_plain_is_left_alone(database: Database) -> None:
    """Unknown, gone, overtaken, purged and doubled pages are named, and nothing is written."""
    world = database_world(database)
    unknown, gone, overtaken, purged, late = PAGES[:5]
    for page_id in PAGES[:5]:
        if page_id != unknown:
            await world.see(f"{page_id}", TEXTS[0], 0, page_id=page_id, url=url(page_id))
    await world.see("newer", TEXTS[1], 2, page_id=overtaken, url=url(overtaken))
    await world.see("same", TEXTS[0], 9, page_id=late, url=url(late))
    async with database.transaction() as connection:
        mark = tables.page.update().where(tables.page.c.page_id == purged)
        await connection.execute(mark.values(purged_before=at(7)))
        closed = tables.run.update().where(tables.run.c.page_id == gone)
        await connection.execute(closed.values(kind="gone"))
    before = await rows(world)
    frame = [seen(page, f"{page}/again", fetch(f"{page}"), at(5)) for page in PAGES[:5]]
    told = await together(world, *frame)

    assert () == told.versions
    assert tuple(page.fetch_id for page in frame) == told.unsettled_fetch_ids
    assert before == await rows(world)
