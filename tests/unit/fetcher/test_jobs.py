"""Jobs: how they come in, what they admit, and how they end."""

from datetime import timedelta

import pytest

from scops.common.contract.errors import NotYetKnown
from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import (
    CrawlFinished,
    CrawlProgressed,
    CrawlScope,
    JobState,
    PageDead,
    PageFetched,
)
from scops.common.contract.messages.types import ScopeRef
from scops.fetcher import handlers
from scops.fetcher.settings import FetcherSettings
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import SCOPE, FetcherWorld, scope

ROOT = "https://a.test/"
JOBS = "scops.fetcher.adapters.sql.ledger.jobs"


def serve(world: FetcherWorld, *urls: str) -> None:
    for url in urls:
        world.source.serve(url, page_answer(url))


async def test_crawl_follows_links_inside_the_rules_and_ends_once(world: FetcherWorld) -> None:
    """A crawl takes every page that links reach inside its rules; CrawlFinished comes once."""
    world.scopes.apply(scope("a.test", "!a.test/private", seeds=[ROOT]))
    serve(world, ROOT, "https://a.test/b")
    world.links[ROOT] = ("https://a.test/b", "https://a.test/private/x", "https://b.test/")
    await world.crawl()
    finished = [event for event in await world.run() if isinstance(event, CrawlFinished)]

    assert {ROOT: "indexed", "https://a.test/b": "indexed"} == await world.outcomes()
    assert [JobState.COMPLETED] == [event.state for event in finished]
    assert finished[0].counts == (await world.job()).counts


async def test_seeds_that_are_no_pages_of_the_scope_are_recorded(world: FetcherWorld) -> None:
    """A malformed seed or one outside the rules is an outcome, never lost."""
    seeds = ["https://b.test/", "ftp://a.test/", "https://user:pw@a.test/"]
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()

    assert {
        "https://b.test/": "blocked(out_of_scope)",
        "ftp://a.test/": "blocked(malformed_url)",
        "https://user:pw@a.test/": "blocked(malformed_url)",
    } == await world.outcomes()
    assert JobState.COMPLETED is (await world.event(CrawlFinished)).state
    assert [] == await world.rows_of_pages()


async def test_a_job_with_nothing_to_fetch_finishes_at_once(world: FetcherWorld) -> None:
    """A scope without seeds and sitemaps ends its crawl with the accepting transaction."""
    world.scopes.apply(scope("a.test"))
    await world.crawl()

    assert JobState.COMPLETED is (await world.event(CrawlFinished)).state


async def test_accepting_a_job_twice_changes_nothing(world: FetcherWorld) -> None:
    """The same command redelivered adds no row and no event."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    await world.crawl()
    before = await world.job()
    await world.crawl()

    assert before == await world.job()
    assert 1 == len(await world.rows_of_pages())


async def test_command_waits_for_its_scope_revision(world: FetcherWorld) -> None:
    """A revision that has not arrived is not yet known, and the command comes again."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    command = CrawlScope(
        job_id=JobId("job"),
        scope=ScopeRef(scope_id=SCOPE.scope_id, revision=2),
        accepted_time=world.clock.now(),
    )
    with pytest.raises(NotYetKnown):
        await handlers.handle_crawl_scope(command, world.cause(), world.ports)

    assert () == await world.ports.catalogue.jobs([JobId("job")])


async def test_page_limit_holds_over_seeds_and_links(world: FetcherWorld) -> None:
    """No more pages than the limit are admitted; a seed beyond it is recorded as blocked."""
    world.scopes.apply(scope("a.test", seeds=[ROOT, "https://a.test/2", "https://a.test/3"]))
    serve(world, ROOT, "https://a.test/2")
    world.links[ROOT] = ("https://a.test/4",)
    await world.crawl(page_limit=2)
    await world.run()

    assert {
        ROOT: "indexed",
        "https://a.test/2": "indexed",
        "https://a.test/3": "blocked(page_limit)",
    } == await world.outcomes()


async def test_depth_limit_stops_following(world: FetcherWorld) -> None:
    """A page further from the seeds than the limit is not admitted."""
    world.scopes.apply(scope("a.test", seeds=[ROOT], depth_limit=1))
    serve(world, ROOT, "https://a.test/1", "https://a.test/2")
    world.links |= {ROOT: ("https://a.test/1",), "https://a.test/1": ("https://a.test/2",)}
    await world.crawl()
    await world.run()

    assert {ROOT: "indexed", "https://a.test/1": "indexed"} == await world.outcomes()


async def test_fetch_page_follows_no_links(world: FetcherWorld) -> None:
    """FetchPage ends with the pages it names."""
    world.scopes.apply(scope("a.test"))
    serve(world, ROOT, "https://a.test/1")
    world.links[ROOT] = ("https://a.test/1",)
    await world.fetch(ROOT)
    await world.run()

    assert {ROOT: "indexed"} == await world.outcomes()


async def test_cancelled_job_ends_its_open_pages_and_frees_the_queue(world: FetcherWorld) -> None:
    """Cancelling closes open rows at once; what comes later for them changes nothing."""
    world.scopes.apply(scope("a.test", seeds=[ROOT, "https://a.test/2", "https://a.test/3"]))
    serve(world, ROOT, "https://a.test/2", "https://a.test/3")
    await world.crawl()
    await world.step()
    fetched = await world.event(PageFetched)
    await world.cancel()
    finished = await world.event(CrawlFinished)
    await world.extract(fetched, ["https://a.test/4"])
    await world.index(fetched)

    assert JobState.CANCELLED is finished.state
    assert {"cancelled"} == set((await world.outcomes()).values())
    assert 3 == finished.counts.cancelled
    assert [] == await world.steps()
    assert [] == await world.events(CrawlFinished)


async def test_cancelling_twice_publishes_one_end(world: FetcherWorld) -> None:
    """A job that has ended stays as it is."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    await world.crawl()
    await world.cancel()
    await world.cancel()

    assert 1 == len(await world.events(CrawlFinished))


async def test_cancel_before_its_job_wins(world: FetcherWorld) -> None:
    """A cancel that overtakes its command ends the job before it began."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    await world.cancel()
    await world.crawl()

    assert JobState.CANCELLED is (await world.job()).state
    assert {} == await world.outcomes()


async def test_cancel_leaves_pages_that_another_job_wants(world: FetcherWorld) -> None:
    """A page stays in the queue while any open row waits for it."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    serve(world, ROOT)
    await world.crawl("one")
    await world.crawl("two")
    await world.cancel("one")
    await world.run()

    assert {ROOT: "cancelled"} == await world.outcomes("one")
    assert {ROOT: "indexed"} == await world.outcomes("two")


async def test_dead_command_fails_its_job(world: FetcherWorld) -> None:
    """A job whose command was given up ends as failed, even if it was never taken up."""
    dead = PageDead(
        job_id=JobId("job"), consumer="fetcher-crawl_scope-bulk", reason="NOT_YET_KNOWN"
    )
    await handlers.handle_page_dead(dead, world.cause(), world.ports)
    await handlers.handle_page_dead(dead, world.cause(), world.ports)

    assert JobState.FAILED is (await world.event(CrawlFinished)).state


async def test_progress_is_published_by_count_or_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress comes every `PROGRESS_PAGES` outcomes, or with the first after a silence."""
    monkeypatch.setattr(f"{JOBS}.PROGRESS_PAGES", 5)
    monkeypatch.setattr(f"{JOBS}.PROGRESS_EVERY", timedelta(seconds=1000))
    settings = FetcherSettings(host_delay_seconds=0.0)
    async with FetcherWorld.opened(settings=settings) as world:
        seeds = [f"https://a.test/{number}" for number in range(12)]
        world.scopes.apply(scope("a.test", seeds=seeds))
        serve(world, *seeds)
        await world.crawl()
        counts = [
            event.counts.indexed
            for event in await world.run()
            if isinstance(event, CrawlProgressed)
        ]

    assert [5, 10] == counts


async def test_one_fetch_serves_the_jobs_accepted_before_it(world: FetcherWorld) -> None:
    """Jobs that wait for a page share its next fetch; a later one gets a fetch of its own."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    serve(world, ROOT)
    await world.crawl("one")
    await world.crawl("two")
    await world.step()
    fetched = await world.event(PageFetched)
    world.clock.advance(1)
    await world.crawl("three")
    await world.extract(fetched)
    await world.index(fetched)

    assert {ROOT: "indexed"} == await world.outcomes("one") == await world.outcomes("two")
    assert {ROOT: "open"} == await world.outcomes("three")
    await world.run()
    assert {ROOT: "unchanged"} == await world.outcomes("three")
    assert 2 == world.source.pages_asked().count(ROOT)


async def test_redelivered_page_fetched_attempts_share_the_ids(world: FetcherWorld) -> None:
    """The event names the fetch that the lease minted, at attempt 1."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    serve(world, ROOT)
    await world.crawl()
    await world.step()
    fetched = await world.event(PageFetched)

    assert fetched.fetch_id == (await world.page(ROOT)).awaiting_fetch_id
    assert 1 == fetched.attempt
