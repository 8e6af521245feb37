"""Which messages the extractor consumes, and by which handler."""

from scops.common.bus.consume.router import ServiceRouter
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.service_table import Role
from scops.extractor.handlers import handle_page_fetched
from scops.extractor.ports import ExtractorPorts


def build_router(ports: ExtractorPorts, *, concurrency: int) -> ServiceRouter:
    """Returns the extractor's subscribers."""
    router = ServiceRouter(Role.EXTRACTOR, ports, concurrency=concurrency, fair=True)
    router.consumes(PageFetched)(handle_page_fetched)
    return router
