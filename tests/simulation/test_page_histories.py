"""Named cases of a page's history: texts that return, are read again, come late, go and move."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from scops.common.contract import wire
from scops.common.contract.ids import FetchId
from scops.common.contract.messages.change import HistoryEntry, Manifest
from scops.common.contract.messages.content import PageExtracted
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import BodyRef
from scops.fetcher.ports.page_source import Redirect
from scops.indexer.adapters import tables as index_tables
from tests.fakes.clock import START
from tests.simulation.driver import Driver
from tests.simulation.scenes import (
    ONE,
    TWO,
    crawled,
    is_page,
    last_extraction,
    outcomes,
    page_id,
    passages_of,
    publish,
    says,
    versions,
)
from tests.simulation.site import SimPage
from tests.simulation.world import World


async def test_a_text_that_alternates_within_minutes_is_four_versions(driver: Driver) -> None:
    """A→B→A→B: each stay is a version, returns are restored and embed nothing."""
    world = driver.world
    says(world, ONE, "alpha")
    await crawled(driver)
    says(world, ONE, "beta")
    await crawled(driver)
    embedded = len(world.embedder.texts)
    for text in ("alpha", "beta"):
        says(world, ONE, text)
        await crawled(driver)

    found = await versions(world, ONE)
    assert len(found) == 4
    assert [entry.restored_version_id for entry in found] == [
        "",
        "",
        found[0].version_id,
        found[1].version_id,
    ]
    assert len(world.embedder.texts) == embedded


async def test_three_crawls_of_an_unchanged_site_change_nothing(driver: Driver) -> None:
    """Same heads, same chunks, three finished jobs, and only 304s after the first."""
    world = driver.world
    jobs = [await crawled(driver)]
    texts, counts = await driver.invariants.texts(), await world.store.count()
    seen = len(world.site.answers)
    jobs += [await crawled(driver), await crawled(driver)]

    later = [status for _, url, status in world.site.answers[seen:] if is_page(url)]
    assert set(later) == {304}
    assert texts == await driver.invariants.texts()
    assert counts == await world.store.count()
    assert [job.state for job in jobs] == ["completed"] * 3
    assert outcomes(jobs[2])[ONE] == "unchanged"


async def test_a_reextraction_is_a_revision_and_no_change_of_the_page(driver: Driver) -> None:
    """A stored body read by a new pipeline adds a revision of the same stay."""
    world = driver.world
    await crawled(driver)
    page = await page_id(world, ONE)
    again = replace(last_extraction(world, page), pipeline_version="html-2", reextracted=True)
    await publish(world, again, "reextraction")
    await driver.calm()

    found = await versions(world, ONE)
    assert [entry.order_key.revision for entry in found] == [0, 1]
    assert found[1].pipeline_changed
    assert found[0].order_key.observed_from == found[1].order_key.observed_from
    await driver.invariants.search_returns_what_heads_list()


@pytest.mark.parametrize(
    ("back", "text", "expected"),
    [
        # Repeats the run around it, extends it backwards, splits it, stands before it.
        ("inside", "alpha", ["alpha"]),
        ("before", "alpha", ["alpha"]),
        ("inside", "beta", ["alpha", "beta", "alpha"]),
        ("before", "beta", ["beta", "alpha"]),
    ],
)
async def test_an_observation_from_the_past_finds_its_place(
    driver: Driver, back: str, text: str, expected: list[str]
) -> None:
    """Late observations repeat, extend, split or precede a run; the present stays."""
    world = driver.world
    says(world, ONE, "alpha")
    says(world, TWO, text)
    await crawled(driver)
    world.clock.advance(3600)
    await crawled(driver)
    page = await page_id(world, ONE)
    known = last_extraction(world, page)
    # The other page carries the text in its own words; we borrow a body of this page instead.
    donor = await borrowed(driver, text)
    shift = timedelta(seconds=600 if back == "inside" else -600)
    late = replace(
        known,
        text=donor.text,
        document=donor.document,
        fetch_id=FetchId("late"),
        observed_time=known.observed_time + shift,
    )
    await publish(world, late, "late")
    await driver.calm()

    found = [entry for entry in await versions(world, ONE) if not entry.pipeline_changed]
    texts = [await text_of(world, entry) for entry in found]
    assert texts == expected
    head = (await driver.invariants.texts())[ONE]
    assert head is not None
    assert "is alpha and it" in head


async def borrowed(driver: Driver, text: str) -> PageExtracted:
    """Returns an extraction of ONE's own words around a text, from a world beside this one."""
    world = driver.world
    page = await page_id(world, ONE)
    if text == "alpha":
        return last_extraction(world, page)
    body = SimPage(text, ()).body(ONE)
    packed = await world.parser.parse(body, _fetched())
    known = last_extraction(world, page)
    kept = await world.archive.put(packed.text, media_type="text/plain", charset="utf-8")
    document = await world.archive.put(packed.document, media_type="application/x-protobuf")
    return replace(known, text=kept, document=document)


def _fetched() -> PageFetched:
    body = BodyRef(media_type="text/html")
    return PageFetched(canonical_url=ONE, observed_time=START, body=body)


async def text_of(world: World, entry: HistoryEntry) -> str:
    manifest = wire.decode(Manifest, await world.archive.get(entry.manifest))
    text = (await world.archive.get(manifest.text)).decode()
    return text.split(" is ", 1)[1].split(" and it")[0].split()[-1]


async def test_swept_chunks_still_answer_as_of_their_time(driver: Driver) -> None:
    """The history keeps what no head lists any more."""
    world = driver.world
    # No other page says so: the same words of two pages are shown as one passage.
    says(world, ONE, "delta")
    await crawled(driver)
    then = world.clock.now()
    says(world, ONE, "beta")
    await crawled(driver)
    world.clock.advance(3600)
    await world.stage.finish(await world.start("indexer:sweep"))
    await world.stage.finish(await world.start("indexer:sweep"))

    live, historical = await world.store.count()
    assert historical > 0
    before = await world.search("value of one", limit=50, as_of_time=then)
    now = await world.search("value of one", limit=50)
    assert "one is delta" in passages_of(ONE, before)
    assert "one is delta" not in passages_of(ONE, now)
    assert "one is beta" in passages_of(ONE, now)
    assert live > 0


async def test_a_page_that_is_gone_and_back_is_restored(driver: Driver) -> None:
    """The head closes and opens again; nothing is embedded for the return."""
    world = driver.world
    await crawled(driver)
    text = world.site.pages[ONE].text
    embedded = len(world.embedder.texts)
    world.site.set(ONE, SimPage(None, ()))
    gone = await crawled(driver)
    closed = (await driver.invariants.texts())[ONE]
    world.site.set(ONE, SimPage(text, ()))
    back = await crawled(driver)

    assert outcomes(gone)[ONE] == "gone"
    assert closed is None
    assert outcomes(back)[ONE] == "indexed"
    assert (await versions(world, ONE))[-1].restored_version_id
    assert len(world.embedder.texts) == embedded


async def test_a_redirect_to_a_known_page_closes_the_redirecting_one(driver: Driver) -> None:
    """Histories stay apart; the URL is the other page's alias from now on."""
    world = driver.world
    await crawled(driver)
    one, two = await page_id(world, ONE), await page_id(world, TWO)
    page = world.site.pages[ONE]
    world.site.set(ONE, SimPage(page.text, (), redirect=Redirect(url=TWO, permanent=True)))
    await crawled(driver)

    assert await page_id(world, ONE) == two
    async with world.index_db.reading() as connection:
        statement = select(index_tables.HEAD).where(index_tables.HEAD.c.page_id == one)
        head = (await connection.execute(statement)).one()
    assert head.closed
    await driver.invariants.search_returns_what_heads_list()
