"""Stores that refuse their work for a while, and what answers cite."""

import pytest

from tests.simulation.driver import STORES, Driver
from tests.simulation.scenes import ONE, crawled, ended, outcomes, says

STEPS_OF_REFUSAL = 200


@pytest.mark.parametrize("store", STORES)
async def test_a_store_that_refuses_costs_no_page(driver: Driver, store: str) -> None:
    """Reads and writes fail for as long as they are tried; afterwards every page is indexed."""
    world = driver.world
    job_id = await world.crawl()
    if store == "store":
        # Nothing asks the chunk store before there are versions.
        await driver.until_durable_is_owed("indexer-version_added-bulk")
    world.stage.refusing.add(store)
    for _ in range(STEPS_OF_REFUSAL):
        await driver.step()
    assert world.stage.refusals > 0
    job = await ended(driver, job_id)

    assert set(outcomes(job).values()) == {"indexed", "blocked"}
    assert world.bus.dead_letters == []


async def test_citations_resolve_after_their_page_has_changed(driver: Driver) -> None:
    """What an answer cited before an edit is found word for word in the version of then."""
    await crawled(driver)
    answer = await driver.world.answer("What is the value of one?")
    await driver.invariants.answered(answer)
    assert answer.citations
    says(driver.world, ONE, "another")
    await crawled(driver)

    await driver.invariants.citations_resolve()
