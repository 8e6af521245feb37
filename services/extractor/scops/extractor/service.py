"""Puts the extractor together."""

from scops.common.contract.service_table import Role
from scops.common.runtime.platform import Platform
from scops.common.runtime.service import Service, subscriptions
from scops.extractor.adapters.process_pool_extraction import ProcessPoolParser, WorkerLimits
from scops.extractor.ports import ExtractorPorts
from scops.extractor.router import HANDLERS
from scops.extractor.settings import ExtractorSettings

# One page is stored or published while the next one is parsed.
PAGES_PER_WORKER = 2


def build(settings: ExtractorSettings, platform: Platform) -> Service:
    """Returns the service; parsing processes start with the first page."""
    limits = WorkerLimits(
        memory_bytes=settings.worker_memory_bytes, page_seconds=settings.page_seconds
    )
    parser = ProcessPoolParser(workers=settings.worker_count, limits=limits)
    return Service(
        role=Role.EXTRACTOR,
        subscriptions=subscriptions(
            HANDLERS,
            ExtractorPorts(archive=platform.archive, parser=parser),
            concurrency=PAGES_PER_WORKER * settings.worker_count,
        ),
        close=parser.close,
    )
