"""What the fetcher answers about pages and jobs."""

from datetime import timedelta

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import JobId, PageId
from scops.common.contract.messages.crawl import (
    JobState,
    JobStatusRequest,
    KnownUrlsRequest,
    PagePlanRequest,
)
from scops.common.contract.service_table import Lane
from scops.fetcher import queries
from scops.fetcher.metrics import OLDEST_JOB_SECONDS, READY_HOSTS, note_sizes
from tests.fakes.page_source import Hop, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

URLS = (
    "http://a.test/guide",
    "https://a.test/",
    "https://a.test/guide/x",
    "https://a.test/guide?page=2",
    "https://a.test/guides",
    "https://sub.a.test/guide",
)


async def known(world: FetcherWorld, *prefixes: str, page_size: int = 0) -> list[str]:
    urls: list[str] = []
    token = ""
    for _ in range(20):
        request = KnownUrlsRequest(prefixes=prefixes, page_size=page_size, page_token=token)
        answer = await queries.known_urls(request, world.ports)
        urls += [page.canonical_url for page in answer.pages]
        token = answer.next_page_token
        if not token:
            return urls
    raise AssertionError("the list does not end")


@pytest.fixture
async def filled(world: FetcherWorld) -> FetcherWorld:
    for url in URLS:
        world.source.serve(url, page_answer(url, etag='"1"'))
    world.scopes.apply(scope("a.test", "sub.a.test"))
    await world.fetch(*URLS)
    await world.run()
    return world


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("a.test", {url for url in URLS if "sub." not in url}),
        ("a.test/guide", {URLS[0], URLS[2], URLS[3]}),
        ("a.test/guide/", {URLS[0], URLS[2], URLS[3]}),
        ("a.test/guide?page=2", {URLS[3]}),
        ("*.a.test", {URLS[5]}),
        ("*.test", set(URLS)),
        ("other.test", set()),
    ],
)
async def test_known_urls_by_prefix(filled: FetcherWorld, prefix: str, expected: set[str]) -> None:
    """A prefix is a token of `url_prefixes`: host, path on segment boundaries, or `*.` domain."""
    assert expected == set(await known(filled, prefix))


async def test_known_urls_are_paged_in_order(filled: FetcherWorld) -> None:
    """Pages of any size together give every URL once, ordered without scheme."""
    whole = await known(filled)

    assert sorted(URLS, key=lambda url: url.split("//")[1]) == whole
    assert whole == await known(filled, page_size=1) == await known(filled, page_size=4)


async def test_known_urls_under_several_prefixes_come_once_in_order(filled: FetcherWorld) -> None:
    """Also where the prefixes hold each other, and pages of the list end inside one of them."""
    prefixes = ("a.test/guide", "a.test", "*.a.test", "a.test/guide?page=2")
    whole = await known(filled)

    assert whole == await known(filled, *prefixes)
    assert whole == await known(filled, *prefixes, page_size=1)
    assert whole == await known(filled, *reversed(prefixes), page_size=2)


async def test_known_urls_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A larger page than the bound is cut, a negative one refused, as is a foreign token."""
    monkeypatch.setattr("scops.fetcher.adapters.sql.pages.catalogue.PAGE_SIZE_MAX", 2)
    async with FetcherWorld.opened() as world:
        world.scopes.apply(scope("a.test"))
        await world.fetch(*(url for url in URLS if "sub." not in url))
        answer = await queries.known_urls(KnownUrlsRequest(page_size=100), world.ports)
        with pytest.raises(InvalidInput):
            await queries.known_urls(KnownUrlsRequest(page_size=-1), world.ports)
        with pytest.raises(InvalidInput):
            await queries.known_urls(KnownUrlsRequest(page_token="x"), world.ports)

        assert 2 == len(answer.pages)


async def test_page_plan_by_id_url_and_alias(filled: FetcherWorld) -> None:
    """A page is found by its id and by every name, with its host's clock."""
    filled.source.serve(URLS[1], Hop("https://a.test/start"))
    filled.source.serve("https://a.test/start", page_answer("start"))
    await filled.fetch(URLS[1], job_id="again")
    await filled.run()
    plan = await queries.page_plan(PagePlanRequest(url="https://A.test"), filled.ports)

    assert plan.page is not None
    assert "https://a.test/start" == plan.page.canonical_url
    assert (URLS[1],) == plan.page.aliases
    assert "fetched" == plan.page.status
    assert ("a.test", 1.0) == (plan.host_key, plan.host_delay_seconds)
    assert plan.host_next_allowed_time is not None
    by_id = PagePlanRequest(page_id=plan.page.page_id)
    assert plan == await queries.page_plan(by_id, filled.ports)


async def test_page_plan_of_nothing(filled: FetcherWorld) -> None:
    """An unknown page is no error; a request that names none is."""
    unknown = PagePlanRequest(page_id=PageId("none"))

    assert (await queries.page_plan(unknown, filled.ports)).page is None
    with pytest.raises(InvalidInput):
        await queries.page_plan(PagePlanRequest(), filled.ports)


async def test_validators_show_in_the_plan(filled: FetcherWorld) -> None:
    """A confirmed page with an ETag can be asked conditionally."""
    plan = await queries.page_plan(PagePlanRequest(url=URLS[2]), filled.ports)

    assert plan.has_validators


async def test_job_status_lists_outcomes_of_one_job_only(filled: FetcherWorld) -> None:
    """All jobs come newest first without outcomes; one named job comes with them."""
    filled.clock.advance(1)
    await filled.fetch("https://a.test/new", job_id="newer")
    every = await queries.job_status(JobStatusRequest(), filled.ports)
    one = await queries.job_status(JobStatusRequest(job_ids=(JobId("job"),)), filled.ports)
    none = await queries.job_status(JobStatusRequest(job_ids=(JobId("x"),)), filled.ports)

    assert ["newer", "job"] == [job.job_id for job in every.jobs]
    assert () == every.jobs[1].outcomes
    assert set(URLS) == {row.url for row in one.jobs[0].outcomes}
    assert JobState.COMPLETED is one.jobs[0].state
    assert () == none.jobs


async def test_failures_come_first_where_outcomes_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cut list of outcomes keeps what somebody has to look at."""
    monkeypatch.setattr("scops.fetcher.adapters.sql.pages.catalogue.OUTCOMES_MAX", 1)
    async with FetcherWorld.opened() as world:
        world.scopes.apply(scope("a.test"))
        world.source.serve("https://a.test/1", page_answer("1"))
        await world.fetch("https://a.test/1", "https://b.test/")
        await world.run()

        assert {"https://b.test/": "blocked(out_of_scope)"} == await world.outcomes()


async def test_hosts_that_wait_for_a_worker_are_shown(world: FetcherWorld) -> None:
    """A host that rests after a fetch waits for nobody; more replicas would not help it."""

    async def ready() -> float:
        now = world.clock.now()
        note_sizes(await world.ports.catalogue.sizes(now=now), now=now)
        return float(READY_HOSTS._value.get())

    world.scopes.apply(scope("a.test", seeds=world.source.serve_pages("", "other")))
    assert await ready() == 0
    await world.fetch("https://a.test/", "https://a.test/other")
    assert await ready() == 1
    await world.step()
    assert await ready() == 0
    world.clock.advance(60)
    assert await ready() == 1


async def test_what_waits_is_counted_by_lane(
    world: FetcherWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What people wait for is counted whole, and what crawls have up to a bound."""
    monkeypatch.setattr("scops.fetcher.adapters.sql.pages.catalogue.COUNTED_MAX", 5)
    world.scopes.apply(scope("a.test"))
    urls = [f"https://a.test/{number}" for number in range(12)]
    await world.fetch(*urls[:4], job_id="crawl", lane=Lane.BULK)
    now = world.clock.now()
    before = await world.ports.catalogue.sizes(now=now)
    early = await world.ports.catalogue.sizes(now=now - timedelta(seconds=1))
    await world.fetch(*urls[4:6], job_id="asked")
    await world.fetch(*urls[6:], job_id="other crawl", lane=Lane.BULK)
    after = await world.ports.catalogue.sizes(now=now)

    assert {Lane.NOW: (0, 0), Lane.BULK: (4, 0)} == before.queued
    assert {Lane.NOW: (0, 0), Lane.BULK: (0, 4)} == early.queued
    assert {Lane.NOW: (2, 0), Lane.BULK: (5, 0)} == after.queued


async def test_the_age_of_the_oldest_open_job_is_shown(world: FetcherWorld) -> None:
    """Of those that have not ended; without one it is 0."""
    world.scopes.apply(scope("a.test", seeds=world.source.serve_pages("")))
    await world.fetch("https://a.test/")
    world.clock.advance(500)
    await world.fetch("https://a.test/other", job_id="later")
    now = world.clock.now()
    note_sizes(await world.ports.catalogue.sizes(now=now), now=now)
    oldest = OLDEST_JOB_SECONDS._value.get()
    await world.cancel()
    await world.cancel("later")
    note_sizes(await world.ports.catalogue.sizes(now=now), now=now)

    assert (500, 0) == (oldest, OLDEST_JOB_SECONDS._value.get())
