"""URLs that name the same page, and URLs that never end."""

import subprocess
import sys
from itertools import pairwise

import pytest

from scops.fetcher.adapters.sql import tables
from scops.fetcher.discovery.tracking import without_tracking
from scops.fetcher.discovery.traps import PAGES_MAX, TrapKind, UrlTemplate, url_template
from scops.fetcher.settings import FetcherSettings
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
# Says of each URL whether the list of trackers had to be loaded by then.
LOADED = """
import sys
from scops.fetcher.discovery.tracking import without_tracking
for url in sys.argv[1:]:
    without_tracking(url)
    print("courlan" in sys.modules)
"""


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("utm_source=rss&utm_medium=feed", ""),
        ("id=7&fbclid=IwAR0&x=1", "id=7&x=1"),
        ("gclid=1&msclkid=2&mc_cid=3&pk_campaign=4&_=5", "_=5"),
        ("PHPSESSID=0123456789abcdef0123", ""),
        ("sid=4", "sid=4"),
        ("ref=main&source=a&keyword=owl&uid=5&gl=de", "ref=main&source=a&keyword=owl&uid=5&gl=de"),
        ("gallery=3&glossary=a&reference=b", "gallery=3&glossary=a&reference=b"),
        ("b=%C3%A4&a=1", "b=%C3%A4&a=1"),
    ],
)
def test_only_what_tracks_is_taken_out(query: str, left: str) -> None:
    """Families of trackers, click ids and session ids go; words that name content stay."""
    expected = f"{ROOT}p?{left}" if left else f"{ROOT}p"

    assert expected == without_tracking(f"{ROOT}p?{query}")


def test_the_list_of_trackers_is_loaded_for_a_parameter() -> None:
    """Many sites have no queries, and the list comes with 3 MB of libraries."""
    urls = [f"{ROOT}p", f"{ROOT}a;jsessionid=0A1B/b", f"{ROOT}p?", f"{ROOT}p?id=7"]
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *urls], capture_output=True, text=True, check=True
    )

    assert ["False", "False", "False", "True"] == done.stdout.split()


def test_session_of_a_path_is_taken_out() -> None:
    """Servlet containers write the session behind a semicolon."""
    assert f"{ROOT}a/b?x=1" == without_tracking(f"{ROOT}a;jsessionid=0A1B/b;JSESSIONID=2?x=1")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("cal/2031/05", TrapKind.CALENDAR),
        ("cal/2031/05/17/", TrapKind.CALENDAR),
        ("events/2031-05-17", TrapKind.CALENDAR),
        ("events/20310517", TrapKind.CALENDAR),
        ("cal?year=2031&month=5", TrapKind.CALENDAR),
        ("cal?view=week&date=2031-05-17", TrapKind.CALENDAR),
        ("list?page=2", TrapKind.QUERY),
        ("shop?colour=red&size=5", TrapKind.QUERY),
        ("2031/05/17/owls-seen-at-dusk", None),
        ("questions/20310/why", None),
        ("rfc/2131", None),
        ("", None),
    ],
)
def test_shape_of_a_url(path: str, kind: TrapKind | None) -> None:
    """A URL that ends in a date belongs to a calendar; an article that has one does not."""
    found = url_template(ROOT + path)

    assert kind is (found.kind if found else None)


def test_facets_of_a_path_are_one_template() -> None:
    """Whatever filters are combined, in whatever order, they spend the same budget."""
    urls = ("shop?a=1&b=2", "shop?b=3&c=4", "shop?c=1&b=2&a=3")

    assert {UrlTemplate(TrapKind.QUERY, "a.test/shop?*")} == {
        url_template(ROOT + url) for url in urls
    }


def months() -> list[str]:
    return [f"{ROOT}cal/{2030 + number // 12}/{1 + number % 12:02}" for number in range(60)]


async def crawled(world: FetcherWorld, pages: dict[str, list[str]]) -> dict[str, str]:
    """Crawls pages with links from one seed; returns outcomes."""
    for url, links in pages.items():
        world.source.serve(url, page_answer(url))
        world.links[url] = tuple(links)
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    await world.crawl()
    await world.run()
    return await world.outcomes()


async def test_calendar_is_followed_until_its_budget_is_spent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each month leads to the next: a few are crawled, and pages beside them all the same."""
    chain = months()
    pages = {url: [after] for url, after in pairwise(chain)}
    pages[ROOT] = [chain[0], f"{ROOT}about"]
    pages[f"{ROOT}about"] = []
    monkeypatch.setitem(PAGES_MAX, TrapKind.CALENDAR, 5)
    async with FetcherWorld.opened(settings=FetcherSettings(depth_limit=100)) as world:
        found = await crawled(world, pages)

        assert {ROOT, f"{ROOT}about", *chain[:5]} == set(found)
        assert [] == await world.rows(tables.job_template)


async def test_endless_facets_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every page of a shop offers all other filters."""
    facets = [f"{ROOT}shop?a={a}&b={b}" for a in range(5) for b in range(5)]
    pages = dict.fromkeys(facets, facets)
    pages[ROOT] = facets
    monkeypatch.setitem(PAGES_MAX, TrapKind.QUERY, 7)
    async with FetcherWorld.opened() as world:
        found = await crawled(world, pages)

        assert {ROOT, *facets[:7]} == set(found)


async def test_session_ids_make_no_new_pages(world: FetcherWorld) -> None:
    """A page that is linked under ever new sessions is fetched once."""
    page = f"{ROOT}p"
    links = [f"{page}?PHPSESSID={number:032}" for number in range(30)]
    found = await crawled(world, {ROOT: links, page: links})

    assert {ROOT, page} == set(found)


async def test_a_tracked_url_names_its_page(world: FetcherWorld) -> None:
    """Who asks by the URL of a newsletter finds the page."""
    await crawled(world, {ROOT: []})
    plan = await world.ports.catalogue.page_plan(
        page_id="", url=f"{ROOT}?utm_source=mail", contexts=("public",)
    )  # type: ignore[arg-type]

    assert plan.page is not None
    assert ROOT == plan.page.canonical_url


@pytest.mark.parametrize(
    ("route", "name"),
    [
        ("#/cal/2024/05", "a.test/app/cal/0/0?"),
        ("#!/shop?a=1&b=2", "a.test/app/shop?*"),
        ("#/plan", ""),
    ],
)
def test_routes_have_templates_as_paths_have(route: str, name: str) -> None:
    """An app's calendar has no end, either."""
    found = url_template(f"{ROOT}app{route}")

    assert name == (found.name if found else "")
