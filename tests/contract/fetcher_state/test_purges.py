"""What every fetcher state must hold when pages are purged.

Run on SQLite in memory, on a file and on PostgreSQL.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import delete, select

from scops.common.contract import wire
from scops.common.contract.ids import PageId, PurgeId
from scops.common.contract.messages import purge
from scops.common.contract.messages.crawl import PageFetched, PagesVerified
from scops.common.contract.messages.purge import (
    PagesPurged,
    PurgeApplied,
    PurgePages,
    PurgePreviewRequest,
    PurgeSelector,
)
from scops.common.db.address import Address
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.pages import purges as sql_purges
from scops.fetcher.frontier.scheduler import work_on
from scops.fetcher.politeness.plain_files import KeptFile
from scops.fetcher.purging import handle_purge_pages, purge_preview, purge_some
from scops.fetcher.settings import FetcherSettings
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

PRIVATE = [f"https://a.test/private/{number}" for number in range(3)]
PUBLIC = ["https://a.test/boat", "https://b.test/private/0"]
SETTINGS = FetcherSettings(host_delay_seconds=0.0)


@pytest.fixture
async def world(address: str | Address) -> AsyncIterator[FetcherWorld]:
    """Yields five pages that were crawled to the end."""
    async with FetcherWorld.opened(address, settings=SETTINGS) as made:
        for url in (*PRIVATE, *PUBLIC):
            made.source.serve(url, page_answer(url, etag='"1"'))
        made.scopes.apply(scope("a.test", "b.test", seeds=[*PRIVATE, *PUBLIC]))
        await made.crawl()
        await made.run()
        made.clock.advance(60.0)
        yield made


async def sent(world: FetcherWorld) -> list[Any]:
    """Takes the messages of purges from the outbox."""
    async with world.database.transaction() as connection:
        found = await connection.execute(select(tables.outbox).order_by(tables.outbox.c.position))
        rows = [row for row in found.all() if hasattr(purge, row.message_type)]
        taken = [row.position for row in rows]
        gone = delete(tables.outbox).where(tables.outbox.c.position.in_(taken))
        await connection.execute(gone)
    return [wire.decode(getattr(purge, row.message_type), row.data) for row in rows]


def command(world: FetcherWorld, *, attempt: int = 1, **selector: Any) -> PurgePages:
    """Returns a purge of everything observed until now."""
    return PurgePages(
        purge_id=PurgeId("purge"),
        attempt=attempt,
        selector=PurgeSelector(**selector),
        before_time=world.clock.now(),
    )


async def purged(world: FetcherWorld, wanted: PurgePages) -> list[Any]:
    """Carries a purge out and returns what it tells of."""
    await handle_purge_pages(wanted, world.cause(), world.ports)
    while await purge_some(world.ports):
        pass
    return await sent(world)


def page_ids(messages: list[Any]) -> set[PageId]:
    """Returns the pages that purges tell of."""
    return {one for m in messages if isinstance(m, PagesPurged) for one in m.page_ids}


async def test_pages_below_a_prefix_are_told_of_and_forgotten(world: FetcherWorld) -> None:
    """The others keep everything: what they were, and their fetches."""
    messages = await purged(world, command(world, url_prefixes=("a.test/private",)))
    gone = {(await world.page(url)).page_id for url in PRIVATE}

    assert gone == page_ids(messages)
    assert gone.isdisjoint({row.page_id for row in await world.rows(tables.fetch)})
    for url in PRIVATE:
        page = await world.page(url)
        assert (None, None, "", "") == (
            page.validator_fetch_id, page.links_digest, page.text_digest, page.content_key
        )  # fmt: skip
    assert all([(await world.page(url)).validator_fetch_id for url in PUBLIC])
    (last,) = [m for m in messages if isinstance(m, PurgeApplied)]
    assert (True, {"pages": 3, "fetches": 3}) == (
        last.last, {one.kind: one.count for one in last.counts}
    )  # fmt: skip


async def test_every_kind_that_is_given_must_hold(world: FetcherWorld) -> None:
    """A page, a prefix and rules of a scope."""
    one = PageId((await world.page(PRIVATE[1])).page_id)
    other = PageId((await world.page(PUBLIC[0])).page_id)
    wanted = command(
        world,
        page_ids=(one, other),
        url_prefixes=("a.test/private", "b.test"),
        rules=scope("a.test").rules,
    )

    assert {one} == page_ids(await purged(world, wanted))


async def test_a_name_of_a_page_counts_like_its_url(world: FetcherWorld) -> None:
    """What was read under an alias is of the page."""
    page = await world.page(PUBLIC[0])
    row = {
        "organisation_id": page.organisation_id,
        "access_context": page.access_context,
        "url": "https://old.test/boat",
        "page_id": page.page_id,
    }
    async with world.database.transaction() as connection:
        await connection.execute(tables.alias.insert(), row)

    found = page_ids(await purged(world, command(world, url_prefixes=("old.test",))))
    assert {PageId(page.page_id)} == found


async def test_many_pages_go_in_batches_and_a_redelivery_does_nothing(
    world: FetcherWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last report says how many batches there were."""
    monkeypatch.setattr(sql_purges, "PAGES_AT_ONCE", 2)
    messages = await purged(world, command(world))
    batches = [m.batch for m in messages if isinstance(m, PagesPurged)]

    assert 5 == len(page_ids(messages))
    assert list(range(1, len(batches) + 1)) == batches
    assert [len(batches)] == [m.batch for m in messages if isinstance(m, PurgeApplied)]
    assert [] == await purged(world, command(world))


async def test_a_later_attempt_tells_of_the_same_pages_again(world: FetcherWorld) -> None:
    """Messages of the first one may have been lost."""
    first = await purged(world, command(world, url_prefixes=("a.test/private",)))
    again = await purged(world, command(world, attempt=2, url_prefixes=("a.test/private",)))

    assert page_ids(first) == page_ids(again)
    assert {2} == {message.attempt for message in again}


async def test_a_fetch_that_is_on_its_way_ends_as_cancelled(world: FetcherWorld) -> None:
    """Its job ends, and the body that nobody has extracted is told of."""
    world.source.serve(PRIVATE[0], page_answer("a body that nobody has seen"))
    await world.fetch_at_once(PRIVATE[0], job_id="late")
    event = await world.event(PageFetched)
    world.clock.advance(60.0)
    messages = await purged(world, command(world, url_prefixes=("a.test/private/0",)))
    bodies = {d for m in messages if isinstance(m, PagesPurged) for d in m.body_digests}
    await world.index(event)

    assert "cancelled(purged)" == (await world.outcomes("late"))[PRIVATE[0]]
    assert {event.body.digest} == bodies
    assert (await world.page(PRIVATE[0])).validator_fetch_id is None


async def test_a_job_that_waits_for_the_links_of_what_is_purged_ends(world: FetcherWorld) -> None:
    """The page was indexed already; its links went with its fetch, and nobody brings them."""
    world.source.serve(PRIVATE[0], page_answer("a body that nobody has extracted"))
    await world.crawl(job_id="late")
    await world.steps()
    event = await world.event(PageFetched)
    await world.index(event)
    await world.run()
    waiting = (await world.outcomes("late"))[PRIVATE[0]]
    world.clock.advance(60.0)
    await purged(world, command(world, url_prefixes=("a.test/private/0",)))

    assert "cancelled(purged)" != waiting
    assert "cancelled(purged)" == (await world.outcomes("late"))[PRIVATE[0]]
    assert "completed" == (await world.job("late")).state


async def test_a_304_of_what_was_purged_meanwhile_fetches_the_body(world: FetcherWorld) -> None:
    """What it confirms is gone, so it says nothing; the page is asked without conditions."""
    await world.fetch(PRIVATE[0], job_id="again")
    lease = await world.lease()
    assert lease.validators is not None
    await purged(world, command(world, url_prefixes=("a.test/private/0",)))
    await work_on(lease, world.ports)
    await world.steps()
    events = await world.events()

    assert [] == [event for event in events if isinstance(event, PagesVerified)]
    assert 1 == sum(isinstance(event, PageFetched) for event in events)


async def test_listings_of_the_hosts_are_read_anew(world: FetcherWorld) -> None:
    """A feed may quote its pages."""
    now = world.clock.now()
    for url in ("https://a.test/feed.xml", "https://b.test/feed.xml"):
        kept = KeptFile(final_url=url, etag='"1"', body=b"quillfeather", tried_time=now)
        await world.ports.files.keep(url, kept)
    await purged(world, command(world, url_prefixes=("a.test/private",)))

    ours = await world.ports.files.held("https://a.test/feed.xml")
    other = await world.ports.files.held("https://b.test/feed.xml")
    assert ours is not None
    assert other is not None
    assert (None, "", b"quillfeather") == (ours.body, ours.etag, other.body)


async def test_what_is_observed_on_the_way_of_the_mark_goes_too(world: FetcherWorld) -> None:
    """A request was under way; a repetition spares what was fetched since."""
    wanted = replace(command(world, url_prefixes=("a.test/private",)), until_taken=True)
    world.clock.advance(5.0)
    taken = world.clock.now()
    first = await purged(world, wanted)
    world.clock.advance(60.0)
    again = await purged(world, replace(wanted, attempt=2))

    befores = [m.before_time for m in (*first, *again) if isinstance(m, PagesPurged)]
    assert {taken} == set(befores)


async def test_a_preview_counts_and_changes_nothing(world: FetcherWorld) -> None:
    """It names the pages that a purge would cover."""
    request = PurgePreviewRequest(
        selector=PurgeSelector(url_prefixes=("a.test/private",)), before_time=world.clock.now()
    )
    answer = await purge_preview(request, world.ports)

    assert sorted(PRIVATE) == sorted(answer.urls)
    assert {"pages": 3, "fetches": 3} == {one.kind: one.count for one in answer.counts}
    assert 5 == len(await world.rows(tables.fetch))
