"""Which messages the gateway consumes; it is asked over gRPC, and answers no question."""

from scops.common.bus.consume.router import ServiceRouter
from scops.common.contract.messages.crawl import CrawlFinished, CrawlProgressed, FetchFailed
from scops.common.contract.messages.purge import PagesPurged, PurgeApplied
from scops.common.contract.service_table import Role
from scops.gateway.handlers.alerts.failures import handle_fetch_failed
from scops.gateway.handlers.chats.purging import handle_pages_purged
from scops.gateway.handlers.crawl_events import handle_crawl_finished, handle_crawl_progressed
from scops.gateway.handlers.purges import handle_purge_applied
from scops.gateway.ports import GatewayPorts

# Messages handled at once, of each kind and lane.
CONCURRENCY = 4


def build_router(ports: GatewayPorts, *, concurrency: int = CONCURRENCY) -> ServiceRouter:
    """Returns the gateway's subscribers."""
    router = ServiceRouter(Role.GATEWAY, ports, concurrency=concurrency)
    router.consumes(CrawlProgressed)(handle_crawl_progressed)
    router.consumes(CrawlFinished)(handle_crawl_finished)
    router.consumes(PagesPurged)(handle_pages_purged)
    router.consumes(PurgeApplied)(handle_purge_applied)
    router.consumes(FetchFailed)(handle_fetch_failed)
    return router
