"""Redirects: for good or for now, to a known page, another host, out of the scope."""

from datetime import timedelta

import pytest

from scops.common.contract.messages.crawl import GoneReason, PageFetched, PageGone
from tests.fakes.page_source import Hop, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

A = "https://a.test/a"
B = "https://a.test/b"
OTHER_HOST = "https://b.test/"


async def test_permanent_redirect_to_an_unknown_url_renames_the_page(world: FetcherWorld) -> None:
    """The new URL becomes an alias and the canonical one; the identity stays."""
    world.scopes.apply(scope("a.test"))
    world.source.serve(A, Hop(B))
    world.source.serve(B, page_answer("b"))
    await world.fetch_at_once(A)
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
    await world.fetch_at_once(A)
    event = await world.event(PageFetched)

    assert (B, A) == (event.url, event.canonical_url)
    assert await world.page(B) is None


async def test_a_hop_on_the_same_host_waits_the_delay(world: FetcherWorld) -> None:
    """Each request under a lease keeps the host's pause, and the lease is renewed."""
    world.scopes.apply(scope("a.test"))
    world.source.serve(A, Hop(B))
    world.source.serve(B, page_answer("b"))
    await world.fetch_at_once(A)
    times = [asked.time for asked in world.source.asked]

    assert [timedelta(seconds=1)] * 2 == [times[1] - times[0], times[2] - times[1]]


async def test_redirect_forbidden_by_robots_is_blocked(world: FetcherWorld) -> None:
    """robots.txt holds for every hop."""
    world.source.serve("https://a.test/robots.txt", page_answer("User-agent: *\nDisallow: /b"))
    world.scopes.apply(scope("a.test"))
    world.source.serve(A, Hop(B))
    await world.fetch_at_once(A)

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


@pytest.mark.parametrize("permanent", [True, False])
async def test_job_says_where_a_page_leads(world: FetcherWorld, permanent: bool) -> None:
    """Out of its scope, where nothing is requested."""
    world.scopes.apply(scope("a.test"))
    world.source.serve(A, Hop(OTHER_HOST, permanent=permanent))
    await world.fetch(A)
    await world.run()

    assert [(A, OTHER_HOST)] == [(one.url, one.joined_url) for one in (await world.job()).outcomes]
    assert [A] == world.source.pages_asked()


async def test_hosts_that_redirect_to_each_other_end(world: FetcherWorld) -> None:
    """Two pages that move to each other for ever do not keep a job open."""
    world.scopes.apply(scope("a.test", "b.test"))
    world.source.serve(A, Hop(OTHER_HOST))
    world.source.serve(OTHER_HOST, Hop(A))
    await world.fetch(A)
    await world.run()

    assert 0 == (await world.job()).counts.open
    assert "completed" == (await world.job()).state
