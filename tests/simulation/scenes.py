"""What the named cases do to a world, and what they look at."""

from scops.change_detector.handlers.queries import answer_history
from scops.common.bus.ports import Outgoing
from scops.common.contract.ids import EventId, JobId, PageId
from scops.common.contract.messages.change import HistoryEntry, HistoryRequest
from scops.common.contract.messages.content import PageExtracted
from scops.common.contract.messages.crawl import JobRecord
from scops.common.contract.messages.retrieval import RetrieveResponse
from scops.common.contract.service_table import Lane
from scops.common.scope.contexts import PUBLIC
from tests.simulation.driver import Driver
from tests.simulation.site import SimPage
from tests.simulation.stage import Actor
from tests.simulation.world import World

ONE = "http://a.example/one"
TWO = "http://a.example/deep/two"
FRONT = "http://a.example/"


async def crawled(driver: Driver) -> JobRecord:
    """Crawls calmly to the end and returns the job."""
    job_id = await driver.world.crawl()
    return await ended(driver, job_id)


async def ended(driver: Driver, job_id: JobId) -> JobRecord:
    """Goes on calmly to the end and returns a job."""
    await driver.calm()
    await driver.invariants.all_is_done()
    return (await driver.world.fetcher.catalogue.jobs([job_id]))[0]


async def page_id(world: World, url: str) -> PageId:
    """Returns the id of the page that a URL names."""
    plan = await world.fetcher.catalogue.page_plan(page_id=PageId(""), url=url, contexts=(PUBLIC,))
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
    """Returns the outcome of each page of a job, by URL."""
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
    """Returns what was extracted of a page most recently."""
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
