"""What fetches bring: bodies, 304 and the validators that lead to it, gone pages."""

from datetime import timedelta

import pytest

from scops.common.contract.messages.content import ExtractionFailed, PageKind
from scops.common.contract.messages.crawl import (
    GoneReason,
    PageDead,
    PageFetched,
    PageGone,
    PagesVerified,
)
from scops.common.contract.messages.index import IndexFailed, IndexOutcome
from scops.fetcher import handlers
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

A = "https://a.test/a"
B = "https://a.test/b"


async def settled(world: FetcherWorld, url: str = A, *, job_id: str = "first") -> PageFetched:
    """Fetches a page that carries an ETag, and lets the pipeline confirm it."""
    world.source.serve(url, page_answer("one", etag='"1"'))
    await world.fetch_at_once(url, job_id=job_id)
    event = await world.event(PageFetched)
    await world.extract(event, [B])
    await world.index(event)
    await world.events()
    return event


async def test_body_is_in_the_archive_when_its_event_is_published(world: FetcherWorld) -> None:
    """PageFetched names a body that can be read, with what HTTP said of it."""
    world.scopes.apply(scope("a.test"))
    world.source.serve(A, page_answer("<p>text</p>"))
    await world.fetch_at_once(A)
    event = await world.event(PageFetched)

    assert b"<p>text</p>" == await world.archive.get(event.body)
    assert ("text/html", "utf-8", A, A) == (
        event.body.media_type,
        event.body.charset,
        event.url,
        event.canonical_url,
    )


async def test_observed_time_only_grows(world: FetcherWorld) -> None:
    """A clock that steps back does not make a later fetch older."""
    world.scopes.apply(scope("a.test"))
    first = await settled(world)
    world.clock.advance(2)
    await world.fetch(A, job_id="second")

    def set_back() -> object:
        """Sets the machine's time back while the request is under way."""
        world.clock.turn_back(86_400)
        return page_answer("two", etag='"2"')

    world.source.serve(A, set_back)
    await world.step()
    second = await world.event(PageFetched)

    assert second.observed_time == first.observed_time + timedelta(microseconds=1)


async def test_confirmed_page_is_asked_conditionally_and_304_names_its_fetch(
    world: FetcherWorld,
) -> None:
    """A 304 confirms the fetch whose validators were sent, and counts as unchanged."""
    world.scopes.apply(scope("a.test"))
    first = await settled(world)
    await world.fetch_at_once(A, job_id="again")
    (event,) = (await world.event(PagesVerified)).pages
    await world.verify(event)

    assert first.fetch_id == event.confirmed_fetch_id
    assert event.fetch_id != first.fetch_id
    assert {A: "unchanged"} == await world.outcomes("again")


async def test_304_gives_the_stored_links_under_each_jobs_rules(world: FetcherWorld) -> None:
    """A crawl whose every page is unmodified still reaches every page."""
    world.scopes.apply(scope("a.test", seeds=[A]))
    await settled(world)
    world.source.serve(B, page_answer("b", etag='"b"'))
    await world.crawl("crawl")
    await world.run()

    assert {A: "unchanged", B: "indexed"} == await world.outcomes("crawl")


async def test_unconfirmed_validators_are_not_sent(world: FetcherWorld) -> None:
    """Before its VersionIndexed a fetch has no validators, whatever the extractor said."""
    world.scopes.apply(scope("a.test"))
    world.source.serve(A, page_answer("one", etag='"1"'))
    await world.fetch_at_once(A)
    event = await world.event(PageFetched)
    await world.extract(event, [B])
    dead = PageDead(page_id=event.page_id, fetch_id=event.fetch_id, reason="X", consumer="c")
    await handlers.handle_page_dead(dead, world.cause(), world.ports)
    await world.fetch_at_once(A, job_id="again")

    assert [False, False] == [asked.conditional for asked in world.source.asked if asked.url == A]
    assert {A: "dead(x)"} == await world.outcomes()


@pytest.mark.parametrize("stage", ["extraction", "index", "dead", "blocked", "gone", "pipeline"])
async def test_what_clears_validators(world: FetcherWorld, stage: str) -> None:
    """After a failure downstream, a blocked page, PageGone or a new pipeline a body is wanted."""
    world.scopes.apply(scope("a.test"))
    await settled(world)
    world.source.serve(A, None if stage == "gone" else page_answer("two", etag='"2"'))
    await world.fetch_at_once(A, job_id="second")
    event = (await world.events())[0]
    await break_off(world, event, stage)
    world.source.serve(A, page_answer("one", etag='"1"'))
    world.source.asked.clear()
    await world.fetch_at_once(A, job_id="third")

    assert [False] == [asked.conditional for asked in world.source.asked if asked.url == A]


async def break_off(world: FetcherWorld, event: PageFetched, stage: str) -> None:
    page, cause, now = event.page_id, world.cause(), world.clock.now()
    if stage == "extraction":
        failed = ExtractionFailed(
            page_id=page, fetch_id=event.fetch_id, reason="TOO_DEEP", failed_time=now
        )
        await handlers.handle_failed(failed, cause, world.ports)
    elif stage == "index":
        lost = IndexFailed(page_id=page, fetch_id=event.fetch_id, reason="FULL", failed_time=now)
        await handlers.handle_failed(lost, cause, world.ports)
    elif stage == "dead":
        dead = PageDead(page_id=page, consumer="indexer-version_added-bulk", reason="POISON")
        await handlers.handle_page_dead(dead, cause, world.ports)
    elif stage == "blocked":
        await world.extract(event, kind=PageKind.LOGIN_WALL)
    elif stage == "gone":
        await world.index(event, IndexOutcome.CLOSED)
    else:
        await world.extract(event)
        await world.index(event)
        await newer_pipeline(world)


async def newer_pipeline(world: FetcherWorld) -> None:
    """Lets another page be extracted by the next version of the pipeline."""
    world.clock.advance(2)
    world.source.serve(B, page_answer("b"))
    await world.fetch_at_once(B, job_id="other")
    await world.extract(await world.event(PageFetched), pipeline_version="2")


async def test_links_that_the_archive_lost_make_the_next_fetch_bring_the_body(
    world: FetcherWorld,
) -> None:
    """A 304 without stored links is asked again without conditions."""
    world.scopes.apply(scope("a.test", seeds=[A]))
    await settled(world)
    await world.lose_links(A)
    await world.fetch(A, job_id="again")
    await world.run()

    assert {A: "indexed"} == await world.outcomes("again")


@pytest.mark.parametrize(
    ("answer", "reason"), [(None, GoneReason.GONE), ("nothing", GoneReason.NOT_FOUND)]
)
async def test_gone_page(world: FetcherWorld, answer: str | None, reason: GoneReason) -> None:
    """404 and 410 close the page; the outcome comes from the index."""
    world.scopes.apply(scope("a.test"))
    if answer is None:
        world.source.serve(A, None)
    await world.fetch_at_once(A)
    event = await world.event(PageGone)
    assert {A: "open"} == await world.outcomes()
    await world.index(event, IndexOutcome.CLOSED)

    assert reason is event.reason
    assert {A: f"gone({reason.value})"} == await world.outcomes()


async def test_gone_stays_gone_where_the_index_had_moved_on(world: FetcherWorld) -> None:
    """A superseded answer to PageGone is no indexed page."""
    world.scopes.apply(scope("a.test"))
    await world.fetch_at_once(A)
    await world.index(await world.event(PageGone), IndexOutcome.SUPERSEDED)

    assert {A: "gone(not_found)"} == await world.outcomes()


async def test_renewed_validators_are_sent_the_next_time(world: FetcherWorld) -> None:
    """A server that renews its ETag without a change sends the body once, not each time."""
    world.scopes.apply(scope("a.test"))
    held = []
    for number, etag in enumerate(('"1"', '"2"', '"2"')):
        world.source.serve(A, page_answer("text", etag=etag))
        await world.fetch(A, job_id=f"job-{number}")
        await world.run()
        held.append((await world.page(A)).etag)

    assert ['"1"', '"2"', '"2"'] == held
    assert {A: "unchanged"} == await world.outcomes("job-2")
