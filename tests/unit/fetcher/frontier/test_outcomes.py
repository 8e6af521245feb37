"""The ledger: links first, then outcomes; the first wins, nothing is lost or counted twice."""

from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.contract.ids import FetchId, event_id
from scops.common.contract.messages.change import Verdict, VersionAdded
from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.crawl import (
    CrawlFinished,
    PageDead,
    PageFetched,
    PagesVerified,
)
from scops.common.contract.messages.index import IndexOutcome
from scops.common.contract.messages.types import OrderKey
from scops.common.contract.service_table import Lane, Role
from scops.fetcher import handlers
from scops.fetcher.adapters.sql import tables
from scops.fetcher.upkeep import republish_lost
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
NEXT = "https://a.test/next"


async def fetched_root(world: FetcherWorld) -> PageFetched:
    """Crawls to the point where the root was fetched and nothing has answered yet."""
    world.source.serve(ROOT, page_answer("root", etag='"1"'))
    world.source.serve(NEXT, page_answer("next"))
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    await world.crawl()
    await world.step()
    event = await world.event(PageFetched)
    await world.steps()
    await world.events()
    return event


async def dead(world: FetcherWorld, event: PageFetched, consumer: str) -> None:
    message = PageDead(
        page_id=event.page_id, fetch_id=event.fetch_id, consumer=consumer, reason="POISON"
    )
    await handlers.handle_page_dead(message, world.cause(), world.ports)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (IndexOutcome.ADDED, "indexed"),
        (IndexOutcome.SUPERSEDED, "indexed"),
        (IndexOutcome.REFRESHED, "unchanged"),
        (IndexOutcome.CLOSED, "gone"),
    ],
)
async def test_outcome_comes_from_the_index(
    world: FetcherWorld, answer: IndexOutcome, outcome: str
) -> None:
    """VersionIndexed decides, and nothing else of the pipeline."""
    event = await fetched_root(world)
    await world.extract(event)
    assert {ROOT: "open"} == await world.outcomes()
    await world.index(event, answer)

    assert {ROOT: outcome} == await world.outcomes()


async def test_outcome_before_links_leaves_the_row_open(world: FetcherWorld) -> None:
    """A row ends when its links were taken and its outcome is known, in either order."""
    event = await fetched_root(world)
    await world.index(event)
    assert {ROOT: "open"} == await world.outcomes()
    assert [] == await world.events(CrawlFinished)
    await world.extract(event, [NEXT])

    assert {ROOT: "indexed", NEXT: "open"} == await world.outcomes()
    assert [] == await world.events(CrawlFinished)


async def test_validators_are_complete_in_either_order(world: FetcherWorld) -> None:
    """Links that come after VersionIndexed still make the next fetch conditional."""
    event = await fetched_root(world)
    await world.index(event)
    await world.extract(event, [NEXT])
    await world.run()
    await world.fetch(ROOT, job_id="again")
    await world.steps()

    (seen,) = (await world.event(PagesVerified)).pages

    assert seen.confirmed_fetch_id == event.fetch_id


async def test_late_redelivery_after_closing_changes_nothing(world: FetcherWorld) -> None:
    """PageExtracted and VersionIndexed may come again at any time."""
    event = await fetched_root(world)
    await world.extract(event)
    await world.index(event)
    before = await world.job()
    await world.events()
    await world.extract(event, [NEXT])
    await world.index(event, IndexOutcome.CLOSED)
    await dead(world, event, "indexer-version_added-bulk")

    assert before == await world.job()
    assert [] == await world.events()


async def test_links_of_a_redelivery_are_not_counted_twice(world: FetcherWorld) -> None:
    """The same links twice are one row, and one in the open count."""
    event = await fetched_root(world)
    await world.extract(event, [NEXT])
    await world.extract(event, [NEXT, "https://a.test/more"])

    assert 2 == (await world.job()).counts.open
    assert {ROOT: "open", NEXT: "open"} == await world.outcomes()


@pytest.mark.parametrize(
    "kind",
    [
        PageKind.LOGIN_WALL,
        PageKind.SOFT_404,
        PageKind.APP_SHELL,
        PageKind.UNSUPPORTED,
        PageKind.NOINDEX,
        PageKind.EMPTY,
    ],
)
async def test_pages_of_other_kinds_are_blocked(world: FetcherWorld, kind: PageKind) -> None:
    """What is no article ends as blocked(kind), without waiting for a verdict."""
    event = await fetched_root(world)
    await world.extract(event, kind=kind)

    assert {ROOT: f"blocked({kind.value})"} == await world.outcomes()
    assert 1 == len(await world.events(CrawlFinished))
    assert (await world.page(ROOT)).awaiting_fetch_id is None


async def test_noindex_page_still_leads_on(world: FetcherWorld) -> None:
    """A page that must not be indexed may be followed; a login wall leads nowhere."""
    event = await fetched_root(world)
    await world.extract(event, [NEXT], kind=PageKind.NOINDEX)

    assert {ROOT: "blocked(noindex)", NEXT: "open"} == await world.outcomes()


async def test_blocked_answer_of_the_index_is_blocked(world: FetcherWorld) -> None:
    """`blocked:<kind>` as a reason wins over how the head moved."""
    event = await fetched_root(world)
    await world.index(event, IndexOutcome.CLOSED, reason="blocked:login_wall")
    await world.extract(event)

    assert {ROOT: "blocked(login_wall)"} == await world.outcomes()


async def test_page_dead_ends_the_row_without_its_links(world: FetcherWorld) -> None:
    """A failure outcome does not wait for links that will not come."""
    event = await fetched_root(world)
    await dead(world, event, "extractor-page_fetched-bulk")

    assert {ROOT: "dead(poison)"} == await world.outcomes()
    assert 1 == len(await world.events(CrawlFinished))


async def test_dead_links_keep_the_first_outcome(world: FetcherWorld) -> None:
    """Where the index had answered, giving up the links ends the row with that answer."""
    event = await fetched_root(world)
    await world.index(event)
    await dead(world, event, "fetcher-page_extracted-bulk")

    assert {ROOT: "indexed"} == await world.outcomes()


async def test_giving_up_a_count_decides_nothing(world: FetcherWorld) -> None:
    """A verdict that only the change rate failed on leaves the ledger alone."""
    event = await fetched_root(world)
    await dead(world, event, "fetcher-version_added-bulk")

    assert {ROOT: "open"} == await world.outcomes()


async def test_an_unknown_fetch_is_ignored(world: FetcherWorld) -> None:
    """Answers to fetches of an import, or forgotten ones, have no row."""
    event = await fetched_root(world)
    await world.index(replace(event, fetch_id=FetchId("other")))

    assert {ROOT: "open"} == await world.outcomes()


async def test_lost_fetch_is_published_again_three_times_then_dead(world: FetcherWorld) -> None:
    """Same fetch_id, next attempt and a new ce-id each time; then dead(lost)."""
    event = await fetched_root(world)
    attempts = []
    for _ in range(3):
        world.clock.advance(61)
        assert 1 == await republish_lost(world.ports)
        (row,) = await world.rows(tables.outbox)
        again = await world.event(PageFetched)
        assert row.event_id == event_id("fetcher", f"{event.fetch_id}/{again.attempt}", 0)
        attempts.append(again.attempt)
        assert event == replace(again, attempt=1)
    world.clock.advance(61)
    await republish_lost(world.ports)

    assert [2, 3, 4] == attempts
    assert {ROOT: "dead(lost)"} == await world.outcomes()
    assert 0 == await republish_lost(world.ports)


@pytest.mark.parametrize("role", [Role.EXTRACTOR, Role.CHANGE_DETECTOR, Role.INDEXER, Role.FETCHER])
async def test_nothing_is_lost_while_somebody_works_on_it(world: FetcherWorld, role: Role) -> None:
    """While a stage has messages pending only an hour makes a fetch lost."""
    await fetched_root(world)
    world.pending[role] = 1
    world.clock.advance(61)
    early = await republish_lost(world.ports)
    world.clock.advance(3600)

    assert (0, 1) == (early, await republish_lost(world.ports))


async def test_nothing_is_lost_while_it_stands_in_the_outbox(world: FetcherWorld) -> None:
    """An event that the relay has not published yet cannot have been lost."""
    await fetched_root(world)
    await world.fetch("https://a.test/gone", job_id="other")
    await world.steps()
    world.clock.advance(61)

    assert 0 == await republish_lost(world.ports)


async def test_an_answer_to_any_attempt_settles_the_fetch(world: FetcherWorld) -> None:
    """The ledger knows fetches, not attempts."""
    event = await fetched_root(world)
    world.clock.advance(61)
    await republish_lost(world.ports)
    again = await world.event(PageFetched)
    await world.extract(again)
    await world.index(event)
    await world.index(again, IndexOutcome.REFRESHED)

    assert {ROOT: "indexed"} == await world.outcomes()


async def test_old_fetches_and_inbox_rows_are_forgotten(world: FetcherWorld) -> None:
    """Closed fetches and seen events are dropped when no redelivery can reach them."""
    event = await fetched_root(world)
    await world.extract(event)
    await world.index(event)
    verdict = Verdict(
        page_id=event.page_id,
        order_key=OrderKey(observed_from=event.observed_time),
        verified_time=event.observed_time,
        observed_time=event.observed_time,
    )
    await handlers.handle_verdict(VersionAdded(verdict=verdict), world.cause(), world.ports)
    await world.ports.ledger.forget(now=world.clock.now() + timedelta(days=7))
    kept = len(await world.rows(tables.fetch)), len(await world.rows(tables.inbox))
    await world.ports.ledger.forget(now=world.clock.now() + timedelta(days=9))

    assert (1, 1) == kept
    assert ([], []) == (await world.rows(tables.fetch), await world.rows(tables.inbox))


async def test_events_travel_on_the_lane_of_their_fetch(world: FetcherWorld) -> None:
    """What a person waits for stays on lane now to the end."""
    world.source.serve(ROOT, page_answer("root"))
    world.scopes.apply(scope("a.test"))
    await world.fetch(ROOT, lane=Lane.NOW)
    await world.steps()

    assert {"now"} == {row.lane for row in await world.rows(tables.outbox)}
