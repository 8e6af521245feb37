"""Notes pages that could not be fetched, for watches that tell of them."""

from collections.abc import Sequence

from scops.common.bus.ports import Cause
from scops.common.contract.messages.crawl import FetchFailed
from scops.gateway.ports import GatewayPorts
from scops.gateway.watches.watch import PageFailure


async def handle_fetch_failed(
    event: FetchFailed, cause: Cause, ports: GatewayPorts
) -> Sequence[object]:
    """Notes that a page could not be fetched: once a day for one reason."""
    failure = PageFailure(
        organisation_id=cause.organisation_id,
        page_id=event.page_id,
        reason=event.reason,
        detail=event.detail or event.reason,
        failed_time=event.failed_time,
        recorded_time=ports.clock.now(),
    )
    await ports.alerts.store.note_failure(failure)
    return ()
