"""The named cases: each is one thing that went wrong somewhere once."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from scops.change_detector.queries import answer_history
from scops.common import contract, wire
from scops.common.bus.ports import Outgoing
from scops.common.contract import Lane, Role
from scops.common.ids import EventId, FetchId, JobId, PageId
from scops.common.messages.change import HistoryEntry, HistoryRequest, Manifest
from scops.common.messages.content import PageExtracted
from scops.common.messages.crawl import JobRecord
from scops.common.messages.retrieval import RetrieveResponse
from scops.extractor.ports import BodyFacts
from scops.fetcher.adapters import schedule_tables
from scops.fetcher.adapters import tables as fetcher_tables
from scops.fetcher.page_source import Redirect
from scops.indexer.adapters import tables as index_tables
from tests.fakes.clock import START
from tests.simulation.driver import Driver
from tests.simulation.site import SimPage
from tests.simulation.stage import Actor
from tests.simulation.world import World, prefix

ONE = "http://a.example/one"
TWO = "http://a.example/deep/two"
FRONT = "http://a.example/"


async def crawled(driver: Driver) -> JobRecord:
    """Crawls calmly to the end and returns the job."""
    job_id = await driver.world.crawl()
    return await ended(driver, job_id)


async def ended(driver: Driver, job_id: JobId) -> JobRecord:
    await driver.calm()
    await driver.invariants.all_is_done()
    return (await driver.world.fetcher.catalogue.jobs([job_id]))[0]


async def page_id(world: World, url: str) -> PageId:
    plan = await world.fetcher.catalogue.page_plan(page_id=PageId(""), url=url)
    assert plan.page is not None
    return plan.page.page_id


async def versions(world: World, url: str) -> list[HistoryEntry]:
    """Returns a page's versions, oldest first."""
    request = HistoryRequest(page_id=await page_id(world, url), limit=50)
    answer = await answer_history(request, world.change)
    return list(reversed(answer.versions))


def says(world: World, url: str, text: str) -> None:
    """Lets a page say something else."""
    world.site.set(url, SimPage(text, world.site.pages[url].links))


def outcomes(job: JobRecord) -> dict[str, str]:
    return {row.url: row.outcome for row in job.outcomes}


def is_page(url: str) -> bool:
    """Says whether a URL is more than a file that crawls begin with."""
    return not url.endswith(("/robots.txt", "/llms.txt"))


def passages_of(url: str, answer: RetrieveResponse) -> str:
    """Returns the found passages of one page, joined."""
    return " ".join(entry.text for entry in answer.evidence if entry.canonical_url == url)


async def publish(world: World, message: object, name: str) -> None:
    """Publishes a message as its producer would, with an id of its own."""
    await world.bus.publish(
        Outgoing(
            message=message,
            event_id=EventId(name),
            organisation_id="main",
            lane=Lane.BULK,
        )
    )


def last_extraction(world: World, page: PageId) -> PageExtracted:
    found = [entry.message for entry in world.bus.published]
    return [m for m in found if isinstance(m, PageExtracted) and m.page_id == page][-1]


async def interleave(driver: Driver, *actors: Actor) -> None:
    """Lets some tasks run against each other to their ends, in the seed's order."""
    world = driver.world
    while any(actor in world.stage.actors for actor in actors):
        running = [actor for actor in actors if actor in world.stage.actors]
        chosen = world.rng.choice(running)
        await world.stage.resume(chosen)
        await driver.invariants.after(chosen.effect if chosen.gate else "")


async def test_a_text_that_alternates_within_minutes_is_four_versions(driver: Driver) -> None:
    """A→B→A→B: each stay is a version, returns are restored and embed nothing."""
    world = driver.world
    says(world, ONE, "alpha")
    await crawled(driver)
    says(world, ONE, "beta")
    await crawled(driver)
    embedded = len(world.embedder.texts)
    for text in ("alpha", "beta"):
        says(world, ONE, text)
        await crawled(driver)

    found = await versions(world, ONE)
    assert len(found) == 4
    assert [entry.restored_version_id for entry in found] == [
        "",
        "",
        found[0].version_id,
        found[1].version_id,
    ]
    assert len(world.embedder.texts) == embedded


async def test_three_crawls_of_an_unchanged_site_change_nothing(driver: Driver) -> None:
    """Same heads, same chunks, three finished jobs, and only 304s after the first."""
    world = driver.world
    jobs = [await crawled(driver)]
    texts, counts = await driver.invariants.texts(), await world.store.count()
    seen = len(world.site.answers)
    jobs += [await crawled(driver), await crawled(driver)]

    later = [status for _, url, status in world.site.answers[seen:] if is_page(url)]
    assert set(later) == {304}
    assert texts == await driver.invariants.texts()
    assert counts == await world.store.count()
    assert [job.state for job in jobs] == ["completed"] * 3
    assert outcomes(jobs[2])[ONE] == "unchanged"


async def test_a_failed_extraction_is_tried_again_though_the_page_is_unchanged(
    driver: Driver,
) -> None:
    """Validators of a fetch count only once it is indexed: the next crawl gets a body."""
    world = driver.world
    world.parser.failing.add(ONE)
    first = await crawled(driver)
    second = await crawled(driver)

    assert outcomes(first)[ONE] == "dead"
    assert outcomes(second)[ONE] == "indexed"


async def test_a_failed_indexing_is_tried_again_though_the_page_is_unchanged(
    driver: Driver,
) -> None:
    """The same, one stage later: the indexer's messages of this page are poison once."""
    world = driver.world
    key = (Role.INDEXER, contract.MESSAGES[11].message)
    handler = world._handlers[key]

    async def broken(message: object, cause: object) -> list[object]:
        raise RuntimeError("told to fail")

    world._handlers[key] = broken
    first = await crawled(driver)
    world._handlers[key] = handler
    second = await crawled(driver)

    assert outcomes(first)[ONE] == "dead"
    assert outcomes(second)[ONE] == "indexed"


async def test_a_reextraction_is_a_revision_and_no_change_of_the_page(driver: Driver) -> None:
    """A stored body read by a new pipeline adds a revision of the same stay."""
    world = driver.world
    await crawled(driver)
    page = await page_id(world, ONE)
    again = replace(last_extraction(world, page), pipeline_version="html-2", reextracted=True)
    await publish(world, again, "reextraction")
    await driver.calm()

    found = await versions(world, ONE)
    assert [entry.order_key.revision for entry in found] == [0, 1]
    assert found[1].pipeline_changed
    assert found[0].order_key.observed_from == found[1].order_key.observed_from
    await driver.invariants.search_returns_what_heads_list()


@pytest.mark.parametrize(
    ("back", "text", "expected"),
    [
        # Repeats the run around it, extends it backwards, splits it, stands before it.
        ("inside", "alpha", ["alpha"]),
        ("before", "alpha", ["alpha"]),
        ("inside", "beta", ["alpha", "beta", "alpha"]),
        ("before", "beta", ["beta", "alpha"]),
    ],
)
async def test_an_observation_from_the_past_finds_its_place(
    driver: Driver, back: str, text: str, expected: list[str]
) -> None:
    """Late observations repeat, extend, split or precede a run; the present stays."""
    world = driver.world
    says(world, ONE, "alpha")
    says(world, TWO, text)
    await crawled(driver)
    world.clock.advance(3600)
    await crawled(driver)
    page = await page_id(world, ONE)
    known = last_extraction(world, page)
    # The other page carries the text in its own words; we borrow a body of this page instead.
    donor = await borrowed(driver, text)
    shift = timedelta(seconds=600 if back == "inside" else -600)
    late = replace(
        known,
        text=donor.text,
        document=donor.document,
        fetch_id=FetchId("late"),
        observed_time=known.observed_time + shift,
    )
    await publish(world, late, "late")
    await driver.calm()

    found = [entry for entry in await versions(world, ONE) if not entry.pipeline_changed]
    texts = [await text_of(world, entry) for entry in found]
    assert texts == expected
    head = (await driver.invariants.texts())[ONE]
    assert head is not None
    assert "is alpha and it" in head


async def borrowed(driver: Driver, text: str) -> PageExtracted:
    """Returns an extraction of ONE's own words around a text, from a world beside this one."""
    world = driver.world
    page = await page_id(world, ONE)
    if text == "alpha":
        return last_extraction(world, page)
    body = SimPage(text, ()).body(ONE)
    packed = await world.parser.parse(body, _facts())
    known = last_extraction(world, page)
    kept = await world.archive.put(packed.text, media_type="text/plain", charset="utf-8")
    document = await world.archive.put(packed.document, media_type="application/x-protobuf")
    return replace(known, text=kept, document=document)


def _facts() -> BodyFacts:
    return BodyFacts(url=ONE, media_type="text/html", observed_time=START)


async def text_of(world: World, entry: HistoryEntry) -> str:
    manifest = wire.decode(Manifest, await world.archive.get(entry.manifest))
    text = (await world.archive.get(manifest.text)).decode()
    return text.split(" is ", 1)[1].split(" and it")[0].split()[-1]


@pytest.mark.parametrize("seed", range(12))
async def test_two_indexers_race_and_the_newer_version_wins(seed: int) -> None:
    """v2 and v3 are applied at once, in every order; the head ends at v3."""
    world = World(seed)
    await world.open()
    driver = Driver(world)
    says(world, ONE, "alpha")
    await crawled(driver)
    racing = []
    for text in ("beta", "gamma"):
        says(world, ONE, text)
        await world.fetch(ONE)
        stored = await driver.until_durable_is_owed("indexer-version_added-now")
        world.bus.owed.remove(stored)
        racing.append(stored)
        # The page awaits this verdict: another fetch must not wait for the indexer here.
        async with world.fetcher_db.transaction() as connection:
            await connection.execute(fetcher_tables.page.update().values(awaiting_fetch_id=None))
    world.bus.owed += racing
    actors = [await world.deliver(stored) for stored in racing]
    await interleave(driver, *actors)
    await driver.calm()

    head = (await driver.invariants.texts())[ONE]
    assert head is not None
    assert "is gamma and it" in head
    await driver.invariants.search_returns_what_heads_list()
    await world.close()


async def test_a_crash_between_head_and_publish_repeats_the_same_answer(driver: Driver) -> None:
    """The redelivery finds the equal key and publishes the same event with the same id."""
    world = driver.world
    await world.crawl()
    stored = await driver.until_durable_is_owed("indexer-version_added-bulk")
    actor = await world.deliver(stored)
    while actor.effect != "publish VersionIndexed":
        await world.stage.resume(actor)
    await world.stage.crash(actor)
    world.clock.advance(60)
    job = await ended(driver, world.jobs[0])

    assert set(outcomes(job).values()) == {"indexed", "blocked"}


@pytest.mark.parametrize("seed", range(12))
async def test_the_sweeper_meets_a_text_that_returns(seed: int) -> None:
    """While old chunks are retired their text comes back; the head's chunks stay findable."""
    world = World(seed)
    await world.open()
    driver = Driver(world)
    for text in ("alpha", "beta"):
        says(world, ONE, text)
        await crawled(driver)
    world.clock.advance(3600)
    says(world, ONE, "alpha")
    await world.fetch(ONE)
    stored = await driver.until_durable_is_owed("indexer-version_restored-now")
    actors = [await world.start("indexer:sweep"), await world.deliver(stored)]
    await interleave(driver, *actors)
    await driver.calm()
    await world.stage.finish(await world.start("indexer:sweep"))

    await driver.invariants.everything()
    await driver.invariants.search_returns_what_heads_list()
    await world.close()


async def test_swept_chunks_still_answer_as_of_their_time(driver: Driver) -> None:
    """The history keeps what no head lists any more."""
    world = driver.world
    # No other page says so: the same words of two pages are shown as one passage.
    says(world, ONE, "delta")
    await crawled(driver)
    then = world.clock.now()
    says(world, ONE, "beta")
    await crawled(driver)
    world.clock.advance(3600)
    await world.stage.finish(await world.start("indexer:sweep"))
    await world.stage.finish(await world.start("indexer:sweep"))

    live, historical = await world.store.count()
    assert historical > 0
    before = await world.search("value of one", limit=50, as_of_time=then)
    now = await world.search("value of one", limit=50)
    assert "one is delta" in passages_of(ONE, before)
    assert "one is delta" not in passages_of(ONE, now)
    assert "one is beta" in passages_of(ONE, now)
    assert live > 0


async def test_a_page_that_is_gone_and_back_is_restored(driver: Driver) -> None:
    """The head closes and opens again; nothing is embedded for the return."""
    world = driver.world
    await crawled(driver)
    text = world.site.pages[ONE].text
    embedded = len(world.embedder.texts)
    world.site.set(ONE, SimPage(None, ()))
    gone = await crawled(driver)
    closed = (await driver.invariants.texts())[ONE]
    world.site.set(ONE, SimPage(text, ()))
    back = await crawled(driver)

    assert outcomes(gone)[ONE] == "gone"
    assert closed is None
    assert outcomes(back)[ONE] == "indexed"
    assert (await versions(world, ONE))[-1].restored_version_id
    assert len(world.embedder.texts) == embedded


async def test_a_redirect_to_a_known_page_closes_the_redirecting_one(driver: Driver) -> None:
    """Histories stay apart; the URL is the other page's alias from now on."""
    world = driver.world
    await crawled(driver)
    one, two = await page_id(world, ONE), await page_id(world, TWO)
    page = world.site.pages[ONE]
    world.site.set(ONE, SimPage(page.text, (), redirect=Redirect(url=TWO, permanent=True)))
    await crawled(driver)

    assert await page_id(world, ONE) == two
    async with world.index_db.reading() as connection:
        statement = select(index_tables.HEAD).where(index_tables.HEAD.c.page_id == one)
        head = (await connection.execute(statement)).one()
    assert head.closed
    await driver.invariants.search_returns_what_heads_list()


@pytest.mark.parametrize("seed", range(8))
async def test_two_workers_insert_one_link_and_end_the_last_two_pages(seed: int) -> None:
    """One page row, one end: the open count reaches zero once."""
    world = World(seed)
    await world.open()
    driver = Driver(world)
    shared = "http://a.example/shared"
    world.site.set(shared, SimPage("delta", ()))
    for url in (ONE, TWO):
        world.site.set(url, SimPage("alpha", (shared,)))
    await world.fetch(ONE, TWO)
    job_id = await world.crawl()
    extracted = "fetcher-page_extracted-bulk"
    first = await driver.until_durable_is_owed(extracted)
    world.bus.owed.remove(first)
    second = await driver.until_durable_is_owed(extracted)
    world.bus.owed.append(first)
    actors = [await world.deliver(first), await world.deliver(second)]
    await interleave(driver, *actors)
    job = await ended(driver, job_id)

    assert outcomes(job)[shared] == "indexed"
    async with world.fetcher_db.reading() as connection:
        statement = select(fetcher_tables.alias).where(fetcher_tables.alias.c.url == shared)
        assert len((await connection.execute(statement)).all()) == 1
    await world.close()


async def test_a_late_redelivery_after_closing_changes_nothing(driver: Driver) -> None:
    """Every message of a finished job comes once more."""
    world = driver.world
    job = await crawled(driver)
    counts = await world.store.count()
    for outgoing in list(world.bus.published):
        world.bus._seen.clear()
        await world.bus.publish(outgoing)
    again = await ended(driver, world.jobs[0])

    assert job.counts == again.counts
    assert counts == await world.store.count()
    for url in (FRONT, ONE, TWO):
        assert len(await versions(world, url)) == 1


async def test_a_rule_removed_in_mid_crawl_admits_nothing_more(driver: Driver) -> None:
    """Pages outside the newest rules end without being fetched; the job ends."""
    world = driver.world
    job_id = await world.crawl()
    await driver.until_durable_is_owed("fetcher-page_extracted-bulk")
    world.scope(prefix("b.example"))
    seen = len(world.site.answers)
    job = await ended(driver, job_id)

    asked = [url for _, url, _ in world.site.answers[seen:] if is_page(url)]
    assert all("b.example" in url for url in asked), asked
    assert job.state == "completed"


async def test_a_rule_removed_in_mid_query_lets_nothing_out(driver: Driver) -> None:
    """The newest rules are asked after the store has answered."""
    world = driver.world
    await crawled(driver)
    found = []

    async def search() -> None:
        found.append(await world.search("value of one", limit=50))

    actor = await world.stage.start("search", search())
    assert actor.effect == "store searched"
    world.scope(prefix("b.example"))
    await world.stage.finish(actor)

    assert found[0].evidence
    assert all("b.example" in passage.canonical_url for passage in found[0].evidence)


async def test_a_cancelled_job_ends_and_what_was_fetched_stays(driver: Driver) -> None:
    """Open pages end as cancelled; nothing is asked for afterwards."""
    world = driver.world
    job_id = await world.crawl()
    await driver.until_durable_is_owed("fetcher-page_extracted-bulk")
    await world.cancel(job_id)
    job = await ended(driver, job_id)

    assert job.state == "cancelled"
    assert job.counts.cancelled > 0
    assert job.counts.open == 0


async def test_a_poison_message_ends_in_the_dead_letters(driver: Driver) -> None:
    """One dead letter, one dead page, and everything else goes on."""
    world = driver.world
    world.site.pages[ONE].poison = True
    job = await crawled(driver)

    letters = {letter.dead_letter_id for letter in world.bus.dead_letters}
    assert len(letters) == 1
    assert world.bus.dead_letters[0].consumer == "extractor-page_fetched-bulk"
    assert outcomes(job)[ONE] == "dead"
    assert outcomes(job)[TWO] == "indexed"


async def test_a_deleted_durable_loses_nothing(driver: Driver) -> None:
    """What only this durable was owed is published again from the archive."""
    world = driver.world
    job_id = await world.crawl()
    await driver.until_durable_is_owed("change-detector-page_extracted-bulk")
    world.bus.delete_durable("change-detector-page_extracted-bulk")
    job = await ended(driver, job_id)

    assert set(outcomes(job).values()) == {"indexed", "blocked"}
    assert any(getattr(outgoing.message, "attempt", 0) > 1 for outgoing in world.bus.published)


async def test_duplicates_of_outbox_and_inbox_count_once(driver: Driver) -> None:
    """The relay publishes a row twice, the consumer sees a verdict three times: one effect."""
    world = driver.world
    await world.crawl()
    actor = await world.start("fetcher:relay")
    for _ in range(3):
        await driver.step()
    if actor in world.stage.actors and "puback" in actor.effect:
        await world.stage.crash(actor)
    job = await ended(driver, world.jobs[0])
    for outgoing in list(world.bus.published):
        world.bus._seen.clear()
        await world.bus.publish(outgoing)
    await driver.calm()
    async with world.fetcher_db.reading() as connection:
        rows = (await connection.execute(select(schedule_tables.schedule))).all()

    assert job.counts.indexed == sum(row.observed_count for row in rows)
    assert {row.observed_count for row in rows} <= {0, 1}
