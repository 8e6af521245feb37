"""Routes behind the `#`: the browser's way shows each, the plain way asks for none."""

import pytest

from scops.common.contract.messages.crawl import PageFetched
from tests.contract.ways_in.ways import Way

# Asks for the data of its route, and shows it.
ROUTER = """const draw = () => fetch('/data' + location.hash.slice(1)).then(answer => answer.text())
  .then(text => { root.textContent = text }); addEventListener('hashchange', draw); draw()"""
ROUTES = ("/#/plan", "/#!/fees", "/sub/#/plan")


@pytest.fixture
def site(way: Way) -> Way:
    """One app under two paths, whose texts come from its routes alone."""
    for path in ("/", "/sub/"):
        way.put_app(path, ROUTER)
    for path, text in (("/plan", "the plan"), ("!/fees", "the fees")):
        way.origin.replace(f"/data{path}", text, type="text/plain")
    return way


def routes(way: Way) -> list[str]:
    return [f"{way.url('/')[:-1]}{route}" for route in ROUTES]


async def test_each_route_is_a_page_by_the_browser_alone(site: Way) -> None:
    """Without one none is fetched: its server says the same of all."""
    urls = routes(site)
    site.origin.clear_log()
    await site.world.fetch(*urls, job_id="job")
    await site.world.steps()
    events = await site.world.events(PageFetched)
    shown = {
        event.canonical_url: (await site.world.archive.get(event.body)).decode() for event in events
    }
    if not site.shown:
        assert {} == shown
        assert dict.fromkeys(urls, "blocked(needs_browser)") == await site.world.outcomes("job")
        assert [] == site.origin.paths()
        return
    assert set(urls) == set(shown)
    for url, text in zip(urls, ("the plan", "the fees", "the plan"), strict=True):
        assert text in shown[url]
    assert all(event.url == event.canonical_url for event in events)


async def test_no_request_carries_a_fragment(site: Way) -> None:
    """Neither as such nor escaped; redirects keep the route on this side."""
    site.origin.redirect("/old", "/", 301)
    moved = f"{site.url('/old')}#/plan"
    await site.world.fetch(*routes(site), moved, job_id="job")
    await site.world.steps()
    asked = [one.url for one in await site.world.events(PageFetched)]

    sent = [one.target for one in site.origin.requests if not one.path.startswith("/data")]
    assert not [target for target in sent if "#" in target or "%23" in target or "plan" in target]
    if site.shown:
        assert f"{site.url('/')}#/plan" in asked


async def test_robots_txt_forbids_a_page_with_its_routes(site: Way) -> None:
    """It knows of no fragments."""
    robots = "User-agent: *\nDisallow: /sub/\n"
    site.origin.replace("/robots.txt", robots, type="text/plain")
    url = f"{site.url('/sub/')}#/plan"
    await site.world.fetch(url, job_id="job")
    await site.world.steps()

    expected = "blocked(robots)" if site.shown else "blocked(needs_browser)"
    assert {url: expected} == await site.world.outcomes("job")
    assert 0 == site.origin.count(path="/sub/")


async def test_a_private_address_is_refused_with_its_routes(shown: Way) -> None:
    """A route is no other address."""
    url = "http://169.254.169.254/#/plan"
    shown.hold("169.254.169.254")
    await shown.world.fetch(url, job_id="job")
    await shown.world.steps()

    assert {url: "blocked(address_denied)"} == await shown.world.outcomes("job")
