"""Puts the extractor together."""

from scops.common.contract.service_table import Role
from scops.common.runtime.platform import Platform
from scops.common.runtime.service import Service
from scops.extractor.adapters.process_pool_extraction import ProcessPoolParser, WorkerLimits
from scops.extractor.ports import Ports
from scops.extractor.router import subscriptions
from scops.extractor.settings import ExtractorSettings

# One page is stored or published while the next one is parsed.
PAGES_PER_WORKER = 2


def build(settings: ExtractorSettings, platform: Platform) -> Service:
    """Returns the service; parsing processes start with the first page."""
    parser = ProcessPoolParser(workers=settings.worker_count, limits=worker_limits(settings))
    return Service(
        role=Role.EXTRACTOR,
        subscriptions=subscriptions(
            Ports(archive=platform.archive, parser=parser),
            concurrency=PAGES_PER_WORKER * settings.worker_count,
        ),
        close=parser.close,
    )


def worker_limits(settings: ExtractorSettings) -> WorkerLimits:
    """Returns what one parsing process may take."""
    return WorkerLimits(
        memory_bytes=settings.worker_memory_bytes,
        pages_max=settings.worker_pages_max,
        start_seconds=settings.worker_start_seconds,
        page_seconds=settings.page_seconds,
        text_characters_max=settings.text_characters_max,
    )
