"""What fetches bring: bodies, 304, gone pages, redirects, failures."""

from datetime import timedelta

import pytest

from scops.common.messages.content import ExtractionFailed, PageKind
from scops.common.messages.crawl import (
    FetchFailed,
    GoneReason,
    PageDead,
    PageFetched,
    PageGone,
    PageUnmodified,
)
from scops.common.messages.index import IndexFailed, IndexOutcome
from scops.fetcher import handlers
from tests.fakes.fetcher_world import FetcherWorld, scope
from tests.fakes.page_source import Hop, failure, page_answer

A = "https://a.test/a"
B = "https://a.test/b"
OTHER_HOST = "https://b.test/"


async def fetch_once(world: FetcherWorld, *urls: str, job_id: str = "job") -> None:
    await world.fetch(*urls, job_id=job_id)
    await world.steps()


async def settled(world: FetcherWorld, url: str = A, *, job_id: str = "first") -> PageFetched:
    """Fetches a page that carries an ETag, and lets the pipeline confirm it."""
    world.source.serve(url, page_answer("one", etag='"1"'))
    await fetch_once(world, url, job_id=job_id)
    event = await world.event(PageFetched)
    await world.extract(event, [B])
    await world.index(event)
    await world.events()
    return event


async def test_body_is_in_the_archive_when_its_event_is_published(world: FetcherWorld) -> None:
    """PageFetched names a body that can be read, with what HTTP said of it."""
    world.scopes.apply(scope("a.test"))
    world.source.serve(A, page_answer("<p>text</p>"))
    await fetch_once(world, A)
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
    await fetch_once(world, A, job_id="again")
    event = await world.event(PageUnmodified)
    await world.index(event, IndexOutcome.REFRESHED)

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
    await fetch_once(world, A)
    event = await world.event(PageFetched)
    await world.extract(event, [B])
    dead = PageDead(page_id=event.page_id, fetch_id=event.fetch_id, reason="X", consumer="c")
    await handlers.handle_page_dead(dead, world.cause(), world.ports)
    await fetch_once(world, A, job_id="again")

    assert [False, False] == [asked.conditional for asked in world.source.asked if asked.url == A]
    assert {A: "dead(x)"} == await world.outcomes()


@pytest.mark.parametrize("stage", ["extraction", "index", "dead", "blocked", "gone", "pipeline"])
async def test_what_clears_validators(world: FetcherWorld, stage: str) -> None:
    """After a failure downstream, a blocked page, PageGone or a new pipeline a body is wanted."""
    world.scopes.apply(scope("a.test"))
    await settled(world)
    world.source.serve(A, None if stage == "gone" else page_answer("two", etag='"2"'))
    await fetch_once(world, A, job_id="second")
    event = (await world.events())[0]
    await break_off(world, event, stage)
    world.source.serve(A, page_answer("one", etag='"1"'))
    world.source.asked.clear()
    await fetch_once(world, A, job_id="third")

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
    await fetch_once(world, B, job_id="other")
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
    await fetch_once(world, A)
    event = await world.event(PageGone)
    assert {A: "open"} == await world.outcomes()
    await world.index(event, IndexOutcome.CLOSED)

    assert reason is event.reason
    assert {A: f"gone({reason.value})"} == await world.outcomes()


async def test_gone_stays_gone_where_the_index_had_moved_on(world: FetcherWorld) -> None:
    """A superseded answer to PageGone is no indexed page."""
    world.scopes.apply(scope("a.test"))
    await fetch_once(world, A)
    await world.index(await world.event(PageGone), IndexOutcome.SUPERSEDED)

    assert {A: "gone(not_found)"} == await world.outcomes()


async def test_permanent_redirect_to_an_unknown_url_renames_the_page(world: FetcherWorld) -> None:
    """The new URL becomes an alias and the canonical one; the identity stays."""
    world.scopes.apply(scope("a.test"))
    world.source.serve(A, Hop(B))
    world.source.serve(B, page_answer("b"))
    await fetch_once(world, A)
    event = await world.event(PageFetched)

    assert (B, B) == (event.url, event.canonical_url)
    page = await world.page(A)
    assert page == await world.page(B)
    assert (event.page_id, B) == (page.page_id, page.canonical_url)


async def test_permanent_redirect_to_a_known_page_closes_the_redirecting_one(
    world: FetcherWorld,
) -> None:
    """Ids are never merged: PageGone(moved), the URL names the target, which joins the job."""
    world.scopes.apply(scope("a.test"))
    world.source.serve(A, page_answer("a"))
    world.source.serve(B, page_answer("b"))
    await world.fetch(A, B, job_id="before")
    await world.run()
    source_id, target_id = (await world.page(A)).page_id, (await world.page(B)).page_id
    world.source.serve(A, Hop(B))
    await world.fetch(A, job_id="moved")
    gone = next(event for event in await world.run() if isinstance(event, PageGone))

    assert (source_id, target_id) == (gone.page_id, gone.moved_to)
    assert GoneReason.MOVED is gone.reason
    assert {A: "joined(moved)", B: "unchanged"} == await world.outcomes("moved")
    assert target_id == (await world.page(A)).page_id


async def test_url_that_became_an_alias_leads_to_the_target_from_now_on(
    world: FetcherWorld,
) -> None:
    """A later job that names the old URL fetches the target, once."""
    await test_permanent_redirect_to_a_known_page_closes_the_redirecting_one(world)
    world.source.asked.clear()
    await world.fetch(A, B, job_id="later")
    await world.run()

    assert {A: "unchanged"} == await world.outcomes("later")
    assert [B] == world.source.pages_asked()


async def test_temporary_redirect_merges_nothing(world: FetcherWorld) -> None:
    """The content found is the redirecting page's own."""
    world.scopes.apply(scope("a.test"))
    world.source.serve(A, Hop(B, permanent=False))
    world.source.serve(B, page_answer("b"))
    await fetch_once(world, A)
    event = await world.event(PageFetched)

    assert (B, A) == (event.url, event.canonical_url)
    assert await world.page(B) is None


async def test_a_hop_on_the_same_host_waits_the_delay(world: FetcherWorld) -> None:
    """Each request under a lease keeps the host's pause, and the lease is renewed."""
    world.scopes.apply(scope("a.test"))
    world.source.serve(A, Hop(B))
    world.source.serve(B, page_answer("b"))
    await fetch_once(world, A)
    times = [asked.time for asked in world.source.asked]

    assert [timedelta(seconds=1)] * 2 == [times[1] - times[0], times[2] - times[1]]


async def test_redirect_forbidden_by_robots_is_blocked(world: FetcherWorld) -> None:
    """robots.txt holds for every hop."""
    world.source.serve("https://a.test/robots.txt", page_answer("User-agent: *\nDisallow: /b"))
    world.scopes.apply(scope("a.test"))
    world.source.serve(A, Hop(B))
    await fetch_once(world, A)

    assert {A: "blocked(robots)"} == await world.outcomes()
    assert [A] == world.source.pages_asked()


@pytest.mark.parametrize("target", ["https://a.test/outside", OTHER_HOST])
async def test_permanent_redirect_out_of_the_scope_closes_the_page(
    world: FetcherWorld, target: str
) -> None:
    """What moved away for good closes; nothing outside the rules is requested."""
    world.scopes.apply(scope("a.test/a"))
    world.source.serve(A, Hop(target))
    await world.fetch(A)
    await world.run()

    assert {A: "joined(moved)"} == await world.outcomes()
    assert [A] == world.source.pages_asked()


@pytest.mark.parametrize("permanent", [True, False])
async def test_redirect_to_another_host_inside_the_scope(
    world: FetcherWorld, permanent: bool
) -> None:
    """The target is fetched under its own host's clock, as a page of the same job."""
    world.scopes.apply(scope("a.test", "b.test"))
    world.source.serve(A, Hop(OTHER_HOST, permanent=permanent))
    world.source.serve(OTHER_HOST, page_answer("b"))
    await world.fetch(A)
    await world.run()

    left = "joined(moved)" if permanent else "blocked(redirected)"
    assert {A: left, OTHER_HOST: "indexed"} == await world.outcomes()
    moved = (await world.page(A)).page_id == (await world.page(OTHER_HOST)).page_id
    assert permanent is moved


async def test_hosts_that_redirect_to_each_other_end(world: FetcherWorld) -> None:
    """Two pages that move to each other for ever do not keep a job open."""
    world.scopes.apply(scope("a.test", "b.test"))
    world.source.serve(A, Hop(OTHER_HOST))
    world.source.serve(OTHER_HOST, Hop(A))
    await world.fetch(A)
    await world.run()

    assert 0 == (await world.job()).counts.open
    assert "completed" == (await world.job()).state


async def test_repeatable_failure_is_retried_with_growing_delay(world: FetcherWorld) -> None:
    """A page that fails and then answers is indexed; the failures are published."""
    answers = iter([failure("TIMEOUT", retryable=True), failure("TIMEOUT", retryable=True)])
    world.source.answers[A] = lambda: next(answers, page_answer("at last"))
    world.scopes.apply(scope("a.test"))
    await world.fetch(A)
    events = await world.run()
    times = [asked.time for asked in world.source.asked if asked.url == A]

    assert [5.0, 20.0] == [(times[i + 1] - times[i]).total_seconds() for i in (0, 1)]
    assert 2 == sum(isinstance(event, FetchFailed) for event in events)
    assert {A: "indexed"} == await world.outcomes()
    assert 0 == (await world.page(A)).attempts


async def test_repeatable_failure_ends_after_the_last_attempt(world: FetcherWorld) -> None:
    """Three retries, then dead."""
    world.source.serve(A, failure("TIMEOUT", retryable=True))
    world.scopes.apply(scope("a.test"))
    await world.fetch(A)
    await world.run()

    assert {A: "dead(timeout)"} == await world.outcomes()
    assert 4 == world.source.pages_asked().count(A)


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("ADDRESS_DENIED", "blocked(address_denied)"),
        ("UNSUPPORTED_TYPE", "blocked(unsupported_type)"),
        ("HTTP_401", "blocked(http_401)"),
        ("HTTP_403", "blocked(http_403)"),
        ("BODY_TOO_LARGE", "dead(body_too_large)"),
        ("RATIO_TOO_HIGH", "dead(ratio_too_high)"),
        ("REDIRECT_LOOP", "dead(redirect_loop)"),
    ],
)
async def test_final_failures(world: FetcherWorld, reason: str, outcome: str) -> None:
    """A failure that cannot pass ends the page at once, blocked or dead, with its reason."""
    world.source.serve(A, failure(reason))
    world.scopes.apply(scope("a.test"))
    await world.fetch(A)
    await world.run()

    assert {A: outcome} == await world.outcomes()
    assert 1 == world.source.pages_asked().count(A)


async def test_denied_address_is_named_even_where_robots_is_asked_first(
    world: FetcherWorld,
) -> None:
    """A link-local address is blocked as what it is, not as an unreadable robots.txt."""
    world.source.serve("http://169.254.169.254/robots.txt", failure("ADDRESS_DENIED"))
    world.scopes.apply(scope("169.254.169.254"))
    await world.fetch("http://169.254.169.254/latest")
    await world.run()

    assert {"http://169.254.169.254/latest": "blocked(address_denied)"} == await world.outcomes()


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
