"""What a given-up message ends: the fetch or the job that it decides about, and nothing else."""

import pytest

from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import PageDead, PageFetched
from scops.common.contract.service_table import MESSAGES, Lane, Role, durable_name
from scops.fetcher import handlers
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
# By consumer and message; whatever is not named here decides about nothing.
ENDS_A_FETCH = {
    "extractor": {"page_fetched"},
    "change-detector": {"page_unmodified", "page_gone", "page_extracted"},
    "indexer": {"version_added", "version_unchanged", "version_restored", "version_closed"},
    "fetcher": {"page_extracted", "extraction_failed", "version_indexed", "index_failed"},
}
ENDS_A_JOB = {"fetcher": {"crawl_scope", "fetch_page", "cancel_job"}}
CONSUMPTIONS = [(role, entry) for entry in MESSAGES for role in entry.consumers]


def _named(table: dict[str, set[str]], role: Role, message: str) -> bool:
    return message in table.get(role.value, set())


@pytest.mark.parametrize(
    ("role", "entry"), CONSUMPTIONS, ids=[f"{r}-{e.snake_name}" for r, e in CONSUMPTIONS]
)
async def test_a_dead_message_ends_the_fetch_it_was_on_the_way_for(
    world: FetcherWorld, role: Role, entry: object
) -> None:
    """A message that only names the page, such as `VersionsDropped`, ends no fetch."""
    world.scopes.apply(scope("a.test", seeds=world.source.serve_pages("")))
    await world.fetch_at_once(ROOT)
    event = await world.event(PageFetched)
    consumer = durable_name(role, entry, Lane.BULK)  # type: ignore[arg-type]
    dead = PageDead(page_id=event.page_id, consumer=consumer, reason="POISON")
    await handlers.handle_page_dead(dead, world.cause(), world.ports)

    ends = _named(ENDS_A_FETCH, role, entry.snake_name)  # type: ignore[attr-defined]
    assert {ROOT: "dead(poison)" if ends else "open"} == await world.outcomes()


@pytest.mark.parametrize(
    ("role", "entry"), CONSUMPTIONS, ids=[f"{r}-{e.snake_name}" for r, e in CONSUMPTIONS]
)
async def test_a_dead_message_ends_the_job_it_commands(
    world: FetcherWorld, role: Role, entry: object
) -> None:
    """News of a job that the gateway gave up on do not end the job."""
    world.scopes.apply(scope("a.test", seeds=world.source.serve_pages("")))
    await world.fetch(ROOT)
    consumer = durable_name(role, entry, Lane.BULK)  # type: ignore[arg-type]
    dead = PageDead(job_id=JobId("job"), consumer=consumer, reason="POISON")
    await handlers.handle_page_dead(dead, world.cause(), world.ports)

    ends = _named(ENDS_A_JOB, role, entry.snake_name)  # type: ignore[attr-defined]
    assert {ROOT: "dead(poison)" if ends else "open"} == await world.outcomes()
