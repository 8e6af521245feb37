"""Routes of an app: each is a page that the browser alone shows, and its server hears of none."""

from collections.abc import AsyncIterator

import pytest

from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.crawl import PageFetched
from scops.fetcher.ports.browser import PagePart, Rendering
from scops.fetcher.ports.page_source import Fetched
from scops.fetcher.settings import FetcherSettings
from tests.fakes.browser import FakeBrowser
from tests.fakes.page_source import Hop, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

APP = "https://app.example.org/"
PLAN, FEES = f"{APP}#/plan", f"{APP}#!/fees?of=5"
SHELL = "<div id=root></div><script src=/app.js></script>"


def draws(document: Fetched, parts: list[PagePart | None]) -> Rendering:
    """An app that shows where it is."""
    return Rendering(html=f"<p>{document.final_url}</p>", whole=True)


def draws_the_same(document: Fetched, parts: list[PagePart | None]) -> Rendering:
    """An app without routes."""
    return Rendering(html="<p>It is one page.</p>", whole=True)


@pytest.fixture
def browser() -> FakeBrowser:
    return FakeBrowser(made=draws)


@pytest.fixture
async def world(browser: FakeBrowser) -> AsyncIterator[FetcherWorld]:
    async with FetcherWorld.opened(browser=browser) as opened:
        opened.source.serve(APP, page_answer(SHELL, etag='"1"'))
        opened.scopes.apply(scope("app.example.org", seeds=[APP]))
        yield opened


def asked(world: FetcherWorld) -> list[str]:
    """What was asked for so far, but for robots.txt."""
    return [one.url for one in world.source.asked if not one.url.endswith("robots.txt")]


async def test_a_route_begins_in_the_browser(world: FetcherWorld, browser: FakeBrowser) -> None:
    """Nobody need tell that its server says nothing; its URL goes with what it shows."""
    await world.fetch_at_once(PLAN)
    event = await world.event(PageFetched)

    assert [PLAN] == browser.shown
    assert [APP] == asked(world)
    assert (PLAN, PLAN, "browser") == (event.url, event.canonical_url, event.came_by)
    assert f"<p>{PLAN}</p>" == (await world.archive.get(event.body)).decode()


async def test_routes_are_pages_of_their_own(world: FetcherWorld) -> None:
    """Each has an identity and an outcome; the same words again are no news."""
    await world.fetch(APP, PLAN, FEES, job_id="job")
    await world.run()
    await world.fetch(PLAN, FEES, job_id="again")
    await world.run()
    pages = {(await world.page(url)).page_id for url in (APP, PLAN, FEES)}

    assert 3 == len(pages)
    assert dict.fromkeys((APP, PLAN, FEES), "indexed") == await world.outcomes("job")
    assert dict.fromkeys((PLAN, FEES), "unchanged") == await world.outcomes("again")


async def test_links_lead_to_routes_and_anchors_nowhere(world: FetcherWorld) -> None:
    """The list of links is as the extractor gives it: with the routes of a shown page."""
    world.links[PLAN] = (FEES, f"{APP}#top", f"{APP}#/plan/{'x/' * 20}")
    world.scopes.apply(scope("app.example.org", seeds=[PLAN], revision=2))
    await world.crawl()
    await world.run()

    assert dict.fromkeys((PLAN, FEES, APP), "indexed") == await world.outcomes("job")


async def test_robots_txt_is_by_the_path(world: FetcherWorld, browser: FakeBrowser) -> None:
    """It forbids a route with its page; a rule that ends the URL ends it before the route."""
    robots = page_answer("User-agent: *\nDisallow: /in$", media_type="text/plain")
    world.source.serve(f"{APP}robots.txt", robots)
    world.source.serve(f"{APP}in", page_answer(SHELL))
    await world.fetch(PLAN, f"{APP}in#/a", job_id="job")
    await world.run()

    assert {PLAN: "indexed", f"{APP}in#/a": "blocked(robots)"} == await world.outcomes("job")
    assert [PLAN] == browser.shown


async def test_a_route_goes_along_where_its_app_moves(
    world: FetcherWorld, browser: FakeBrowser
) -> None:
    """RFC 9110 section 10.2.2: a redirect without a fragment inherits it."""
    world.source.serve(APP, Hop(f"{APP}v2/"))
    world.source.serve(f"{APP}v2/", page_answer(SHELL))
    await world.fetch_at_once(PLAN)
    event = await world.event(PageFetched)

    assert [f"{APP}v2/#/plan"] == browser.shown
    assert f"{APP}v2/#/plan" == event.canonical_url
    assert await world.page(PLAN) == await world.page(f"{APP}v2/#/plan")


async def test_a_route_goes_along_to_another_host(world: FetcherWorld) -> None:
    """The page there is the same route."""
    world.scopes.apply(scope("app.example.org", "app.example.net", revision=2))
    world.source.serve(APP, Hop("https://app.example.net/"))
    world.source.serve("https://app.example.net/", page_answer(SHELL))
    await world.fetch(PLAN, job_id="job")
    await world.run()

    moved = "https://app.example.net/#/plan"
    assert "indexed" == (await world.outcomes("job"))[moved]


async def test_a_route_that_shows_its_page_is_a_name_of_it(
    world: FetcherWorld, browser: FakeBrowser
) -> None:
    """As any page under a second URL."""
    browser.made = draws_the_same
    world.scopes.apply(scope("app.example.org", revision=2, rendered_always=True))
    await world.fetch(APP, job_id="page")
    await world.run()
    await world.fetch(PLAN, FEES, job_id="routes")
    await world.run()

    assert await world.page(APP) == await world.page(PLAN) == await world.page(FEES)
    joined = dict.fromkeys((PLAN, FEES), "joined(same_content)")
    assert joined.items() <= (await world.outcomes("routes")).items()


@pytest.mark.parametrize("has_browser", [True, False])
async def test_a_route_is_not_asked_for_without_a_browser(has_browser: bool) -> None:
    """Its server would say what it says of every other one; so where a scope has none shown."""
    browser = FakeBrowser(made=draws) if has_browser else None
    async with FetcherWorld.opened(browser=browser) as world:
        world.source.serve(APP, page_answer("<p>The start.</p>"))
        world.scopes.apply(scope("app.example.org", rendered_per_day=-1))
        await world.fetch(PLAN, job_id="job")
        await world.run()

        assert {PLAN: "blocked(needs_browser)"} == await world.outcomes("job")
        assert [] == world.source.asked


async def test_a_route_costs_a_rendering(browser: FakeBrowser) -> None:
    """A scope's pages of a day bound how many there are."""
    settings = FetcherSettings(rendered_per_day=3)
    urls = [f"{APP}#/{number}" for number in range(5)]
    async with FetcherWorld.opened(browser=browser, settings=settings) as world:
        world.source.serve(APP, page_answer(SHELL))
        world.scopes.apply(scope("app.example.org"))
        await world.fetch(*urls, job_id="job")
        await world.run()
        ends = sorted((await world.outcomes("job")).values())

    assert ["blocked(renderings_spent)"] * 2 + ["indexed"] * 3 == ends
    assert 3 == len(browser.shown)


async def test_a_route_that_is_empty_is_shown_once(
    world: FetcherWorld, browser: FakeBrowser
) -> None:
    """It was the browser's from the start."""
    await world.fetch_at_once(PLAN)
    await world.extract(await world.event(PageFetched), kind=PageKind.APP_SHELL)
    await world.steps()

    assert [PLAN] == browser.shown
    assert {PLAN: "blocked(app_shell)"} == await world.outcomes("job")
