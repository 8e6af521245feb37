"""The contract of `TemplateStore`: learning is idempotent, masks follow what pages show."""

import pytest

from scops.change_detector.adapters import sql_templates
from scops.change_detector.adapters.sql_addresses import Noting, note_addresses
from scops.change_detector.adapters.sql_templates import SqlTemplates
from scops.change_detector.templates.blocks import BlockKey
from scops.change_detector.timeline.records import PageAddress, SeenBlocks
from scops.common.contract.ids import PageId
from scops.common.db.database import Database

HOST = ("main", "example.org")
MENU, FOOTER = BlockKey(2**64 - 1, 7), BlockKey(3, 3)
PAGES = [PageId(f"page-{number:02}") for number in range(12)]


def seen(page_id: PageId, *keys: BlockKey, news: int = 1) -> SeenBlocks:
    """Returns what a page shows."""
    texts = {key.text: f"block {key.shape}" for key in keys}
    return SeenBlocks(page_id=page_id, news=news, keys=keys, texts=texts)


def address(page_id: PageId) -> PageAddress:
    """Returns the address of a page."""
    return PageAddress(
        page_id=page_id,
        organisation_id="main",
        access_context="public",
        canonical_url=f"https://example.org/{page_id}",
    )


async def test_a_mask_follows_what_pages_show(database: Database) -> None:
    """Keys of 64 bits come back as they were; a keeper that shows the block no longer gives way."""
    templates = SqlTemplates(database)
    shown = [seen(page, MENU, FOOTER, BlockKey(100 + place, 1)) for place, page in enumerate(PAGES)]
    first = await templates.learn(*HOST, shown)
    again = await templates.learn(*HOST, shown)
    mask = await templates.mask(*HOST)
    moved = await templates.learn(*HOST, [seen(PAGES[0], FOOTER)])
    later = await templates.mask(*HOST)

    assert (1, 1, 2) == (first, again, moved)
    assert {MENU.text: PAGES[0], FOOTER.text: PAGES[0]} == mask.keepers
    assert {MENU.text: PAGES[1], FOOTER.text: PAGES[0]} == later.keepers


async def test_how_many_pages_show_a_block_follows_those_that_come_later(
    database: Database,
) -> None:
    """Also where nothing else is learned of them, and the mask stays."""
    templates = SqlTemplates(database)
    first = await templates.learn(*HOST, [seen(page, MENU) for page in PAGES[:11]])
    later = await templates.learn(*HOST, [seen(page, MENU) for page in PAGES[11:]])
    (found,) = (await templates.of_host(*HOST, limit=10)).templates

    assert (1, 1) == (first, later)
    assert (12, f"block {MENU.shape}") == (found[0].pages, found[1])


async def note(database: Database, noted: PageAddress) -> None:
    """Notes an address as a verdict that brings something new does."""
    async with database.transaction() as connection:
        await note_addresses(connection, [Noting(noted, None)])


async def test_a_page_with_more_news_goes_on_waiting(database: Database) -> None:
    """Only what was read is learned."""
    templates = SqlTemplates(database)
    await note(database, address(PAGES[0]))
    (waiting,) = await templates.pending(limit=10)
    await note(database, address(PAGES[0]))
    await templates.learn(*HOST, [seen(PAGES[0], MENU, news=waiting.news)])
    (still,) = await templates.pending(limit=10)
    await templates.learn(*HOST, [seen(PAGES[0], MENU, news=still.news)])

    assert (1, 2) == (waiting.news, still.news)
    assert () == tuple(await templates.pending(limit=10))


async def test_the_sample_of_a_host_is_bounded(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever order pages come."""
    monkeypatch.setattr(sql_templates, "SAMPLE_PAGES_MAX", 5)
    templates = SqlTemplates(database)
    for page in PAGES:
        await templates.learn("main", "one.example", [seen(page, MENU)])
    for page in reversed(PAGES):
        page_id = PageId(f"other-{page}")
        await templates.learn("main", "two.example", [seen(page_id, MENU)])
    counted = [
        (await templates.of_host("main", host, limit=10)).pages
        for host in ("one.example", "two.example")
    ]

    assert [5, 5] == counted
