"""Crawls that rest on others miss nothing that the site's links lead to."""

from dataclasses import replace

from sqlalchemy import select

from scops.common.scope.rules import matching_rule
from scops.fetcher.adapters.sql import tables
from tests.simulation.driver import Driver
from tests.simulation.scenes import crawled
from tests.simulation.seeds import live_each
from tests.simulation.site import SimPage
from tests.simulation.world import World

ROUNDS = 3
STEPS = 30
SEEN = ("indexed", "unchanged")
NEW = tuple(f"http://a.example/new/{number}" for number in range(4))


async def test_crawls_hold_all_that_their_pages_link_to(seeds: range) -> None:
    """Through edits of rules and links, limits, cancellations, and pages that come and go."""
    await live_each(range(seeds.start, seeds.start + 1), _live_through)


async def _live_through(world: World) -> None:
    await world.open()
    driver = Driver(world, mischief=0.05)
    rested = 0
    for _ in range(ROUNDS):
        for _ in range(world.rng.choice((0, 1, 2))):
            _mutate_links(world)
            world.site.mutate()
        await _limit(world, world.rng.choice((0, 0, 3)))
        await world.crawl()
        for _ in range(world.rng.choice((0, STEPS))):
            await driver.step()
        await driver.calm()
        await _limit(world, 0)
        world.parser.failing.clear()
        for _ in range(2):
            job = await crawled(driver)
            await _holds_what_it_links_to(world, job.job_id)
            rested += await _rests(world, job.job_id)
    # At least the second of two crawls between which nothing happened.
    assert rested, "no crawl rested on another"


def _mutate_links(world: World) -> None:
    """Lets a page link to other pages, also to one that was not there."""
    site, chance = world.site, world.rng
    url = chance.choice(sorted(site.pages))
    page = site.pages[url]
    new = chance.choice(NEW)
    if new not in site.pages:
        site.set(new, SimPage("alpha", (url,)))
    links = (*chance.sample(page.links, min(len(page.links), 2)), new)
    # Front pages stay what makes every page known.
    kept = page.links if url.endswith(".example/") else ()
    changed = tuple(dict.fromkeys((*kept, *links)))
    site.set(url, replace(page, links=changed))


async def _limit(world: World, pages: int) -> None:
    """Gives the scope another page limit, and with it another revision."""
    held = world.book.get(world.ref)
    world.revision += 1
    world.book.apply(replace(held, revision=world.revision, page_limit=pages))
    await world.follow_scope()


async def _holds_what_it_links_to(world: World, job_id: str) -> None:
    """Every link of a page that a crawl saw is a page of that crawl, if the rules admit it."""
    async with world.fetcher_db.reading() as connection:
        rows = (
            await connection.execute(
                select(tables.job_page, tables.page.c.canonical_url)
                .join(tables.page, tables.page.c.page_id == tables.job_page.c.page_id)
                .where(tables.job_page.c.job_id == job_id)
            )
        ).all()
        names = (
            await connection.execute(
                select(tables.alias.c.url, tables.page.c.page_id, tables.page.c.canonical_url).join(
                    tables.page, tables.page.c.page_id == tables.alias.c.page_id
                )
            )
        ).all()
    rules = world.book.get(world.ref).rules
    owners = {row.url: row for row in names}
    held = {row.page_id for row in rows}
    for row in rows:
        shown = world.site.pages.get(row.canonical_url)
        if row.outcome not in SEEN or shown is None or shown.redirect or shown.text is None:
            continue
        for link in shown.links:
            owner = owners.get(link)
            home = link if owner is None else owner.canonical_url
            if matching_rule(rules, link) is None or matching_rule(rules, home) is None:
                continue
            assert owner is not None, f"{row.canonical_url} links to {link}, which nobody knows"
            assert owner.page_id in held, f"{job_id} lacks {link}, linked by {row.canonical_url}"


async def _rests(world: World, job_id: str) -> bool:
    async with world.fetcher_db.reading() as connection:
        statement = select(tables.job.c.rests_on).where(tables.job.c.job_id == job_id)
        return (await connection.execute(statement)).scalar_one() is not None
