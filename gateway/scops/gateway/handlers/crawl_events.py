"""What the gateway does with news from the fetcher."""

from collections.abc import Sequence

from scops.common.bus.ports import Cause
from scops.common.contract.messages.crawl import CrawlFinished, CrawlProgressed
from scops.gateway.jobs.job import ApiJobState, finished_state
from scops.gateway.jobs.ledger import end_job, note_progress
from scops.gateway.ports import GatewayPorts


async def handle_crawl_progressed(
    event: CrawlProgressed, cause: Cause, ports: GatewayPorts
) -> Sequence[object]:
    """Takes a job's newer counts over; they may be the last that its owner may have today."""
    await note_progress(ports, event.job_id, event.counts, at=cause.published_time)
    return ()


async def handle_crawl_finished(
    event: CrawlFinished, cause: Cause, ports: GatewayPorts
) -> Sequence[object]:
    """Ends a job; the first end stays."""
    state = finished_state(event.state) or ApiJobState.FAILED
    await end_job(ports, event.job_id, state, event.counts, at=event.finished_time)
    return ()
