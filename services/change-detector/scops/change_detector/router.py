"""Which messages the change-detector consumes and which questions it answers."""

from collections.abc import Mapping
from typing import Any

from scops.change_detector.handlers.extracted_pages import handle_pages_extracted
from scops.change_detector.handlers.news import answer_newest_news, answer_news
from scops.change_detector.handlers.observations import (
    handle_page_extracted,
    handle_page_gone,
    handle_page_unmodified,
)
from scops.change_detector.handlers.purging import answer_purge_counts, handle_pages_purged
from scops.change_detector.handlers.queries import answer_diff, answer_history, answer_read_version
from scops.change_detector.handlers.rechunking import answer_rechunk
from scops.change_detector.handlers.retention import answer_pin, handle_page_cited
from scops.change_detector.handlers.seen_pages import handle_pages_verified
from scops.change_detector.handlers.templates import answer_templates
from scops.change_detector.handlers.volatile import answer_volatile
from scops.change_detector.handlers.what_changed import answer_what_changed
from scops.change_detector.ports import ChangeDetectorPorts
from scops.common.bus.consume.router import ServiceRouter
from scops.common.contract.messages.content import PageExtracted
from scops.common.contract.messages.crawl import PageGone, PagesVerified, PageUnmodified
from scops.common.contract.messages.explanation import PageCited
from scops.common.contract.messages.purge import PagesPurged
from scops.common.contract.service_table import Role
from scops.common.query.ports import (
    DIFF,
    HISTORY,
    NEWEST_NEWS,
    NEWS,
    PIN,
    PURGE_COUNTS,
    READ_VERSION,
    RECHUNK,
    TEMPLATES,
    VOLATILE,
    WHAT_CHANGED,
    QueryMethod,
)
from scops.common.runtime.service import Answer

ANSWERS: Mapping[QueryMethod[Any, Any], Answer] = {
    HISTORY: answer_history,
    DIFF: answer_diff,
    READ_VERSION: answer_read_version,
    WHAT_CHANGED: answer_what_changed,
    NEWS: answer_news,
    NEWEST_NEWS: answer_newest_news,
    RECHUNK: answer_rechunk,
    PIN: answer_pin,
    TEMPLATES: answer_templates,
    VOLATILE: answer_volatile,
    PURGE_COUNTS: answer_purge_counts,
}


def build_router(ports: ChangeDetectorPorts, *, concurrency: int) -> ServiceRouter:
    """Returns the change-detector's subscribers."""
    router = ServiceRouter(Role.CHANGE_DETECTOR, ports, concurrency=concurrency, fair=True)
    router.consumes(PageExtracted, many=handle_pages_extracted)(handle_page_extracted)
    router.consumes(PageUnmodified)(handle_page_unmodified)
    router.consumes(PagesVerified)(handle_pages_verified)
    router.consumes(PageGone)(handle_page_gone)
    router.consumes(PageCited)(handle_page_cited)
    router.consumes(PagesPurged)(handle_pages_purged)
    return router
