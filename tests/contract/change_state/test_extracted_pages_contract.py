"""Texts of a frame recorded at once leave what each alone leaves, on every database."""

import asyncio
import random
from dataclasses import replace
from typing import Any

from sqlalchemy import select

from scops.change_detector.adapters import tables
from scops.change_detector.handlers.extracted_pages import (
    TEXT_BYTES_MAX,
    handle_pages_extracted,
)
from scops.change_detector.handlers.observations import handle_page_extracted
from scops.common.bus.ports import Cause
from scops.common.contract.ids import PageId
from scops.common.contract.messages.content import PageExtracted, PageKind
from scops.common.contract.messages.types import BodyRef
from scops.common.db.database import Database
from tests.fakes.worlds.change import ChangeWorld, at, cause, database_world, sql_world

PAGES = [PageId(f"00000000-0000-7000-8000-{number:012}") for number in range(8)]
KNOWN = PAGES[::2]
TABLES = (
    tables.page,
    tables.observation,
    tables.run,
    tables.version,
    tables.verdict,
    tables.page_address,
    tables.news,
    tables.page_memory,
    tables.left_blob,
)
TEXTS = tuple(
    "\n".join(f"Rule {line} costs {line * price} euros a year." for line in range(1, 6))
    for price in (1, 2, 3)
)
Frame = list[tuple[PageExtracted, Cause]]


async def rows(world: ChangeWorld) -> dict[str, list[Any]]:
    assert world.database is not None
    async with world.database.reading() as connection:
        return {
            table.name: sorted((await connection.execute(select(table))).all(), key=repr)
            for table in TABLES
        }


async def extracted(
    world: ChangeWorld, page_id: PageId, name: str, text: str, minute: float, **options: Any
) -> PageExtracted:
    url = f"https://example.org/{page_id}"
    return await world.extracted(name, text, minute, page_id=page_id, url=url, **options)


async def handled(world: ChangeWorld, frame: Frame) -> tuple[list[Any], int]:
    """Handles a frame as its consumer does; returns the verdicts, and how many came at once."""
    made = await handle_pages_extracted(frame, world.ports)
    verdicts: list[Any] = []
    for (event, why), outputs in zip(frame, made, strict=True):
        alone = outputs is None
        verdicts += await handle_page_extracted(event, why, world.ports) if alone else outputs
    return verdicts, sum(outputs is not None for outputs in made)


async def one_by_one(world: ChangeWorld, frame: Frame) -> list[Any]:
    return [
        verdict
        for event, why in frame
        for verdict in await handle_page_extracted(event, why, world.ports)
    ]


async def test_many_at_once_leave_what_each_alone_leaves(database: Database) -> None:
    """Whatever the histories: first texts, new ones, the same again, late ones, no articles."""
    chance = random.Random(5)
    many, single = database_world(database), await sql_world()
    together = 0
    for round_ in range(10):
        chosen = chance.sample(PAGES, chance.randint(2, 6))
        frame: Frame = []
        for page_id in chosen:
            text, minute = chance.choice(TEXTS), round_ * 10 + chance.choice((0, 0, 3, -12))
            kind = chance.choice((PageKind.ARTICLE,) * 5 + (PageKind.LOGIN_WALL,))
            pipeline = chance.choice(("p1", "p1", "p2"))
            name = f"{page_id}/{round_}"
            for world in (single, many):
                event = await extracted(
                    world, page_id, name, text, minute, kind=kind, pipeline=pipeline
                )
            frame.append((event, cause()))
        verdicts, at_once = await handled(many, frame)
        together += at_once

        assert await one_by_one(single, frame) == verdicts
        assert await rows(single) == await rows(many)
    await single.close()

    assert together > 25


async def test_a_frame_that_comes_again_changes_nothing(database: Database) -> None:
    """What is recorded is left to be handled alone, and answered as before."""
    world = database_world(database)
    frame = [(await extracted(world, page, page, TEXTS[0], 0), cause()) for page in PAGES]
    first, at_once = await handled(world, frame)
    before = await rows(world)
    again, at_once_again = await handled(world, frame)

    assert first == again
    assert before == await rows(world)
    assert (len(PAGES), 0) == (at_once, at_once_again)


async def test_frames_that_overlap_record_each_text_once(database: Database) -> None:
    """Several at once, in other orders, about known pages and new ones: no effect twice."""
    world, single = database_world(database), await sql_world()
    firsts: Frame = []
    frame: Frame = []
    for one in (single, world):
        firsts = [(await extracted(one, page, f"{page}/1", TEXTS[0], 0), cause()) for page in KNOWN]
        frame = [(await extracted(one, page, f"{page}/2", TEXTS[1], 5), cause()) for page in PAGES]
        await one_by_one(one, firsts)
    parts = (frame, frame[::-1], frame[2:6])
    made = await asyncio.gather(*(handled(world, part) for part in parts))
    expected = await one_by_one(single, frame)

    assert [expected, expected[::-1], expected[2:6]] == [verdicts for verdicts, _ in made]
    assert await rows(single) == await rows(world)
    await single.close()


async def test_what_is_not_plain_is_left_alone(database: Database) -> None:
    """Long, purged, doubled, broken and blocked pages; those beside them are recorded."""
    world = database_world(database)
    long, purged, doubled, broken, blocked, plain, other = PAGES[:7]
    await handle_page_extracted(
        await extracted(world, doubled, "first", TEXTS[0], 0), cause(), world.ports
    )
    await handle_page_extracted(
        await extracted(world, purged, "purged", TEXTS[0], -9), cause(), world.ports
    )
    async with database.transaction() as connection:
        mark = tables.page.update().where(tables.page.c.page_id == purged)
        await connection.execute(mark.values(purged_before=at(-5)))
    missing = BodyRef(digest="f" * 64, size=5, media_type="text/plain")
    lost = await extracted(world, broken, "lost", TEXTS[0], 0)
    frame = [
        (await extracted(world, long, "long", "A line.\n" * (TEXT_BYTES_MAX // 8 + 1), 0), cause()),
        (await extracted(world, purged, "later", TEXTS[1], 0), cause()),
        (await extracted(world, doubled, "same instant", TEXTS[1], 0), cause()),
        (replace(lost, text=missing), cause()),
        (await extracted(world, blocked, "wall", TEXTS[0], 0, kind=PageKind.LOGIN_WALL), cause()),
        (await extracted(world, plain, "plain", TEXTS[0], 0), cause()),
        (await extracted(world, other, "other", TEXTS[0], 0), cause()),
    ]
    made = await handle_pages_extracted(frame, world.ports)

    assert [True] * 5 + [False] * 2 == [outputs is None for outputs in made]
    assert {doubled, purged, plain, other} == {row.page_id for row in (await rows(world))["page"]}
