"""Pages that only scripts fill: when the browser is asked, what it is given, what it costs."""

import itertools
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.contract.ids import JobId, ScopeId
from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.crawl import FetchPage, PageFetched
from scops.common.contract.messages.types import ScopeRef
from scops.common.contract.service_table import Lane
from scops.fetcher import handlers
from scops.fetcher.adapters.sql import tables
from scops.fetcher.fetch import rendered_page
from scops.fetcher.fetch.page_parts import PartCache
from scops.fetcher.ports.browser import PagePart, Rendering
from scops.fetcher.ports.page_source import Fetched
from scops.fetcher.settings import FetcherSettings
from tests.fakes.browser import FakeBrowser
from tests.fakes.page_source import failure, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

APP, NEXT = "https://app.example.org/", "https://app.example.org/next"
SCRIPT, DATA = "https://app.example.org/app.js", "https://api.example.org/data"
SHELL = "<div id=root></div><script src=/app.js></script>"


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> FakeBrowser:
    """A page asks for a script and its data; nothing of it is left from other tests."""
    monkeypatch.setattr(rendered_page, "CACHE", PartCache())
    return FakeBrowser(asks=[SCRIPT, DATA])


@pytest.fixture
async def world(browser: FakeBrowser) -> AsyncIterator[FetcherWorld]:
    """An app, and a scope of all of its domain."""
    settings = FetcherSettings(rendered_per_day=4)
    async with FetcherWorld.opened(browser=browser, settings=settings) as opened:
        opened.source.serve(APP, page_answer(SHELL, etag='"1"'))
        opened.source.serve(SCRIPT, script("draw()"))
        opened.source.serve(DATA, page_answer("14 euros", media_type="application/json"))
        opened.scopes.apply(scope("app.example.org", seeds=[APP]))
        yield opened


def script(text: str) -> Fetched:
    """A script as servers send it."""
    answer = page_answer(text, media_type="text/javascript")
    return replace(answer, declared_media_type="text/javascript")


def asked(world: FetcherWorld) -> list[str]:
    """What was asked for so far, but for robots.txt."""
    return [one.url for one in world.source.asked if not one.url.endswith("robots.txt")]


async def shell_and_page(world: FetcherWorld, job_id: str = "job") -> PageFetched:
    """Fetches the app, hears that it is a shell, and fetches it by the browser."""
    await world.fetch_at_once(APP, job_id=job_id)
    await world.extract(await world.event(PageFetched), kind=PageKind.APP_SHELL)
    await world.steps()
    return await world.event(PageFetched)


async def body_of(world: FetcherWorld, event: PageFetched) -> str:
    return (await world.archive.get(event.body)).decode()


async def test_a_shell_is_shown_by_the_browser(world: FetcherWorld, browser: FakeBrowser) -> None:
    """The job waits for that; the event says how the page came."""
    event = await shell_and_page(world)
    await world.extract(event, [NEXT])
    await world.index(event)

    assert [APP] == browser.shown
    assert "browser" == event.came_by
    assert "<html><p>draw()</p><p>14 euros</p></html>" == await body_of(world, event)
    assert "indexed" == (await world.outcomes("job"))[APP]


async def test_links_of_the_shown_page_are_followed(world: FetcherWorld) -> None:
    """Not those of the shell alone."""
    await world.crawl()
    await world.steps()
    await world.extract(await world.event(PageFetched), kind=PageKind.APP_SHELL)
    await world.steps()
    event = await world.event(PageFetched)
    # Its outcome may come before its links do.
    await world.index(event)
    await world.extract(event, [NEXT])
    await world.run()

    assert {APP: "indexed", NEXT: "gone(not_found)"} == await world.outcomes("job")


async def test_the_next_look_begins_in_the_browser_and_without_conditions(
    world: FetcherWorld, browser: FakeBrowser
) -> None:
    """The server's validators say nothing of the data; the same words are no news."""
    event = await shell_and_page(world)
    await world.extract(event)
    await world.index(event)
    world.source.asked.clear()
    await world.fetch(APP, job_id="second")
    await world.run()
    (again,) = [one for one in world.source.asked if one.url == APP]

    assert [APP, APP] == browser.shown
    assert not again.conditional
    assert {APP: "unchanged"} == await world.outcomes("second")


async def test_scripts_are_asked_for_once_and_data_each_time(world: FetcherWorld) -> None:
    """For some minutes."""
    first = await shell_and_page(world)
    await world.extract(first)
    await world.index(first)
    await world.fetch(APP, job_id="second")
    await world.run()

    assert (1, 2) == (asked(world).count(SCRIPT), asked(world).count(DATA))
    world.clock.advance(timedelta(minutes=11).total_seconds())
    await world.fetch(APP, job_id="third")
    await world.run()

    assert (2, 3) == (asked(world).count(SCRIPT), asked(world).count(DATA))


async def test_the_host_rests_between_what_the_page_asks_for(world: FetcherWorld) -> None:
    """All hosts of a domain are one to politeness."""
    await shell_and_page(world)
    times = [one.time for one in world.source.asked]
    pauses = [later - earlier for earlier, later in itertools.pairwise(times)]

    assert min(pauses) >= timedelta(seconds=world.settings.host_delay_seconds)


@pytest.mark.parametrize(
    "url",
    [
        "https://tracker.test/a.js",
        "https://other-app.example.com/a.js",
        "http://10.0.0.1/a",
        "http://169.254.169.254/latest",
        "file:///etc/passwd",
        "data:text/javascript,1",
    ],
)
async def test_what_is_not_of_the_site_is_not_asked_for(
    world: FetcherWorld, browser: FakeBrowser, url: str
) -> None:
    """Other people's hosts, private addresses, and what is no address of the web."""
    world.source.serve("https://tracker.test/a.js", script("spy()"))
    browser.asks = [url, DATA]
    event = await shell_and_page(world)

    assert "<html><p>14 euros</p></html>" == await body_of(world, event)
    assert {APP, DATA} == set(asked(world))


async def test_who_shares_a_domain_is_somebody_else(
    world: FetcherWorld, browser: FakeBrowser
) -> None:
    """Sites of one provider of sites, which are one host to politeness."""
    mine, theirs = "https://one.github.io/", "https://two.github.io/a.js"
    world.source.serve(mine, page_answer(SHELL))
    world.source.serve(theirs, script("spy()"))
    world.scopes.apply(scope("one.github.io", seeds=[mine], revision=2))
    browser.asks = [theirs]
    await world.fetch_at_once(mine)
    await world.extract(await world.event(PageFetched), kind=PageKind.APP_SHELL)
    await world.steps()

    assert [mine] == browser.shown
    assert theirs not in asked(world)


async def test_robots_txt_holds_for_parts(world: FetcherWorld) -> None:
    """The page does without what it forbids."""
    robots = page_answer("User-agent: *\nDisallow: /data", media_type="text/plain")
    world.source.serve("https://api.example.org/robots.txt", robots)
    event = await shell_and_page(world)

    assert "<html><p>draw()</p></html>" == await body_of(world, event)
    assert DATA not in asked(world)


@pytest.mark.parametrize("reason", ["HTTP_503", "CONNECTION_FAILED", "TIMEOUT"])
async def test_a_page_without_its_data_is_fetched_again(world: FetcherWorld, reason: str) -> None:
    """What it would show is no content."""
    world.source.serve(DATA, failure(reason, retryable=True))
    await world.fetch_at_once(APP)
    await world.extract(await world.event(PageFetched), kind=PageKind.APP_SHELL)
    await world.steps()

    assert [] == await world.events(PageFetched)
    assert {APP: f"dead({reason.lower()})"} == await world.outcomes("job")


async def test_a_page_that_is_empty_in_the_browser_too_is_blocked(world: FetcherWorld) -> None:
    """It is shown once, and is what the extractor says it is."""
    event = await shell_and_page(world)
    await world.extract(event, kind=PageKind.APP_SHELL)
    await world.steps()

    assert [] == await world.events(PageFetched)
    assert {APP: "blocked(app_shell)"} == await world.outcomes("job")


async def test_an_extraction_that_comes_twice_changes_nothing(world: FetcherWorld) -> None:
    """Not even after the page was shown."""
    await world.fetch_at_once(APP)
    shell = await world.extracted(await world.event(PageFetched), kind=PageKind.APP_SHELL)
    await world.take(shell)
    await world.take(shell)
    await world.steps()
    event = await world.event(PageFetched)
    await world.take(shell)
    await world.extract(event)
    await world.index(event)

    assert {APP: "indexed"} == await world.outcomes("job")


async def test_a_scope_has_so_many_pages_a_day(world: FetcherWorld, browser: FakeBrowser) -> None:
    """What comes of them does not matter; the next day has others."""
    event = await shell_and_page(world)
    await world.extract(event)
    await world.index(event)
    for job_id in ("2", "3", "4", "5"):
        world.clock.advance(60)
        await world.fetch(APP, job_id=job_id)
        await world.run()

    assert 4 == len(browser.shown)
    assert {APP: "blocked(renderings_spent)"} == await world.outcomes("5")
    world.clock.advance(timedelta(days=1).total_seconds())
    await world.fetch(APP, job_id="6")
    await world.run()
    assert 5 == len(browser.shown)


async def test_a_page_that_waits_for_ever_is_no_content(
    world: FetcherWorld, browser: FakeBrowser
) -> None:
    """Something that it asked for never came."""

    def waits(document: Fetched, parts: list[PagePart | None]) -> Rendering:
        return Rendering(html="<p>Loading…</p>", whole=False)

    browser.made = waits
    await world.fetch_at_once(APP)
    await world.extract(await world.event(PageFetched), kind=PageKind.APP_SHELL)
    await world.steps()

    assert {APP: "dead(render_timeout)"} == await world.outcomes("job")


async def test_without_a_browser_a_shell_stays_blocked() -> None:
    """As before there was one."""
    async with FetcherWorld.opened() as world:
        world.source.serve(APP, page_answer(SHELL))
        world.scopes.apply(scope("app.example.org", seeds=[APP]))
        await world.fetch_at_once(APP)
        await world.extract(await world.event(PageFetched), kind=PageKind.APP_SHELL)
        await world.steps()

        assert {APP: "blocked(app_shell)"} == await world.outcomes("job")


async def test_what_is_no_html_is_not_shown(world: FetcherWorld, browser: FakeBrowser) -> None:
    """A page may become a PDF."""
    event = await shell_and_page(world)
    await world.extract(event)
    await world.index(event)
    world.source.serve(APP, page_answer("%PDF-1.7", media_type="application/pdf"))
    await world.fetch(APP, job_id="second")
    await world.run()

    assert [APP] == browser.shown


async def test_a_scope_has_all_of_its_pages_shown(
    world: FetcherWorld, browser: FakeBrowser
) -> None:
    """The first look begins in the browser, and later ones are without conditions."""
    world.scopes.apply(scope("app.example.org", revision=2, rendered_always=True))
    await world.fetch_at_once(APP)
    event = await world.event(PageFetched)
    await world.extract(event)
    await world.index(event)
    world.source.asked.clear()
    await world.fetch(APP, job_id="second")
    await world.run()
    (again,) = [one for one in world.source.asked if one.url == APP]

    assert [APP, APP] == browser.shown
    assert ("browser", False) == (event.came_by, again.conditional)
    assert {APP: "unchanged"} == await world.outcomes("second")


async def test_a_page_that_needs_the_browser_is_not_shown_for_a_scope_that_wants_none(
    world: FetcherWorld, browser: FakeBrowser
) -> None:
    """Its HTML is fetched as it is."""
    event = await shell_and_page(world)
    await world.extract(event)
    await world.index(event)
    world.scopes.apply(scope("app.example.org", revision=2, rendered_per_day=-1))
    await world.fetch_at_once(APP, job_id="second")
    again = await world.event(PageFetched)
    await world.extract(again, kind=PageKind.APP_SHELL)

    assert [APP] == browser.shown
    assert "" == again.came_by
    assert {APP: "blocked(app_shell)"} == await world.outcomes("second")


async def test_of_several_scopes_one_that_has_it_shown_decides_and_pays(
    world: FetcherWorld, browser: FakeBrowser
) -> None:
    """The other one wants no page shown, and has nothing counted."""
    wants = replace(scope("app.example.org", rendered_always=True), scope_id=ScopeId("wants"))
    world.scopes.apply(scope("app.example.org", revision=2, rendered_per_day=-1))
    world.scopes.apply(wants)
    await world.fetch(APP, job_id="other")
    command = FetchPage(
        job_id=JobId("wants"),
        scope=ScopeRef(scope_id=wants.scope_id, revision=1),
        accepted_time=world.clock.now(),
        urls=(APP,),
    )
    await handlers.handle_fetch_page(command, world.cause(Lane.NOW), world.ports)
    await world.steps()
    event = await world.event(PageFetched)
    await world.extract(event)
    await world.index(event)
    (counted,) = await world.rows(tables.rendering)

    assert [APP] == browser.shown
    assert ("wants", 1) == (counted.scope_id, counted.pages)
    assert {APP: "indexed"} == await world.outcomes("other")
