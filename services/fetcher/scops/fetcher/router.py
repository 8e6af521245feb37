"""Which messages the fetcher consumes and which questions it answers."""

from collections.abc import Mapping
from typing import Any

from scops.common.bus.consume.router import ServiceRouter
from scops.common.contract.messages.change import ChangeSettled
from scops.common.contract.messages.content import ExtractionFailed, PageExtracted
from scops.common.contract.messages.crawl import CancelJob, CrawlScope, FetchPage, PageDead
from scops.common.contract.messages.explanation import PageCited
from scops.common.contract.messages.index import HeadsVerified, IndexFailed, VersionIndexed
from scops.common.contract.messages.purge import PurgePages
from scops.common.contract.service_table import Role
from scops.common.query.ports import (
    CAPTURE_PAGE,
    CONFIRM_SUBSCRIPTION,
    DROP_CREDENTIAL,
    IMPORT_PAGES,
    JOB_STATUS,
    KNOWN_URLS,
    LIST_CREDENTIALS,
    PAGE_LINKS,
    PAGE_PLAN,
    PAGE_RISKS,
    PAPER_SEARCH,
    PURGE_PREVIEW,
    PUT_CREDENTIAL,
    SCOPE_USE,
    SIGNAL_PAGES,
    SITE_SEARCH,
    TAKE_DELIVERY,
    TEST_CREDENTIAL,
    VERIFY,
    QueryMethod,
)
from scops.common.runtime.service import Answer
from scops.fetcher import (
    capturing,
    finding,
    handlers,
    importing,
    linking,
    purging,
    searching,
    signalling,
    subscribing,
)
from scops.fetcher import queries as answers
from scops.fetcher.credentials.answers import drop_credential, list_credentials, put_credential
from scops.fetcher.credentials.trying import try_credential
from scops.fetcher.ports.fetcher import FetcherPorts

# Messages handled at once, of each kind and lane.
CONCURRENCY = 16
ANSWERS: Mapping[QueryMethod[Any, Any], Answer] = {
    KNOWN_URLS: answers.known_urls,
    PAGE_PLAN: answers.page_plan,
    PAGE_LINKS: linking.page_links,
    SITE_SEARCH: searching.site_search,
    PAPER_SEARCH: finding.paper_search,
    PAGE_RISKS: answers.page_risks,
    VERIFY: answers.verify,
    JOB_STATUS: answers.job_status,
    CAPTURE_PAGE: capturing.capture_page,
    IMPORT_PAGES: importing.import_pages,
    SIGNAL_PAGES: signalling.signal_pages,
    CONFIRM_SUBSCRIPTION: subscribing.confirm_subscription,
    TAKE_DELIVERY: subscribing.take_delivery,
    SCOPE_USE: answers.scope_use,
    PUT_CREDENTIAL: put_credential,
    DROP_CREDENTIAL: drop_credential,
    LIST_CREDENTIALS: list_credentials,
    TEST_CREDENTIAL: try_credential,
    PURGE_PREVIEW: purging.purge_preview,
}


def build_router(ports: FetcherPorts, *, concurrency: int = CONCURRENCY) -> ServiceRouter:
    """Returns the fetcher's subscribers."""
    router = ServiceRouter(Role.FETCHER, ports, concurrency=concurrency)
    router.consumes(CrawlScope)(handlers.handle_crawl_scope)
    router.consumes(FetchPage)(handlers.handle_fetch_page)
    router.consumes(CancelJob)(handlers.handle_cancel_job)
    router.consumes(PageExtracted, many=handlers.handle_pages_extracted)(
        handlers.handle_page_extracted
    )
    router.consumes(ExtractionFailed)(handlers.handle_failed)
    router.consumes(*handlers.VERDICTS, many=handlers.handle_versions_added)(
        handlers.handle_verdict
    )
    router.consumes(ChangeSettled)(handlers.handle_change_settled)
    router.consumes(PageCited)(handlers.handle_page_cited)
    router.consumes(VersionIndexed, many=handlers.handle_versions_indexed)(
        handlers.handle_version_indexed
    )
    router.consumes(HeadsVerified)(handlers.handle_heads_verified)
    router.consumes(IndexFailed)(handlers.handle_failed)
    router.consumes(PageDead)(handlers.handle_page_dead)
    router.consumes(PurgePages)(purging.handle_purge_pages)
    return router
