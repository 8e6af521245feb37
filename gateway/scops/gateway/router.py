"""Which messages the gateway consumes; it is asked over gRPC, and answers no question."""

from collections.abc import Mapping
from typing import Any

from scops.common.contract.messages.crawl import CrawlFinished, CrawlProgressed, FetchFailed
from scops.common.contract.messages.purge import PagesPurged, PurgeApplied
from scops.common.runtime.service import Handle
from scops.gateway.handlers.alerts.failures import handle_fetch_failed
from scops.gateway.handlers.chats.purging import handle_pages_purged
from scops.gateway.handlers.crawl_events import handle_crawl_finished, handle_crawl_progressed
from scops.gateway.handlers.purges import handle_purge_applied

HANDLERS: Mapping[type[Any], Handle] = {
    CrawlProgressed: handle_crawl_progressed,
    CrawlFinished: handle_crawl_finished,
    PagesPurged: handle_pages_purged,
    PurgeApplied: handle_purge_applied,
    FetchFailed: handle_fetch_failed,
}
