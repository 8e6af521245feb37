"""robots.txt and listings that are asked for with conditions, and hosts that stay silent."""

from datetime import timedelta

import pytest

from scops.fetcher.adapters.sql import tables
from tests.fakes.page_source import Answer, failure, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
ROBOTS = "https://a.test/robots.txt"
MAP = "https://a.test/sitemap.xml"
PRIVATE = "https://a.test/private"
DAY_SECONDS = 24 * 3600
SILENT = failure("HTTP_503", status=503, retryable=True)


def conditional(world: FetcherWorld, url: str) -> list[bool]:
    """Returns for each request of a URL whether it had conditions."""
    return [asked.conditional for asked in world.source.asked if asked.url == url]


async def outcomes_of_days(
    world: FetcherWorld, *days: int, url: str = ROOT, answers: dict[int, Answer] | None = None
) -> list[str]:
    """Fetches a page on some days, in order; `answers` changes robots.txt on a day."""
    found, today = [], 0
    for day in days:
        world.clock.advance((day - today) * DAY_SECONDS)
        today = day
        if answers is not None and day in answers:
            world.source.serve(ROBOTS, answers[day])
        await world.fetch(url, job_id=f"{url} {day}")
        await world.run()
        found.append((await world.outcomes(f"{url} {day}"))[url])
    return found


async def test_robots_that_stays_the_same_costs_a_304(world: FetcherWorld) -> None:
    """Its rules hold for another day, and its validators are sent again after that."""
    rules = page_answer("User-agent: *\nDisallow: /private", etag='"1"')
    world.source.serve(ROBOTS, rules)
    world.scopes.apply(scope("a.test"))

    blocked = ["blocked(robots)"] * 3
    assert blocked == await outcomes_of_days(world, 0, 2, 4, url=PRIVATE)
    assert [False, True, True] == conditional(world, ROBOTS)


async def test_robots_that_changed_replaces_its_copy(world: FetcherWorld) -> None:
    """The conditions are those of the newest answer."""
    forbidding = page_answer("User-agent: *\nDisallow: /", etag='"1"')
    allowing = page_answer("User-agent: *\nAllow: /", etag='"2"')
    world.source.serve(ROOT, page_answer("text"))
    world.scopes.apply(scope("a.test"))
    found = await outcomes_of_days(world, 0, 2, 4, answers={0: forbidding, 2: allowing})

    assert ["blocked(robots)", "indexed", "unchanged"] == found
    assert [False, True, True] == conditional(world, ROBOTS)


async def test_robots_that_went_away_is_forgotten(world: FetcherWorld) -> None:
    """A 404 allows everything, and nothing is left to be confirmed."""
    world.source.serve(ROOT, page_answer("text"))
    world.scopes.apply(scope("a.test"))
    rules = page_answer("User-agent: *\nDisallow: /", etag='"1"')
    gone = failure("HTTP_403", status=403)
    found = await outcomes_of_days(world, 0, 2, 4, answers={0: rules, 2: gone})

    assert ["blocked(robots)", "indexed", "unchanged"] == found
    assert [False, True, False] == conditional(world, ROBOTS)


@pytest.mark.parametrize(("etag", "asked"), [('"1"', [False, True]), ("", [False, False])])
async def test_sitemap_that_stays_the_same_still_names_its_pages(
    world: FetcherWorld, etag: str, asked: list[bool]
) -> None:
    """A crawl of other rules takes from a 304 what it would take from the body."""
    url = "https://a.test/1"
    listing = f"{url}\nhttps://a.test/b/2"
    world.source.serve(MAP, page_answer(listing, etag=etag))
    for page in (url, "https://a.test/b/2"):
        world.source.serve(page, page_answer(page))
    world.scopes.apply(scope("a.test", "!a.test/b", sitemaps=(MAP,)))
    await world.crawl("first")
    await world.run()
    world.scopes.apply(scope("a.test", sitemaps=(MAP,), revision=2))
    await world.crawl("second")
    await world.run()

    assert asked == conditional(world, MAP)
    assert {url: "unchanged", "https://a.test/b/2": "indexed"} == await world.outcomes("second")


async def test_silence_ends_after_thirty_days_with_the_copy(world: FetcherWorld) -> None:
    """RFC 9309 section 2.3.1.4: unreachable forbids all; after long the last copy holds."""
    world.source.serve(ROOT, page_answer("text"))
    world.scopes.apply(scope("a.test"))
    rules = page_answer("User-agent: *\nDisallow: /private")
    days = (0, 2, 8, 14, 20, 26, 31, 32)
    found = await outcomes_of_days(world, *days, answers={0: rules, 2: SILENT})
    private = await outcomes_of_days(world, 0, url=PRIVATE)

    silent = ["blocked(robots_unreachable)"] * 5
    assert ["indexed", *silent] == found[:6]
    # From day 2 to day 32 it is thirty days.
    assert ["blocked(robots_unreachable)", "indexed"] == found[6:]
    assert ["blocked(robots)"] == private


async def test_silence_without_a_copy_ends_as_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who never gave a robots.txt is taken to have none."""
    monkeypatch.setattr("scops.fetcher.fetch.visit.SILENCE_MAX", timedelta(days=3))
    async with FetcherWorld.opened() as world:
        world.source.serve(ROOT, page_answer("text"))
        world.scopes.apply(scope("a.test"))
        found = await outcomes_of_days(world, 0, 2, 3, answers={0: SILENT})

        assert ["blocked(robots_unreachable)", "blocked(robots_unreachable)", "indexed"] == found


@pytest.mark.parametrize("days", [(0, 8, 31), (0, 6, 12, 13, 20, 27, 31)])
async def test_silence_must_be_seen_to_last(world: FetcherWorld, days: tuple[int, ...]) -> None:
    """Failures more than a week apart, or with an answer between them, begin anew."""
    world.source.serve(ROOT, page_answer("text"))
    world.scopes.apply(scope("a.test"))
    between = {12: page_answer(""), 13: SILENT}
    found = await outcomes_of_days(world, *days, answers={0: SILENT, **between})

    assert "blocked(robots_unreachable)" == found[-1]


async def test_a_file_is_held_compressed_and_within_bounds(world: FetcherWorld) -> None:
    """What does not fit is asked for whole the next time."""
    noise = "".join(f"https://a.test/{number * 7919:x}\n" for number in range(20_000))
    world.source.serve(MAP, page_answer(noise, etag='"1"'))
    world.scopes.apply(scope("a.test", sitemaps=(MAP,), page_limit=1))
    await world.crawl()
    await world.run()
    row = next(row for row in await world.rows(tables.plain_file) if row.url == MAP)

    assert 0 < len(row.body) < len(noise) / 2
