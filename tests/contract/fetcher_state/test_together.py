"""Answers about several pages at once leave every fetcher state as answers one by one do.

Run on SQLite in memory, on a file and on PostgreSQL, these with two pools as two processes have.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from scops.common.bus.ports import Cause, Caused
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import Verdict, VersionAdded
from scops.common.contract.messages.content import PageExtracted, PageKind
from scops.common.contract.messages.crawl import CrawlFinished, PageFetched
from scops.common.contract.messages.index import IndexOutcome, VersionIndexed
from scops.common.contract.messages.types import ChangeSummary, OrderKey
from scops.common.contract.service_table import Lane
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.fetcher import handlers
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.ledger.together import CONFIRMED
from scops.fetcher.adapters.sql.recrawl.schedule_tables import schedule
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.settings import FetcherSettings
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

URLS = [f"https://a.test/{number}" for number in range(5)]
SETTINGS = FetcherSettings(host_delay_seconds=0.0)
PLAIN = [IndexOutcome.ADDED, IndexOutcome.ADDED, IndexOutcome.SUPERSEDED]
OTHERS = [IndexOutcome.REFRESHED, IndexOutcome.CLOSED]


@pytest.fixture
async def pair(address: str | Address) -> AsyncIterator[tuple[FetcherWorld, FetcherPorts]]:
    """Five pages that were fetched, and whose links were taken: (first process, second's ports)."""
    async with FetcherWorld.opened(address, settings=SETTINGS) as world:
        await _fetch(world)
        if address == "sqlite://":
            yield world, world.new_ports(seed=1)
            return
        second = Database(address, name="second")
        yield world, world.new_ports(seed=1, database=second)
        await second.close()


Pair = tuple[FetcherWorld, FetcherPorts]


async def _fetch(world: FetcherWorld) -> None:
    for url in URLS:
        world.source.serve(url, page_answer(url, etag=f'"{url}"'))
    world.scopes.apply(scope("a.test", seeds=URLS))
    await world.crawl()
    await world.steps()
    for event in await world.events(PageFetched):
        await world.extract(event)


async def _answers(
    world: FetcherWorld, outcomes: Sequence[IndexOutcome]
) -> list[tuple[VersionIndexed, Cause]]:
    rows = sorted(await world.rows(tables.fetch), key=lambda row: str(row.page_id))
    return [
        (
            VersionIndexed(
                page_id=row.page_id,
                fetch_id=row.fetch_id,
                outcome=outcome,
                order_key=OrderKey(observed_from=row.observed_time),
            ),
            world.cause(),
        )
        for row, outcome in zip(rows, outcomes, strict=True)
    ]


async def _left(world: FetcherWorld) -> tuple[Any, ...]:
    """Returns what answers change: pages, fetches, rows of the job and its counts."""
    columns = ("canonical_url", "awaiting_fetch_id", "status", "last_reason", *CONFIRMED)
    pages = sorted(
        (*(getattr(row, name) for name in columns), row.validator_fetch_id is None)
        for row in await world.rows_of_pages()
    )
    fetches = sorted((row.outcome, row.state, row.reason) for row in await world.rows(tables.fetch))
    return pages, fetches, await world.outcomes(), (await world.job()).counts


async def test_outcomes_together_leave_what_they_leave_alone(pair: Pair) -> None:
    """What became no version is left to be handled alone; a repetition ends nothing twice."""
    world, _ = pair
    answers = await _answers(world, [*PLAIN, *OTHERS])
    made = await handlers.handle_versions_indexed(answers, world.ports)
    again = await handlers.handle_versions_indexed(answers, world.ports)
    for answer, cause in answers[len(PLAIN) :]:
        await handlers.handle_version_indexed(answer, cause, world.ports)
    async with FetcherWorld.opened(settings=SETTINGS) as other:
        await _fetch(other)
        for answer, cause in await _answers(other, [*PLAIN, *OTHERS]):
            await handlers.handle_version_indexed(answer, cause, other.ports)

        assert await _left(other) == await _left(world)

    assert [(), (), (), None, None] == made
    assert [None] * 5 == again
    assert 1 == len(await world.events(CrawlFinished))


async def test_outcomes_that_overlap_count_once(pair: Pair) -> None:
    """Two processes at once, in parts and other orders, together and alone."""
    world, second = pair
    answers = await _answers(world, [IndexOutcome.ADDED] * 5)

    async def alone(one: Caused) -> None:
        await handlers.handle_version_indexed(*one, world.ports)

    await asyncio.gather(
        handlers.handle_versions_indexed(answers, world.ports),
        handlers.handle_versions_indexed(answers[::-1], second),
        handlers.handle_versions_indexed(answers[2:], world.ports),
        *(alone(one) for one in answers),
    )

    assert dict.fromkeys(URLS, "indexed") == await world.outcomes()
    assert 5 == (await world.job()).counts.indexed
    assert 1 == len(await world.events(CrawlFinished))
    assert [None] * 5 == [row.awaiting_fetch_id for row in await world.rows_of_pages()]


async def test_links_that_are_missing_keep_only_their_page_open(address: str | Address) -> None:
    """It ends with its links, as `indexed`."""
    async with FetcherWorld.opened(address, settings=SETTINGS) as world:
        for url in URLS:
            world.source.serve(url, page_answer(url))
        world.scopes.apply(scope("a.test", seeds=URLS))
        await world.crawl()
        await world.steps()
        *events, late = await world.events(PageFetched)
        for event in events:
            await world.extract(event)
        answers = await _answers(world, [IndexOutcome.ADDED] * 5)
        await handlers.handle_versions_indexed(answers, world.ports)

        assert ["", *["indexed"] * 4] == sorted(
            row.outcome for row in await world.rows(tables.job_page)
        )
        await world.extract(late)
        assert dict.fromkeys(URLS, "indexed") == await world.outcomes()


LIMITED = FetcherSettings(host_delay_seconds=0.0, page_limit=12)
SHARED = ["https://a.test/shared", "https://b.test/outside", f"{URLS[0]}"]


async def _linked(world: FetcherWorld) -> list[tuple[PageExtracted, Cause]]:
    """Has pages fetched, one of them indexed already; returns their extractions with links."""
    for number, url in enumerate(URLS):
        world.source.serve(url, page_answer(url))
        world.feeds[url] = (f"https://a.test/feed/{number}",)
        world.stated[url] = f"https://a.test/stated/{number}"
    world.scopes.apply(scope("a.test", seeds=URLS))
    await world.crawl()
    await world.steps()
    found = sorted(await world.events(PageFetched), key=lambda one: one.canonical_url)
    extractions = []
    for number, event in enumerate(found):
        kind = PageKind.SOFT_404 if number == 3 else PageKind.ARTICLE
        # More than the job may hold: the last pages' own links stay out.
        links = [*SHARED, *(f"https://a.test/of-{number}-{link}" for link in range(3))]
        extractions.append((await world.extracted(event, links, kind=kind), world.cause()))
    answer = VersionIndexed(
        page_id=found[1].page_id,
        fetch_id=found[1].fetch_id,
        outcome=IndexOutcome.ADDED,
        order_key=OrderKey(observed_from=found[1].observed_time),
    )
    await handlers.handle_version_indexed(answer, world.cause(), world.ports)
    return extractions


async def _given(world: FetcherWorld) -> tuple[Any, ...]:
    """Returns what extractions change: as `_left`, with rows, links, feeds and what is queued."""
    columns = ("url", "depth", "state", "links_taken", "names_feeds", "outcome", "reason")
    rows = sorted(
        (*(getattr(row, name) for name in columns), bool(row.given_links))
        for row in await world.rows(tables.job_page)
    )
    kept = sorted(
        (row.links_digest or "", row.links_size, row.pipeline_version, row.outcome)
        for row in await world.rows(tables.fetch)
    )
    said = sorted((row.canonical_url, row.stated_url) for row in await world.rows_of_pages())
    tasks = sorted((row.url, row.kind, row.depth) for row in await world.rows(tables.task))
    counts = (await world.job()).counts
    return rows, kept, said, tasks, len(await world.rows(tables.queue)), counts


async def test_links_together_lead_where_they_lead_alone(address: str | Address) -> None:
    """Rows, depths, limits and feeds are the same; what is blocked is left to be handled alone."""
    async with FetcherWorld.opened(address, settings=LIMITED) as world:
        events = await _linked(world)
        made = await handlers.handle_pages_extracted(events, world.ports)
        again = await handlers.handle_pages_extracted(events[::-1], world.ports)
        for (event, cause), one in zip(events, made, strict=True):
            if one is None:
                await handlers.handle_page_extracted(event, cause, world.ports)
        left = await _given(world)
    async with FetcherWorld.opened(settings=LIMITED) as other:
        for event, cause in await _linked(other):
            await handlers.handle_page_extracted(event, cause, other.ports)

        assert await _given(other) == left

    assert [(), (), (), None, ()] == made
    assert made[::-1] == again
    rows, _, _, tasks, _, counts = left
    assert LIMITED.page_limit == len(rows)
    assert (1, 1) == (counts.indexed, counts.blocked)
    assert 4 == sum("feed" in url for url, _, _ in tasks)
    # A list of which the limit leaves something out has not been given whole.
    assert {True, False} == {row[-1] for row in rows if row[3]}


async def test_links_that_overlap_are_given_once(address: str | Address) -> None:
    """Two processes at once, in parts and other orders, together and alone."""
    async with FetcherWorld.opened(address, settings=LIMITED) as world:
        events = await _linked(world)
        second, ports = None, world.ports
        if address != "sqlite://":
            second = Database(address, name="second")
            ports = world.new_ports(seed=1, database=second)
        await asyncio.gather(
            handlers.handle_pages_extracted(events, world.ports),
            handlers.handle_pages_extracted(events[::-1], ports),
            *(handlers.handle_page_extracted(*one, world.ports) for one in events),
        )
        if second is not None:
            await second.close()

        job = await world.job()
        rows = await world.rows(tables.job_page)
        assert LIMITED.page_limit == len(rows) == len({row.url for row in rows})
        assert (1, 1, 10) == (job.counts.indexed, job.counts.blocked, job.counts.open)


async def test_long_lists_are_given_page_by_page(
    address: str | Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A frame takes in what its bound holds; the others are left to be handled alone, unread."""
    async with FetcherWorld.opened(address, settings=SETTINGS) as world:
        events = await _linked(world)
        size = sum(event.links.size for event, _ in events[:2])
        monkeypatch.setattr(handlers, "LINK_BYTES_TOGETHER_MAX", size)
        made = await handlers.handle_pages_extracted(events, world.ports)

        assert [(), (), None, None, None] == made


async def test_verdicts_together_teach_what_they_teach_alone(pair: Pair) -> None:
    """Each event counts once, whichever way it comes; late ones and strangers teach nothing."""
    world, second = pair

    def verdicts(of: FetcherWorld, pages: Sequence[Any], *, semantic: bool) -> list[Any]:
        now = of.clock.now()
        return [
            (
                VersionAdded(
                    verdict=Verdict(
                        page_id=page.page_id,
                        order_key=OrderKey(observed_from=now),
                        verified_time=now,
                        observed_time=now,
                        summary=ChangeSummary(semantic=semantic),
                        late=page.canonical_url == URLS[4],
                    )
                ),
                of.cause(Lane.BULK),
            )
            for page in pages
        ]

    async def learned(of: FetcherWorld) -> list[Any]:
        urls = {row.page_id: row.canonical_url for row in await of.rows_of_pages()}
        return sorted(
            (urls[row.page_id], row.observed_count, row.semantic_count, row.due_time, row.evidence)
            for row in await of.rows(schedule)
        )

    pages = await world.rows_of_pages()
    stranger = replace(
        verdicts(world, pages[:1], semantic=False)[0][0].verdict, page_id=PageId("unknown")
    )
    first = verdicts(world, pages, semantic=False)
    first.append((VersionAdded(verdict=stranger), world.cause()))
    world.clock.advance(86_400.0)
    later = verdicts(world, pages, semantic=True)
    await asyncio.gather(
        handlers.handle_versions_added(first, world.ports),
        handlers.handle_versions_added(first[::-1], second),
    )
    await handlers.handle_versions_added(later[:3], world.ports)
    for event, cause in later:
        await handlers.handle_verdict(event, cause, world.ports)
    async with FetcherWorld.opened(settings=SETTINGS) as other:
        await _fetch(other)
        others = await other.rows_of_pages()
        ones = verdicts(other, others, semantic=False)
        other.clock.advance(86_400.0)
        for event, cause in [*ones, *verdicts(other, others, semantic=True)]:
            await handlers.handle_verdict(event, cause, other.ports)

        assert await learned(other) == await learned(world)

    assert 4 == len(await world.rows(schedule))
